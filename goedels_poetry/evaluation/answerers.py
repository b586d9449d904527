"""Who is asked: `ProofOfThought` about questions, `MachineRunner` about theorems; ablations."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol
from unicodedata import normalize

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.evaluation.outcome import BadData, GoldQuestion, Label, mistakes
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.prompts import Prompts
from goedels_poetry.reasoning.solving import costs_of
from goedels_poetry.reasoning.steps import QueryResult
from goedels_poetry.search.machine.runner import SECONDS, Elsewhere, MachineRunner
from goedels_poetry.search.tasks.base import NO_REPLY
from goedels_poetry.settings.declared import Settings
from goedels_poetry.solvers.versions import solver_versions
from goedels_poetry.store.results import RunResult
from goedels_poetry.version import __version__

NEVER = 1_000_000_000
"""So many failures no run has."""

ABLATIONS: Mapping[str, str] = {
    "decomposition": "no goal is sketched: direct attempts only",
    "bans": "a strategy that failed may be tried again",
    "repair": "a failed attempt is not corrected, the next one begins anew",
    "retrieval": "no premises are looked up",
    "bank": "nothing is learned from other runs",
    "refutation": "subgoals are not searched for counterexamples (SMT-LIB)",
    "exploration": "no lemmas are found by enumerating equations (SMT-LIB)",
}
"""Name -> what is left out. The two that say so are ideas of the search for SMT-LIB and change nothing elsewhere."""
OF_SMT = ("refutation", "exploration")


def names(texts: Iterable[str]) -> tuple[str, ...]:
    """Names with commas between them, in the table's order. Raises BadData: there is no such ablation."""
    given = [name.strip().lower() for text in texts for name in text.split(",") if name.strip()]
    for name in given:
        if name not in ABLATIONS:
            raise BadData(f"--without {name!r}: there are {', '.join(ABLATIONS)}")
    return tuple(name for name in ABLATIONS if name in given)


def without(settings: Settings, left_out: Iterable[str]) -> Settings:
    """The settings of runs that do without these ideas; see `options_without` for the rest."""
    changes: dict[str, Any] = {}
    for name in left_out:
        match name:
            case "decomposition":
                changes["budgets"] = settings.budgets.model_copy(update={"depth": 0})
            case "bans":
                changes |= {"ban_after_failures": NEVER, "ban_deterministic_after_failures": NEVER}
            case "repair":
                # As many attempts as before, each of them a pass of its own.
                passes = settings.prover_agent_max_pass * (1 + settings.prover_agent_max_self_corrections)
                changes |= {"prover_agent_max_self_corrections": 0, "prover_agent_max_pass": passes}
            case "retrieval":
                changes["retrieval"] = settings.retrieval.model_copy(update={"premises": 0})
            case "bank":
                changes["use_memory"] = False
    return settings.model_copy(update=changes) if changes else settings


def options_without(left_out: Iterable[str]) -> dict[str, Any]:
    """Options for the language: ideas that are its own."""
    own = [name for name in left_out if name in OF_SMT]
    return {"without": own} if own else {}


class NoReply(GoedelsPoetryError):
    """No model answered at all: that says nothing about the question, and the next run asks it again."""


class Asks(Protocol):
    """What `ProofOfThought` has."""

    async def aquery(self, question: str, context: str | None = None, **overrides: Any) -> QueryResult:
        """Answer one question."""
        ...


@dataclass(frozen=True, slots=True)
class QuestionAnswerer:
    """Asks afresh whatever is not in the log: an earlier run may be another version's."""

    asks: Asks
    setup: Mapping[str, Any]

    async def answer(self, question: str, context: str, sample: int) -> QueryResult:
        """The answer; raises `NoReply` when every request to a model failed."""
        result = await self.asks.aquery(question, context or None, sample=sample, fresh=True)
        attempts = [str(attempt.get("outcome")) for attempt in result.history]
        if result.program is None and attempts and set(attempts) == {NO_REPLY}:
            raise NoReply(result.reason)
        return result


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem of a file."""

    name: str
    """As it was given: ``FILE`` or ``FILE:theorem``."""
    text: str
    file: str
    """Its name says which language it is in."""
    theorem: str = ""
    dataset: str = "theorems"
    gold: Label = "true"
    """false: it is to be refuted."""
    tags: tuple[str, ...] = ()

    @property
    def question(self) -> GoldQuestion:
        """To be proved, or refuted; where it lies does not matter."""
        name = self.file.replace(chr(92), "/").rpartition("/")[2]
        asked = f"{normalize('NFC', name)}:{self.theorem}"  # systems write accents in two ways
        return GoldQuestion(self.name, self.dataset, asked, self.text, self.gold, self.tags, place=self.name)


class ProofAnswerer:
    """Proves theorems, every sample with a seed of its own.

    Without what other runs have learned, unless ``learns`` says otherwise: then results depend on the order.

    An asynchronous context manager: on leaving it, its solvers are stopped.

    Args:
        settings: budgets of each run, models, seed of the first sample.
        learns: use the lemma bank and the statistics of the data directory, and add to them.
    """

    elsewhere: Callable[[Settings], Elsewhere] | None = None
    """Of the settings of a sample: who works on its runs in the place of this process."""

    def __init__(
        self,
        settings: Settings,
        theorems: Sequence[Theorem],
        setup: Mapping[str, Any],
        options: Mapping[str, Any] | None = None,
        learns: bool = False,
    ) -> None:
        self.setup = setup
        self._learns = learns
        self._settings = settings
        self._options = dict(options or {})
        self._theorems = {(one.question.question, one.text): one for one in theorems}
        self._frameworks: dict[int, MachineRunner] = {}
        self._at_work: Counter[int] = Counter()

    async def __aenter__(self) -> ProofAnswerer:
        return self

    async def __aexit__(self, *error: object) -> None:
        while self._frameworks:
            await self._frameworks.popitem()[1].aclose()

    async def answer(self, question: str, context: str, sample: int) -> QueryResult:
        """The verdict of one run."""
        theorem = self._theorems[question, context]
        options = self._options | ({"theorem": theorem.theorem} if theorem.theorem else {})
        framework = self._framework(sample)
        self._at_work[sample] += 1
        try:
            run = await framework.arun(context, name=theorem.file, options=options, fresh=True)
        finally:
            self._at_work[sample] -= 1
        kinds = await asyncio.to_thread(_mistakes, framework, run)
        await self._close_earlier(sample)
        return _result(theorem, run, kinds)

    def _framework(self, sample: int) -> MachineRunner:
        """One for all theorems of a sample: its solvers are started once."""
        if sample not in self._frameworks:
            changes: dict[str, Any] = {"seed": self._settings.seed + sample, "use_memory": self._learns}
            settings = self._settings.model_copy(update=changes)
            made = self._frameworks[sample] = MachineRunner(settings)
            if self.elsewhere is not None:
                made.elsewhere = self.elsewhere(settings)
        return self._frameworks[sample]

    async def _close_earlier(self, sample: int) -> None:
        """Samples are taken one after another: nobody will want an earlier one again."""
        for earlier in [each for each in self._frameworks if each < sample and not self._at_work[each]]:
            await self._frameworks.pop(earlier).aclose()


def _mistakes(framework: MachineRunner, run: RunResult) -> dict[str, int]:
    """What went wrong in a run, by kind; nothing of a run that never began or whose tree cannot be read."""
    if not run.run_id:
        return {}
    try:
        with framework.open_store(run.run_id) as store:
            entries = [{"seq": s, "node": n, "kind": k, **entry} for s, n, k, entry in store.whole_history()]
    except (GoedelsPoetryError, OSError):
        return {}
    return mistakes(entries, run.language)


def _result(theorem: Theorem, run: RunResult, kinds: Mapping[str, int]) -> QueryResult:
    decided = {Verdict.PROVED: True, Verdict.REFUTED: False}
    return QueryResult(
        question=theorem.name,
        answer=decided.get(run.verdict),
        verdict=run.verdict,
        away=run.away,
        backend=run.language,
        program=theorem.text if run.run_id else None,
        attempts=int(run.metrics.get("attempts", 0)),
        history=tuple({"mistake": kind, "times": times} for kind, times in kinds.items()),
        costs=costs_of(run.metrics) | ({"seconds": run.metrics[SECONDS]} if SECONDS in run.metrics else {}),
        certificate=str(run.certificate) if run.certificate is not None else None,
        trust_level=run.trust_level,
        reason=run.reason,
        warnings=run.warnings,
        run_id=run.run_id,
    )


def setup_of(settings: Settings, **options: Any) -> dict[str, Any]:
    """All that answers depend on: versions, prompts, settings that matter, and ``options``: models and the rest."""
    prompts = Prompts(settings.prompts_dir)
    versions = sha256("\n".join(f"{name} {prompts.get(name).version}" for name in prompts.names()).encode())
    meant = settings.model_dump(mode="json", include=set(_MEANT))
    return {
        "program": __version__,
        "solvers": solver_versions(),
        "prompts": versions.hexdigest()[:16],
        "settings": meant,
        **options,
    }


_MEANT = (
    "seed",
    "budgets",
    "schedule",
    "symbolic_queries",
    "model_first",
    "when_hopeless",
    "prover_agent_max_pass",
    "prover_agent_max_self_corrections",
    "decomposer_agent_max_self_corrections",
    "ban_after_failures",
    "ban_deterministic_after_failures",
)
"""Settings that decide what comes out; the others say where things are, or how many are done at once."""
