"""The corrector repairs a rejected proof attempt with the verifier's report."""

from __future__ import annotations

from goedels_poetry.agents.prover import settle_attempt
from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.state import ProofNode, Queue


@agent(queue=Queue.CORRECT)
async def corrector(node: ProofNode, deps: Deps) -> Apply:
    """One corrected candidate, or one more failed attempt."""
    candidate, report = await deps.load(node, "candidate"), await deps.load(node, "report")
    outcome = deps.charge(await deps.language.correct(await deps.goal(node), candidate, report))
    return lambda txn: settle_attempt(txn, deps, node, outcome, Queue.CORRECT)


__all__ = ["corrector"]
