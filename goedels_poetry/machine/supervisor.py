"""`SupervisorAgent`: which agent acts on which node next, and when to stop. The routing is a table.

It decides only from the queues, the budgets and what is under way, never from the content of a node.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from goedels_poetry.agents.registry import AgentSpec, Registry
from goedels_poetry.machine.jobs import Jobs
from goedels_poetry.settings import Settings
from goedels_poetry.tree.state import NodeStatus, Queue
from goedels_poetry.tree.store import ProofStore

ACTIONS: dict[str, str] = {
    Queue.FORMALIZE: "formalize_informal_theorem",
    Queue.CHECK_SEMANTICS: "check_theorem_semantics",
    Queue.VERIFY: "check_theorems_proofs",
    Queue.CORRECT: "request_proofs_corrections",
    Queue.DECIDE: "decide_next_moves",
    Queue.PROVE: "prove_theorems",
    Queue.RETRIEVE: "retrieve_lemmas",
    Queue.SKETCH: "sketch_proofs",
    Queue.VERIFY_SKETCH: "check_proof_sketches",
    Queue.CORRECT_SKETCH: "request_proof_sketches_corrections",
    Queue.DECOMPOSITION_BACKTRACK: "request_proof_sketches_backtrack",
    Queue.DECOMPOSE: "decompose_proof_sketches",
}
"""queue -> what acting on it is called. Order of the members of `Queue`, most urgent first."""

QUICK_ITEMS = 64
"""How many nodes of quick agents one super-step takes: they commit at once, so they need no job slot."""

RUNNING = "running"

_MODEL_BUDGETS = {
    "model_calls": "{} model calls are used up",
    "model_tokens": "{} model tokens are used up",
    "money": "the money for models is used up ({:g} dollars)",
}

_ATTEMPTING = frozenset({Queue.PROVE, Queue.VERIFY, Queue.CORRECT, Queue.DECIDE})
"""Queues in which a goal may be on the point of being proved directly."""


class Dispatch(NamedTuple):
    """One item for one agent, to be sent by LangGraph's ``Send``: never the node itself."""

    agent: str
    node_id: str
    seq: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Why the search ended. ``status``: "proved", "finished", "exhausted", "out_of_budget", "declined", "stated"."""

    status: str
    reason: str = ""
    budget: str = ""


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

    def get_action(self) -> str:
        """What is most urgent now, in words: "request_proof_sketches_backtrack", ..., or "finish"."""
        lengths = self._store.queue_lengths()
        return next((self._word(queue) for queue in self._registry.routes if lengths.get(queue)), "finish")

    def _word(self, queue: str) -> str:
        return ACTIONS.get(queue, f"act_on_{queue}")

    def ended(self) -> Stop | None:
        """Whether the search is over, and why; reads the store."""
        self._count_wall_time()
        root = self._store.root()
        if root.status is NodeStatus.PROVED:
            return Stop("proved")
        recorded = self._store.verdict()
        if recorded is not None:
            return Stop("finished", recorded[1])
        return self._asked_to_stop or self._over_budget()

    def plan(self) -> list[Dispatch]:
        """Finished jobs to collect, then queued nodes to start, most urgent queue first."""
        collect = [Dispatch(job.spec.name, job.node.id, job.seq) for job in self._jobs.finished()]
        collecting = {job.key for job in self._jobs.finished()}
        start: list[Dispatch] = []
        room = self._settings.max_concurrency - (len(self._jobs) - len(collecting))
        room = min(room, self._steps_left() - len(self._jobs))
        taken = self._jobs.sharable_keys()
        lengths = self._store.queue_lengths()
        for queue, spec in self._registry.routes.items():
            if not lengths.get(queue):
                continue
            wanted = min(QUICK_ITEMS, self._steps_left() - len(self._jobs)) if spec.quick else room
            chosen = self._choose(queue, spec, wanted, taken) if wanted > 0 else []
            room -= 0 if spec.quick else len(chosen)
            start += chosen
        return collect + start[: max(0, self._steps_left() - len(self._jobs))]

    def _choose(self, queue: str, spec: AgentSpec, wanted: int, taken: set[str]) -> list[Dispatch]:
        chosen: list[Dispatch] = []
        for item in self._store.peek(queue, wanted + len(self._jobs) + len(taken)):
            if len(chosen) == wanted:
                break
            if job_key(spec.name, item.node_id, item.seq) in self._jobs:
                continue
            if queue == Queue.PROVE and item.key in taken:
                continue  # the same goal is being proved: wait for that proof instead of making a second one
            if item.key and queue in _ATTEMPTING:
                taken.add(item.key)
            chosen.append(Dispatch(spec.name, item.node_id, item.seq))
        return chosen

    def stuck(self) -> Stop:
        """Nothing to do and nothing under way, but the root is not proved."""
        unserved = [queue for queue in self._store.queue_lengths() if queue not in self._registry.routes]
        if unserved:
            return Stop("exhausted", f"no agent serves the queue {', '.join(unserved)}")
        return Stop("exhausted")

    def seconds_left(self) -> float | None:
        """How long the supervisor may wait before it must look at the budgets again; None: as long as it takes."""
        limit = self._settings.budgets.wall_seconds
        return None if limit is None else max(0.0, limit - self._seconds("wall_seconds"))

    def _seconds(self, budget: str) -> float:
        return self._store.spent().get(budget, 0.0) + self._used.get(budget, 0.0)

    def _count_wall_time(self) -> None:
        now = time.monotonic()
        self._store.spend(wall_seconds=0.0 if self._mark is None else now - self._mark)
        self._mark = now

    def _steps_left(self) -> int:
        limit = self._settings.budgets.agent_steps
        return 1 << 30 if limit is None else limit - int(self._store.spent().get("steps", 0))

    def _over_budget(self) -> Stop | None:
        budgets, spent = self._settings.budgets, self._store.spent()
        if budgets.wall_seconds is not None and self._seconds("wall_seconds") >= budgets.wall_seconds:
            return _over("wall_seconds", f"{budgets.wall_seconds:g} s of wall time are used up")
        if budgets.solver_seconds is not None and self._seconds("solver_seconds") >= budgets.solver_seconds:
            return _over("solver_seconds", f"{budgets.solver_seconds:g} s of solver time are used up")
        for name, words in _MODEL_BUDGETS.items():
            limit = getattr(budgets, name)
            # A limit of 0 stops the run when a model is first asked, not before.
            if limit and spent.get(name, 0) >= limit:
                return _over(name, words.format(limit))
        if self._steps_left() <= 0:
            return _over("agent_steps", f"{budgets.agent_steps} agent steps are used up")
        return None


def _over(budget: str, reason: str) -> Stop:
    return Stop("out_of_budget", reason, budget)


def job_key(agent: str, node_id: str, seq: int) -> str:
    """Idempotency key of an agent's step on a node as it was at revision ``seq``."""
    return f"{agent}:{node_id}@{seq}"


__all__ = ["ACTIONS", "RUNNING", "Dispatch", "Stop", "SupervisorAgent", "job_key"]
