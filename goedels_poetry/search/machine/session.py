"""What the parts of a run share while it goes on in this process: its store, its warnings, its events, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from goedels_poetry.checker.registry import Checkers
from goedels_poetry.errors import one_line
from goedels_poetry.models.accounting import SharedBudget
from goedels_poetry.models.client import Models
from goedels_poetry.protocol.base import Language, Theorem
from goedels_poetry.search.agents.registry import Registry
from goedels_poetry.search.machine.checkpoints import GraphOptions
from goedels_poetry.search.machine.learning import Memory
from goedels_poetry.search.tasks.base import Task
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.results import Event
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.state import ROOT, ProofNode
from goedels_poetry.store.txn import Txn

FRAMEWORK = "framework"
"""Who commits what no agent does."""

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


class RunSession:
    """One run in this process; see `goedels_poetry.search.tasks.base.Session` for what its task may do with it."""

    def __init__(
        self, place: RunDir, store: ProofStore, services: Services, interruption: Interruption, warnings: list[str]
    ) -> None:
        self.place = place
        self.services = services
        self.interruption = interruption
        self.warnings = warnings
        self._store = store
        self._on_event = services.on_event

    @property
    def store(self) -> ProofStore:
        """The tree."""
        return self._store

    @property
    def interrupted(self) -> str:
        """Why the run was asked to stop; "" while it was not."""
        return self.interruption.reason

    async def root(self) -> ProofNode:
        """The root as it is now."""
        return await self._store.on_thread(self._store.root)

    async def commit(self, name: str, move: Callable[[Txn], str]) -> None:
        """One move of the framework's own; ``name`` says what it is in the commit's key."""
        await self.commit_once(f"{name}:{self._store.seq}", move)

    async def commit_once(self, key: str, move: Callable[[Txn], str]) -> None:
        """The same under a key of its own: nothing happens when that was done before."""

        def noted(txn: Txn) -> str:
            txn.reason = "; ".join(self.warnings)  # so that `trace` names plug-ins that were left out
            return move(txn)

        done = await self._store.on_thread(self._store.commit, key, FRAMEWORK, ROOT, noted)
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
        try:
            self._on_event(replace(event, run_id=self.place.run_id))
        except Exception as exc:  # noqa: BLE001  whatever a listener of somebody else's raises
            self._on_event = lambda _: None
            self.warn(f"the event listener failed and was switched off: {one_line(exc)}")
