"""The task to write a Python function that passes given checks: what is wanted, and the moves of a run.

The text of a task is canonical: two files that ask for the same are one task, whatever their layout; `code_file` reads
them. The root carries the conversation, the present candidate, its report, every input on which a candidate failed, and
the best candidate so far. Attempts are history entries of the kind ``candidate``; bans hold for this task alone.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.client import Models
from goedels_poetry.protocol.base import Language, Theorem
from goedels_poetry.search.tasks.base import (
    ANSWERED,
    CONVERSATION,
    REPORT,
    Loop,
    Refs,
    Report,
    Session,
    Stop,
    Task,
    decided,
    ended,
    frozen,
    headline,
    set_report,
    set_written,
    without,
)
from goedels_poetry.store.reads import HistoryEntry, StoreReader, Txn
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ROOT, ProofNode, Queue

if TYPE_CHECKING:
    from goedels_poetry.python.testing.checks import Checks
    from goedels_poetry.python.testing.reading import Parameter


CANDIDATE, EVIDENCE, BEST, SOLUTION = "candidate", "evidence", "best", "solution"
PROSECUTED, DISPUTED = "prosecuted", "disputed"
"""References of the root besides those of `attempts`: the present candidate; inputs on which a candidate failed; the
candidate that passed most checks; the one that passed all; the outcome of hostile tests; the references of a candidate
that had passed when its author was asked about what the task's words are held against."""

PASSED, FAILED, BANNED, REPEATED, UNTESTED = "passed", "failed", "banned", "repeated", "untested"
"""Outcomes of an attempt besides `REPLY` and `NO_REPLY`: every check passed; one did not; refused for its strategy, or
because it was tried before; it could not be tested."""

MODEL, SYNTHESIS = "model", "synthesis"
"""Authors of candidates."""
FAILURES_UNTIL_BAN = 2
MAX_EVIDENCE = 40
"""Inputs that are tried again on each new candidate."""


def _noted(txn: Txn, node: ProofNode, refs: Refs, report: Report) -> dict[str, Any]:
    """The history entry of an attempt; adds evidence and the best candidate to the references, and counts bans."""
    candidate = txn.store.load(refs[CANDIDATE]) if CANDIDATE in refs else {}
    earlier = txn.store.load(refs[EVIDENCE]) if EVIDENCE in refs else []
    found = [dict(each) for each in report.get("evidence", ()) if each]
    if found:
        refs[EVIDENCE] = txn.save([*found, *(each for each in earlier if each not in found)][:MAX_EVIDENCE])
    best = _part(txn.store.load(txn.store.load(refs[BEST])["report"])) if BEST in refs else 0.0
    if candidate and report["kind"] in (PASSED, FAILED, UNTESTED) and _part(report) >= best:
        refs[BEST] = txn.save({"candidate": refs[CANDIDATE], "report": refs[REPORT]})
    if report.get("counts") and candidate.get("by") == MODEL:
        _strategy_failed(txn, node, candidate, report)
    return {
        "by": candidate.get("by", MODEL),
        "strategy": candidate.get("strategy", ""),
        "fingerprint": candidate.get("fingerprint", ""),
        "digest": candidate.get("digest", ""),
        "input": report.get("failing"),
        "passed": report.get("passed", 0),
        "total": report.get("total", 0),
        **({"candidate_ref": refs[CANDIDATE]} if candidate else {}),
    }


def _part(report: Report) -> float:
    return float(report.get("passed", 0) / max(1, report.get("total", 0)))


CODE = Loop(
    artifact=CANDIDATE,
    stale=(PROSECUTED,),
    entry="candidate",
    queues={
        "correct": Queue.CORRECT,
        "fresh": Queue.FORMALIZE,
        "ask_again": Queue.FORMALIZE,
        "prosecute": Queue.CHECK_SEMANTICS,
    },
    noted=_noted,
)


def set_enumerated(txn: Txn, node: ProofNode, candidate: Mapping[str, Any] | None, note: str, *, passes: bool) -> str:
    """The outcome of an enumeration of small functions; without a candidate the node stays in its queue."""
    txn.log(node.id, "enumeration", reason=note, passes=passes)
    txn.reason = note
    if candidate is not None:
        return set_written(txn, node, CODE, dict(candidate), None)
    txn.put(node)
    return "nothing found"


def rounds_of(history: Iterable[HistoryEntry]) -> list[bool]:
    """Of every enumeration so far whether its candidate passed a quick test."""
    return [bool(entry.entry["passes"]) for entry in history if entry.kind == "enumeration"]


def set_prosecuted(txn: Txn, node: ProofNode, found: Mapping[str, Any], report: Report | None = None) -> str:
    """The outcome of hostile tests; ``report``: on the candidate, when one of them broke it.

    ``found``: ``{"by", "tests": how many counted, "aside": [words], "disputed": [calls], "reason"}``.
    """
    txn.log(node.id, "prosecution", **found)
    if report is not None:
        set_report(txn, node, CODE, report)
        return "broken"
    txn.reason = str(found["reason"])
    txn.put(replace(node, queue=Queue.DECIDE, refs={**node.refs, PROSECUTED: txn.save(dict(found))}))
    return "not broken"


def set_move(txn: Txn, node: ProofNode, move: str, reason: str, *, evidence: Mapping[str, Any] | None = None) -> str:
    """The decider's move; ``evidence``: for ``accept``, what the checker gets."""
    decided(txn, node, move, reason)
    if move in CODE.queues:
        refs = without(node.refs, CONVERSATION, ANSWERED) if move == "fresh" else dict(node.refs)
        queue = txn.store.load(refs[REPORT]).get("queue") if move == "ask_again" else None
        txn.put(replace(node, queue=str(queue or CODE.queues[move]), refs=refs))
        return move
    if move != "accept" or evidence is None:
        ended(txn, node, reason)
        return "given up"
    txn.put(replace(node, queue=None, reason="", refs={**node.refs, SOLUTION: txn.save(evidence["source"])}))
    txn.set_verdict(Verdict.TESTED, "", dict(evidence))
    return "accepted"


def set_disputed(txn: Txn, node: ProofNode, why: str, words: str) -> str:
    """The objections go back to the author of the candidate that passed, once; that one is kept."""
    decided(txn, node, "dispute", why)
    kept = {name: node.refs[name] for name in (CANDIDATE, REPORT, PROSECUTED)}
    report = txn.save({**txn.store.load(node.refs[REPORT]), "words": words})
    refs = {**node.refs, DISPUTED: txn.save(kept), REPORT: report, ANSWERED: report}
    txn.put(replace(node, queue=Queue.CORRECT, refs=refs))
    return "dispute"


def passed_refs(store: StoreReader, refs: Mapping[str, str]) -> dict[str, str] | None:
    """The references with the present candidate if it passed every check and is not broken so far, or the one kept."""
    if CANDIDATE in refs and REPORT in refs and store.load(refs[REPORT]).get("kind") == PASSED:
        return dict(refs)
    return {**refs, **store.load(refs[DISPUTED])} if DISPUTED in refs else None


def accept_passed(txn: Txn, node: ProofNode, checks: Mapping[str, Any], task: str, why: str) -> str:
    """Accept the candidate that passed; see `passed_refs`."""
    node = replace(node, refs=passed_refs(txn.store, node.refs) or node.refs)
    source, report = (txn.store.load(node.refs[name]) for name in (CANDIDATE, REPORT))
    given = {"source": source["source"], "checks": dict(checks), "task": task, "report": report}
    return set_move(txn, node, "accept", why, evidence=given)


# -- strategies ------------------------------------------------------------------------------------------------


def _strategy_failed(txn: Txn, node: ProofNode, candidate: Mapping[str, Any], report: Report) -> None:
    """Count a failure of the candidate's strategy, and ban it here after the second."""
    fingerprint = str(candidate.get("fingerprint") or "")
    if not fingerprint:
        return
    evidence = {
        "fingerprint": fingerprint,
        "strategy": str(candidate["strategy"]),
        "attempt": node.attempts,
        "reason": str(report["reason"]),
        "input": report.get("failing"),
        "limit": "",
    }
    txn.log(node.id, "failure", **evidence)
    past = txn.store.history(node.id)
    failures = sum(e.kind == "failure" and e.entry["fingerprint"] == fingerprint for e in past)
    if failures >= FAILURES_UNTIL_BAN and fingerprint not in txn.store.bans(node.id):
        txn.log(node.id, "ban", **evidence, failures=failures)
        txn.spent["bans"] += 1


def lift_oldest(txn: Txn, node: ProofNode) -> str:
    """Lift the oldest ban, once in a run. Returns its fingerprint; "" when that is used up."""
    bans = txn.store.bans(node.id)
    if not bans or any(entry.kind == "lift" for entry in txn.store.history(node.id)):
        return ""
    fingerprint, ban = next(iter(bans.items()))
    txn.log(node.id, "lift", fingerprint=fingerprint, strategy=ban["strategy"])
    return str(fingerprint)


# -- results ---------------------------------------------------------------------------------------------------


SHOWN = ("attempt", "by", "strategy", "fingerprint", "outcome", "reason", "input", "passed", "total")
"""What a result says of an attempt."""


def candidates(history: Iterable[HistoryEntry]) -> list[dict[str, Any]]:
    """The attempts of a run, oldest first."""
    return [entry.entry for entry in history if entry.kind == CODE.entry]


DEFAULT_ATTEMPTS = 10
MAX_TASK = 200_000
"""Characters of a task in its canonical form."""
NO_CHECKS = "there is nothing that a candidate could be tested with: give examples, tests, properties or ensures"
NO_MODEL = (
    "without a language model only functions can be looked for whose task has examples or an ensures clause: give "
    "--model NAME and, unless it is OpenAI's, --base-url ADDRESS, or set GOEDELS_POETRY__MODELS__FORMALIZER__MODEL"
)

Pair = tuple[str, str]


@dataclass(frozen=True)
class CodeTask(Task):
    """What function is wanted. Everything that determines the result, but for the model."""

    kind: ClassVar[str] = "code"

    task: str
    """What the function is to do, in words."""
    signature: str
    """``def f(n: int) -> int``."""
    name: str = ""
    examples: tuple[Pair, ...] = ()
    """(expression, expected expression): ``("f(3)", "6")``."""
    tests: tuple[str, ...] = ()
    """Texts of Python with ``assert`` statements."""
    properties: tuple[str, ...] = ()
    """Texts of Python that define Hypothesis tests, functions named ``test_...``."""
    requires: tuple[str, ...] = ()
    ensures: tuple[str, ...] = ()
    """Conditions over the parameters' names, and ``result`` in ``ensures``."""
    raises: tuple[Pair, ...] = ()
    """(exception, when): the function may raise it; ``when`` is "" for always."""
    bans: tuple[str, ...] = ()
    """Strategies that are not wanted, e.g. ``recursion and not memoisation``."""
    context: str = ""
    """Python that stands before the function: imports, classes and helpers that it may use."""
    seconds: float = 10.0
    """Processor time for one call."""
    memory_mb: int = 512
    max_attempts: int = DEFAULT_ATTEMPTS
    """Candidates of a model, replies without one included."""
    language: str = "python"
    model_first: bool = False
    """Whether a model is asked before the enumeration of small functions."""
    prosecuted: bool = True
    """Whether somebody tries to break a candidate that has passed."""

    # -- what is asked of it ---------------------------------------------------------------------------------
    @cached_property
    def function(self) -> str:
        """Name of the function."""
        return self._node.name

    @cached_property
    def signed(self) -> list[Parameter]:
        """Its parameters with kinds and defaults."""
        from goedels_poetry.python.testing.reading import parameters_of

        return parameters_of(self._node)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of its parameters, in order; those behind ``*`` included."""
        return tuple(each.name for each in self.signed if "*" not in each.kind)

    @cached_property
    def _node(self) -> ast.FunctionDef:
        return signature_node(self.signature)

    @property
    def checks(self) -> Checks:
        """What a candidate has to pass."""
        from goedels_poetry.python.testing.checks import checks_of_task

        return checks_of_task(self.text)

    @property
    def can_be_synthesised(self) -> bool:
        """Whether the enumeration of small functions has something to go by."""
        return bool(self.examples or self.ensures)

    @property
    def has_contract(self) -> bool:
        """Whether the task says something about every input, so that inputs can be looked for that break it."""
        return bool(self.ensures or self.properties or self.raises or self.requires)

    def whole(self, candidate: str) -> str:
        """The module that is tested: the given context, then the candidate."""
        if not self.context.strip():
            return candidate
        future = [line for line in candidate.splitlines() if line.startswith("from __future__ ")]
        rest = "\n".join(line for line in candidate.splitlines() if not line.startswith("from __future__ "))
        return "\n".join([*future, self.context.strip("\n"), "", "", rest.strip("\n"), ""])

    # -- Task ------------------------------------------------------------------------------------------------
    @cached_property
    def text(self) -> str:  # type: ignore[override]
        """See `Task`: its canonical form, JSON with every field that is not the default."""
        default = CodeTask("", "")
        facts = {f.name: getattr(self, f.name) for f in fields(self)}
        kept = {name: value for name, value in facts.items() if value != getattr(default, name)}
        return json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False)

    @property
    def title(self) -> str:
        """See `Task`: its name, or its beginning."""
        return headline(self.name or self.task or self.signature)

    @property
    def identity(self) -> dict[str, Any]:
        """See `Task`: all of it stands in the text."""
        return {}

    @classmethod
    def again(cls, text: str, identity: Mapping[str, Any]) -> CodeTask:
        """The task of a run that goes on."""
        return cls(**{name: frozen(value) for name, value in json.loads(text).items()})

    def check(self, language: Language, models: Models | None) -> None:
        """See `Task`."""
        check_code(self)
        if (models is None or not models.has("formalizer")) and not self.can_be_synthesised:
            raise InvalidInput(NO_MODEL)

    async def read(self, language: Language, options: dict[str, Any]) -> Theorem:
        """See `Task`."""
        words = " ".join(self.task.split())
        return Theorem(language.name, self.text, options, f"{self.signature}: {words}"[:500])

    async def settle(self, stop: Stop, session: Session) -> Stop:
        """See `Task`: a budget that ends after a candidate has passed every check ends with that one."""
        if stop.status != "out_of_budget" or session.interrupted:
            return stop
        store = session.store
        if store.verdict() is not None or not await store.on_thread(passed_refs, store, store.root().refs):
            return stop
        why = f"it passed every check before {stop.reason}"
        checks = self.checks.to_json()
        await session.commit("accept", lambda txn: accept_passed(txn, txn.get(ROOT), checks, self.text, why))
        session.warn(f"{stop.reason}: nobody went on to break the function, which had passed every check by then")
        return Stop("finished")

    def submission(self, store: StoreReader) -> str:
        """See `Task`: the module that passed every check."""
        ref = store.root().refs.get(SOLUTION)
        if ref is None:
            raise GoedelsPoetryError("no candidate has passed every check")
        return str(store.load(ref))

    def conclude(self, result: RunResult, store: StoreReader, theorem: Theorem, suffix: str) -> RunResult:
        """See `Task`: with the attempts, the bans, and the function or the best one that there was; ``answer``:

        ``{"function", "source", "attempts": [{"attempt", "by", "strategy", "outcome", "reason", "input", "passed",
        "total"}], "bans": [{"strategy", "reason", "failures"}], "passed", "total", "inputs_tried", "aside": [words]}``.
        """
        refs = store.root().refs
        best = store.load(refs[BEST]) if BEST in refs else {}
        report = store.load(best["report"]) if best else {}
        source = store.load(refs[SOLUTION]) if SOLUTION in refs else ""
        if not source and best:
            source = store.load(best["candidate"])["source"]
        note = store.load(refs[CANDIDATE]).get("note", "") if SOLUTION in refs else ""
        prosecuted = store.load(refs[PROSECUTED]) if PROSECUTED in refs else {}
        tested, aside = result.verdict is Verdict.TESTED, list(prosecuted.get("aside", ()))
        answer = {
            "function": self.function,
            "source": source,
            "attempts": [{name: entry.get(name) for name in SHOWN} for entry in candidates(store.history(ROOT))],
            "bans": [
                {"strategy": ban["fingerprint"], "reason": ban["reason"], "failures": ban["failures"]}
                for ban in store.bans(ROOT).values()
            ],
            **{name: report.get(name, 0) for name in ("passed", "total", "inputs_tried")},
            "aside": aside,
        }
        failing = None if tested else report.get("failing")
        return replace(
            result,
            answer=answer,
            reason=result.reason.removeprefix("; "),
            counterexample={"arguments": failing} if failing else result.counterexample,
            disputed=tuple(prosecuted.get("disputed", ())) if tested else (),
            open_goals=() if tested else result.open_goals,
            warnings=tuple(dict.fromkeys(filter(None, (*result.warnings, *(aside if tested else ()), note)))),
        )

    def with_bans(self, bans: tuple[str, ...]) -> CodeTask:
        """The same task with further strategies that are not wanted."""
        return replace(self, bans=tuple(dict.fromkeys((*self.bans, *bans))))


def signature_node(signature: str) -> ast.FunctionDef:
    """A signature as Python reads it; raises InvalidInput: it is none."""
    line = " ".join(signature.split()).rstrip(":").rstrip()
    try:
        body = ast.parse(f"{line}: ...").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidInput(
            f"the signature {line[:80]!r} cannot be read: {getattr(error, 'msg', error)}",
            hint="write it as in Python, e.g. def f(n: int) -> int",
        ) from None
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].decorator_list:
        raise InvalidInput(f"the signature {line[:80]!r} is not that of a plain function (def f(...) -> ...)")
    return body[0]


def check_code(task: CodeTask) -> None:
    """Raise InvalidInput, with what to do about it, when nothing can be made of the task."""
    if not task.task.strip():
        raise InvalidInput("the task says nothing: task = what the function is to do, in words")
    function = signature_node(task.signature).name
    if not (task.examples or task.tests or task.properties or task.ensures):
        raise InvalidInput(NO_CHECKS)
    if len(task.text) > MAX_TASK:
        raise InvalidInput(f"the task is longer than {MAX_TASK} characters")
    if task.max_attempts < 1 or not 0 < task.seconds <= 600 or not 16 <= task.memory_mb <= 65_536:
        raise InvalidInput("max_attempts must be at least 1, seconds in 0..600, memory_mb in 16..65536")
    if task.language != "python":
        raise InvalidInput(f"the language {task.language!r} is not known here", hint="python")
    checks = "\n".join((*(call for call, _ in task.examples), *task.tests, *task.properties))
    if function not in checks and not task.ensures:
        raise InvalidInput(f"no check calls {function}: a candidate could not fail")
    if task.bans:
        from goedels_poetry.python.fingerprint.ban import parse_ban

        for ban in task.bans:
            parse_ban(ban)
