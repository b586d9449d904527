"""The decider chooses by a table what happens after an attempt, among the moves that code computed as legal.

A strategy that has just been banned is no longer corrected: then, and after two replies in a row that could not even be
run, the conversation begins afresh, with what is banned and why. No model is asked: which move is best says the report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.code.failing import CodeFailure
from goedels_poetry.search.code.reports import disputed_words
from goedels_poetry.search.code.strategies import all_banned
from goedels_poetry.search.code.writer import task_of
from goedels_poetry.search.tasks.attempts import CONVERSATION, NO_REPLY, REPLY, REPORT
from goedels_poetry.search.tasks.code_moves import (
    BANNED,
    BEST,
    CANDIDATE,
    DISPUTED,
    FAILED,
    MODEL,
    PASSED,
    PROSECUTED,
    REPEATED,
    SYNTHESIS,
    UNTESTED,
    candidates,
    is_kept,
    lift_oldest,
    set_disputed,
    set_move,
    set_restored,
)
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

WRITER, PROSECUTOR = "formalizer", "judge"
"""Roles of the models that write functions, and tests that are to break them."""

MOVES = {
    "prosecute": "it passed; somebody tries to break it",
    "dispute": "it passed, and the objection goes back to its author, once",
    "accept": "it passed, and nothing that counts has broken it",
    "stand": "the function that had passed is the answer, and stays disputed",
    "correct": "the model is shown what came of it",
    "fresh": "another beginning, without what is banned",
    "ask_again": "the model is asked once more",
    "give_up": "all attempts are used up",
}
"""move -> why it may be chosen."""

POLICY: dict[str, tuple[str, ...]] = {
    PASSED: ("prosecute", "dispute", "accept"),
    FAILED: ("stand", "correct", "fresh", "give_up"),
    UNTESTED: ("stand", "correct", "fresh", "give_up"),
    BANNED: ("stand", "correct", "fresh", "give_up"),
    REPEATED: ("stand", "correct", "fresh", "give_up"),
    REPLY: ("stand", "correct", "fresh", "give_up"),
    NO_REPLY: ("stand", "ask_again", "give_up"),
}
"""kind of report -> moves in order of preference; the first legal one is taken."""

NOT_RUN = frozenset({BANNED, REPEATED, REPLY})
"""Kinds of which two in a row end a conversation."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the legal moves depend on, besides node and history."""

    most: int
    """Attempts of a model."""
    has_writer: bool
    prosecuted: bool
    """Whether a candidate that passed goes to the prosecutor."""
    bans: Mapping[str, Mapping[str, Any]]
    disputed: bool = False
    """Whether the words of the task are held against the candidate that passed."""
    stands: bool = False
    """Whether an earlier candidate passed and was disputed, and its author has answered."""


@agent(queue=Queue.DECIDE, quick=True, name="decider", on_failure=CodeFailure.GIVE_UP)
async def decider(node: ProofNode, deps: Deps) -> Apply:
    """The first legal move of the table."""
    task = task_of(deps)
    by_model = deps.has_model(WRITER)
    prosecuted = task.prosecuted and (deps.has_model(PROSECUTOR) or task.has_contract)

    def apply(txn: Txn) -> str:
        store = txn.store
        report, past = store.load(node.refs[REPORT]), candidates(store.history(node.id))
        bans = store.bans(node.id)
        disputed = store.load(node.refs[PROSECUTED]).get("disputed", ()) if PROSECUTED in node.refs else ()
        facts = Facts(task.max_attempts, by_model, prosecuted, bans, bool(disputed), is_kept(store, node))
        legal = legal_moves(node, report, past, facts)
        move = next((m for m in POLICY[report["kind"]] if m in legal), "give_up")
        why = MOVES[move] if by_model or move != "give_up" else "nothing is left to try without a language model"
        if move == "accept":
            return set_move(txn, node, move, why, evidence=_evidence(store, node, deps))
        if move == "dispute":
            return set_disputed(txn, node, why, disputed_words(disputed))
        if move == "stand":
            return set_restored(txn, node, why)
        if move == "give_up":
            return set_move(txn, node, move, f"{why}; {_best(store, node, past)}")
        if move == "fresh" and all_banned(task, bans) and (lifted := lift_oldest(txn, node)):
            why = f"every strategy is banned, so the oldest ban is lifted once: {lifted}"
        return set_move(txn, node, move, f"{node.reason}; {why}" if node.reason else why)

    return apply


def legal_moves(
    node: ProofNode, report: Mapping[str, Any], past: Sequence[Mapping[str, Any]], facts: Facts
) -> frozenset[str]:
    """Moves that the attempts so far allow.

    Args:
        report: on the last attempt, which is the last of ``past``.
        past: all attempts.
    """
    kind, last = report["kind"], past[-1] if past else {}
    left = facts.has_writer and sum(entry.get("by") == MODEL for entry in past) < facts.most
    twice = len(past) > 1 and {kind, past[-2]["outcome"]} <= NOT_RUN
    banned = kind != BANNED and last.get("fingerprint") in facts.bans
    passed = kind == PASSED and CANDIDATE in node.refs
    conversed = left and last.get("by") == MODEL and CONVERSATION in node.refs
    allowed = {
        "correct": conversed and not twice and not banned,
        "fresh": left or last.get("by") == SYNTHESIS,
        "ask_again": left,
        "prosecute": passed and facts.prosecuted and PROSECUTED not in node.refs,
        "dispute": passed and facts.disputed and conversed and DISPUTED not in node.refs,
        "accept": passed,
        "stand": not passed and facts.stands,
    }
    return frozenset(move for move, legal in allowed.items() if legal)


def _evidence(store: StoreReader, node: ProofNode, deps: Deps) -> dict[str, Any]:
    """What the checker gets: it runs every check again and believes none of the rest."""
    task = task_of(deps)
    return {
        "source": store.load(node.refs[CANDIDATE])["source"],
        "checks": task.checks.to_json(),
        "task": task.text,
        "report": store.load(node.refs[REPORT]),
    }


def _best(store: StoreReader, node: ProofNode, past: Sequence[Mapping[str, Any]]) -> str:
    """The best candidate in one line."""
    if BEST not in node.refs:
        return str(past[-1]["reason"]) if past else "no candidate was found"
    best = store.load(store.load(node.refs[BEST])["report"])
    return f"the best candidate passes {best.get('passed', 0)} of {best.get('total', 0)} checks: {best['reason']}"
