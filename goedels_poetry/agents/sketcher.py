"""The sketcher proposes how to decompose a goal: plug-in strategies first, then the language's own."""

from __future__ import annotations

from typing import Any

from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.languages.base import Goal
from goedels_poetry.state import ProofNode, Queue
from goedels_poetry.store import Txn
from goedels_poetry.strategies import Strategy, fingerprint


@agent(queue=Queue.SKETCH)
async def sketcher(node: ProofNode, deps: Deps) -> Apply:
    """One sketch that is not banned, or the news that there is none left."""
    goal = await deps.goal(node, sketching=True)
    sketch = await _from_plugins(goal, deps)
    if sketch is not None:
        return lambda txn: deps.moves(txn).set_sketch(node, sketch)
    outcome = deps.charge(await deps.language.sketch(goal))

    def apply(txn: Txn) -> str:
        moves = deps.moves(txn)
        if outcome.ok:
            return moves.set_sketch(node, outcome.value["sketch"])
        if outcome.exhausted:
            return moves.set_sketch_exhausted(node, outcome.words or "no strategy is left to try")
        return moves.set_failed_sketch(node, outcome.reason or "no sketch found", report=outcome.value.get("report"))

    return apply


async def _from_plugins(goal: Goal, deps: Deps) -> dict[str, Any] | None:
    usable = [s for s in deps.strategies if s.speaks(deps.language.name)]
    for strategy in sorted(usable, key=lambda s: _rank(s, goal)):
        try:
            sketch = await strategy.propose(goal)
        except Exception as exc:  # noqa: BLE001  a plug-in's error must not cost the goal its own strategies
            deps.cost[f"plugin_errors:{strategy.name}:{type(exc).__name__}"] = 1
            continue
        if sketch is None:
            continue
        sketch = {**sketch, "strategy": strategy.name}
        sketch.setdefault("fingerprint", fingerprint(strategy.name, sketch))
        if sketch["fingerprint"] not in goal.banned:
            return sketch
    return None


def _rank(strategy: Strategy, goal: Goal) -> tuple[int, str]:
    known = strategy.name in goal.preferred
    return (goal.preferred.index(strategy.name) if known else len(goal.preferred), strategy.name)


__all__ = ["sketcher"]
