"""From a certificate to a Lean file: the proof that solvers have agreed to, step by step as Lean accepts it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from goedels_poetry.kernel.derivation import ByScheme, Derivation, Step
from goedels_poetry.kernel.faults import CodecError, KernelError
from goedels_poetry.kernel.reading import defining
from goedels_poetry.kernel.reading.certificate import derivation_from_json, with_auxiliaries
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.structure import claimed_formula
from goedels_poetry.kernel.termination import termination_obligations
from goedels_poetry.kernel.terms import FALSE, Term
from goedels_poetry.lean.runtime.driven import LeanUnavailable
from goedels_poetry.lean.runtime.opening import open_lean
from goedels_poetry.lean.runtime.protocol import CheckRequest, LeanRuntime
from goedels_poetry.lean.smt_proofs.replay import Found, Replay, StepFailed
from goedels_poetry.lean.smt_proofs.writing import Writing, in_section, indented, name_of
from goedels_poetry.lean.statement.theory import TAIL, LeanTheory, translate
from goedels_poetry.lean.statement.vocabulary import NotTranslatable
from goedels_poetry.settings.declared import LeanSettings

# -- The file ------------------------------------------------------------------------------------------------------


def endings(writing: Writing, last: Step) -> list[str]:
    """Tactic blocks that may prove the theorem from the last step."""
    step = writing.step(last.id)
    return [
        f"intros\nfirst | exact {step} | (apply {step} <;> assumption) | (apply {step} <;> simp_all) | grind",
        f"have _l := {step}\nintros\ngrind",
        f"have _l := {step}\nsimp_all",
        f"simpa using {step}",
    ]


def written(
    theory: LeanTheory,
    writing: Writing,
    steps: Sequence[Step],
    found: Mapping[str, Found],
    ending: str,
) -> str:
    """The whole text. ``ending``: the tactics that prove the theorem from the last step."""
    proved = [_step(writing, s, found[s.id]) for s in steps if s.id in found]
    return (
        "\n".join(
            [
                f"{theory.comment}{theory.header}",
                "section",
                *([writing.context] if writing.context else []),
                "",
                *proved,
                "end",
                "",
                f"{theory.statement} := by",
                indented(ending),
            ]
        )
        + TAIL
    )


def _step(writing: Writing, step: Step, found: Found) -> str:
    text = f"{writing.theorem(name_of(step.id), step.sequent)} := by\n{indented(found.text)}\n"
    patterns = writing.patterns(found.cites) if "grind" in found.text else []
    return in_section([*writing.before(step.id), *patterns], text)


# -- From a certificate to a Lean file -----------------------------------------------------------------------------


DEFAULT_SECONDS = 60.0
WHOLE_SECONDS = 20.0
"""For the file as a whole, at least: every step of it is proved by then."""
SAYS = {
    "proved": "",
    "negation proved": "; What is proved here is the negation of the goal, from the premises.\n",
    "inconsistent": "; What is proved here is that the premises contradict each other; the goal has no part in it.\n",
}
"""The claims of which there is a proof, and what stands before the text of a theorem that is not the one proved."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """What became of a proof on its way to Lean. ``text`` is None where there is no Lean file."""

    text: str | None
    reason: str = ""
    """Why there is none."""
    failed: StepFailed | None = None
    """The step that Lean was not led to accept."""
    steps: int = 0
    """Steps of the derivation that the last one rests on and Lean has accepted."""
    seconds: float = 0.0
    requests: int = 0

    def to_json(self, certificate: Path, file: Path | None = None) -> dict[str, Any]:
        """The object that ``export --json`` prints; ``file``: where the text was written, which it leaves out then."""
        failed = self.failed
        return {
            "schema": 1,
            "certificate": str(certificate),
            "to": "lean",
            "file": str(file) if file is not None and self.text is not None else None,
            "text": self.text if file is None else None,
            "steps": self.steps,
            "reason": self.reason or None,
            "step": failed.step if failed is not None else None,
            "goal": failed.statement if failed is not None else None,
            "tried": list(failed.tried) if failed is not None else [],
            "seconds": round(self.seconds, 3),
        }


async def export(
    theorem: bytes,
    evidence: object,
    lean: LeanRuntime,
    seconds: float = DEFAULT_SECONDS,
    progress: Progress = lambda done, total: None,
    claim: str = "proved",
) -> Exported:
    """The Lean text of a proof.

    Args:
        evidence: the certificate's ``derivation.json``, read.
        lean: the Lean in which alternatives are tried; it need not be trusted.
        seconds: after which nothing further is tried.
        progress: is told how many steps are done, of how many that are known to be needed.

    Returns:
        The text, or why there is none. A text is one that this Lean has accepted as a whole; whether it is a proof of
        the theorem is for the gate to say.
    """
    began = time.monotonic()
    try:
        derivation, theory, writing = opened(theorem, evidence, claim)
    except (NotTranslatable, KernelError, RecursionError) as error:
        return Exported(None, f"not translatable to Lean: {str(error) or type(error).__name__}")
    replay = Replay(writing, derivation.steps, lean, began + seconds, progress)
    done = await replay.run()
    spent = time.monotonic() - began
    result = Exported(None, steps=len(replay.found), seconds=spent, requests=replay.requests)
    if not done:
        failed = replay.failed
        assert failed is not None
        where = f"step {failed.step} of {len(derivation.steps)}: " if failed.step else ""
        return replace(result, reason=f"{where}{failed.reason}", failed=failed)
    for ending in endings(replay.writing, derivation.steps[-1]):
        text = written(theory, replay.writing, derivation.steps, replay.found, ending)
        remaining = began + seconds - time.monotonic()
        checked = await lean.check(CheckRequest(code=text, seconds=max(WHOLE_SECONDS, remaining)))
        open_ = [m for m in checked.messages if m.kind == "hasSorry"]
        if checked.ok and not open_:
            return replace(result, text=text, seconds=time.monotonic() - began)
        why = checked.errors[0].text if checked.errors else checked.error or "something is left open"
        if checked.status != "done":
            break
    return replace(result, reason=f"the file as a whole: {why}", seconds=time.monotonic() - began)


def opened(theorem: bytes, evidence: object, claim: str = "proved") -> tuple[Derivation, LeanTheory, Writing]:
    """The derivation, what the theorem is in Lean, and what a Lean text of the proof is written with.

    Raises:
        NotTranslatable: Lean's core has no counterpart for something.
        KernelError: no theorem, or no derivation.
    """
    problem = parse_problem(theorem)
    problem = replace(problem, goal=claimed_formula(problem, claim))
    if isinstance(evidence, dict):
        if "interpretation" in evidence:
            raise NotTranslatable("it says what declared functions are, and so is about another theorem of the text")
        evidence, problem = defining.split_evidence({k: v for k, v in evidence.items() if k != "premises"}, problem)
    derivation = derivation_from_json(evidence, problem.signature)
    theory = translate(problem, derivation, SAYS[claim] + theorem.decode(errors="replace"))
    whole = with_auxiliaries(problem, derivation.auxiliary, derivation.measures)
    ends = termination_obligations(whole.signature, derivation.termination)
    if not derivation.steps:
        raise CodecError("a proof without steps")
    proved = {step.id: step.sequent for step in derivation.steps}
    writing = Writing(whole, theory, ends.sizes, proved)
    return derivation, theory, replace(writing, needs=_needs(writing, theory, derivation))


def _needs(writing: Writing, theory: LeanTheory, derivation: Derivation) -> dict[str, frozenset[str]]:
    """What is left open and each step speaks of, or one that it cites."""
    found: dict[str, frozenset[str]] = {}
    for step in derivation.steps:
        terms = [*step.sequent.hyps, step.sequent.concl]
        if isinstance(step.by, ByScheme):
            terms += terms_of(step.by.scheme)
        else:
            terms += [a for i in step.by.instances for a in i.args]
        mine = writing.needed(theory.opened, terms)
        if step.sequent.concl is FALSE:  # of what it follows from it says nothing
            mine = frozenset(theory.opened)
        found[step.id] = mine.union(*[found[c] for c in step.by.cites if c in found])
    return found


def terms_of(scheme: object) -> list[Term]:
    """The terms that a scheme has been given."""
    waiting = [getattr(scheme, field.name) for field in fields(scheme)] if is_dataclass(scheme) else []
    found = []
    while waiting:
        value = waiting.pop()
        if isinstance(value, Term):
            found.append(value)
        elif isinstance(value, tuple):
            waiting.extend(value)
    return found


async def exported(
    theorem: bytes,
    evidence: Any,
    settings: LeanSettings,
    seconds: float | None,
    tell: Callable[[int, int], None],
    claim: str = "proved",
) -> Exported:
    """What becomes of a proof of ``claim`` in the Lean of the settings; that there is no Lean is a result, too."""
    try:
        lean = await asyncio.to_thread(open_lean, settings)
    except LeanUnavailable as problem:
        return Exported(None, str(problem))
    try:
        return await export(theorem, evidence, lean, DEFAULT_SECONDS if seconds is None else seconds, tell, claim)
    except LeanUnavailable as problem:
        return Exported(None, str(problem))
    finally:
        await lean.aclose()
