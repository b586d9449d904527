"""The judge tests how far the program says what was meant. It changes no verdict; the result carries what it found."""

from __future__ import annotations

from goedels_poetry.agents.questions.asking import question_of
from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.question import DECIDED, set_tested
from goedels_poetry.state import ProofNode, Queue


@agent(queue=Queue.CHECK_SEMANTICS, name="judge")
async def judge(node: ProofNode, deps: Deps) -> Apply:
    """Warnings and a level of confidence for the last program that was decided."""
    question_of(deps)
    assert DECIDED in node.refs
    return lambda txn: set_tested(txn, node, {})


__all__ = ["judge"]
