"""Transitions that all tasks share for which a model writes something: what a reply does to the root of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

CONVERSATION, REPORT, ANSWERED = "conversation", "report", "answered"
"""References of the root: the turns so far; what came of the last attempt; what came of the last one that the
conversation shows."""
REPLY, NO_REPLY = "reply", "no reply"
"""Kinds of reports: a reply without what was asked for; nothing that could be shown again."""

Turn = tuple[str, str]
"""``("system" | "user" | "assistant", text)``."""


def without(refs: Mapping[str, str], *names: str) -> dict[str, str]:
    """References without some."""
    return {name: ref for name, ref in refs.items() if name not in names}


def with_turns(txn: Txn, refs: Mapping[str, str], turns: Iterable[Turn] | None) -> dict[str, str]:
    """References with the conversation; None leaves that as it was."""
    saved = {CONVERSATION: txn.save([list(turn) for turn in turns])} if turns is not None else {}
    return {**refs, **saved}


def attempted(txn: Txn, node: ProofNode, refs: Mapping[str, str]) -> ProofNode:
    """The node after one more attempt."""
    txn.spent["attempts"] += 1
    return replace(node, attempts=node.attempts + 1, refs=dict(refs))


def set_artifact(txn: Txn, node: ProofNode, refs: Mapping[str, str], turns: Iterable[Turn] | None) -> str:
    """There is a program, a function: it is verified next."""
    txn.put(replace(attempted(txn, node, with_turns(txn, refs, turns)), queue=Queue.VERIFY))
    return "written"


def without_artifact(
    txn: Txn, node: ProofNode, reason: str, turns: Iterable[Turn] | None, *drop: str
) -> tuple[ProofNode, dict[str, Any]]:
    """The node after an attempt that gave nothing to verify, and the report on it."""
    report = {"kind": NO_REPLY if turns is None else REPLY, "words": reason, "reason": reason}
    return attempted(txn, node, with_turns(txn, without(node.refs, *drop), turns)), report


def with_report(txn: Txn, refs: Mapping[str, str], report: Mapping[str, Any]) -> dict[str, str]:
    """References with the report on the last attempt."""
    ref = txn.save(dict(report))
    return {**refs, REPORT: ref} | ({ANSWERED: ref} if report["kind"] != NO_REPLY else {})


def to_decide(txn: Txn, node: ProofNode, refs: Mapping[str, str], reason: str) -> None:
    """The decider is next."""
    txn.reason = reason
    txn.put(replace(node, queue=Queue.DECIDE, reason=reason, refs=dict(refs)))


def decided(txn: Txn, node: ProofNode, move: str, reason: str) -> None:
    """Record a decision before anything comes of it."""
    txn.log(node.id, "decision", move=move, reason=reason)
    txn.reason = reason
