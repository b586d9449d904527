"""A few daemon threads, each with one blocking resource of its own, behind an asyncio face.

Daemon threads rather than an executor: the interpreter joins executor threads when it ends, and would wait
there for a solver. Of the jobs that wait the most urgent is taken, among equals the one that came first. No event
loop is remembered between jobs.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any, Generic, Protocol, TypeVar

from goedels_poetry.solvers.limits import SolverError

_RETRY_SECONDS = 0.005


class Resource(Protocol):
    """What a thread of the threads owns."""

    def kill(self) -> None:
        """Make the call under way return soon; from any thread."""

    def close(self) -> None:
        """Release everything; from the owning thread."""


R = TypeVar("R", bound=Resource)
T = TypeVar("T")


class _Job(Generic[R]):
    def __init__(self, call: Callable[[R], Any], loop: asyncio.AbstractEventLoop) -> None:
        self.call = call
        self.loop = loop
        self.future: asyncio.Future[Any] = loop.create_future()
        self._lock = threading.Lock()
        self._cancelled = False
        self._kill: Callable[[], None] | None = None

    def begin(self, resource: R) -> bool:
        """Mark it as under way; False when it was cancelled while it waited."""
        with self._lock:
            self._kill = resource.kill
            return not self._cancelled

    def end(self, result: Any, error: BaseException | None) -> None:
        with self._lock:
            self._kill = None
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
            self.loop.call_soon_threadsafe(self._settle, result, error)

    def _settle(self, result: Any, error: BaseException | None) -> None:
        if self.future.done():
            return
        if error is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(error)

    def cancel(self) -> None:
        """Stop it, and try again until its thread has let go: a kill may come before there is a process."""
        with self._lock:
            self._cancelled = True
            if self._kill is None:
                return
            self._kill()
        self.loop.call_later(_RETRY_SECONDS, self.cancel)


class WorkerThreads(Generic[R]):
    """At most ``size`` calls at once, each with a resource nobody else uses meanwhile."""

    def __init__(self, size: int, make: Callable[[], R], name: str) -> None:
        if size < 1:
            raise ValueError("a pool has at least one process")
        self._lock = threading.Lock()
        self._wakened = [threading.Condition(self._lock) for _ in range(size)]
        self._jobs: list[tuple[float, int, _Job[R] | None]] = []  # a heap, as the next one
        self._idle: list[int] = []
        self._numbers = count()
        self._closed = False
        self._awaited: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._resources = [make() for _ in range(size)]
        self._threads = [
            threading.Thread(target=self._work, args=(number, resource), name=f"{name}-{number}", daemon=True)
            for number, resource in enumerate(self._resources)
        ]
        self._at_work = set(range(size))
        for thread in self._threads:
            thread.start()

    def _put(self, urgency: float, job: _Job[R] | None) -> None:
        with self._lock:
            heappush(self._jobs, (urgency, next(self._numbers), job))
            self._waken()

    def _waken(self) -> None:
        """The thread that is to take the next job, and no other: who wakes in vain takes a turn of the interpreter."""
        if self._jobs and self._idle:
            self._wakened[self._idle[0]].notify()

    def _get(self, number: int) -> _Job[R] | None:
        """The next job for a thread. Of idle ones the first takes it, whose process is the likeliest to be warm."""
        with self._lock:
            if number not in self._idle:
                heappush(self._idle, number)
            while not self._jobs or self._idle[0] != number:
                self._waken()  # a thread may have become idle that comes before the one that was told
                self._wakened[number].wait()
            heappop(self._idle)
            job = heappop(self._jobs)[2]
            self._waken()
        return job

    def _work(self, number: int, resource: R) -> None:
        try:
            while (job := self._get(number)) is not None:
                if self._closed:
                    job.end(None, SolverError("the pool is closed"))
                elif job.begin(resource):
                    self._end(number, job, resource)
                else:
                    job.end(None, None)
            resource.close()
        finally:
            self._leave(number)

    def _end(self, number: int, job: _Job[R], resource: R) -> None:
        """Do the job. The thread counts as idle before its result is told: who then has the next one finds it, warm."""
        result, fault = None, None
        try:
            result = job.call(resource)
        except BaseException as error:  # noqa: BLE001 - raised again where the job is awaited
            fault = error
        with self._lock:
            heappush(self._idle, number)
        job.end(result, fault)

    def _leave(self, number: int) -> None:
        """A thread has nothing left to do."""
        with self._lock:
            self._at_work.discard(number)
            for loop, left in self._awaited:
                with contextlib.suppress(RuntimeError):  # that loop was closed: nobody waits any more
                    loop.call_soon_threadsafe(left.set)

    async def run(self, call: Callable[[R], T], urgency: int = 0) -> T:
        """Run call on a free resource and return what it returns. Cancelling kills what it runs.

        ``urgency``: the smallest number is taken first.
        """
        if self._closed:
            raise SolverError("the pool is closed")
        job = _Job(call, asyncio.get_running_loop())
        self._put(urgency, job)
        try:
            result: T = await job.future
        except asyncio.CancelledError:
            job.cancel()
            raise
        return result

    async def aclose(self) -> None:
        """Kill what is under way, fail what waits, and return when every process is gone."""
        left = asyncio.Event()
        with self._lock:
            self._awaited.append((asyncio.get_running_loop(), left))
        if not self._closed:
            self._closed = True
            for _ in self._threads:
                self._put(math.inf, None)
        while self._at_work:
            for number in tuple(self._at_work):
                self._resources[number].kill()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_RETRY_SECONDS):
                    await left.wait()
            left.clear()
