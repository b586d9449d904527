"""What an agent's failure costs: one attempt where it was about one, else only its help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.tasks.question import UNREADABLE, set_move, set_report, set_tested, set_unusable_reply
from goedels_poetry.tree.state import ProofNode, Queue
from goedels_poetry.tree.store import Txn

if TYPE_CHECKING:
    from goedels_poetry.agents.registry import Deps


def set_failed(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The move for a node whose agent raised an exception."""
    if node.queue in (Queue.FORMALIZE, Queue.CORRECT):
        set_unusable_reply(txn, node, reason, None)
    elif node.queue == Queue.VERIFY:
        words = f"The program could not be checked: {reason}"
        set_report(txn, node, {"kind": UNREADABLE, "words": words, "reason": reason})
    elif node.queue == Queue.CHECK_SEMANTICS:
        set_tested(txn, node, {"reason": f"the formalisation was not tested: {reason}"})
    else:
        set_move(txn, node, "give_up", reason)
    return "error"


__all__ = ["set_failed"]
