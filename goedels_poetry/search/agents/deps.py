"""What an agent works with: the live objects of its run, and what it reports."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from goedels_poetry.errors import InvalidInput, one_line
from goedels_poetry.models.accounting import Ledger
from goedels_poetry.models.client import Models
from goedels_poetry.models.requests import Reply, Request
from goedels_poetry.protocol.base import Goal, Language, Outcome, Premise, Theorem
from goedels_poetry.protocol.trials import TrialLog, logging_trials, trial_log
from goedels_poetry.search.memory import TRIALS, LemmaBank, log_place, resolved
from goedels_poetry.search.strategies import Strategy
from goedels_poetry.search.tasks.base import Task
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.derivation import scope_ids
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import Txn, bans_in
from goedels_poetry.store.state import GoedelsPoetryState, ProofNode
from goedels_poetry.store.state_manager import GoedelsPoetryStateManager
from goedels_poetry.telemetry import past_span

if TYPE_CHECKING:
    from goedels_poetry.search.retrieval import PremiseSearch  # brings LangChain, which takes a while to import


TaskT = TypeVar("TaskT", bound=Task)

Apply = Callable[[Txn], str]
"""An agent's change of the tree: run once, inside one transaction; returns the outcome word of the event."""

FAULT = "fault"
"""Kind of history entry: something raised an exception."""
DOUBT = "doubt"
"""Kind of history entry: something about the theorem that may keep everybody from proving it, in ``words``."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception of an agent, a strategy or a verifier. It costs what it costs, but never goes unseen."""

    who: str
    """e.g. "agent prover", "strategy split in two", "verifier"."""
    plugin: str
    """Entry point that brought it; "" for ours."""
    reason: str

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Fault:
        """From a history entry, whoever wrote it."""
        return cls(*(str(entry.get(name, "")) for name in ("who", "plugin", "reason")))

    @property
    def words(self) -> str:
        """For people, in one line."""
        return f"{self.who}{f' of plug-in {self.plugin}' if self.plugin else ''} failed: {self.reason}"


class Displaced(Protocol):
    """An agent whose queue another one has taken over."""

    @property
    def displaced(self) -> Mapping[str, Displaced]:
        """Queue -> the one before it."""

    async def work(self, node: ProofNode, deps: Deps, state: GoedelsPoetryState) -> Apply:
        """What it would have done."""


@dataclass(frozen=True)
class Deps:
    """Live objects that an agent works with. Never checkpointed."""

    store: ProofStore
    language: Language
    theorem: Theorem
    """As it is now; while a claim is being formalized, a stand-in with its options."""
    settings: Settings
    task: Task
    """What the run is about."""
    bank: LemmaBank | None = None
    bank_snapshot: int = 0
    preferred: tuple[str, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    models: Models | None = None
    """None: the symbolic agents do the work."""
    premises: PremiseSearch | None = None
    """None: no premises are looked up."""
    ledger: Ledger = field(default_factory=Ledger)
    """What the run has spent on models, and how much it may spend."""
    cost: dict[str, float] = field(default_factory=dict)
    """What this job has spent so far; counted even when its result is dropped."""
    faults: list[Fault] = field(default_factory=list)
    """What was raised in this job and did not end it."""
    displaced: Mapping[str, Displaced] = field(default_factory=dict)
    """Queue -> the agent that would serve it without the one at work."""
    seconds_left: Callable[[], float | None] = lambda: None
    """Seconds that the run has left, by the clock or by resource units; None without a limit."""

    async def usual(self, node: ProofNode, state: GoedelsPoetryState | None = None) -> Apply:
        """What the agent does whose queue the one at work has taken over: to be done in one's own ``apply``, too.

        Raises LookupError: the node's queue was nobody else's.
        """
        other = self.displaced.get(node.queue or "")
        if other is None:
            raise LookupError(f"no other agent serves the queue {node.queue}: there is nothing usual to do")
        empty: GoedelsPoetryState = {}
        return await other.work(node, replace(self, displaced=other.displaced), empty if state is None else state)

    def charge(self, outcome: Outcome) -> Outcome:
        """Add an outcome's cost to this job; returns the outcome. TypeError: a language has returned none."""
        if not isinstance(outcome, Outcome):
            raise TypeError(f"the language {self.language.name} returned {type(outcome).__name__}, not an Outcome")
        for name, amount in outcome.cost.items():
            self.cost[name] = self.cost.get(name, 0) + amount
        if calls := outcome.cost.get("solver_calls"):
            about = {"queries": calls, "cpu_seconds": outcome.cost.get("cpu_seconds")}
            past_span("solver queries", outcome.cost.get("solver_seconds", 0.0), about)
        return outcome

    def note_fault(self, who: str, error: BaseException, plugin: str = "") -> None:
        """Record an exception that the job goes on after."""
        self.faults.append(Fault(who, plugin, one_line(error)))

    def task_as(self, kind: type[TaskT]) -> TaskT:
        """The task, of the kind that an agent serves."""
        if not isinstance(self.task, kind):
            raise InvalidInput(f"this run is about no {kind.kind}")
        return self.task

    def has_model(self, role: str) -> bool:
        """Whether a role has a language model."""
        return self.models is not None and self.models.has(role)

    async def ask(self, request: Request) -> list[Reply]:
        """Ask the model of a role at this job's and this run's expense; see :meth:`Models.ask`.

        Raises BudgetExceeded: let it pass: the run then stops cleanly, and the node keeps its attempt.
        """
        with self.ledger.waiting():
            return sorted([reply async for reply in self.each(request)], key=lambda reply: reply.sample)

    async def each(self, request: Request) -> AsyncGenerator[Reply, None]:
        """Like :meth:`ask`, one reply at a time as they come; see :meth:`Models.each`."""
        if self.models is None:
            yield Reply(error=f"no model is configured for the role {request.role}")
            return
        log = trial_log()
        log.waiting(f"{self.models.name(request.role)}, the {request.role}")
        async with aclosing(self.models.each(request, self.ledger, self.cost)) as replies:
            async for reply in replies:
                log.waiting("")
                yield reply

    def moves(self, txn: Txn) -> GoedelsPoetryStateManager:
        """The moves of the search inside a transaction."""
        return GoedelsPoetryStateManager(txn, self.settings)

    async def goal(self, node: ProofNode, *, sketching: bool = False) -> Goal:
        """What the language needs to know about a node."""
        return await self.store.on_thread(self._goal, node, sketching)

    async def load(self, node: ProofNode, name: str) -> Any:
        """One of the node's big values: ``sketch``, ``candidate``, ``report``, ``proof``; None when it has none."""
        ref = node.refs.get(name)
        return None if ref is None else await self.store.on_thread(self.store.load, ref)

    def _goal(self, node: ProofNode, sketching: bool) -> Goal:
        store = self.store
        entries = store.history(node.id)
        premises = store.load(node.refs["premises"]) if "premises" in node.refs else ()
        return Goal(
            theorem=self.theorem.text,
            options=self.theorem.options,
            node_id=node.id,
            statement=node.statement,
            scope=tuple((step, self._statement(step)) for step in scope_ids(store, node)),
            attempt=node.decomposition_attempts if sketching else node.attempts,
            history=tuple({"kind": each.kind, **resolved(store, each.entry)} for each in entries),
            banned=tuple(bans_in(entries)),
            depth_left=max(0, self.settings.budgets.depth - node.depth),
            preferred=self.preferred,
            premises=tuple(Premise(**premise) for premise in premises),
            seconds_left=self.seconds_left(),
            in_units=self.settings.budgets.resource_units is not None,
        )

    def _statement(self, step: str) -> str:
        lemma = self.store.meta(f"lemma:{step}") if step.startswith("L") else None
        return str(lemma[0]["statement"]) if lemma is not None else self.store.get(step).statement


Work = Callable[[ProofNode, Deps], Awaitable[Apply]]

JOB_SECONDS = "job_seconds"
"""Name of a cost: wall seconds of a job, from its start until it has its result."""


def logged(work: Work) -> Work:
    """An agent's work that keeps what its language has tried; stands below ``@agent``.

    A job that raises leaves its log in its file, which the end of the run collects.
    """

    @wraps(work)
    async def logging(node: ProofNode, deps: Deps) -> Apply:
        began = time.monotonic()
        place = log_place(deps.store, work.__name__, node.id)
        with logging_trials(TrialLog(place)) as log:
            apply = await work(node, deps)
        if log.used:
            with suppress(OSError):  # there is none, or its name is too long for one
                os.unlink(place)
        deps.cost[JOB_SECONDS] = deps.cost.get(JOB_SECONDS, 0) + time.monotonic() - began
        kept = log.to_json()
        if not kept:
            return apply

        def applied(txn: Txn) -> str:
            outcome = apply(txn)
            txn.log(node.id, TRIALS, agent=work.__name__, **kept)
            return outcome

        return applied

    return logging
