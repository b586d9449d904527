"""``@agent(queue=...)``: a coroutine becomes a node of the state machine. Plug-ins by entry point.

An agent is ``async (node, deps) -> apply``, or ``async (node, deps, state) -> apply``: whoever has a third parameter
called ``state``, or annotated as `GoedelsPoetryState`, is handed the state as the supervisor sent the node out. The
coroutine is the long work: it may take as long as it likes and must not touch the store except to read. ``apply`` runs
once inside one transaction and returns the outcome word. An exception costs the node what the agent has declared with
``on_failure`` (see `goedels_poetry.search.agents.failure`), with its reason; it never ends the run.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, TypeVar

from goedels_poetry import plugins
from goedels_poetry.search import strategies
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.failure import PROOF_FAILURES, Declaration, FailureTable, Policy
from goedels_poetry.search.strategies import Strategy
from goedels_poetry.store.state import GoedelsPoetryState, ProofNode, Queue

GROUP = "goedels_poetry.agents"

BUILT_IN = (
    "agents.formalizer:formalizer",
    "agents.formalizer:judge",
    "agents.prover:verifier",
    "agents.prover:corrector",
    "agents.decider:decider",
    "agents.prover:prover",
    "agents.retriever:retriever",
    "agents.sketcher:sketcher",
    "agents.sketcher:backtrack",
    "agents.sketcher:decomposer",
)
"""``module:attribute`` below ``goedels_poetry.search``; a new built-in agent is one file and one line here."""

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
    checks: bool = False
    """Its long work is the machine's own: its jobs are counted apart from those that may wait for a reply."""
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
    displaced: Mapping[str, AgentSpec] = field(default_factory=dict)
    """Queue -> the agent from which it has taken it over; see `Deps.usual`."""

    @property
    def does(self) -> str:
        """What it does, in the first sentence that it says of itself; "" when it says nothing."""
        lines = (inspect.getdoc(self.run) or "").splitlines()
        return lines[0].rstrip(".") if lines else ""

    async def work(self, node: ProofNode, deps: Deps, state: GoedelsPoetryState) -> Apply:
        """Run it on a node; an agent that asks for the state gets a copy."""
        return await self.run(node, deps, **({self.state: deepcopy(state)} if self.state else {}))


def agent(
    *,
    queue: str | Iterable[str],
    name: str | None = None,
    timeout: float | None = None,
    quick: bool = False,
    checks: bool = False,
    role: str = "",
    on_failure: Declaration = None,
) -> Callable[[RunT], RunT]:
    """Declare the agent that acts on the nodes of a queue, or of several.

    Args:
        queue: a :class:`~goedels_poetry.store.state.Queue`, or a new name: such a queue comes after all others.
        name: node name in the graph; default: the function's name.
        timeout: seconds for one job, None: no limit of its own.
        quick: it only reads and writes the tree.
        checks: it only checks what others have found, and asks nobody outside: it has places of its own, so that no
            check waits until one of those who wait for replies has got his.
        role: the language model that a quick agent asks where there is one.
        on_failure: what an exception or a time-out costs the node: a name of :class:`FailurePolicy`, a function
            ``(txn, node, reason, deps)``, or a mapping from queue to either. None: as our own agent of the queue; in a
            new queue one proof attempt. What cannot be understood is refused when agents are loaded.

    Raises:
        TypeError: it is no coroutine function, or takes neither ``(node, deps)`` nor ``(node, deps, state)``; the
            timeout is no number of seconds.
    """
    queues = (queue,) if isinstance(queue, str) else tuple(queue)

    def declare(run: RunT) -> RunT:
        title = name or str(getattr(run, "__name__", type(run).__name__))
        plugins.must_be_async(run, f"agent {title}")
        seconds: Any = timeout
        if timeout is not None and not (isinstance(seconds, int | float) and seconds > 0):
            raise TypeError(f"the timeout of agent {title} is a number of seconds, not {timeout!r}")
        named, state = tuple(map(str, queues)), _state_parameter(title, run)
        spec = AgentSpec(title, named, run, timeout, quick, checks, role, on_failure=on_failure, state=state)
        run.__agent__ = spec  # type: ignore[attr-defined]
        return run

    return declare


def _state_parameter(name: str, run: Run) -> str:
    """The parameter that asks for the state, by its name or its type; "" without one."""
    signature, state = inspect.signature(run), GoedelsPoetryState.__name__
    typed = {
        p.name for p in signature.parameters.values() if state in str(getattr(p.annotation, "__name__", p.annotation))
    }
    asking = [name for name in list(signature.parameters)[2:] if name == "state" or name in typed]
    try:
        signature.bind(None, None, **dict.fromkeys(asking[:1]))
    except TypeError as exc:
        raise TypeError(f"agent {name} takes (node, deps) and may ask for the state: {exc}") from exc
    return asking[0] if asking else ""


@dataclass(frozen=True, slots=True)
class Registry:
    """All agents and strategies of this process, and which agent serves which queue."""

    agents: dict[str, AgentSpec]
    routes: dict[str, AgentSpec]
    """queue -> agent, most urgent queue first. A plug-in takes a queue over from ours."""
    strategies: tuple[Strategy, ...] = ()
    problems: tuple[str, ...] = ()
    """One line for each plug-in that was left out."""
    takeovers: tuple[str, ...] = ()
    """One line for each queue that a plug-in has taken over: from whom, and what is not done any more."""
    failures: FailureTable = PROOF_FAILURES
    """What agents that declare no failure policy cost a node."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What a user is told of plug-ins: what is left out, and what they have taken over."""
        return (*self.problems, *self.takeovers)

    def policy(self, spec: AgentSpec, queue: str) -> Policy:
        """What happens to a node of ``queue`` when ``spec`` has failed on it."""
        return spec.policies.get(queue) or self.failures.default(queue)

    def served(self) -> dict[str, tuple[str, ...]]:
        """Agent name -> the queues that lead to it, most urgent first; an agent may have lost all of its own."""
        return {name: tuple(q for q, spec in self.routes.items() if spec.name == name) for name in self.agents}

    def with_given(self, agents: Iterable[AgentSpec], named: Iterable[Strategy]) -> Registry:
        """With the agents and strategies of a caller, after all others; raises RefusedPlugin."""
        known = self
        for spec in agents:
            try:
                known = _with(known, _checked(spec, known))
            except ValueError as problem:
                raise plugins.RefusedPlugin(f"{problem} (from {spec.plugin})") from problem
        return replace(known, strategies=(*known.strategies, *named))

    def with_models(self, has_model: Callable[[str], bool]) -> Registry:
        """The same agents; a quick one that asks a model is started and collected like every long one."""
        slow = {s.name: replace(s, quick=False) for s in self.agents.values() if s.role and has_model(s.role)}
        agents = {**self.agents, **slow}
        routes = {queue: agents.get(spec.name, spec) for queue, spec in self.routes.items()}
        return replace(self, agents=agents, routes=routes)


def given_agents(given: Iterable[Any]) -> tuple[AgentSpec, ...]:
    """The agents that a caller brings: functions with ``@agent``, or modules of some; raises RefusedPlugin."""
    how = "@agent(queue=...)"
    return tuple(replace(spec, plugin=origin) for spec, origin in plugins.marked(given, "__agent__", "agent", how))


def load_registry(
    built_in: Iterable[str] = BUILT_IN, group: str = GROUP, failures: FailureTable = PROOF_FAILURES
) -> Registry:
    """Built-in agents, then those of installed plug-ins, which take over the queues that they name."""
    loaded, problems = plugins.load(group, "__agent__")
    brought = [replace(d.__agent__, plugin=plugin.name) for plugin in loaded for d in plugin.declared]
    known: Registry = Registry({}, {}, failures=failures)
    for where in built_in:
        module, _, attribute = where.partition(":")
        spec = getattr(import_module(f"goedels_poetry.search.{module}"), attribute).__agent__
        known = _with(known, _checked(spec, known))
    for spec in brought:
        try:
            known = _with(known, _checked(spec, known))
        except ValueError as problem:
            problems.append(f"plug-in {spec.plugin!r} left out: {problem}")
    named, more = strategies.load()
    return replace(known, strategies=named, problems=(*problems, *more))


def _with(known: Registry, spec: AgentSpec) -> Registry:
    """With one agent more, which takes over its queues and is told from whom."""
    told, taken = [], {}
    for queue in spec.queues:
        if queue in known.routes:
            taken[queue] = other = known.routes[queue]
            lost = f" ({other.does})" if other.does else ""
            told.append(f"queue {queue} is served by {spec.name} of plug-in {spec.plugin}, not by {other.name}{lost}")
    spec = replace(spec, displaced=taken)
    serves = {**known.routes, **dict.fromkeys(spec.queues, spec)}
    order = [*Queue, *sorted(set(serves) - {str(q) for q in Queue})]
    routes = {str(queue): serves[queue] for queue in order if queue in serves}
    agents = {**known.agents, spec.name: spec}
    return replace(known, agents=agents, routes=routes, takeovers=(*known.takeovers, *told))


def _checked(spec: AgentSpec, known: Registry) -> AgentSpec:
    """The agent with its failure policies; ValueError when it cannot be a node of the graph."""
    if spec.name in known.agents or spec.name in _RESERVED:
        raise ValueError(f"there is an agent called {spec.name!r} already")
    if not _NAME.fullmatch(spec.name):
        raise ValueError(f"{spec.name!r} is no name for an agent")
    try:
        return replace(spec, policies=known.failures.resolve(spec.queues, spec.on_failure))
    except ValueError as problem:
        raise ValueError(f"agent {spec.name!r}: {problem}") from problem
