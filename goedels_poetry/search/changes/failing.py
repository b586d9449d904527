"""What a failed agent of a change costs: one attempt where it was about one; otherwise the run ends as it stands."""

from __future__ import annotations

from enum import StrEnum

from goedels_poetry.python.changes import ChangeReport
from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.agents.failure import ERROR, FailureTable
from goedels_poetry.search.tasks.change_moves import PENDING, SURVEY, Proposed, set_no_change, set_proposed, set_report
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn


class ChangeFailure(StrEnum):
    """The failure policies of the agents of changes."""

    NO_CHANGE = "no_change"
    """One attempt is used up, as by a change that cannot be applied."""
    NOT_VERIFIED = "not_verified"
    """The change could not be verified: it counts as one that could not be applied."""
    STOP = "stop"
    """The run ends with the state that was kept last."""


def no_change(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`ChangeFailure.NO_CHANGE`."""
    set_proposed(txn, node, Proposed("nobody", "", reason=reason))
    return ERROR


def not_verified(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`ChangeFailure.NOT_VERIFIED`."""
    step = int(txn.store.load(node.refs[PENDING])["step"])
    set_report(txn, node, ChangeReport(failed_application=f"it could not be verified: {reason}"), step)
    return ERROR


def stop(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`ChangeFailure.STOP`."""
    set_no_change(txn, node, reason)
    return ERROR


CHANGE_FAILURES = FailureTable(
    moves={
        ChangeFailure.NO_CHANGE: no_change,
        ChangeFailure.NOT_VERIFIED: not_verified,
        ChangeFailure.STOP: stop,
    },
    defaults={
        SURVEY: ChangeFailure.STOP,
        Queue.FORMALIZE: ChangeFailure.NO_CHANGE,
        Queue.CORRECT: ChangeFailure.NO_CHANGE,
        Queue.VERIFY: ChangeFailure.NOT_VERIFIED,
        Queue.DECIDE: ChangeFailure.STOP,
    },
    otherwise=ChangeFailure.STOP,
)
