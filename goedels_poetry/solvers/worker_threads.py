"""Blocking resources (worker processes, Leans) behind an asyncio face, each used by one thread at a time.

Daemon threads rather than an executor: the interpreter joins executor threads when it ends, and would wait
there for a solver. Of the jobs that wait the most urgent is taken, among equals the one that came first. No event
loop is remembered between jobs.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any, Generic, Protocol, TypeVar

from goedels_poetry.solvers.limits import SolverError

_RETRY_SECONDS = 0.005
_CLOSED = "the pool is closed"


class Resource(Protocol):
    """What a job owns while it is under way."""

    def kill(self) -> None:
        """Make the call under way return soon; from any thread, again and again."""

    def close(self) -> None:
        """Release everything; while no call is under way."""


R = TypeVar("R", bound=Resource)
T = TypeVar("T")


class WorkerThreads(Generic[R]):
    """At most ``size`` calls at once, each with a resource of its own meanwhile."""

    def __init__(self, size: int, make: Callable[[], R]) -> None:
        if size < 1:
            raise ValueError("a pool has at least one process")
        # The last one that was used is the next one: its process is warm.
        self._idle = [make() for _ in range(size)]
        self._under_way: dict[R, asyncio.Future[Any]] = {}
        self._waiting: list[tuple[int, int, asyncio.Future[R]]] = []  # a heap
        self._numbers = count()
        self._lock = threading.Lock()
        self._closed = False

    async def run(self, call: Callable[[R], T], urgency: int = 0) -> T:
        """Run call on a free resource and return what it returns. Cancelling kills what it runs.

        ``urgency``: the smallest number is taken first. Raises SolverError when the pool is closed.
        """
        resource = await self._taken(urgency)
        with self._lock:
            if self._closed:
                self._idle.append(resource)
                raise SolverError(_CLOSED)
            self._under_way[resource] = job = _in_thread(lambda: call(resource), lambda: self._give_back(resource))
        try:
            result: T = await asyncio.shield(job)
        except asyncio.CancelledError:
            job.add_done_callback(_retrieved)
            self._stop(resource, job, asyncio.get_running_loop())
            raise
        return result

    def _stop(self, resource: R, job: asyncio.Future[Any], loop: asyncio.AbstractEventLoop) -> None:
        """Kill, again and again until the thread of the job has ended: a kill may come before there is a process."""
        with self._lock:
            if self._under_way.get(resource) is not job:
                return
            resource.kill()
        loop.call_later(_RETRY_SECONDS, self._stop, resource, job, loop)

    async def _taken(self, urgency: int) -> R:
        with self._lock:
            if self._closed:
                raise SolverError(_CLOSED)
            if self._idle:
                return self._idle.pop()
            place: asyncio.Future[R] = asyncio.get_running_loop().create_future()
            heappush(self._waiting, (urgency, next(self._numbers), place))
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self._give_back(place.result())
            raise

    def _give_back(self, resource: R) -> None:
        """From any thread: the next job that waits gets it."""
        with self._lock:
            self._under_way.pop(resource, None)
            while self._waiting:
                place = heappop(self._waiting)[2]
                with contextlib.suppress(RuntimeError):  # its loop is closed
                    place.get_loop().call_soon_threadsafe(self._offer, place, resource)
                    return
            self._idle.append(resource)

    def _offer(self, place: asyncio.Future[R], resource: R) -> None:
        if place.done() or self._closed:
            _refuse(place)
            self._give_back(resource)
        else:
            place.set_result(resource)

    async def aclose(self) -> None:
        """Kill what is under way, fail what waits, and return when every process is gone."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = self._waiting, []
        for _, _, place in waiting:
            with contextlib.suppress(RuntimeError):  # its loop is closed
                place.get_loop().call_soon_threadsafe(_refuse, place)
        while self._under_way:
            with self._lock:
                for resource in self._under_way:
                    resource.kill()
            await asyncio.sleep(_RETRY_SECONDS)
        await asyncio.gather(*(_in_thread(resource.close) for resource in self._idle))


def _retrieved(job: asyncio.Future[Any]) -> None:
    """What a job raises that was cancelled is of no interest."""
    if not job.cancelled():
        job.exception()


def _refuse(place: asyncio.Future[Any]) -> None:
    if not place.done():
        place.set_exception(SolverError(_CLOSED))


def _in_thread(call: Callable[[], Any], after: Callable[[], None] = lambda: None) -> asyncio.Future[Any]:
    """The result of a call in a thread of its own; ``after`` is called in that thread when it has ended."""
    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if not future.cancelled():
            future.set_result(result) if error is None else future.set_exception(error)

    def run() -> None:
        result, fault = None, None
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - raised where the job is awaited
            fault = error
        after()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nothing awaits the result
            loop.call_soon_threadsafe(settle, result, fault)

    threading.Thread(target=run, name="goedels-poetry-worker", daemon=True).start()
    return future
