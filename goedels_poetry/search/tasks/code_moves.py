"""The transitions of a run that looks for a function: candidates, evidence, bans, and the result.

The root carries the conversation, the present candidate, its report, every input on which a candidate failed, and the
best candidate so far. Attempts are history entries of the kind ``candidate``; bans hold for this task alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.attempts import (
    ANSWERED,
    CONVERSATION,
    REPORT,
    Loop,
    Refs,
    Report,
    decided,
    ended,
    set_report,
    set_written,
    without,
)
from goedels_poetry.store.reads import HistoryEntry, StoreReader
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ROOT, ProofNode, Queue
from goedels_poetry.store.txn import Txn

CANDIDATE, EVIDENCE, BEST, SOLUTION = "candidate", "evidence", "best", "solution"
PROSECUTED = "prosecuted"
"""References of the root besides those of `attempts`: the present candidate; inputs on which a candidate failed; the
candidate that passed most checks; the one that passed all; the outcome of hostile tests."""

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
    if candidate and report["kind"] in (PASSED, FAILED, UNTESTED) and _part(report) >= _best_part(txn, refs):
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


def _best_part(txn: Txn, refs: Refs) -> float:
    return _part(txn.store.load(txn.store.load(refs[BEST])["report"])) if BEST in refs else 0.0


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


def has_passed(store: StoreReader) -> bool:
    """Whether the present candidate passed every check and is not broken so far."""
    refs = store.root().refs
    return CANDIDATE in refs and REPORT in refs and store.load(refs[REPORT]).get("kind") == PASSED


def accept_passed(txn: Txn, node: ProofNode, checks: Mapping[str, Any], task: str, why: str) -> str:
    """Accept the candidate that passed; see `has_passed`."""
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


def candidates(history: Iterable[HistoryEntry]) -> list[dict[str, Any]]:
    """The attempts of a run, oldest first."""
    return [entry.entry for entry in history if entry.kind == CODE.entry]


def solution_of(store: StoreReader) -> str:
    """The module that passed every check; raises GoedelsPoetryError when none has."""
    ref = store.root().refs.get(SOLUTION)
    if ref is None:
        raise GoedelsPoetryError("no candidate has passed every check")
    return str(store.load(ref))


def conclude_code(result: RunResult, store: StoreReader, function: str) -> RunResult:
    """The result with the function, or the best one; ``answer``:

    ``{"function", "source", "attempts": [{"attempt", "by", "strategy", "outcome", "reason", "input", "passed",
    "total"}], "bans": [{"strategy", "reason", "failures"}], "passed", "total", "aside": [words], "inputs_tried"}``.
    """
    refs = store.root().refs
    best = store.load(refs[BEST]) if BEST in refs else {}
    report = store.load(best["report"]) if best else {}
    source = store.load(refs[SOLUTION]) if SOLUTION in refs else ""
    if not source and best:
        source = store.load(best["candidate"])["source"]
    note = store.load(refs[CANDIDATE]).get("note", "") if SOLUTION in refs else ""
    shown = ("attempt", "by", "strategy", "fingerprint", "outcome", "reason", "input", "passed", "total")
    prosecuted = store.load(refs[PROSECUTED]) if PROSECUTED in refs else {}
    aside = list(prosecuted.get("aside", ()))
    answer = {
        "function": function,
        "source": source,
        "attempts": [{name: entry.get(name) for name in shown} for entry in candidates(store.history(ROOT))],
        "bans": [
            {"strategy": ban["fingerprint"], "reason": ban["reason"], "failures": ban["failures"]}
            for ban in store.bans(ROOT).values()
        ],
        "passed": report.get("passed", 0),
        "total": report.get("total", 0),
        "inputs_tried": report.get("inputs_tried", 0),
        "aside": aside,
    }
    tested = result.verdict is Verdict.TESTED
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
