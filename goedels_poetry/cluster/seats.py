"""Seats at the nodes of a cluster: actors that one run or one job at a time is given to.

A seat takes one processor and the memory of its kind, both as Ray resources. Seats are made where somebody waits for
one and a node has room; nodes that join later get some, nodes of another version get none, and what was under way on a
node that is lost is begun again on another seat. So each call has one answer, or an error that says nothing about it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import logging
import os
import signal
import socket
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any

from goedels_poetry.cluster.worker import Worker, versions
from goedels_poetry.errors import MissingTool, Unavailable, one_line
from goedels_poetry.search.machine.background import stopping_signals
from goedels_poetry.solvers.limits import processors

# A connection to a Ray cluster

INSTALL = "pip install 'goedels-poetry-prover[ray]'"
DIAL_PATIENCE = 5.0
"""Seconds until an address counts as one where nothing is."""
LOCAL, AUTO = "local", "auto"
_QUIETLY = {"log_to_driver": False, "configure_logging": False, "logging_level": logging.ERROR}
_ON_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_worker_niceness": "0"}
"""With the first Ray takes 127.0.0.1 for the address of this machine, and its servers listen there alone (see
`get_node_ip_address` in Ray's services.py); the argument that looks made for this is replaced by a reachable address.
With the second workers are no less urgent than others on the machine."""
_PRINTS = ("ray._private.worker", "print_to_stdstream")
"""Of a node that is lost it tells pages, whatever one asks it for, where our results go."""
_AUTH_MODE, _TOKEN_FILE = "RAY_AUTH_MODE", "~/.ray/auth_token"
"""Of Ray, see https://docs.ray.io/en/latest/ray-security/token-auth.html."""
_SILENT = {"RAY_USAGE_STATS_ENABLED": "0"}
"""Nothing about a run is sent to anybody."""


class ClusterError(MissingTool):
    """There is no cluster to work on, or none of its nodes can do the work. The message says what to do."""


@contextmanager
def opened(where: str) -> Iterator[Any]:
    """The module ``ray``, connected while inside. A connection that the caller has made already is used, and left.

    Args:
        where: "local": a cluster of this machine alone, ended on leaving. "auto": the cluster that this machine is part
            of, or that RAY_ADDRESS names. Else HOST:PORT of a cluster that this machine is part of.

    Raises:
        ClusterError: Ray is not installed, or nothing answers.
    """
    _check(where)
    there = sys.modules.get("ray")
    if there is not None and there.is_initialized():
        with _without(*_PRINTS):
            yield there
        return
    if where == LOCAL:
        os.environ.update(_ON_LOOPBACK)
    os.environ.update(_SILENT)
    try:
        ray = importlib.import_module("ray")
    except ImportError as problem:
        raise ClusterError(f"--cluster needs Ray, which is not installed here ({problem}): {INSTALL}") from None
    logging.getLogger("ray").setLevel(logging.ERROR)  # its remarks are for the person who runs the cluster
    with _our_handlers():
        try:
            with _our_handlers():
                _start(ray, where)
            with _without(*_PRINTS):
                yield ray
        finally:
            ray.shutdown()


@contextmanager
def _our_handlers() -> Iterator[None]:
    """On leaving, signals are handled as before: Ray replaces what is there."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in stopping_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _start(ray: Any, where: str) -> None:
    """Connect; raises `ClusterError`."""
    for last in (False, True) if where == LOCAL else (True,):
        try:
            _init(ray, where)
            return
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - of many kinds, and each is one line for a person
            ray.shutdown()
            if last or "timed out during startup" not in str(problem):  # its 30 s are few on a busy machine
                raise ClusterError(_reason(where, problem)) from None


@contextmanager
def _without(module: str, name: str) -> Iterator[None]:
    """Inside, a function of Ray's does nothing, for which there is no setting."""
    there = importlib.import_module(module)
    function = getattr(there, name, None)
    if function is not None:
        setattr(there, name, lambda *given, **more: None)
    try:
        yield
    finally:
        if function is not None:
            setattr(there, name, function)


def _init(ray: Any, where: str) -> None:
    if where == LOCAL:
        ray.init(address=LOCAL, num_cpus=processors(), include_dashboard=False, **_QUIETLY)
    else:
        ray.init(address=where, **_QUIETLY)


def _check(where: str) -> None:
    """Raise ClusterError for what is no address, or one where nothing answers: Ray would wait for minutes."""
    if where in (LOCAL, AUTO):
        return
    if where.startswith("ray://"):
        raise ClusterError(
            f"--cluster {where}: run the command on a machine of the cluster, with HOST:PORT or auto; "
            "Ray's client protocol is not used"
        )
    host, _, port = where.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ClusterError(f"--cluster {where!r}: auto, local, or HOST:PORT as `ray start --head` prints it")
    try:
        socket.create_connection((host.strip("[]"), int(port)), DIAL_PATIENCE).close()
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise ClusterError(
            f"--cluster {where}: nothing answers there ({why}); is the head node up? `ray start --head` starts one"
        ) from None


def _reason(where: str, problem: BaseException) -> str:
    words = one_line(problem)
    if where == AUTO and isinstance(problem, ConnectionError):
        return (
            "--cluster auto: this machine is part of no Ray cluster that runs; `ray start --head` begins one, "
            "`ray start --address=HOST:PORT` joins one, and --cluster local needs none"
        )
    if isinstance(problem, ConnectionError):
        return (
            f"--cluster {where}: the head node there lets us not in. If the cluster has a token, put what "
            f"`ray get-auth-token` prints on its head into {_TOKEN_FILE} and set {_AUTH_MODE}=token, or use --cluster "
            "auto on a machine that is part of it"
        )
    if "ersion mismatch" in str(problem):
        return f"--cluster {where}: install the versions that the cluster has of Ray and Python: {words}"
    return f"--cluster {where}: {words}"


SOLVERS, LEAN = "solvers", "lean"
SOLVERS_MEMORY = 2 << 30
"""Bytes of a solver pool of one worker: that is replaced at 1 GB, and its solvers have limits of their own."""
LOOK_SECONDS = 0.5
"""Between two looks at which nodes there are, while somebody waits."""
PATIENCE = 60.0
"""Seconds to wait for a node where there is none with room: a cluster may be growing."""
TRIES = 4
"""Seats that may be lost over the same call: one that ends four of them is likely to be what ends them."""
CLOSING_SECONDS = 10.0


class TurnedAway(Exception):
    """A call that was not begun, because nothing more is to be begun."""


@dataclass(eq=False, slots=True)
class _Seat:
    actor: Any
    node: str
    kind: str


@dataclass(slots=True)
class _Node:
    """A node as `ray.nodes` tells of it."""

    id: str
    name: str
    cpus: int
    memory: int

    @property
    def words(self) -> str:
        return f"{self.name} ({self.cpus} processors, {self.memory / (1 << 30):.1f} GB)"


@dataclass(slots=True)
class _Waiting:
    kind: str
    seat: asyncio.Future[_Seat] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Seats:
    """An asynchronous context manager; on leaving it every actor is ended with what it had started.

    Args:
        ray: the module, connected.
        memory: bytes of a seat by its kind.
        most: seats at once; None: as many as the nodes have room for.
        on_note: called with what a person should know: a node that was refused, or lost.
    """

    def __init__(
        self,
        ray: Any,
        memory: Mapping[str, int] | None = None,
        *,
        most: int | None = None,
        on_note: Callable[[str], None] | None = None,
    ) -> None:
        self._ray = ray
        self._memory = {SOLVERS: SOLVERS_MEMORY, **(memory or {})}
        self._most = most
        self._note = on_note or (lambda text: None)
        self._ours = versions()
        self._coming: set[_Seat] = set()
        self._idle: set[_Seat] = set()
        self._busy: set[_Seat] = set()
        self._waiting: list[tuple[int, int, _Waiting]] = []
        self._numbers = count()
        self._refused: dict[str, str] = {}
        self._failed: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._without_room = 0.0
        self._turned_away = 0
        told = ray.exceptions  # the result, too, may be lost with the node that has it
        self._gone = (told.RayActorError, told.ObjectLostError, told.NodeDiedError, told.WorkerCrashedError)
        self.lost = 0
        """Calls that had to be begun again, because their seat was lost."""

    async def __aenter__(self) -> Seats:
        self._spawn(self._tend())
        return self

    async def __aexit__(self, *error: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        seats = (*self._idle, *self._busy, *self._coming)
        closing = [asyncio.ensure_future(_value(seat.actor.close.remote())) for seat in seats]
        if closing:
            await asyncio.wait(closing, timeout=CLOSING_SECONDS)
        for each in closing:
            each.cancel()
        await asyncio.gather(*closing, return_exceptions=True)
        for seat in seats:
            self._end(seat)

    async def room(self) -> int:
        """How many seats there could be now; raises ClusterError where the nodes that there are can never have one."""
        nodes = await self._nodes()
        need = min(self._memory.values())
        found = sum(min(node.cpus, node.memory // need) for node in nodes)
        if not found:
            largest = max(nodes, key=lambda node: (node.cpus, node.memory), default=None)
            there = f"the largest node is {largest.words}" if largest is not None else "it has no node"
            raise ClusterError(
                f"the cluster has no room: 1 processor and {need / (1 << 30):.1f} GB are needed on a node, and {there}"
            )
        return found if self._most is None else min(found, self._most)

    async def call(self, kind: str, method: str, *arguments: Any, urgency: int = 0) -> Any:
        """What a method of a `Worker` returns; of those that wait the smallest ``urgency`` is served first.

        Cancelling breaks off what it does there.

        Raises:
            ClusterError: no node can do it. Unavailable: it was begun so often and no seat lived to its end.
            TurnedAway: see `turn_away`.
        """
        turned_away = self._turned_away
        for _ in range(TRIES):
            if turned_away != self._turned_away:  # its seat was lost after that
                raise TurnedAway
            seat = await self._take(kind, urgency)
            answer = asyncio.ensure_future(_value(getattr(seat.actor, method).remote(*arguments)))
            try:
                given = await asyncio.shield(answer)
            except asyncio.CancelledError:
                answer.add_done_callback(_error)  # that it was broken off is told nobody
                seat.actor.stop.remote()
                self._spawn(self._settled(seat, answer))
                raise
            except self._gone:
                self._drop(seat)
                self.lost += 1
                self._note("a node or a process of the cluster was lost; what it worked on is begun again elsewhere")
                continue
            except BaseException:
                self._free(seat)
                raise
            self._free(seat)
            return given
        raise Unavailable(f"{TRIES} processes of the cluster were lost over the same work; this says nothing about it")

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method of every worker that is at work, and wait for none."""
        for seat in self._busy:
            getattr(seat.actor, method).remote(*arguments)

    def turn_away(self) -> None:
        """Have every call that waits for a seat, or would have to wait again, raise `TurnedAway`."""
        self._turned_away += 1
        self._give_up(TurnedAway())

    # -- seats -------------------------------------------------------------------------------------------------
    async def _take(self, kind: str, urgency: int) -> _Seat:
        waiting = _Waiting(kind)
        heappush(self._waiting, (urgency, next(self._numbers), waiting))
        self._serve()
        try:
            return await waiting.seat
        except asyncio.CancelledError:
            if waiting.seat.done() and not waiting.seat.cancelled() and waiting.seat.exception() is None:
                self._free(waiting.seat.result())
            raise

    def _serve(self) -> None:
        """Give idle seats to those who wait for one of their kind."""
        left: list[tuple[int, int, _Waiting]] = []
        while self._waiting:
            entry = heappop(self._waiting)
            waiting = entry[2]
            if waiting.seat.done():
                continue
            seat = next((seat for seat in self._idle if seat.kind == waiting.kind), None)
            if seat is None:
                left.append(entry)
                continue
            self._idle.discard(seat)
            self._busy.add(seat)
            waiting.seat.set_result(seat)
        self._waiting = left  # taken out in order, so it is a heap

    def _free(self, seat: _Seat) -> None:
        if seat in self._busy:
            self._busy.discard(seat)
            self._idle.add(seat)
            self._serve()

    def _drop(self, seat: _Seat) -> None:
        for seats in (self._coming, self._idle, self._busy):
            seats.discard(seat)
        self._end(seat)

    def _end(self, seat: _Seat) -> None:
        with contextlib.suppress(Exception):  # it is gone already, or the cluster is
            self._ray.kill(seat.actor)

    async def _settled(self, seat: _Seat, answer: asyncio.Future[Any]) -> None:
        """After a call was broken off: the seat is free when the worker has let go."""
        done, _ = await asyncio.wait([answer], timeout=CLOSING_SECONDS)
        lost = not done or isinstance(_error(answer), self._gone)
        self._drop(seat) if lost else self._free(seat)

    # -- nodes -------------------------------------------------------------------------------------------------
    async def _tend(self) -> None:
        """While somebody waits: look which nodes there are, and make seats where there is room."""
        while True:
            if any(not waiting.seat.done() for _, _, waiting in self._waiting):
                try:
                    self._grow(await self._nodes())
                except ClusterError as problem:
                    self._give_up(problem)
                except Exception as problem:  # noqa: BLE001 - else everybody would wait for ever
                    self._give_up(ClusterError(f"the cluster cannot be used: {one_line(problem)}"))
            await asyncio.sleep(LOOK_SECONDS)

    async def _nodes(self) -> list[_Node]:
        """Those that are alive and not refused, with what they have in all."""
        try:
            told = await asyncio.to_thread(self._ray.nodes)
        except Exception as problem:  # noqa: BLE001 - whatever Ray raises, the cluster is not there
            raise ClusterError(f"the cluster does not answer any more: {one_line(problem)}") from None
        nodes = [
            _Node(
                node["NodeID"],
                f"{node['NodeManagerHostname']} {node['NodeManagerAddress']}",
                int(node["Resources"].get("CPU", 0)),
                int(node["Resources"].get("memory", 0)),
            )
            for node in told
            if node["Alive"]
        ]
        return [node for node in nodes if node.id not in self._refused]

    def _grow(self, nodes: list[_Node]) -> None:
        alive = {node.id for node in nodes}
        for seat in [*self._idle, *self._coming]:
            if seat.node not in alive:
                self._drop(seat)
        wanted = Counter(waiting.kind for _, _, waiting in self._waiting if not waiting.seat.done())
        wanted.subtract(Counter(seat.kind for seat in self._coming))
        for kind in [kind for kind, number in wanted.items() for _ in range(number)]:
            node = self._with_room(nodes, kind) or self._made_room(nodes, kind, wanted)
            if node is not None:
                self._begin(node, kind)
        if self._coming or self._busy or self._idle:
            self._without_room = 0.0
            return
        self._without_room += LOOK_SECONDS
        if not nodes and self._refused:
            raise ClusterError("no node of the cluster can work: " + "; ".join(self._refused.values()))
        if self._without_room > PATIENCE:
            need = max(self._memory[kind] for kind in wanted) / (1 << 30)
            there = ", ".join(node.words for node in nodes) or "none"
            raise ClusterError(
                f"no node with 1 processor and {need:.1f} GB came within {PATIENCE:g} s; there is: {there}"
            )

    def _with_room(self, nodes: list[_Node], kind: str) -> _Node | None:
        """The node with most room for one more seat of the kind."""
        seats = (*self._coming, *self._idle, *self._busy)
        if self._most is not None and len(seats) >= self._most:
            return None
        free = []
        for node in nodes:
            there = [seat for seat in seats if seat.node == node.id]
            memory = node.memory - sum(self._memory[seat.kind] for seat in there)
            if len(there) < node.cpus and memory >= self._memory[kind]:
                free.append((node.cpus - len(there), node.id, node))
        return max(free)[2] if free else None

    def _made_room(self, nodes: list[_Node], kind: str, wanted: Counter[str]) -> _Node | None:
        """A node where a seat of another kind, for which nobody waits, was given up."""
        spare = next((seat for seat in self._idle if seat.kind != kind and wanted[seat.kind] <= 0), None)
        if spare is None:
            return None
        self._drop(spare)
        return self._with_room(nodes, kind)

    def _begin(self, node: _Node, kind: str) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        made = self._ray.remote(Worker).options(
            num_cpus=1,
            memory=self._memory[kind],
            max_concurrency=16,  # so that it hears of an interrupt while it works
            max_restarts=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False),
        )
        seat = _Seat(made.remote(1), node.id, kind)
        self._coming.add(seat)
        self._spawn(self._welcome(seat, node))

    async def _welcome(self, seat: _Seat, node: _Node) -> None:
        """A seat is idle once its worker has told the versions that we have here."""
        try:
            theirs = json.loads(await seat.actor.versions.remote())
        except Exception as problem:  # noqa: BLE001 - of whatever kind: there is no worker
            self._failed[node.id] += 1
            if "ModuleNotFoundError" in str(problem):
                self._refuse(node, "goedels-poetry-prover is not installed there")
            elif self._failed[node.id] >= TRIES:
                self._refuse(node, f"no process can be started there: {one_line(problem)}")
            self._drop(seat)
            return
        other = [f"{n} {theirs.get(n)} there, {v} here" for n, v in self._ours.items() if theirs.get(n) != v]
        if other:
            self._refuse(node, f"{'; '.join(other)}: install the same there")
            self._drop(seat)
        elif seat in self._coming:
            self._coming.discard(seat)
            self._idle.add(seat)
            self._serve()

    def _refuse(self, node: _Node, why: str) -> None:
        if node.id not in self._refused:
            self._refused[node.id] = f"node {node.name} is not used: {why}"
            self._note(self._refused[node.id])

    def _give_up(self, problem: Exception) -> None:
        for _, _, waiting in self._waiting:
            if not waiting.seat.done():
                waiting.seat.set_exception(problem)
        self._waiting = []

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _value(reference: Any) -> Any:
    return await reference


def _error(answer: asyncio.Future[Any]) -> BaseException | None:
    return None if answer.cancelled() else answer.exception()
