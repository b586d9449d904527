"""What a failed agent of code costs: one attempt where it was about one, else only its help."""

from __future__ import annotations

from enum import StrEnum

from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.agents.failure import ERROR, FailureTable
from goedels_poetry.search.tasks.code_moves import UNTESTED as NOT_TESTED
from goedels_poetry.search.tasks.code_moves import (
    disputes_kept,
    set_move,
    set_prosecuted,
    set_report,
    set_unusable_reply,
)
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn


class CodeFailure(StrEnum):
    """The failure policies of the agents of code."""

    UNUSABLE_REPLY = "unusable_reply"
    """One attempt is used up, as by a reply without a function."""
    UNTESTED = "untested"
    """The candidate could not be tested, so it has not passed; the decider is next."""
    NOT_PROSECUTED = "not_prosecuted"
    """Nothing is used up: the candidate has passed every check, with a note that nobody tried to break it."""
    GIVE_UP = "give_up"
    """The run ends without a function."""


def unusable_reply(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`CodeFailure.UNUSABLE_REPLY`."""
    set_unusable_reply(txn, node, reason, None)
    return ERROR


def untested(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`CodeFailure.UNTESTED`."""
    words = f"Your function could not be tested: {reason}"
    set_report(txn, node, {"kind": NOT_TESTED, "words": words, "reason": f"not tested: {reason}"})
    return ERROR


def not_prosecuted(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`CodeFailure.NOT_PROSECUTED`."""
    words = f"nobody tried to break the function: {reason}"
    disputed = disputes_kept(txn.store, node)
    set_prosecuted(txn, node, {"by": "", "tests": 0, "aside": [words], "disputed": disputed, "reason": words})
    return ERROR


def give_up(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`CodeFailure.GIVE_UP`."""
    set_move(txn, node, "give_up", reason)
    return ERROR


CODE_FAILURES = FailureTable(
    moves={
        CodeFailure.UNUSABLE_REPLY: unusable_reply,
        CodeFailure.UNTESTED: untested,
        CodeFailure.NOT_PROSECUTED: not_prosecuted,
        CodeFailure.GIVE_UP: give_up,
    },
    defaults={
        Queue.FORMALIZE: CodeFailure.UNUSABLE_REPLY,
        Queue.CORRECT: CodeFailure.UNUSABLE_REPLY,
        Queue.VERIFY: CodeFailure.UNTESTED,
        Queue.CHECK_SEMANTICS: CodeFailure.NOT_PROSECUTED,
        Queue.DECIDE: CodeFailure.GIVE_UP,
    },
    otherwise=CodeFailure.GIVE_UP,
)
