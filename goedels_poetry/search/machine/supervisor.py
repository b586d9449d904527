"""`SupervisorAgent`: which agent acts on which node next, and when to stop. The routing is a table.

It is handed the shared `GoedelsPoetryState`, brings it up to the store's revision, and decides from its queues and
budgets and from what is under way, never from the content of a node.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from goedels_poetry.protocol.base import UNITS_A_SECOND
from goedels_poetry.search.agents.deps import Apply, Fault
from goedels_poetry.search.agents.registry import AgentSpec, Registry
from goedels_poetry.search.tasks.base import Stop
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import QUEUE_HEAD, GoedelsPoetryState, NodeStatus, ProofNode, Queue, QueueState


@dataclass(slots=True)
class Job:
    """One agent at work on one node."""

    key: str
    spec: AgentSpec
    node: ProofNode
    seq: int
    task: asyncio.Task[Apply]
    cost: dict[str, float] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


class Jobs:
    """The jobs of one run in this process. Only its event loop touches them."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._jobs: dict[str, Job] = {}
        self._nodes: set[tuple[str, int]] = set()
        self._wake = asyncio.Event()

    def are_apart(self, spec: AgentSpec) -> bool:
        """Whether an agent's jobs take none of the places: who checks has as many of his own, unless one thing is to be
        done after the other.
        """
        return spec.checks and self.places > 1

    def __len__(self) -> int:
        return len(self._jobs)

    def __contains__(self, key: str) -> bool:
        return key in self._jobs

    def start(
        self,
        key: str,
        spec: AgentSpec,
        node: ProofNode,
        seq: int,
        work: Awaitable[Apply],
        cost: dict[str, float],
        faults: list[Fault],
    ) -> None:
        """Run ``work`` as a task of its own."""
        task = asyncio.ensure_future(work)
        task.add_done_callback(lambda _: self._wake.set())
        self._jobs[key] = Job(key, spec, node, seq, task, cost, faults)
        self._nodes.add((node.id, seq))

    def all(self, *, done: bool) -> list[Job]:
        """Jobs whose result can be collected, or those that are at work."""
        return [job for job in self._jobs.values() if job.task.done() is done]

    def pop(self, key: str) -> Job | None:
        """Take a job out, finished or not."""
        job = self._jobs.pop(key, None)
        if job is not None:
            self._nodes.discard((job.node.id, job.seq))
        return job

    def holds(self, node_id: str, seq: int) -> bool:
        """Whether a node, as it was at that revision, has a job."""
        return (node_id, seq) in self._nodes

    def sharable_keys(self) -> set[str]:
        """Canonical keys that somebody is trying to prove right now with nothing from outside to cite."""
        return {job.node.key for job in self._jobs.values() if job.node.key and not job.node.scoped}

    def wake(self) -> None:
        """Make :meth:`wait` return."""
        self._wake.set()

    async def wait(self, seconds: float | None) -> None:
        """Until any job is done, somebody calls :meth:`wake`, or the time is over."""
        if not self.all(done=True):
            try:
                async with asyncio.timeout(seconds):
                    await self._wake.wait()
            except TimeoutError:
                return
        self._wake.clear()

    async def cancel_below(self, prefixes: Iterable[str]) -> list[str]:
        """Cancel the jobs of nodes that were cut off; returns their keys."""
        return await self._cancel([job for job in self._jobs.values() if job.node.id.startswith(tuple(prefixes))])

    async def cancel_all(self) -> list[str]:
        """Cancel everything that is under way; returns the keys."""
        return await self._cancel(list(self._jobs.values()))

    async def _cancel(self, jobs: list[Job]) -> list[str]:
        for job in jobs:
            self.pop(job.key)
            job.task.cancel()
        await asyncio.gather(*(job.task for job in jobs), return_exceptions=True)
        return [job.key for job in jobs]


QUICK_ITEMS = 64
"""How many nodes of quick agents one super-step takes: they commit at once, so they need no job slot."""

COLLECTED = 64
"""How many results one super-step writes, some 20 ms."""

SHARE_OF_LATER = 4
"""One place in so many is for less urgent queues with long work, where these have any."""

RUNNING = "running"

_BUDGETS = {
    "wall_seconds": "{:g} s of wall time are used up",
    "solver_seconds": "{:g} s of solver time are used up",
    "resource_units": "{} resource units are used up",
    "model_calls": "{} model calls are used up",
    "model_tokens": "{} model tokens are used up",
    "money": "the money for models is used up ({:g} dollars)",
}
"""Budget -> how a reason says that it is used up."""

_ATTEMPTING = frozenset({Queue.PROVE, Queue.VERIFY, Queue.CORRECT, Queue.DECIDE})
"""Queues in which a goal may be on the point of being proved directly."""


class Dispatch(NamedTuple):
    """One item for one agent: an id and the revision at which it was handed out, never the node itself."""

    agent: str
    node_id: str
    seq: int

    @property
    def key(self) -> str:
        """Idempotency key of the agent's step on the node as it was at that revision."""
        return f"{self.agent}:{self.node_id}@{self.seq}"


def parcels(plan: Sequence[Dispatch]) -> list[tuple[str, str]]:
    """Each agent with what LangGraph's ``Send`` carries to it, and every checkpoint keeps: so it is short.

    One for an agent, whatever the number of its nodes: what LangGraph does for each costs more than the step itself.
    """
    of_agents: dict[str, list[str]] = {}
    for item in plan:
        of_agents.setdefault(item.agent, []).append(f"{item.node_id}@{item.seq}")
    return [(agent, " ".join(items)) for agent, items in of_agents.items()]


def unpacked(agent: str, payload: str) -> list[Dispatch]:
    """The inverse of `parcels`, for one agent."""
    parts = (item.rpartition("@") for item in payload.split())
    return [Dispatch(agent, node_id, int(seq)) for node_id, _, seq in parts]


class Turn(NamedTuple):
    """What the supervisor decided: ``stop``, or what to send out; neither: wait for what is under way."""

    state: GoedelsPoetryState
    """As it was when this was decided."""
    stop: Stop | None
    plan: list[Dispatch]


class SupervisorAgent:
    """The supervisor of one run in this process.

    ``used``: seconds by budget (``wall_seconds``, ``solver_seconds``) that other runs have taken of the same budgets.
    """

    def __init__(
        self,
        store: ProofStore,
        registry: Registry,
        settings: Settings,
        jobs: Jobs,
        used: Mapping[str, float] | None = None,
    ) -> None:
        self._store = store
        self._registry = registry
        self._settings = settings
        self._jobs = jobs
        self._used = dict(used or {})
        self._mark: float | None = None  # begins with the first step: loading the machine is not searching
        self._asked_to_stop: Stop | None = None

    def stop(self, reason: str, budget: str = "interrupt") -> None:
        """Ask for a clean end at the next step boundary. Safe to call from a signal handler of the loop."""
        if self._asked_to_stop is None:
            self._asked_to_stop = Stop("out_of_budget", reason, budget)
            self._jobs.wake()

    def turn(self, state: GoedelsPoetryState) -> Turn:
        """What to do next, from the state that it is handed; reads the store."""
        state = self._look(state)
        ended = self.ended(state)
        return Turn(state, ended, [] if ended else self.plan(state))

    def _look(self, state: GoedelsPoetryState | None = None) -> GoedelsPoetryState:
        """The state at the store's present revision, with the wall time that has passed."""
        now = time.monotonic()
        self._store.spend(wall_seconds=0.0 if self._mark is None else now - self._mark)
        self._mark = now
        return present_state(self._store, self._registry, state)

    def ended(self, state: GoedelsPoetryState | None = None) -> Stop | None:
        """Whether the search is over, and why; reads the root from the store."""
        state = state if state is not None else self._look()
        root = self._store.root()
        if root.status is NodeStatus.PROVED:
            return Stop("proved")
        recorded = self._store.verdict()
        if recorded is not None:
            return Stop("finished", recorded[1])
        return self._asked_to_stop or self._over_budget(state["spent"])

    def plan(self, state: GoedelsPoetryState) -> list[Dispatch]:
        """Finished jobs to collect, then queued nodes to start, most urgent queue first.

        A queue with work enough for all places leaves a few to the less urgent ones: a goal that must be decomposed has
        the longest way to go, and would otherwise begin it when all others have ended theirs.
        """
        start: list[Dispatch] = []
        steps = self._steps_left(state["spent"]) - len(self._jobs)
        places, unfinished = self._jobs.places, self._jobs.all(done=False)
        asking = [job for job in unfinished if not self._jobs.are_apart(job.spec)]
        room = {True: places - len(unfinished) + len(asking), False: places - len(asking)}
        later = self._wanted_later(asking, places, state)
        taken = self._jobs.sharable_keys()
        for queue, spec in self._registry.routes.items():
            if not state["queues"][queue]["length"]:
                continue
            is_apart = self._jobs.are_apart(spec)
            wanted = min(steps, QUICK_ITEMS if spec.quick else room[is_apart] - later.get(queue, 0))
            chosen = self._choose(queue, spec, wanted, taken) if wanted > 0 else []
            room[is_apart] -= 0 if spec.quick else len(chosen)
            start += chosen
        finished = self._jobs.all(done=True)[:COLLECTED]
        return [Dispatch(job.spec.name, job.node.id, job.seq) for job in finished] + start[: max(0, steps)]

    def _wanted_later(self, asking: Sequence[Job], places: int, state: GoedelsPoetryState) -> dict[str, int]:
        """Queue -> how many places it leaves to the less urgent ones."""
        at_work = Counter(job.node.queue for job in asking)
        left: dict[str, int] = {}
        waiting = busy = 0
        for queue, spec in reversed(self._registry.routes.items()):
            if spec.quick or self._jobs.are_apart(spec):
                continue
            left[queue] = min(waiting, max(0, places // SHARE_OF_LATER - busy))
            waiting += max(0, state["queues"][queue]["length"] - at_work[queue])
            busy += at_work[queue]
        return left

    def _choose(self, queue: str, spec: AgentSpec, wanted: int, taken: set[str]) -> list[Dispatch]:
        chosen: list[Dispatch] = []
        for item in islice(self._store.waiting(queue), wanted + len(self._jobs) + len(taken)):
            if len(chosen) == wanted:
                break
            if self._jobs.holds(item.node_id, item.seq):
                continue
            if queue == Queue.PROVE and item.key in taken:
                continue  # the same goal is being proved: wait for that proof instead of making a second one
            if item.key and queue in _ATTEMPTING:
                taken.add(item.key)
            chosen.append(Dispatch(spec.name, item.node_id, item.seq))
        return chosen

    def stuck(self, state: GoedelsPoetryState) -> Stop:
        """Nothing to do and nothing under way, but the root is not proved."""
        routes = self._registry.routes
        reasons = []
        for name, queue in state["queues"].items():
            if queue["length"] and name not in routes:
                sent = [event for event in self._store.events() if event.node in queue["head"][:1]]
                by = f", where {sent[-1].agent} has sent goal {sent[-1].node}" if sent else ""
                reasons.append(f"no agent serves the queue {name}{by}")
        return Stop("exhausted", "; ".join(reasons))

    def seconds_left(self) -> float | None:
        """How long the supervisor may wait before it must look at the budgets again; None: as long as it takes."""
        limit = self._settings.budgets.wall_seconds
        return None if limit is None else max(0.0, limit - self._seconds("wall_seconds", self._store.spent()))

    def time_left(self) -> float | None:
        """Seconds that jobs may share out; where resource units are limited, those that the units left count as."""
        units = self._settings.budgets.resource_units
        if units is None:
            return self.seconds_left()
        return max(0.0, units - self._store.spent().get("resource_units", 0.0)) / UNITS_A_SECOND

    def _seconds(self, budget: str, spent: Mapping[str, float]) -> float:
        return spent.get(budget, 0.0) + self._used.get(budget, 0.0)

    def _steps_left(self, spent: Mapping[str, float]) -> int:
        limit = self._settings.budgets.agent_steps
        return 1 << 30 if limit is None else limit - int(spent.get("steps", 0))

    def _over_budget(self, spent: Mapping[str, float]) -> Stop | None:
        budgets = self._settings.budgets
        for name, text in _BUDGETS.items():
            limit = getattr(budgets, name)
            in_seconds = name.endswith("_seconds")
            used = self._seconds(name, spent) if in_seconds else spent.get(name, 0)
            # A limit of 0 stops the run when a model is first asked, not before.
            if (limit or (in_seconds and limit is not None)) and used >= limit:
                return Stop("out_of_budget", text.format(limit), name)
        if self._steps_left(spent) <= 0:
            return Stop("out_of_budget", f"{budgets.agent_steps} agent steps are used up", "agent_steps")
        return None


def present_state(
    store: StoreReader, registry: Registry, state: GoedelsPoetryState | None = None
) -> GoedelsPoetryState:
    """``state`` brought up to a store's present revision; O(queues), whatever the size of the tree."""
    lengths = store.queue_lengths()
    names = [*registry.routes, *sorted(set(lengths) - set(registry.routes))]
    heads = {
        name: [item.node_id for item in store.peek(name, QUEUE_HEAD)] if lengths.get(name) else [] for name in names
    }
    queues: dict[str, QueueState] = {name: {"length": lengths.get(name, 0), "head": heads[name]} for name in names}
    run_id = str(store.meta("run_id") or "") if state is None else state.get("run_id", "")
    new: GoedelsPoetryState = {"run_id": run_id, "seq": store.seq, "queues": queues, "spent": store.spent()}
    new |= {"status": RUNNING, "reason": ""}
    if state is not None and state.get("step") is not None:
        new["step"] = state["step"]
    return new
