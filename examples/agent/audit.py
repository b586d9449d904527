"""An agent that takes over a queue: it decides as ours does, and writes down how often a goal has failed by then."""

from goedels_poetry import ProofNode, Queue, agent


@agent(queue=Queue.DECIDE)
async def audit(node: ProofNode, deps):
    """The usual decision, and an entry in the history of the goal, which `show --json` and `trace` have."""
    usual = await deps.usual(node)

    def apply(txn):
        txn.log(node.id, "audit", failures=node.attempts, depth=node.depth)
        return f"{usual(txn)}, audited after {node.attempts} failures"

    return apply
