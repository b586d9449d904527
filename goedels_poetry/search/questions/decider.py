"""The decider chooses what happens after an attempt, among the moves that code computed as legal.

The choice is a table. No model is asked: what there is to choose is whether another reply is worth its price, and the
solver's answer says so.
"""

from __future__ import annotations

from typing import Any

from goedels_poetry.protocol.base import OPEN, REFUSED, VACUOUS
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.failure import ERROR, FailureTable, writes
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.questions.writer import question_of
from goedels_poetry.search.tasks.attempts import CONVERSATION, NO_REPLY, REPLY, REPORT, set_report
from goedels_poetry.search.tasks.question import (
    ANSWER,
    ASK,
    DECIDED,
    DOUBTED,
    INCONSISTENT,
    LIMITS,
    TRUST,
    UNREADABLE,
    programs,
    set_move,
    set_tested,
)
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

MOVES = {
    "test": "the program has an answer; how far it says what was meant is tested",
    "accept": "there is nothing left to mend",
    "correct": "the model is shown what came of its program",
    "ask_again": "the model is asked anew",
    "give_up": "all attempts are used up",
}
"""move -> why it may be chosen."""

POLICY: dict[str, tuple[str, ...]] = {
    ANSWER: ("test", "accept"),
    OPEN: ("correct", "test", "accept"),
    INCONSISTENT: ("correct", "accept"),
    LIMITS: ("correct", "accept"),
    REFUSED: ("correct", "accept"),
    VACUOUS: ("correct", "test", "accept"),
    UNREADABLE: ("correct", "accept", "give_up"),
    REPLY: ("correct", "accept", "give_up"),
    NO_REPLY: ("correct", "ask_again", "accept", "give_up"),
}
"""kind of report -> moves in order of preference; the first legal one is taken."""

AFTER_TESTS = ("correct", "accept")
"""The same when the formalisation has been tested; about a fault that the tests found the model is asked once."""

ONCE = frozenset({OPEN, VACUOUS})
"""Kinds after which the model is asked about its program once: if it stays with it, so be it. But a question of yes or
no whose program changed is asked about again; without a text, one that stays open lacks facts in any case."""


def unreadable_program(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The program could not be checked; the decider is next."""
    words = f"The program could not be checked: {reason}"
    set_report(txn, node, ASK, {"kind": UNREADABLE, "words": words, "reason": reason})
    return ERROR


def untested(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """Nothing is used up: the answer stands, with the note that its formalisation was not tested."""
    set_tested(txn, node, {"reason": f"the formalisation was not tested: {reason}"})
    return ERROR


def give_up(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The run ends with what it has."""
    set_move(txn, node, "give_up", reason)
    return ERROR


QUESTION_FAILURES = FailureTable.of(
    {
        Queue.FORMALIZE: writes(ASK),
        Queue.CORRECT: writes(ASK),
        Queue.VERIFY: unreadable_program,
        Queue.CHECK_SEMANTICS: untested,
    },
    otherwise=give_up,
)


@agent(queue=Queue.DECIDE, quick=True, name="decider")
async def decider(node: ProofNode, deps: Deps) -> Apply:
    """The first legal move of the table."""

    def apply(txn: Txn) -> str:
        report = txn.store.load(node.refs[REPORT])
        trust = txn.store.load(node.refs[TRUST]) if TRUST in node.refs else None
        past = programs(txn.store.history(node.id))
        legal = legal_moves(node, report, past, question_of(deps).max_attempts, trust)
        order = AFTER_TESTS if trust is not None else POLICY[report["kind"]]
        move = next((m for m in order if m in legal), "give_up")
        return set_move(txn, node, move, f"{node.reason}; {MOVES[move]}" if node.reason else MOVES[move])

    return apply


def legal_moves(
    node: ProofNode, report: dict[str, Any], past: list[dict[str, Any]], most: int, trust: dict[str, Any] | None
) -> frozenset[str]:
    """Moves that the attempts so far allow.

    Args:
        report: on the last attempt, which is the last of ``past``.
        past: all attempts.
        most: how many there may be.
        trust: what the tests of the formalisation say; None: it has not been tested.
    """
    kind = report["kind"]
    left = node.attempts < most
    if trust is not None:
        asked = not trust.get("words") or DOUBTED in node.refs
    else:
        often = sum(entry["outcome"] == kind for entry in past)
        again = report.get("again") or (report.get("again_if_changed") and not _is_unchanged(past))
        asked = bool(report.get("final")) or (kind in ONCE and often > 1 and not again)
    allowed = {
        "correct": left and not asked and CONVERSATION in node.refs,
        "ask_again": left and CONVERSATION not in node.refs,
        "test": trust is None and "result" in report,
        "accept": DECIDED in node.refs,
    }
    return frozenset(move for move, legal in allowed.items() if legal)


def _is_unchanged(past: list[dict[str, Any]]) -> bool:
    """Whether the model stays with its program."""
    last = [entry.get("program_ref") for entry in past[-2:]]
    return len(last) == 2 and last[0] is not None and last[0] == last[1]
