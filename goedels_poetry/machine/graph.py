"""The LangGraph state machine: one supervisor, one node for every registered agent, no switch statement.

A super-step of LangGraph is a barrier, so no super-step does long work: an agent's node *starts* the job, or
*collects* it when it is done, and the supervisor waits for any job when there is nothing to dispatch.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from goedels_poetry.agents.registry import FAULT, AgentSpec, Apply, Deps, Fault, Registry
from goedels_poetry.errors import BudgetExceeded, StaleWork, Unavailable, lacks_resources, one_line
from goedels_poetry.machine.jobs import Job, Jobs
from goedels_poetry.machine.supervisor import RUNNING, Stop, SupervisorAgent, job_key
from goedels_poetry.tasks.claim import FORMAL, Statement, set_failed_formalization
from goedels_poetry.tree.results import Event
from goedels_poetry.tree.state import Failure, GoedelsPoetryState, ProofNode, Queue
from goedels_poetry.tree.store import ProofStore, Txn

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

# Read once when langgraph is imported: without it a tampered checkpoint could name code to run.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

RECURSION_LIMIT = 1_000_000
CANNOT_GO_ON = "the machine cannot go on"
"""How the reason begins when a run stops for what says nothing about the theorem: a solver that cannot be run, no file
handle left."""


class Item(TypedDict):
    """What a `Send` carries: an id and the revision that was handed out, never the node."""

    node_id: str
    seq: int


@dataclass(frozen=True, slots=True)
class Machine:
    """The live parts of one run; bound by closure into the graph and never checkpointed."""

    store: ProofStore
    registry: Registry
    deps: Deps
    jobs: Jobs
    supervisor: SupervisorAgent
    emit: Callable[[Event], None]
    statement: Statement | None = None
    """Of a claim: what its formal theorem is now."""

    async def step(self, spec: AgentSpec, item: Item) -> None:
        """Start an agent on a node, or collect what it has done."""
        key = job_key(spec.name, item["node_id"], item["seq"])
        job = self.jobs.pop(key) if key in self.jobs else None
        if job is None:
            await self._start(spec, key, item)
        else:
            await self._collect(job)

    async def _start(self, spec: AgentSpec, key: str, item: Item) -> None:
        store = self.store
        node = await store.on_thread(_begin, store, key, spec.name, item)
        if node is None:
            return  # done before a crash, or the node has moved on since it was handed out
        deps = replace(self.deps, cost={}, faults=[])
        seconds = spec.timeout or self.deps.settings.agent_timeout
        work = _bounded(spec, node, deps, seconds, self.statement)
        self.jobs.start(key, spec, node, item["seq"], work, deps.cost, deps.faults)
        if spec.quick:
            job = self.jobs.pop(key)
            assert job is not None
            await asyncio.wait({job.task})
            await self._collect(job)

    async def _collect(self, job: Job) -> None:
        error = job.task.exception() if not job.task.cancelled() else asyncio.CancelledError("cancelled")
        if isinstance(error, BudgetExceeded):  # before the work was done: the node stays where it is, for a resume
            await self.store.on_thread(self.store.forget_work, [job.key])
            self.supervisor.stop(str(error), error.budget)
            return
        if error is not None and _is_passing(error):
            await self._put_off(job, error)
            return
        if error is not None:
            await self._fail(job, error)
            return
        try:
            await self._commit(job, job.task.result())
        except BudgetExceeded as exc:
            self.supervisor.stop(f"{exc} and no more", exc.budget)
        except Exception as exc:  # noqa: BLE001  a bad reply may fail anywhere: it costs one attempt
            await (self._put_off(job, exc) if _is_passing(exc) else self._fail(job, exc))

    async def _put_off(self, job: Job, error: BaseException) -> None:
        """Nothing was tried: the node stays where it is, for a resume."""
        await self.store.on_thread(self.store.forget_work, [job.key])
        words = str(error) if isinstance(error, Unavailable) else one_line(error)
        self.supervisor.stop(f"{CANNOT_GO_ON}: {words}", "machine")

    async def _fail(self, job: Job, error: BaseException) -> None:
        job.faults.append(Fault(f"agent {job.spec.name}", job.spec.plugin, one_line(error)))
        await self._commit(job, lambda txn: self._failed(txn, job.node, error))

    async def _commit(self, job: Job, apply: Apply) -> None:
        def moved(txn: Txn) -> str:
            outcome = apply(txn)
            _note(txn, job)
            if txn.store.revision(job.node.id) == job.seq:  # it would be handed out again and again
                raise RuntimeError(f"agent {job.spec.name} left the node where it was")
            return outcome

        cost = {"steps": 1.0, **job.cost}
        try:
            done = await self.store.on_thread(
                self.store.commit, job.key, job.spec.name, job.node.id, moved, expect=job.seq, cost=cost
            )
        except StaleWork:  # the node moved on or was cut off while the job was under way
            if not job.faults:
                return
            done = await self.store.on_thread(
                self.store.commit, f"{job.key}:faults", job.spec.name, job.node.id, lambda txn: _note(txn, job)
            )
        if done is None:
            return
        if done.cuts:
            await self.store.on_thread(self.store.forget_work, await self.jobs.cancel_below(done.cuts))
        self.emit(done.event)

    def _failed(self, txn: Txn, node: ProofNode, error: BaseException) -> str:
        """One attempt of whatever the node's queue asked for has failed."""
        reason = one_line(error)
        if self.registry.on_failure is not None:
            return self.registry.on_failure(txn, node, reason, self.deps)
        moves = self.deps.moves(txn)
        queue = node.queue or ""
        if queue == Queue.FORMALIZE or (queue == Queue.CHECK_SEMANTICS and FORMAL in node.refs):
            stage = "formalizer" if queue == Queue.FORMALIZE else "judge"
            set_failed_formalization(txn, node, reason, most=self.deps.settings.schedule.max_attempts, stage=stage)
        elif queue in _SKIPPED_ON_ERROR:
            txn.log(node.id, "note", reason=reason)
            txn.reason = reason
            txn.put(replace(node, queue=_SKIPPED_ON_ERROR[queue]))
        elif queue in _SKETCH_QUEUES:
            moves.set_failed_sketch(node, reason)
        elif queue == Queue.DECIDE:
            moves.set_decision(node, *self._default_decision(node), reason)
        else:
            moves.set_failed_proof(replace(node, failure=Failure.PROOF), reason)
        return "error"

    def _default_decision(self, node: ProofNode) -> tuple[str, tuple[str, ...]]:
        from goedels_poetry.agents.decider import POLICY, legal_moves

        legal = legal_moves(self.store, self.deps.settings, node)
        return next(move for move in POLICY[node.failure] if move in legal), legal


_SKIPPED_ON_ERROR: dict[str, Queue] = {
    Queue.CHECK_SEMANTICS: Queue.PROVE,
    Queue.RETRIEVE: Queue.SKETCH,
    Queue.DECOMPOSITION_BACKTRACK: Queue.RETRIEVE,
}
"""Help that a run can do without: when it fails the node goes on to the next station."""

_SKETCH_QUEUES = frozenset({Queue.SKETCH, Queue.VERIFY_SKETCH, Queue.CORRECT_SKETCH, Queue.DECOMPOSE})


async def _bounded(
    spec: AgentSpec, node: ProofNode, deps: Deps, seconds: float | None, statement: Statement | None
) -> Apply:
    try:
        with deps.ledger.working():
            async with asyncio.timeout(seconds):
                if statement is not None:
                    deps = replace(deps, theorem=await statement.now(deps.store))
                return await spec.run(node, deps)
    except SystemExit as exc:  # it would end the program, with an exit code that means something else
        raise RuntimeError(f"{spec.name} tried to end the program") from exc
    except TimeoutError as exc:
        words = str(exc) or f"{spec.name} took longer than {seconds:g} s" if seconds else str(exc)
        raise TimeoutError(words) from exc


def _is_passing(error: BaseException) -> bool:
    """Whether a failure is the machine's, and may be over when the run is resumed."""
    return isinstance(error, Unavailable) or lacks_resources(error)


def _note(txn: Txn, job: Job) -> str:
    """What was raised in a job, in the node's history and in the event."""
    for fault in job.faults:
        txn.log(job.node.id, FAULT, **asdict(fault))
    words = [fault.words for fault in job.faults if fault.plugin or fault.reason not in txn.reason]
    txn.reason = "; ".join(dict.fromkeys(filter(None, [txn.reason, *words])))
    return "error"


def _begin(store: ProofStore, key: str, agent: str, item: Item) -> ProofNode | None:
    if not store.begin_work(key, agent, item["node_id"], item["seq"]):
        return None
    return store.get(item["node_id"])


def build(machine: Machine, **compile_arguments: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph of a run; ``checkpointer=`` and others go to LangGraph's ``compile``."""
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Command, Send

    async def supervisor(state: GoedelsPoetryState) -> Command[str]:
        agent, store = machine.supervisor, machine.store
        while True:
            ended = await store.on_thread(agent.ended)
            if ended is None:
                plan = await store.on_thread(agent.plan)
                if plan:
                    sends = [Send(d.agent, {"node_id": d.node_id, "seq": d.seq}) for d in plan]
                    return Command(goto=sends, update=_cursor(store, Stop(RUNNING)))
                if len(machine.jobs):
                    with machine.deps.ledger.waiting():
                        await machine.jobs.wait(agent.seconds_left())
                    continue
                ended = await store.on_thread(agent.stuck)
            await store.on_thread(store.forget_work, await machine.jobs.cancel_all())
            return Command(goto=END, update=_cursor(store, ended))

    names = tuple(machine.registry.agents)
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(GoedelsPoetryState)
    builder.add_node("supervisor", supervisor, destinations=(*names, END))
    for spec in machine.registry.agents.values():
        node = _as_node(machine, spec)
        metadata = {"queues": list(spec.queues), "plugin": spec.plugin}
        builder.add_node(spec.name, node, destinations=("supervisor",), metadata=metadata)
    builder.add_edge(START, "supervisor")
    return builder.compile(name="goedels_poetry", **compile_arguments)


def _as_node(machine: Machine, spec: AgentSpec) -> Any:  # LangGraph's own type for nodes is private
    from langgraph.types import Command

    async def node(item: Item) -> Command[str]:
        await machine.step(spec, item)
        return Command(goto="supervisor")

    node.__name__ = spec.name
    return node


def _cursor(store: ProofStore, stop: Stop) -> GoedelsPoetryState:
    return {
        "seq": store.seq,
        "queues": store.queue_lengths(),
        "spent": store.spent(),
        "status": stop.status,
        "reason": stop.reason,
    }


__all__ = ["CANNOT_GO_ON", "RECURSION_LIMIT", "Item", "Machine", "build"]
