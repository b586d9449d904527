"""The sketch corrector repairs a rejected sketch with the verifier's report."""

from __future__ import annotations

from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.state import ProofNode, Queue
from goedels_poetry.store import Txn


@agent(queue=Queue.CORRECT_SKETCH)
async def sketch_corrector(node: ProofNode, deps: Deps) -> Apply:
    """One corrected sketch, or the decider's turn."""
    goal = await deps.goal(node, sketching=True)
    sketch, report = await deps.load(node, "sketch"), await deps.load(node, "report")
    outcome = deps.charge(await deps.language.correct_sketch(goal, sketch, report))

    def apply(txn: Txn) -> str:
        moves = deps.moves(txn)
        if outcome.ok:
            return moves.set_sketch(node, outcome.value["sketch"])
        return moves.set_uncorrected_sketch(node, outcome.reason or "the sketch could not be repaired")

    return apply


__all__ = ["sketch_corrector"]
