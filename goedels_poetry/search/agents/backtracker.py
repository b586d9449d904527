"""`SketchBacktrackAgent`: a node whose subgoals could not be proved is prepared for a different sketch."""

from __future__ import annotations

from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn


class SketchBacktrackAgent:
    """Takes a node out of ``decomposition_backtrack`` and tells its next sketcher what failed and what is banned.

    The cut itself has happened in the transaction of the failure; this agent adds the lesson to the history.
    """

    async def __call__(self, node: ProofNode, deps: Deps) -> Apply:
        """The lesson, then retrieval with fresh queries, then a sketch of another kind."""

        def apply(txn: Txn) -> str:
            history = deps.store.history(node.id)
            rounds = [entry.entry for entry in history if entry.kind == "backtrack"]
            last = rounds[-1] if rounds else {}
            banned = [ban["strategy"] for ban in deps.store.bans(node.id).values()]
            txn.log(
                node.id,
                "note",
                reason="the last decomposition could not be proved; use a fundamentally different strategy",
                round=last.get("round", node.decomposition_attempts),
                failed=last.get("failed"),
                statement=last.get("statement"),
                because=last.get("reason"),
                banned=banned,
            )
            txn.reason = str(last.get("reason", ""))
            moves = deps.moves(txn)
            ours = [waiting for waiting in moves.get_sketches_to_backtrack() if waiting.id == node.id]
            return moves.set_backtracked_sketches(ours)

        return apply


backtrack = SketchBacktrackAgent()
agent(queue=Queue.DECOMPOSITION_BACKTRACK, name="backtrack", quick=True)(backtrack)
