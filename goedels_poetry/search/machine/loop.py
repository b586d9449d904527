"""The search of one run: the state machine, driven until nothing is left to do or a budget is spent."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from goedels_poetry.errors import StoreError
from goedels_poetry.models.accounting import Ledger
from goedels_poetry.protocol.base import Searchable
from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.agents.registry import Registry
from goedels_poetry.search.machine.checkpoints import checkpointer, drive, run_config
from goedels_poetry.search.machine.graph import Machine, build
from goedels_poetry.search.machine.jobs import Jobs
from goedels_poetry.search.machine.session import RunSession, Subject
from goedels_poetry.search.machine.supervisor import RUNNING, Dispatch, SupervisorAgent
from goedels_poetry.search.retrieval.search import PremiseSearch
from goedels_poetry.search.tasks.base import Statement, Stop
from goedels_poetry.store.database import refuse
from goedels_poetry.store.shared_database import is_damaged, is_unfinished, put_aside
from goedels_poetry.store.state import GoedelsPoetryState, Queue

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


DIRECT = frozenset({Queue.FORMALIZE, Queue.CHECK_SEMANTICS, Queue.PROVE, Queue.VERIFY, Queue.CORRECT, Queue.DECIDE})
"""Where a goal is before anything is decomposed."""


class SearchLoop:
    """Searches on one tree, one after the other: a task may move something between two of them."""

    def __init__(self, session: RunSession, subject: Subject, statement: Statement, registry: Registry) -> None:
        """``statement``: what the theorem is at any moment."""
        self._session = session
        self._subject = subject
        self._statement = statement
        self._registry = registry
        self._premises: PremiseSearch | None = None

    async def until_end(self) -> Stop:
        """Begin or go on; the store knows what is to be done."""
        session, store = self._session, self._session.store
        services = session.services
        ledger = Ledger.of_run(services.settings.budgets, store.spent(), services.budget.ledger)
        services.budget.ledger.join(session.place.run_id, ledger.spent)
        jobs = Jobs(services.settings.max_concurrency)
        supervisor = SupervisorAgent(store, self._registry, services.settings, jobs, services.budget.used)
        deps = self._deps(ledger)
        config = run_config(session.place.run_id, services.graph.config)
        machine = Machine(
            store, self._registry, deps, jobs, supervisor, session.emit, self._statement, config["run_id"]
        )
        session.interruption.watch(supervisor.stop)
        try:
            if not services.graph.checkpoint_all and (stop := await opening(machine, session.place.run_id)):
                return stop
            end = await self._driven(machine, config)
        finally:
            await jobs.cancel_all()
            counted = store.spent()  # jobs that were cancelled have paid for their calls, too
            store.spend(**{name: amount - counted.get(name, 0) for name, amount in ledger.spent.items()})
            session.interruption.watch(None)
        return Stop(end["status"], end["reason"])

    async def _driven(self, machine: Machine, config: RunnableConfig) -> GoedelsPoetryState:
        """The state in which the graph ended. Checkpoints are a record: what is damaged is put aside, once a search."""
        path, on_chunk = self._session.place.graph_db, self._session.services.graph.on_chunk
        heard = on_chunk is not None or bool(config.get("callbacks"))
        try:
            async with checkpointer(self._session.place) as saver:
                return await drive(build(machine, each_step=heard, checkpointer=saver), config, on_chunk)
        except sqlite3.Error as error:
            if not (is_damaged(error) or is_unfinished(error)):
                refuse(path, error)
            aside = put_aside(path)
            self._session.warn(
                f"{path.name} was damaged: it is {aside.name} now, and a new one has been begun; no goal is lost"
            )
        try:
            async with checkpointer(self._session.place) as saver:
                return await drive(build(machine, each_step=heard, checkpointer=saver), config, on_chunk)
        except sqlite3.Error as error:
            raise StoreError(f"{path}: checkpoints cannot be kept ({error})") from error

    def troubles(self) -> list[str]:
        """What went wrong when premises were looked up, for the warnings."""
        return self._premises.troubles() if self._premises is not None else []

    def _deps(self, ledger: Ledger) -> Deps:
        store, services = self._session.store, self._session.services
        if self._premises is None and isinstance(self._subject.language, Searchable):
            self._premises = PremiseSearch(services.settings.retrieval)
        return Deps(
            store=store,
            language=self._subject.language,
            theorem=self._subject.theorem,
            task=self._subject.task,
            settings=services.settings,
            bank=services.memory.bank,
            bank_snapshot=store.meta("bank_snapshot") or 0,
            preferred=tuple(store.meta("preferred") or ()),
            strategies=self._registry.strategies,
            models=services.models,
            premises=self._premises,
            ledger=ledger,
        )


# -- the first moves, without LangGraph ------------------------------------------------------------------------


async def opening(machine: Machine, run_id: str) -> Stop | None:
    """Make moves until the run is over, or there is something to decompose: then None.

    Loading LangGraph takes longer than proving most small theorems. The supervisor decides here as it does in the
    graph, and the same agents take the same steps; the graph goes on from the store like any resumed run.
    """
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
