"""A retriever: after ours it adds facts that a team has written down, for the models that are asked for proofs.

What it adds is a hint. A model may use it; whatever the model then writes is verified like any other proposal.
"""

from dataclasses import asdict, replace

from goedels_poetry import ProofNode, Queue, agent
from goedels_poetry.protocol.base import Premise

FACTS = (
    Premise("reverse_append", "reverse(append(xs, ys)) = append(reverse(ys), reverse(xs))", "distributes, swapped"),
    Premise("append_empty", "append(xs, empty) = xs", "a right unit"),
)


@agent(queue=Queue.RETRIEVE)
async def house_facts(node: ProofNode, deps):
    """The facts whose functions all occur in the theorem."""
    usual = await deps.usual(node)
    theorem = deps.theorem.text
    found = [fact for fact in FACTS if all(f"({name}" in theorem for name in fact.name.split("_")[:1])]

    def apply(txn):
        outcome, moved = usual(txn), txn.get(node.id)
        known = deps.store.load(moved.refs["premises"]) if "premises" in moved.refs else []
        txn.put(replace(moved, refs={**moved.refs, "premises": txn.save([*known, *map(asdict, found)])}))
        return f"{outcome}, house facts: {', '.join(fact.name for fact in found) or 'none'}"

    return apply
