"""The loop write -> check -> decide -> correct: what a reply, a report and a decision do to the root of a run.

Questions and functions go through the same transitions; a `Loop` says what is particular to either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.state import NodeStatus, ProofNode, Queue
from goedels_poetry.store.txn import Txn

CONVERSATION, REPORT, ANSWERED = "conversation", "report", "answered"
"""References of the root: the turns so far; the report on the last attempt; the last report that the conversation
shows."""
REPLY, NO_REPLY = "reply", "no reply"
"""Kinds of reports: a reply without what was asked for; nothing that could be shown again."""

Turn = tuple[str, str]
"""``("system" | "user" | "assistant", text)``."""
Report = Mapping[str, Any]
"""``{"kind", "words" (for the model), "reason" (one line for people), ...}``."""
Refs = dict[str, str]


@dataclass(frozen=True, slots=True)
class Loop:
    """What one kind of task adds to the loop."""

    artifact: str
    """Reference of the root to what was written last."""
    stale: tuple[str, ...]
    """References that a new artifact makes obsolete, besides the report."""
    entry: str
    """Kind of the history entry of an attempt."""
    queues: Mapping[str, str]
    """move -> queue; other moves end the run."""
    noted: Callable[[Txn, ProofNode, Refs, Report], dict[str, Any]]
    """What the entry of an attempt says of its report besides outcome and reason; may add references."""


def without(refs: Mapping[str, str], *names: str) -> Refs:
    """References without some."""
    return {name: ref for name, ref in refs.items() if name not in names}


def with_turns(txn: Txn, refs: Mapping[str, str], turns: Iterable[Turn] | None) -> Refs:
    """References with the conversation; None leaves that as it was."""
    saved = {CONVERSATION: txn.save([list(turn) for turn in turns])} if turns is not None else {}
    return {**refs, **saved}


def attempted(txn: Txn, node: ProofNode, refs: Mapping[str, str]) -> ProofNode:
    """The node after one more attempt."""
    txn.spent["attempts"] += 1
    return replace(node, attempts=node.attempts + 1, refs=dict(refs))


def set_written(txn: Txn, node: ProofNode, loop: Loop, artifact: Any, turns: Iterable[Turn] | None) -> str:
    """There is a program, a function: it is checked next."""
    refs = without(node.refs, REPORT, *loop.stale) | {loop.artifact: txn.save(artifact)}
    txn.put(replace(attempted(txn, node, with_turns(txn, refs, turns)), queue=Queue.VERIFY))
    return "written"


def set_unusable_reply(txn: Txn, node: ProofNode, loop: Loop, reason: str, turns: Iterable[Turn] | None) -> str:
    """The reply holds nothing to check: one attempt. ``turns``: None leaves the conversation as it was."""
    report = {"kind": NO_REPLY if turns is None else REPLY, "words": reason, "reason": reason, "queue": str(node.queue)}
    refs = with_turns(txn, without(node.refs, loop.artifact, *loop.stale), turns)
    return set_report(txn, attempted(txn, node, refs), loop, report)


def set_report(txn: Txn, node: ProofNode, loop: Loop, report: Report) -> str:
    """The last attempt has been checked: the decider is next."""
    ref = txn.save(dict(report))
    refs = {**node.refs, REPORT: ref} | ({ANSWERED: ref} if report["kind"] != NO_REPLY else {})
    reason = str(report["reason"])
    noted = loop.noted(txn, node, refs, report)
    txn.log(node.id, loop.entry, attempt=node.attempts, outcome=report["kind"], reason=reason, **noted)
    to_decide(txn, node, refs, reason)
    return str(report["kind"])


def to_decide(txn: Txn, node: ProofNode, refs: Mapping[str, str], reason: str) -> None:
    """The decider is next."""
    txn.reason = reason
    txn.put(replace(node, queue=Queue.DECIDE, reason=reason, refs=dict(refs)))


def decided(txn: Txn, node: ProofNode, move: str, reason: str) -> None:
    """Record a decision before it takes effect."""
    txn.log(node.id, "decision", move=move, reason=reason)
    txn.reason = reason


def ended(txn: Txn, node: ProofNode, reason: str) -> None:
    """The run ends without an answer."""
    txn.put(replace(node, queue=None, status=NodeStatus.FAILED, reason=reason))
    txn.set_verdict(Verdict.UNKNOWN, reason)
