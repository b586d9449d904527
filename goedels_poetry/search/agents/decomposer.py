"""The decomposer turns the children of a verified sketch into nodes; what is proved already is adopted."""

from __future__ import annotations

from typing import Any

from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.prover import find_proved
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.story import TRIED
from goedels_poetry.store.state import ProofNode, Queue, child_id
from goedels_poetry.store.txn import Txn


@agent(queue=Queue.DECOMPOSE, quick=True)
async def decomposer(node: ProofNode, deps: Deps) -> Apply:
    """Children become nodes, unless the sketch is too deep or goes in a circle: then it has failed."""
    sketch = await deps.load(node, "sketch")
    specs: list[dict[str, Any]] = sketch["children"]
    keys = [await deps.language.canonical(deps.theorem, spec["statement"]) for spec in specs]

    def apply(txn: Txn) -> str:
        moves = deps.moves(txn)
        if specs and node.depth + 1 > deps.settings.budgets.depth:
            return moves.set_failed_sketch(node, f"maximum proof tree depth {deps.settings.budgets.depth} exceeded")
        children = [_child(txn, node, i, spec, keys[i]) for i, spec in enumerate(specs)]
        circular = next((c for c in children if _repeats_an_ancestor(deps, node, c)), None)
        if circular is not None:
            return moves.set_failed_sketch(node, f"subgoal {circular.id} is the goal again: the sketch is a circle")
        known = {c.id: find_proved(deps, c) for c in children if not c.refs}
        adopted = {name: subtree for name, subtree in known.items() if subtree is not None}
        for child, spec in zip(children, specs, strict=True):
            if spec.get("tried") and child.id not in adopted:
                txn.log(child.id, TRIED, reason=str(spec["tried"]))
        return moves.set_decomposed(node, children, adopted=adopted)

    return apply


def _child(txn: Txn, node: ProofNode, index: int, spec: dict[str, Any], key: str) -> ProofNode:
    earlier = sorted(set(spec.get("waits_for", ())))
    if any(not 0 <= sibling < index for sibling in earlier):
        raise ValueError(f"subgoal {index} waits for {earlier}: only earlier subgoals can be waited for")
    ready = [part for part in ("candidate", "sketch") if spec.get(part) is not None]
    refs = {part: txn.save(spec[part]) for part in ready[:1]}
    sketch = spec["sketch"] if "sketch" in refs else {}
    return ProofNode(
        id=child_id(node.id, node.generation, index),
        statement=spec["statement"],
        parent=node.id,
        depth=node.depth + 1,
        language=node.language,
        waits_for=tuple(child_id(node.id, node.generation, sibling) for sibling in earlier),
        scoped=node.scoped or bool(earlier),
        key=key,
        strategy=sketch.get("strategy"),
        fingerprint=sketch.get("fingerprint"),
        refs=refs,
    )


def _repeats_an_ancestor(deps: Deps, node: ProofNode, child: ProofNode) -> bool:
    """Whether the child asks for what an ancestor asks for, with nothing more to cite."""
    if child.waits_for or not child.key:
        return False
    for ancestor in (node, *deps.store.ancestors(node)):
        if ancestor.key == child.key:
            return True
        if ancestor.waits_for:
            return False
    return False
