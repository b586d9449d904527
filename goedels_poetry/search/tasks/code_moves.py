"""The moves of a run that looks for a function: each is one transaction on the root, which carries everything.

That is the conversation with the model, the present candidate, the report on it, every input on which a candidate
failed, and the best candidate so far. What was tried stands in the history as entries of the kind ``candidate``;
failures and bans of strategies are kept like those of sketches, so that bans hold for this task alone.
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
    Turn,
    decided,
    set_artifact,
    to_decide,
    with_report,
    without,
    without_artifact,
)
from goedels_poetry.store.reads import HistoryEntry, StoreReader
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, Queue
from goedels_poetry.store.txn import Txn

CANDIDATE, EVIDENCE, BEST, SOLUTION = "candidate", "evidence", "best", "solution"
PROSECUTED, DISPUTED = "prosecuted", "disputed"
"""References of the root besides those of `attempts`: the present candidate; inputs on which a candidate failed; the
candidate that passed most checks; the one that passed all; what came of the hostile tests; the references of a
candidate that passed and is disputed, while its author answers."""

PASSED, FAILED, BANNED, REPEATED = "passed", "failed", "banned", "repeated"
UNTESTED = "untested"
"""What may come of an attempt besides `REPLY` and `NO_REPLY`: every check passed; one did not; refused before it was
run, for its strategy or because it was tried before; it could not be tested."""

MODEL, SYNTHESIS = "model", "synthesis"
"""Who wrote a candidate."""
RESTORED = "restored"
"""Of a candidate: it passed before, and comes back because nothing better was written."""
FAILURES_UNTIL_BAN = 2
MAX_EVIDENCE = 40
"""Inputs that are tried again on each new candidate."""


def set_written(txn: Txn, node: ProofNode, candidate: Mapping[str, Any], turns: Iterable[Turn] | None) -> str:
    """There is a candidate: it is tested next.

    Args:
        candidate: ``{"source", "by", "strategy", "fingerprint", "digest", "note"?: a warning that goes with it}``.
        turns: the conversation with it; None leaves that as it was.
    """
    refs = without(node.refs, REPORT, PROSECUTED) | {CANDIDATE: txn.save(dict(candidate))}
    return set_artifact(txn, node, refs, turns)


def set_enumerated(txn: Txn, node: ProofNode, candidate: Mapping[str, Any] | None, note: str, *, passes: bool) -> str:
    """What the enumeration of small functions came to; without a candidate the node stays in its queue."""
    txn.log(node.id, "enumeration", reason=note, passes=passes)
    txn.reason = note
    if candidate is not None:
        return set_written(txn, node, candidate, None)
    txn.put(node)
    return "nothing found"


def rounds_of(history: Iterable[HistoryEntry]) -> list[bool]:
    """Of every enumeration so far whether its candidate passed a quick test."""
    return [bool(entry.entry["passes"]) for entry in history if entry.kind == "enumeration"]


def set_unusable_reply(txn: Txn, node: ProofNode, reason: str, turns: Iterable[Turn] | None) -> str:
    """There is no function in the reply: that was one attempt. ``turns``: None leaves the conversation as it was."""
    queue = str(node.queue)
    node, report = without_artifact(txn, node, reason, turns, CANDIDATE, PROSECUTED)
    return set_report(txn, node, {**report, "queue": queue})


def set_report(txn: Txn, node: ProofNode, report: Mapping[str, Any]) -> str:
    """What came of the last attempt: the decider is asked.

    ``report``: ``{"kind", "words" (for the model), "reason" (one line for people), "passed"?, "total"?: how many
    checks, "evidence"?: the inputs that it failed on, "failing"?: the input to show, "counts"?: whether it speaks
    against the strategy}``.
    """
    candidate = txn.store.load(node.refs[CANDIDATE]) if CANDIDATE in node.refs else {}
    refs = with_report(txn, node.refs, report)
    kept = _evidence(txn, node, report)
    if kept:
        refs[EVIDENCE] = txn.save(kept)
    if candidate and report["kind"] in (PASSED, FAILED, UNTESTED) and _is_better(txn, node, report):
        refs[BEST] = txn.save({"candidate": refs[CANDIDATE], "report": refs[REPORT]})
    ref = {"candidate_ref": refs[CANDIDATE]} if candidate else {}
    txn.log(
        node.id,
        "candidate",
        attempt=node.attempts,
        outcome=report["kind"],
        reason=str(report["reason"]),
        by=candidate.get("by", MODEL),
        strategy=candidate.get("strategy", ""),
        fingerprint=candidate.get("fingerprint", ""),
        digest=candidate.get("digest", ""),
        input=report.get("failing"),
        passed=report.get("passed", 0),
        total=report.get("total", 0),
        **ref,
    )
    if report.get("counts") and candidate.get("by") == MODEL:
        _strategy_failed(txn, node, candidate, report)
    to_decide(txn, node, refs, str(report["reason"]))
    return str(report["kind"])


def set_prosecuted(txn: Txn, node: ProofNode, found: Mapping[str, Any]) -> str:
    """No hostile test that counts has broken the candidate: the decider has the last word before the checker.

    ``found``: ``{"by", "tests": how many counted, "aside": [words], "reason"}``.
    """
    txn.log(node.id, "prosecution", **found)
    txn.reason = str(found["reason"])
    txn.put(replace(node, queue=Queue.DECIDE, refs={**node.refs, PROSECUTED: txn.save(dict(found))}))
    return "not broken"


def set_disputed(txn: Txn, node: ProofNode, reason: str, words: str) -> str:
    """The objections to a candidate that passed go back to its author, as ``words``; the candidate is kept."""
    kept = {name: node.refs[name] for name in (CANDIDATE, REPORT, PROSECUTED, EVIDENCE) if name in node.refs}
    refs = {**node.refs, DISPUTED: txn.save(kept), ANSWERED: txn.save({"words": words})}
    decided(txn, node, "dispute", reason)
    txn.put(replace(node, queue=Queue.CORRECT, refs=refs))
    return "dispute"


def set_restored(txn: Txn, node: ProofNode, reason: str) -> str:
    """The candidate that was kept comes back, once; on inputs that have come up since, it is tested again."""
    kept = txn.store.load(node.refs[DISPUTED])
    same = node.refs.get(EVIDENCE) == kept.get(EVIDENCE)
    candidate = {**txn.store.load(kept[CANDIDATE]), RESTORED: True}
    refs = {**node.refs, **without(kept, EVIDENCE), CANDIDATE: txn.save(candidate), DISPUTED: txn.save({})}
    decided(txn, node, "stand", reason)
    txn.put(replace(node, queue=Queue.DECIDE if same else Queue.VERIFY, refs=refs))
    return "stand"


def is_kept(store: StoreReader, node: ProofNode) -> bool:
    """Whether a candidate that passed waits for what its author says."""
    return DISPUTED in node.refs and CANDIDATE in store.load(node.refs[DISPUTED])


def disputes_kept(store: StoreReader, node: ProofNode) -> list[dict[str, Any]]:
    """The objections to the candidate that is kept."""
    kept = store.load(node.refs[DISPUTED]) if DISPUTED in node.refs else {}
    return list(store.load(kept[PROSECUTED]).get("disputed", ())) if PROSECUTED in kept else []


def set_broken(txn: Txn, node: ProofNode, found: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    """A hostile test that counts has broken the candidate: the attempt has failed after all."""
    txn.log(node.id, "prosecution", **found)
    set_report(txn, node, report)
    return "broken"


def set_move(txn: Txn, node: ProofNode, move: str, reason: str, *, evidence: Mapping[str, Any] | None = None) -> str:
    """What the decider chose: ``correct``, ``fresh``, ``ask_again``, ``prosecute``, ``accept`` or ``give_up``.

    ``evidence``: for ``accept``, what the checker gets.
    """
    decided(txn, node, move, reason)
    refs = dict(node.refs)
    match move:
        case "correct":
            queue: str = Queue.CORRECT
        case "fresh":
            queue = Queue.FORMALIZE
            refs = without(refs, CONVERSATION, ANSWERED)
        case "ask_again":
            queue = str(txn.store.load(refs[REPORT]).get("queue") or Queue.FORMALIZE)
        case "prosecute":
            queue = Queue.CHECK_SEMANTICS
        case "accept":
            return _accept(txn, node, evidence or {})
        case _:
            return _give_up(txn, node, reason)
    txn.put(replace(node, queue=queue, refs=refs))
    return move


def has_passed(store: StoreReader) -> bool:
    """Whether the present candidate, or one that is disputed, passed every check and is not broken so far."""
    root = store.root()
    return _passes(store, root.refs) or is_kept(store, root)


def _passes(store: StoreReader, refs: Mapping[str, str]) -> bool:
    return CANDIDATE in refs and REPORT in refs and store.load(refs[REPORT]).get("kind") == PASSED


def accept_passed(txn: Txn, checks: Mapping[str, Any], task: str, why: str) -> str:
    """The candidate that had passed when a budget was used up is accepted; see `has_passed`."""
    node = txn.get(ROOT)
    if not _passes(txn.store, node.refs):
        node = replace(node, refs={**node.refs, **txn.store.load(node.refs[DISPUTED])})
    source, report = (txn.store.load(node.refs[name]) for name in (CANDIDATE, REPORT))
    given = {"source": source["source"], "checks": dict(checks), "task": task, "report": report}
    return set_move(txn, node, "accept", why, evidence=given)


def _accept(txn: Txn, node: ProofNode, evidence: Mapping[str, Any]) -> str:
    """The search ends with what passed every check; the checker runs them all again."""
    refs = {**node.refs, SOLUTION: txn.save(evidence["source"])}
    txn.put(replace(node, queue=None, reason="", refs=refs))
    txn.set_verdict(Verdict.TESTED, "", dict(evidence))
    return "accepted"


def _give_up(txn: Txn, node: ProofNode, reason: str) -> str:
    txn.put(replace(node, queue=None, status=NodeStatus.FAILED, reason=reason))
    txn.set_verdict(Verdict.UNKNOWN, reason)
    return "given up"


# -- strategies ------------------------------------------------------------------------------------------------


def _strategy_failed(txn: Txn, node: ProofNode, candidate: Mapping[str, Any], report: Mapping[str, Any]) -> None:
    """Count a failure of the candidate's strategy, and ban it here when that was the second."""
    fingerprint = str(candidate.get("fingerprint") or "")
    if not fingerprint:
        return  # it cannot be told from others
    evidence = {
        "fingerprint": fingerprint,
        "strategy": str(candidate["strategy"]),
        "attempt": node.attempts,
        "reason": str(report["reason"]),
        "input": report.get("failing"),
        "limit": "",
    }
    txn.log(node.id, "failure", **evidence)
    failures = failures_of(txn.store.history(node.id), fingerprint)
    if failures >= FAILURES_UNTIL_BAN and fingerprint not in txn.store.bans(node.id):
        txn.log(node.id, "ban", **evidence, failures=failures)
        txn.spent["bans"] += 1


def failures_of(history: Iterable[HistoryEntry], fingerprint: str) -> int:
    """How often a strategy has failed on this task."""
    return sum(e.kind == "failure" and e.entry["fingerprint"] == fingerprint for e in history)


def lift_oldest(txn: Txn, node: ProofNode) -> str:
    """Lift the oldest ban, once in a run: when every strategy is banned. Returns which; "" when that is used up."""
    history = txn.store.history(node.id)
    bans = txn.store.bans(node.id)
    if not bans or any(entry.kind == "lift" for entry in history):
        return ""
    fingerprint, ban = next(iter(bans.items()))
    txn.log(node.id, "lift", fingerprint=fingerprint, strategy=ban["strategy"])
    return str(fingerprint)


# -- what is known ---------------------------------------------------------------------------------------------


def _evidence(txn: Txn, node: ProofNode, report: Mapping[str, Any]) -> list[dict[str, str]]:
    """Inputs on which a candidate failed, the latest first, each once."""
    earlier = txn.store.load(node.refs[EVIDENCE]) if EVIDENCE in node.refs else []
    found = [dict(each) for each in report.get("evidence", ()) if each]
    return [*found, *(each for each in earlier if each not in found)][:MAX_EVIDENCE] if found else []


def _is_better(txn: Txn, node: ProofNode, report: Mapping[str, Any]) -> bool:
    """Of two candidates the one counts that passes the larger part of the checks, then the later one."""
    if BEST not in node.refs:
        return True
    best = txn.store.load(txn.store.load(node.refs[BEST])["report"])
    return _part(report) >= _part(best)


def _part(report: Mapping[str, Any]) -> float:
    return float(report.get("passed", 0) / max(1, report.get("total", 0)))


def candidates(history: Iterable[HistoryEntry]) -> list[dict[str, Any]]:
    """The attempts of a run, oldest first."""
    return [entry.entry for entry in history if entry.kind == "candidate"]


def solution_of(store: StoreReader) -> str:
    """The module that passed every check; raises GoedelsPoetryError when none has."""
    ref = store.root().refs.get(SOLUTION)
    if ref is None:
        raise GoedelsPoetryError("no candidate has passed every check")
    return str(store.load(ref))


def conclude_code(result: RunResult, store: StoreReader, function: str) -> RunResult:
    """The result with the function, or the best one there was; ``answer``:

    ``{"function", "source", "attempts": [{"attempt", "by", "strategy", "outcome", "reason", "input", "passed",
    "total"}], "bans": [{"strategy", "reason", "failures"}], "passed", "total", "aside": [words], "inputs_tried"}``.
    Objections to the function stand in ``disputed`` of the result.
    """
    root = store.root()
    best = store.load(root.refs[BEST]) if BEST in root.refs else {}
    report = store.load(best["report"]) if best else {}
    source = store.load(root.refs[SOLUTION]) if SOLUTION in root.refs else ""
    if not source and best:
        source = store.load(best["candidate"])["source"]
    note = store.load(root.refs[CANDIDATE]).get("note", "") if SOLUTION in root.refs else ""
    history = store.history(ROOT)
    told = ("attempt", "by", "strategy", "fingerprint", "outcome", "reason", "input", "passed", "total")
    prosecuted = store.load(root.refs[PROSECUTED]) if PROSECUTED in root.refs else {}
    answer = {
        "function": function,
        "source": source,
        "attempts": [{name: entry.get(name) for name in told} for entry in candidates(history)],
        "bans": [
            {"strategy": ban["fingerprint"], "reason": ban["reason"], "failures": ban["failures"]}
            for ban in store.bans(ROOT).values()
        ],
        "passed": report.get("passed", 0),
        "total": report.get("total", 0),
        "inputs_tried": report.get("inputs_tried", 0),
        "aside": list(prosecuted.get("aside", ())),
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
        warnings=tuple(dict.fromkeys(filter(None, (*result.warnings, *(answer["aside"] if tested else ()), note)))),
    )
