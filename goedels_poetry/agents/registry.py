"""``@agent(queue=...)``: a coroutine becomes a node of the state machine. Plug-ins by entry point.

An agent is ``async (node, deps) -> apply``, or ``async (node, deps, state) -> apply``: whoever has a third parameter
called ``state``, or annotated as `GoedelsPoetryState`, is handed the state as the supervisor sent the node out. The
coroutine is the long work: it may take as long as it likes and must not touch the store except to read. ``apply`` runs
once inside one transaction and returns the outcome word. An exception costs the node what the agent has declared with
``on_failure`` (see `goedels_poetry.agents.failure`), with its reason; it never ends the run.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, TypeVar

from goedels_poetry import plugins, strategies
from goedels_poetry.agents.deps import FAULT, Apply, Deps, Fault
from goedels_poetry.agents.failure import PROOF_FAILURES, Declaration, FailureTable, Policy
from goedels_poetry.strategies import Strategy
from goedels_poetry.tree.state import GoedelsPoetryState, ProofNode, Queue

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
    "backtracker:backtrack",
    "decomposer:decomposer",
)
"""``module:attribute`` below ``goedels_poetry.agents``; a new built-in agent is one file and one line here."""

_NAME = re.compile(r"[A-Za-z]\w*(?:[ -]\w+)*")
_RESERVED = frozenset({"supervisor", "__start__", "__end__"})
"""Nodes of the graph that are no agents."""

Run = Callable[..., Awaitable[Apply]]
"""``async (node, deps) -> apply``; it may ask for the state as well."""
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
    on_failure: Declaration = None
    """What its failure costs a node, as declared."""
    policies: Mapping[str, Policy] = field(default_factory=dict)
    """The same for each of its queues, when it has been loaded."""
    state: str = ""
    """Name of the parameter that gets the state; "" when it asks for none."""

    async def work(self, node: ProofNode, deps: Deps, state: GoedelsPoetryState) -> Apply:
        """Run it on a node; an agent that asks for the state gets a copy."""
        return await self.run(node, deps, **({self.state: deepcopy(state)} if self.state else {}))


def agent(
    *,
    queue: str | Iterable[str],
    name: str | None = None,
    timeout: float | None = None,
    quick: bool = False,
    role: str = "",
    on_failure: Declaration = None,
) -> Callable[[RunT], RunT]:
    """Declare the agent that acts on the nodes of a queue, or of several.

    Args:
        queue: a :class:`~goedels_poetry.tree.state.Queue`, or a new name: such a queue comes after all others.
        name: node name in the graph; default: the function's name.
        timeout: seconds for one job, None: no limit of its own.
        quick: it only reads and writes the tree.
        role: the language model that a quick agent asks where there is one.
        on_failure: what an exception or a time-out costs the node: a name of :class:`FailurePolicy`, a function
            ``(txn, node, reason, deps)``, or a mapping from queue to either. None: as our own agent of the queue; in a
            new queue one proof attempt. What cannot be understood is refused when agents are loaded.

    Raises:
        TypeError: the function takes neither ``(node, deps)`` nor ``(node, deps, state)``.
    """
    queues = (queue,) if isinstance(queue, str) else tuple(queue)

    def declare(run: RunT) -> RunT:
        title = name or str(getattr(run, "__name__", type(run).__name__))
        run.__agent__ = AgentSpec(  # type: ignore[attr-defined]
            title,
            tuple(map(str, queues)),
            run,
            timeout,
            quick,
            role,
            on_failure=on_failure,
            state=_state_parameter(title, run),
        )
        return run

    return declare


def _state_parameter(name: str, run: Run) -> str:
    """The parameter that asks for the state, by its name or its type; "" without one."""
    signature = inspect.signature(run)
    asking = [p.name for p in list(signature.parameters.values())[2:] if p.name == "state" or _is_state(p.annotation)]
    try:
        signature.bind(None, None, **dict.fromkeys(asking[:1]))
    except TypeError as exc:
        raise TypeError(f"agent {name} takes (node, deps) and may ask for the state: {exc}") from exc
    return asking[0] if asking else ""


def _is_state(annotation: Any) -> bool:
    written = annotation.rpartition(".")[2] if isinstance(annotation, str) else annotation
    return written in (GoedelsPoetryState, GoedelsPoetryState.__name__)


@dataclass(frozen=True, slots=True)
class Registry:
    """All agents and strategies of this process, and which agent serves which queue."""

    agents: dict[str, AgentSpec]
    routes: dict[str, AgentSpec]
    """queue -> agent, most urgent queue first. A plug-in takes a queue over from ours."""
    strategies: tuple[Strategy, ...] = ()
    problems: tuple[str, ...] = ()
    """One line for each plug-in that was left out, or that shares a queue."""
    failures: FailureTable = PROOF_FAILURES
    """What agents that declare no failure policy cost a node."""

    def policy(self, spec: AgentSpec, queue: str) -> Policy:
        """What happens to a node of ``queue`` when ``spec`` has failed on it."""
        return spec.policies.get(queue) or self.failures.default(queue)

    def served(self) -> dict[str, tuple[str, ...]]:
        """Agent name -> the queues that lead to it, most urgent first; an agent may have lost all of its own."""
        return {name: tuple(q for q, spec in self.routes.items() if spec.name == name) for name in self.agents}

    def with_models(self, has_model: Callable[[str], bool]) -> Registry:
        """The same agents; a quick one that asks a model is started and collected like every long one."""
        slow = {s.name: replace(s, quick=False) for s in self.agents.values() if s.role and has_model(s.role)}
        agents = {**self.agents, **slow}
        routes = {queue: agents.get(spec.name, spec) for queue, spec in self.routes.items()}
        return replace(self, agents=agents, routes=routes)


def load_registry(
    built_in: Iterable[str] = BUILT_IN, group: str = GROUP, failures: FailureTable = PROOF_FAILURES
) -> Registry:
    """Built-in agents, then those of installed plug-ins.

    Args:
        built_in: ``module:attribute`` of each agent, below ``goedels_poetry.agents``.
        group: of the entry points of plug-ins.
        failures: the failure policies that agents may declare, and the defaults.
    """
    specs = [_built_in(where) for where in built_in]
    loaded, problems = plugins.load(group, "__agent__")
    specs += [replace(d.__agent__, plugin=plugin.name) for plugin in loaded for d in plugin.declared]
    agents: dict[str, AgentSpec] = {}
    serves: dict[str, AgentSpec] = {}
    for declared in specs:
        try:
            spec = _checked(declared, agents, failures)
        except ValueError as problem:
            problems.append(f"plug-in {declared.plugin!r} left out: {problem}")
            continue
        agents[spec.name] = spec
        for queue in spec.queues:
            if queue in serves and serves[queue].plugin:
                problems.append(f"queue {queue} is served by {spec.name} instead of {serves[queue].name}")
            serves[queue] = spec
    order = [*Queue, *sorted(set(serves) - {str(q) for q in Queue})]
    routes = {str(queue): serves[queue] for queue in order if queue in serves}
    named, more = strategies.load()
    return Registry(agents, routes, named, (*problems, *more), failures)


def _checked(spec: AgentSpec, agents: Mapping[str, AgentSpec], failures: FailureTable) -> AgentSpec:
    """The agent with its failure policies; ValueError when it cannot be a node of the graph."""
    if spec.name in agents or spec.name in _RESERVED:
        raise ValueError(f"there is an agent called {spec.name!r} already")
    if not _NAME.fullmatch(spec.name):
        raise ValueError(f"{spec.name!r} is no name for an agent")
    try:
        return replace(spec, policies=failures.resolve(spec.queues, spec.on_failure))
    except ValueError as problem:
        raise ValueError(f"agent {spec.name!r}: {problem}") from problem


def _built_in(where: str) -> AgentSpec:
    module, _, attribute = where.partition(":")
    spec = getattr(import_module(f".{module}", __package__), attribute).__agent__
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
    "Registry",
    "Run",
    "agent",
    "load_registry",
]
