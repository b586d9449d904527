"""The first moves of a run, made without LangGraph: most small theorems are decided by them.

Loading LangGraph takes longer than proving such a theorem. The supervisor decides here as it does in the graph, from
the same queues and budgets, and the same agents take the same steps in the same transactions; what is still open then,
or under way, goes on in the graph, which begins from the store like any resumed run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from goedels_poetry.search.machine.graph import Machine
from goedels_poetry.search.machine.supervisor import RUNNING, Dispatch
from goedels_poetry.search.tasks.base import Stop
from goedels_poetry.store.state import GoedelsPoetryState, Queue

DIRECT = frozenset({Queue.FORMALIZE, Queue.CHECK_SEMANTICS, Queue.PROVE, Queue.VERIFY, Queue.CORRECT, Queue.DECIDE})
"""Where a goal is before anything is decomposed."""


async def opening(machine: Machine, run_id: str) -> Stop | None:
    """Make moves until the run is over, or there is something to decompose: then None."""
    state: GoedelsPoetryState = {"run_id": run_id, "status": RUNNING, "reason": ""}
    while True:
        turn = await machine.turn(state)
        if turn.stop is not None:
            return turn.stop
        if await machine.store.on_thread(_is_beyond, machine, turn.plan):
            return None
        state = turn.state
        agents = machine.registry.agents
        await asyncio.gather(*(machine.step(agents[item.agent], [item], state) for item in turn.plan))


def _is_beyond(machine: Machine, plan: Sequence[Dispatch]) -> bool:
    return any(machine.store.get(item.node_id).queue not in DIRECT for item in plan)
