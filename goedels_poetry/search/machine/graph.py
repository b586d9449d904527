"""The LangGraph state machine: one supervisor, one node for every registered agent, no switch statement.

A super-step of LangGraph is a barrier, so no super-step does long work: an agent's node *starts* the job, or
*collects* it when it is done, and the supervisor waits for any job when there is nothing to dispatch.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from goedels_poetry.errors import (
    PASSING,
    BudgetExceeded,
    GoedelsPoetryError,
    StaleWork,
    is_passing,
    one_line,
)
from goedels_poetry.search.agents.deps import FAULT, Apply, Deps, Fault
from goedels_poetry.search.agents.failure import Policy
from goedels_poetry.search.agents.registry import AgentSpec, Registry
from goedels_poetry.search.machine.supervisor import Dispatch, Job, Jobs, SupervisorAgent, Turn, parcels, unpacked
from goedels_poetry.search.tasks.base import Statement
from goedels_poetry.store.proof_store import STEPS, Commit, ProofStore
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.results import Event
from goedels_poetry.store.state import STEP_REASON, GoedelsPoetryState, ProofNode, Queue, Step
from goedels_poetry.telemetry import span

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

# Read once when langgraph is imported: without it a tampered checkpoint could name code to run.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

RECURSION_LIMIT = 1_000_000
CANNOT_GO_ON = "the machine cannot go on"
"""How the reason begins when a run stops for what says nothing about the theorem: a solver that cannot be run, no file
handle left."""


MOST_COST = 1e12
"""Of anything, in one step."""

STARTED = "started"
"""Outcome of a step that only began long work."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The live parts of one run; bound by closure into the graph and never checkpointed."""

    store: ProofStore
    registry: Registry
    deps: Deps
    jobs: Jobs
    supervisor: SupervisorAgent
    emit: Callable[[Event], None]
    statement: Statement
    """What the theorem of the run is at any moment."""
    trace: UUID | None = None
    """The run of the whole graph, among those that callbacks are told of."""

    async def turn(self, state: GoedelsPoetryState) -> Turn:
        """What the supervisor decides; it waits while there is nothing to send out but something under way."""
        while True:
            await asyncio.sleep(0)  # others take turns
            turn = await self.store.on_thread(self.supervisor.turn, state)
            state = turn.state
            if turn.plan:
                return turn
            if turn.stop is None and len(self.jobs):
                with self.deps.ledger.waiting():
                    await self.jobs.wait(self.supervisor.seconds_left())
                continue
            await self.store.on_thread(self.store.forget_work, await self.jobs.cancel_all())
            return turn._replace(stop=turn.stop or self.supervisor.stuck(state))

    async def step(self, spec: AgentSpec, items: Sequence[Dispatch], state: GoedelsPoetryState) -> list[Step]:
        """Start an agent on nodes, or collect what it has done; nothing for those that have moved on.

        Several at once tell LangGraph and the store's thread once; each is a transaction of its own all the same.
        """
        jobs = [self.jobs.pop(item.key) if item.key in self.jobs else None for item in items]
        begun = [item for item, job in zip(items, jobs, strict=True) if job is None]
        # What begins waits for its reply while the others' results are written.
        started = await self._start(spec, begun, state) if begun else []
        return await self._collect([job for job in jobs if job is not None]) + started

    async def _start(self, spec: AgentSpec, items: Sequence[Dispatch], state: GoedelsPoetryState) -> list[Step]:
        nodes = await self.store.on_thread(_begin, self.store, items)
        seconds = spec.timeout or self.deps.settings.agent_timeout
        # None: done before a crash, or the node has moved on since it was handed out.
        there = [(item, node) for item, node in zip(items, nodes, strict=True) if node is not None]
        context = _context_of_jobs(self.trace)
        for item, node in there:
            deps = replace(self.deps, cost={}, faults=[], displaced=spec.displaced)
            work = partial(_bounded, spec, node, deps, state, seconds, self.statement)
            start = partial(self.jobs.start, item.key, spec, node, item.seq, work(), deps.cost, deps.faults)
            context.copy().run(start)
        if not spec.quick:
            return [_step(item.seq, spec.name, node.id, STARTED) for item, node in there]
        jobs = [job for item, _ in there if (job := self.jobs.pop(item.key)) is not None]
        if jobs:
            await asyncio.wait({job.task for job in jobs})
        return await self._collect(jobs)

    async def _collect(self, jobs: Sequence[Job]) -> list[Step]:
        cancelled = asyncio.CancelledError("cancelled")
        errors = [cancelled if job.task.cancelled() else job.task.exception() for job in jobs]
        moves = [(job, job.task.result()) for job, error in zip(jobs, errors, strict=True) if error is None]
        steps: list[Step | None] = []
        for (job, _), done in zip(moves, await self._commit(moves), strict=True):
            if isinstance(done, BudgetExceeded):
                self.supervisor.stop(f"{done} and no more", done.budget)
            else:  # a bad reply may fail anywhere: it costs what its agent has declared
                steps.append(await self._lost(job, done) if isinstance(done, Exception) else done)
        for job, error in zip(jobs, errors, strict=True):
            if isinstance(error, BudgetExceeded):  # before the work was done: the node stays where it is, for a resume
                await self.store.on_thread(self.store.forget_work, [job.key])
                self.supervisor.stop(str(error), error.budget)
            elif error is not None:
                steps.append(await self._lost(job, error))
        return [step for step in steps if step is not None]

    async def _lost(self, job: Job, error: BaseException) -> Step | None:
        """The node pays what its agent has declared; when that fails too, what is usual in its queue."""
        if is_passing(error):  # nothing was tried: the node stays where it is, for a resume
            await self.store.on_thread(self.store.forget_work, [job.key])
            text = str(error) if isinstance(error, PASSING) else one_line(error)
            self.supervisor.stop(f"{CANNOT_GO_ON}: {text}", "machine")
            return None
        queue, reason = job.node.queue or "", one_line(error)
        job.faults.append(Fault(f"agent {job.spec.name}", job.spec.plugin, reason))
        declared, usual = self.registry.policy(job.spec, queue), self.registry.failures.default(queue)
        for policy in (declared, usual):
            (done,) = await self._commit([(job, self._failure(policy, job.node, reason))])
            if not isinstance(done, Exception):
                return done
            if policy == usual:
                raise done
            who = f"failure policy {policy.name} of agent {job.spec.name}"
            job.faults.append(Fault(who, job.spec.plugin, one_line(done)))
        return None

    def _failure(self, policy: Policy, node: ProofNode, reason: str) -> Apply:
        return lambda txn: policy.move(txn, node, reason, self.deps)

    async def _commit(self, moves: Sequence[tuple[Job, Apply]]) -> list[Step | Exception | None]:
        """Each all or nothing, one after the other. None: the node moved on, or was cut off, in the meantime."""
        steps: list[Step | Exception | None] = []
        for job, apply in moves:
            done: Any = await self.store.on_thread(self._committed, job, apply)
            if isinstance(done, Commit):
                if done.cuts:
                    await self.store.on_thread(self.store.forget_work, await self.jobs.cancel_below(done.cuts))
                self.emit(event := done.event)
                done = _step(event.seq, event.agent, event.node, event.outcome, event.reason)
            steps.append(done)
        return steps

    def _committed(self, job: Job, apply: Apply) -> Commit | Exception | None:
        """On the store's thread."""

        def moved(txn: Txn) -> str:
            try:
                outcome = apply(txn)
            except SystemExit as exc:
                raise _ends_program(job.spec) from exc
            _note(txn, job)
            return outcome

        commit = partial(self.store.commit, agent=job.spec.name, node_id=job.node.id)
        _drop_what_is_no_amount(job)
        try:
            return commit(job.key, apply=moved, expect=job.seq, cost={STEPS: 1.0, **job.cost})
        except StaleWork:
            return commit(f"{job.key}:faults", apply=lambda txn: _note(txn, job)) if job.faults else None
        except Exception as exc:  # noqa: BLE001  it is this job's, and the others are committed all the same
            return exc


async def _bounded(
    spec: AgentSpec,
    node: ProofNode,
    deps: Deps,
    state: GoedelsPoetryState,
    seconds: float | None,
    statement: Statement,
) -> Apply:
    about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": spec.name}
    try:
        with deps.ledger.working(), span(f"invoke_agent {spec.name}", {**about, "goal": node.id, "queue": node.queue}):
            async with asyncio.timeout(seconds):
                theorem = await statement.now(deps.store)
                if theorem is not deps.theorem:
                    deps = replace(deps, theorem=theorem)
                return await spec.work(node, deps, state)
    except SystemExit as exc:  # it would end the program, with an exit code that means something else
        raise _ends_program(spec) from exc
    except TimeoutError as exc:
        text = str(exc) or f"{spec.name} took longer than {seconds:g} s" if seconds else str(exc)
        raise TimeoutError(text) from exc


def _ends_program(spec: AgentSpec) -> RuntimeError:
    return RuntimeError(f"{spec.name} tried to end the program")


def _drop_what_is_no_amount(job: Job) -> None:
    """A cost below zero, or one that is no number, would lift every budget of the run."""
    amounts: dict[Any, Any] = job.cost  # of whoever has written the agent
    for name, amount in list(amounts.items()):
        if isinstance(name, str) and isinstance(amount, (int, float)) and 0 <= amount < MOST_COST:
            continue
        del job.cost[name]
        reason = f"its cost {name} is {amount!r:.50}, which is no amount: not counted"
        job.faults.append(Fault(f"agent {job.spec.name}", job.spec.plugin, reason))


def _note(txn: Txn, job: Job) -> str:
    """What was raised in a job, in the node's history and in the event."""
    for fault in job.faults:
        txn.log(job.node.id, FAULT, **asdict(fault))
    words = [fault.words for fault in job.faults if fault.plugin or fault.reason not in txn.reason]
    txn.reason = "; ".join(dict.fromkeys(filter(None, [txn.reason, *words])))
    return "error"


def _step(seq: int, agent: str, node: str, outcome: str, reason: str = "") -> Step:
    return {"seq": seq, "agent": agent, "node": node, "outcome": outcome, "reason": reason[:STEP_REASON]}


def _context_of_jobs(trace: UUID | None) -> Context:
    """A context in which what a job asks of models hangs on the run of the whole graph: its own node ends at once."""
    if "langchain_core" not in sys.modules:  # nobody listens, and it takes long to load
        return copy_context()
    from langchain_core.callbacks import BaseCallbackManager
    from langchain_core.runnables.config import var_child_runnable_config

    context, config = copy_context(), var_child_runnable_config.get()
    callbacks = config.get("callbacks") if config is not None else None
    if config is not None and isinstance(callbacks, BaseCallbackManager) and trace is not None:
        above = callbacks.copy()
        above.parent_run_id = trace
        context.run(var_child_runnable_config.set, {**config, "callbacks": above})
    return context


def _begin(store: ProofStore, items: Sequence[Dispatch]) -> list[ProofNode | None]:
    begun = store.begin_work([(item.key, item.agent, item.node_id, item.seq) for item in items])
    return [store.get(item.node_id) if there else None for item, there in zip(items, begun, strict=True)]


# -- the graph -------------------------------------------------------------------------------------------------


def build(
    machine: Machine, *, each_step: bool = True, **compile_arguments: Any
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph of a run."""
    from langgraph.graph import END
    from langgraph.types import Command, Send

    handed: GoedelsPoetryState | None = None  # the state in which the supervisor of this process sent nodes out last

    async def supervisor(state: GoedelsPoetryState) -> Command[str]:
        nonlocal handed
        turn = await machine.turn(state)
        handed = turn.state
        update = {name: value for name, value in turn.state.items() if name != "step"}
        if turn.stop is not None:
            return Command(goto=END, update={**update, "status": turn.stop.status, "reason": turn.stop.reason})
        return Command(goto=[Send(agent, payload) for agent, payload in parcels(turn.plan)], update=update)

    def node(spec: AgentSpec) -> Any:  # LangGraph's own type for nodes is private
        async def act(payload: str) -> list[Command[str]]:
            assert handed is not None  # each start of the graph begins with the supervisor
            steps = await machine.step(spec, unpacked(spec.name, payload), handed)
            shown = steps if each_step else steps[-1:]
            return [Command(goto="supervisor"), *(Command(update={"seq": step["seq"], "step": step}) for step in shown)]

        return act

    return _compile(machine.registry, supervisor, node, **compile_arguments)


def draw(registry: Registry, **compile_arguments: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The same graph without a run: to be drawn, and to read checkpoints with. Running it raises GoedelsPoetryError."""

    def node(spec: AgentSpec | None = None) -> Any:
        def refuse(state: GoedelsPoetryState) -> None:
            raise GoedelsPoetryError(
                "this graph belongs to no run, so it has no proof store to work on: begin one with "
                "GoedelsPoetryFramework.run, or watch it with GoedelsPoetryFramework.stream(..., stream_mode=...)"
            )

        return refuse

    return _compile(registry, node(), node, **compile_arguments)


def _compile(
    registry: Registry, supervisor: Any, node: Callable[[AgentSpec], Any], **arguments: Any
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Supervisor and one node for every agent; an edge to an agent is labelled with the queues that lead there."""
    from langgraph.graph import END, START, StateGraph

    served = registry.served()
    destinations = {name: ", ".join(queues) or "no queue" for name, queues in served.items()}
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(GoedelsPoetryState)
    builder.add_node("supervisor", supervisor, destinations={**destinations, END: "end of the search"})
    for name, spec in registry.agents.items():
        act = node(spec)
        act.__name__ = name
        policies = {queue: registry.policy(spec, queue).name for queue in served[name]}
        metadata: dict[str, Any] = {"queues": list(served[name]), "on_failure": policies, "plugin": spec.plugin}
        if registry.strategies and Queue.SKETCH in served[name]:
            metadata["strategies"] = [f"{each.name} ({each.plugin})" for each in registry.strategies]
        builder.add_node(name, act, destinations=("supervisor",), metadata=metadata)
    builder.add_edge(START, "supervisor")
    return builder.compile(name="goedels_poetry", **arguments)
