"""What a failed agent of a question costs: one attempt where it was about one, else only its help."""

from __future__ import annotations

from enum import StrEnum

from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.agents.failure import ERROR, FailureTable
from goedels_poetry.search.tasks.question import (
    ADVISE,
    UNREADABLE,
    set_move,
    set_report,
    set_tested,
    set_unusable_reply,
)
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn


class QuestionFailure(StrEnum):
    """The failure policies of a question's agents."""

    UNUSABLE_REPLY = "unusable_reply"
    """One attempt is used up, as by a reply that is no program."""
    UNREADABLE_PROGRAM = "unreadable_program"
    """The program could not be checked; the decider is next."""
    UNTESTED = "untested"
    """Nothing is used up: the answer stands, with the note that its formalisation was not tested."""
    GIVE_UP = "give_up"
    """The run ends without an answer."""


def unusable_reply(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`QuestionFailure.UNUSABLE_REPLY`."""
    set_unusable_reply(txn, node, reason, None)
    return ERROR


def unreadable_program(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`QuestionFailure.UNREADABLE_PROGRAM`."""
    words = f"The program could not be checked: {reason}"
    set_report(txn, node, {"kind": UNREADABLE, "words": words, "reason": reason})
    return ERROR


def untested(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`QuestionFailure.UNTESTED`."""
    set_tested(txn, node, {"reason": f"the formalisation was not tested: {reason}"})
    return ERROR


def give_up(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`QuestionFailure.GIVE_UP`."""
    set_move(txn, node, "give_up", reason)
    return ERROR


QUESTION_FAILURES = FailureTable(
    moves={
        QuestionFailure.UNUSABLE_REPLY: unusable_reply,
        QuestionFailure.UNREADABLE_PROGRAM: unreadable_program,
        QuestionFailure.UNTESTED: untested,
        QuestionFailure.GIVE_UP: give_up,
    },
    defaults={
        Queue.FORMALIZE: QuestionFailure.UNUSABLE_REPLY,
        Queue.CORRECT: QuestionFailure.UNUSABLE_REPLY,
        Queue.VERIFY: QuestionFailure.UNREADABLE_PROGRAM,
        Queue.CHECK_SEMANTICS: QuestionFailure.UNTESTED,
        Queue.DECIDE: QuestionFailure.GIVE_UP,
        ADVISE: QuestionFailure.GIVE_UP,
    },
    otherwise=QuestionFailure.GIVE_UP,
)
