"""One run in this process: what its parts share, and its searches, each the state machine driven until its end."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from goedels_poetry.checker.registry import Checkers
from goedels_poetry.errors import StoreError, one_line
from goedels_poetry.models.accounting import Ledger, SharedBudget
from goedels_poetry.models.client import Models
from goedels_poetry.protocol.base import Language, Searchable, Theorem
from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.agents.registry import Registry
from goedels_poetry.search.machine.checkpoints import FRAMEWORK, GraphOptions, checkpointer, drive, run_config
from goedels_poetry.search.machine.graph import Machine, build
from goedels_poetry.search.machine.supervisor import RUNNING, Jobs, SupervisorAgent
from goedels_poetry.search.memory import Memory
from goedels_poetry.search.retrieval import PremiseSearch
from goedels_poetry.search.tasks.base import Statement, Stop, Task
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.database import refuse
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.results import Event
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.shared_database import is_damaged, is_unfinished, put_aside
from goedels_poetry.store.state import ROOT, GoedelsPoetryState, ProofNode, Queue
from goedels_poetry.telemetry import span_event

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Subject:
    """What one run is about, and in which language."""

    task: Task
    language: Language
    theorem: Theorem
    """As it was read before the first step, or what stands for it while a model has not written it."""
    name: str
    """What the user calls it."""


@dataclass(frozen=True, slots=True)
class Services:
    """What the runs of a process share, and what the caller of one gives it."""

    settings: Settings
    checkers: Checkers
    models: Models | None
    """None: symbolic agents do the work."""
    memory: Memory
    budget: SharedBudget
    registry: Registry
    """The agents that serve the run's kind of task, without its models."""
    on_event: Callable[[Event], None]
    """Called in the event loop after every commit; must not block."""
    graph: GraphOptions = field(default_factory=GraphOptions)
    """What the caller gives LangGraph."""


class Interruption:
    """Whether a run has been asked to stop, and what is to hear of it: a search, a wait. It may come before either."""

    def __init__(self) -> None:
        self.reason = ""
        self._search: Callable[[str], None] | None = None
        self._waiting: asyncio.Future[Any] | None = None

    def ask(self, reason: str) -> None:
        """Stop at the next step boundary, or break off what is waited for."""
        self.reason = reason
        if self._search is not None:
            self._search(reason)
        if self._waiting is not None:
            self._waiting.cancel()

    def watch(self, search: Callable[[str], None] | None) -> None:
        """How to stop the search that is under way now; None when it has ended."""
        self._search = search
        if search is not None and self.reason:
            search(self.reason)

    async def unless(self, work: Awaitable[T]) -> T:
        """Wait for something that an interrupt cancels: then CancelledError."""
        self._waiting = waiting = asyncio.ensure_future(work)
        if self.reason:
            waiting.cancel()
        try:
            return await waiting
        finally:
            self._waiting = None


@dataclass(slots=True)
class RunSession:
    """One run in this process; see `goedels_poetry.search.tasks.base.Session` for what its task may do with it."""

    place: RunDir
    store: ProofStore
    services: Services
    interruption: Interruption
    warnings: list[str]
    _is_heard: bool = True

    @property
    def interrupted(self) -> str:
        """Why the run was asked to stop; "" while it was not."""
        return self.interruption.reason

    async def root(self) -> ProofNode:
        """The root as it is now."""
        return await self.store.on_thread(self.store.root)

    async def commit(self, name: str, move: Callable[[Txn], str]) -> None:
        """One move of the framework's own; ``name`` says what it is in the commit's key."""
        await self.commit_once(f"{name}:{self.store.seq}", move)

    async def commit_once(self, key: str, move: Callable[[Txn], str]) -> None:
        """The same under a key of its own: nothing happens when that was done before."""

        def noted(txn: Txn) -> str:
            txn.reason = "; ".join(self.warnings)  # so that `trace` names plug-ins that were left out
            return move(txn)

        done = await self.store.on_thread(self.store.commit, key, FRAMEWORK, ROOT, noted)
        if done is not None:
            self.emit(done.event)

    async def unless_interrupted(self, work: Awaitable[T]) -> T:
        """Wait for something that an interrupt cancels: then CancelledError."""
        return await self.interruption.unless(work)

    def warn(self, text: str) -> None:
        """One line for the result's warnings."""
        self.warnings.append(text)

    def emit(self, event: Event) -> None:
        """Tell the listener; its errors must not cost a goal its attempt."""
        span_event("step", {"seq": event.seq, "agent": event.agent, "goal": event.node, "outcome": event.outcome})
        try:
            if self._is_heard:
                self.services.on_event(replace(event, run_id=self.place.run_id))
        except Exception as exc:  # noqa: BLE001  whatever a listener of somebody else's raises
            self._is_heard = False
            self.warn(f"the event listener failed and was switched off: {one_line(exc)}")


DIRECT = frozenset({Queue.FORMALIZE, Queue.CHECK_SEMANTICS, Queue.PROVE, Queue.VERIFY, Queue.CORRECT, Queue.DECIDE})
"""Where a goal is before anything is decomposed."""


@dataclass(slots=True)
class SearchLoop:
    """Searches on one tree, one after the other: a task may move something between two of them."""

    _session: RunSession
    _subject: Subject
    _statement: Statement
    """What the theorem is at any moment."""
    _registry: Registry
    _premises: PremiseSearch | None = None

    async def until_end(self) -> Stop:
        """Begin or go on; the store knows what is to be done."""
        session, store = self._session, self._session.store
        services = session.services
        ledger = Ledger.of_run(services.settings.budgets, store.spent(), services.budget.ledger)
        services.budget.ledger.join(session.place.run_id, ledger.spent)
        in_units = services.settings.budgets.resource_units is not None  # what they find depends on no race then
        jobs = Jobs(1 if in_units else services.settings.max_concurrency)
        supervisor = SupervisorAgent(store, self._registry, services.settings, jobs, services.budget.used)
        deps = replace(self._deps(ledger), seconds_left=supervisor.time_left)
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
        place, options = self._session.place, self._session.services.graph
        on_chunk = options.on_chunk
        heard = on_chunk is not None or bool(config.get("callbacks"))
        for is_new in (False, True):
            try:
                async with checkpointer(place) as saver:
                    graph = build(machine, each_step=heard, checkpointer=saver)
                    return await drive(graph, config, on_chunk, options.modes)
            except sqlite3.Error as error:
                if is_new:
                    raise StoreError(f"{place.graph_db}: checkpoints cannot be kept ({error})") from error
                if not (is_damaged(error) or is_unfinished(error)):
                    refuse(place.graph_db, error)
                name, aside = place.graph_db.name, put_aside(place.graph_db).name
                self._session.warn(
                    f"{name} was damaged: it is {aside} now, and a new one has been begun; no goal is lost"
                )
        raise AssertionError("the second try returns or raises")

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
        nodes = await machine.store.on_thread(
            lambda plan: [machine.store.get(item.node_id) for item in plan], turn.plan
        )
        if any(node.queue not in DIRECT for node in nodes):
            return None
        state = turn.state
        agents = machine.registry.agents
        await asyncio.gather(*(machine.step(agents[item.agent], [item], state) for item in turn.plan))
