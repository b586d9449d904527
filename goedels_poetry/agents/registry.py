"""``@agent(queue=...)``: a coroutine becomes a node of the state machine. Plug-ins by entry point.

An agent is ``async (node, deps) -> apply``. The coroutine is the long work: it may take as long as it likes
and must not touch the store except to read. ``apply`` runs once inside one transaction and returns the
outcome word. An exception costs the node one attempt, with its reason; it never ends the run.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from goedels_poetry import plugins, strategies
from goedels_poetry.errors import one_line
from goedels_poetry.languages.base import Goal, Language, Outcome, Premise, Theorem
from goedels_poetry.memory import LemmaBank
from goedels_poetry.models import Ledger, Models, Reply, Request
from goedels_poetry.settings import Settings
from goedels_poetry.strategies import Strategy
from goedels_poetry.tasks.claim import Claim
from goedels_poetry.tasks.question import Question
from goedels_poetry.tree.derivation import scope_ids
from goedels_poetry.tree.state import ProofNode, Queue
from goedels_poetry.tree.state_manager import GoedelsPoetryStateManager
from goedels_poetry.tree.store import ProofStore, Txn

if TYPE_CHECKING:
    from goedels_poetry.retrieval import PremiseSearch  # brings LangChain, which takes a while to import

GROUP = "goedels_poetry.agents"

BUILT_IN = (
    "formalizer:formalizer",
    "judge:judge",
    "verifier:verifier",
    "corrector:corrector",
    "decider:decider",
    "prover:prover",
    "retriever:retriever",
    "sketcher:sketcher",
    "sketch_corrector:sketch_corrector",
    "backtracker:backtrack",
    "decomposer:decomposer",
)
"""``module:attribute`` below ``goedels_poetry.agents``; a new built-in agent is one file and one line here."""

_NAME = re.compile(r"[A-Za-z]\w*(?:[ -]\w+)*")

Apply = Callable[[Txn], str]

FAULT = "fault"
"""Kind of history entry: something raised an exception."""


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


@dataclass(frozen=True, slots=True)
class Deps:
    """Live objects that an agent works with. Never checkpointed."""

    store: ProofStore
    language: Language
    theorem: Theorem
    """As it is now; while a claim is being formalized, a stand-in with its options."""
    settings: Settings
    claim: Claim | None = None
    """What the theorem is to say, when it is a model that writes it."""
    question: Question | None = None
    """What is asked, when a model writes the program that answers it."""
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

    def charge(self, outcome: Outcome) -> Outcome:
        """Add an outcome's cost to this job; returns the outcome."""
        for name, amount in outcome.cost.items():
            self.cost[name] = self.cost.get(name, 0) + amount
        return outcome

    def note_fault(self, who: str, error: BaseException, plugin: str = "") -> None:
        """Record an exception that the job goes on after."""
        self.faults.append(Fault(who, plugin, one_line(error)))

    def has_model(self, role: str) -> bool:
        """Whether a role has a language model."""
        return self.models is not None and self.models.has(role)

    async def ask(self, request: Request) -> list[Reply]:
        """Ask the model of a role at this job's and this run's expense; see :meth:`Models.ask`.

        Raises:
            BudgetExceeded: let it pass: the run then stops cleanly, and the node keeps its attempt.
        """
        with self.ledger.waiting():
            return sorted([reply async for reply in self.each(request)], key=lambda reply: reply.sample)

    async def each(self, request: Request) -> AsyncGenerator[Reply, None]:
        """Like :meth:`ask`, one reply at a time as they come; see :meth:`Models.each`."""
        if self.models is None:
            yield Reply(error=f"no model is configured for the role {request.role}")
            return
        async with aclosing(self.models.each(request, self.ledger, self.cost)) as replies:
            async for reply in replies:
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
        history = tuple(self._entry(e.kind, e.entry) for e in store.history(node.id))
        premises = store.load(node.refs["premises"]) if "premises" in node.refs else ()
        return Goal(
            theorem=self.theorem.text,
            options=self.theorem.options,
            node_id=node.id,
            statement=node.statement,
            scope=self._scope(node),
            attempt=node.decomposition_attempts if sketching else node.attempts,
            history=history,
            banned=tuple(store.bans(node.id)),
            depth_left=max(0, self.settings.budgets.depth - node.depth),
            preferred=self.preferred,
            premises=tuple(Premise(**premise) for premise in premises),
        )

    def _entry(self, kind: str, entry: dict[str, Any]) -> dict[str, Any]:
        resolved: dict[str, Any] = {"kind": kind}
        for name, value in entry.items():
            if name.endswith("_ref"):
                resolved[name.removesuffix("_ref")] = self.store.load(value)
            else:
                resolved[name] = value
        return resolved

    def _scope(self, node: ProofNode) -> tuple[tuple[str, str], ...]:
        return tuple((step, self._statement(step)) for step in scope_ids(self.store, node))

    def _statement(self, step: str) -> str:
        if step.startswith("L"):
            return str(self.store.meta(f"lemma:{step}")[0]["statement"])
        return self.store.get(step).statement


Run = Callable[[ProofNode, Deps], Awaitable[Apply]]
OnFailure = Callable[[Txn, ProofNode, str, Deps], str]
"""The move for a node whose agent failed, with the reason; returns the outcome word."""
RunT = TypeVar("RunT", bound=Run)


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """A declared agent."""

    name: str
    queues: tuple[str, ...]
    run: Run
    timeout: float | None = None
    """Seconds for one job; when it is over the attempt has failed."""
    quick: bool = False
    """It does no long work: it is run and committed in one step instead of being started and collected."""
    role: str = ""
    """The model that it asks, if any: then its work is long, whatever ``quick`` says."""
    plugin: str = ""
    """Entry point that brought it; "" for ours."""


def agent(
    *,
    queue: str | Iterable[str],
    name: str | None = None,
    timeout: float | None = None,
    quick: bool = False,
    role: str = "",
) -> Callable[[RunT], RunT]:
    """Declare the agent that acts on the nodes of a queue, or of several.

    Args:
        queue: a :class:`~goedels_poetry.tree.state.Queue`, or a new name: such a queue comes after all others.
        name: node name in the graph; default: the function's name.
        timeout: seconds for one job, None: no limit of its own.
        quick: it only reads and writes the tree.
        role: the language model that a quick agent asks where there is one.
    """
    queues = (queue,) if isinstance(queue, str) else tuple(queue)

    def declare(run: RunT) -> RunT:
        title = name or str(getattr(run, "__name__", type(run).__name__))
        run.__agent__ = AgentSpec(title, tuple(map(str, queues)), run, timeout, quick, role)  # type: ignore[attr-defined]
        return run

    return declare


@dataclass(frozen=True, slots=True)
class Registry:
    """All agents and strategies of this process, and which agent serves which queue."""

    agents: dict[str, AgentSpec]
    routes: dict[str, AgentSpec]
    """queue -> agent, most urgent queue first. A plug-in takes a queue over from ours."""
    strategies: tuple[Strategy, ...] = ()
    problems: tuple[str, ...] = ()
    """One line for each plug-in that was left out, or that shares a queue."""
    on_failure: OnFailure | None = None
    """None: as in a search for a proof."""

    def with_models(self, has_model: Callable[[str], bool]) -> Registry:
        """The same agents; a quick one that asks a model is started and collected like every long one."""
        slow = {s.name: replace(s, quick=False) for s in self.agents.values() if s.role and has_model(s.role)}
        agents = {**self.agents, **slow}
        routes = {queue: agents.get(spec.name, spec) for queue, spec in self.routes.items()}
        return replace(self, agents=agents, routes=routes)


def load_registry(
    built_in: Iterable[str] = BUILT_IN, group: str = GROUP, on_failure: OnFailure | None = None
) -> Registry:
    """Built-in agents, then those of installed plug-ins.

    Args:
        built_in: ``module:attribute`` of each agent, below ``goedels_poetry.agents``.
        group: of the entry points of plug-ins.
        on_failure: what happens to a node whose agent failed.
    """
    specs = [_built_in(where) for where in built_in]
    found, problems = plugins.load(group, "__agent__")
    specs += [replace(d.__agent__, plugin=plugin.name) for plugin in found for d in plugin.declared]
    agents: dict[str, AgentSpec] = {}
    serves: dict[str, AgentSpec] = {}
    for spec in specs:
        if spec.name in agents or spec.name == "supervisor":
            problems.append(f"plug-in {spec.plugin!r} left out: there is an agent called {spec.name!r} already")
            continue
        if not _NAME.fullmatch(spec.name):
            problems.append(f"plug-in {spec.plugin!r} left out: {spec.name!r} is no name for an agent")
            continue
        agents[spec.name] = spec
        for queue in spec.queues:
            if queue in serves and serves[queue].plugin:
                problems.append(f"queue {queue} is served by {spec.name} instead of {serves[queue].name}")
            serves[queue] = spec
    order = [*Queue, *sorted(set(serves) - {str(q) for q in Queue})]
    routes = {str(queue): serves[queue] for queue in order if queue in serves}
    named, more = strategies.load()
    return Registry(agents, routes, named, (*problems, *more), on_failure)


def _built_in(where: str) -> AgentSpec:
    module, _, attribute = where.partition(":")
    spec = getattr(import_module(f"goedels_poetry.agents.{module}"), attribute).__agent__
    assert isinstance(spec, AgentSpec)
    return spec


__all__ = [
    "BUILT_IN",
    "FAULT",
    "GROUP",
    "AgentSpec",
    "Apply",
    "Deps",
    "Fault",
    "OnFailure",
    "Registry",
    "Run",
    "agent",
    "load_registry",
]
