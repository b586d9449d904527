"""Computation of our own in separate, killable Python processes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from goedels_poetry.solvers import preload
from goedels_poetry.solvers.child import KILLED, WHO_KILLS, Child, ChildDied, ChildFlood, ChildTimeout
from goedels_poetry.solvers.launch import memory_limit_mb
from goedels_poetry.solvers.limits import SolverError, SolverUnavailable, processors
from goedels_poetry.solvers.process import (
    START_SECONDS,
    BrokenFrame,
    is_whole,
    last_output,
    out_of_memory,
    pack,
    unpack,
)
from goedels_poetry.solvers.worker_threads import WorkerThreads

_MAX_RESULT_BYTES = 256 << 20
_MAX_REASON = 300
_PING: dict[str, Any] = {"function": "", "payload": {}, "memory_mb": 4096}
"""A request that every worker refuses, and so answers."""


class JobTimeout(SolverError):
    """The job ran longer than it was allowed to and was killed."""


class JobCrashed(SolverError):
    """The job raised, or its process ended: in one line, with what else is known (a traceback) in ``details``."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class JobMemory(SolverError):
    """The job needed more memory than it was allowed."""


class _Worker:
    """One worker process, replaced after a loss and when it has grown old or large."""

    def __init__(self, packages: Sequence[str], max_jobs: int, max_resident_mb: float, modules: Sequence[str]) -> None:
        self._packages = packages
        self._modules = modules
        self._max_jobs = max_jobs
        self._max_resident_mb = max_resident_mb
        self._child: Child | None = None
        self._jobs = 0
        self._killed = False

    def run(self, function: str, payload: dict[str, Any], seconds: float, memory_mb: int) -> Any:
        request = pack({"function": function, "payload": payload, "memory_mb": memory_mb})
        deadline = time.monotonic() + seconds
        self._killed = False
        try:
            try:
                reply = self._posed(request, deadline)
            except ChildDied as death:
                self.close()
                if self._killed or out_of_memory(death):
                    raise
                reply = self._posed(request, deadline)  # whatever ended it, a fresh process may succeed
        except ChildTimeout:
            self.close()
            raise JobTimeout(f"{function} was stopped after {seconds:g} s") from None
        except ChildDied as death:
            self.close()
            raise self._fault_of(death, function, memory_mb) from None
        except (ChildFlood, BrokenFrame) as fault:
            self.close()
            raise JobCrashed(f"{function} returned no proper result: {fault}") from None
        except BaseException:
            self.close()
            raise
        if "unavailable" in reply:
            self.close()
            raise SolverUnavailable(reply["unavailable"])
        if not reply["ok"]:
            raise JobCrashed(f"{function} raised {_in_one_line(reply['error'])}", reply["trace"])
        if self._jobs >= self._max_jobs or reply["resident_mb"] > self._max_resident_mb:
            self.close()
        return reply["result"]

    def _posed(self, request: bytes, deadline: float) -> dict[str, Any]:
        if self._child is None or not self._child.alive:
            self.close()
            try:
                self._child = preload.start_worker(self._packages, self._modules)
            except (OSError, RuntimeError) as fault:
                raise SolverUnavailable(f"no worker process can be started: {fault}") from fault
            self._jobs = 0
        self._jobs += 1
        return unpack(self._child.exchange(request, is_whole, deadline, _MAX_RESULT_BYTES))

    def _fault_of(self, death: ChildDied, function: str, memory_mb: int) -> SolverError:
        """The error that a death amounts to. Raises SolverUnavailable when a fresh worker does not answer either."""
        if not self._killed:
            self._probe()
        if out_of_memory(death):
            return JobMemory(f"{function} needs more than {_memory(memory_mb)}")
        if death.code == KILLED and not self._killed:
            return SolverUnavailable(f"worker processes were killed again and again; {WHO_KILLS}")
        return JobCrashed(f"{function} ended its process ({death})", last_output(death))

    def _probe(self) -> None:
        try:
            self._posed(pack(_PING), time.monotonic() + START_SECONDS)
        except ChildTimeout:
            self.close()
            raise SolverUnavailable(f"a fresh worker process does not answer within {START_SECONDS:g} s") from None
        except ChildDied as death:
            self.close()
            limit = memory_limit_mb()
            hint = f"ulimit -v leaves it {limit} MB" if limit is not None else ""
            raise SolverUnavailable(
                "; ".join(filter(None, (f"worker processes end at once ({death})", last_output(death), hint)))
            ) from None

    def kill(self) -> None:
        """End the process, from any thread; the job under way fails."""
        self._killed = True
        if self._child is not None:
            self._child.kill_group()

    def close(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill_group()
            child.close()


def _memory(memory_mb: int) -> str:
    """The memory of a job, and which limit that is."""
    limit = memory_limit_mb()
    return f"{memory_mb} MB" if limit is None or limit >= memory_mb else f"the {limit} MB that ulimit -v leaves it"


def _in_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_REASON else f"{line[:_MAX_REASON]}..."


class WorkerPool:
    """At most ``size`` jobs at once in persistent worker processes. An async context manager.

    packages: the packages whose public functions may be called, plug-ins included.
    max_jobs, max_resident_mb: when a worker is replaced by a new one, between two jobs.
    modules: our modules that workers load before they are needed.
    """

    def __init__(
        self,
        size: int | None = None,
        packages: Sequence[str] = ("goedels_poetry",),
        max_jobs: int = 500,
        max_resident_mb: float = 1024,
        modules: Sequence[str] = (),
    ) -> None:
        preload.hold()
        self._closed = False
        self._threads = WorkerThreads(
            processors() if size is None else size, lambda: _Worker(packages, max_jobs, max_resident_mb, modules)
        )

    async def run(
        self, function: str, payload: dict[str, Any], seconds: float = 60.0, memory_mb: int = 4096, urgency: int = 0
    ) -> Any:
        """Call "module:function" on the payload in a worker and return its JSON result.

        The function is a plain one taking a dict. Cancelling, the time limit and the memory limit (address
        space, MiB) kill the worker with every solver it started. Raises JobTimeout, JobMemory or JobCrashed;
        SolverError when the pool is closed; TypeError or ValueError when the payload is not JSON.
        Of the jobs that wait for a worker the one with the smallest ``urgency`` is taken first.
        """
        return await self._threads.run(lambda worker: worker.run(function, payload, seconds, memory_mb), urgency)

    async def aclose(self) -> None:
        """Kill every worker with its children; jobs under way and waiting fail."""
        await self._threads.aclose()
        if not self._closed:
            self._closed = True
            preload.release()

    async def __aenter__(self) -> WorkerPool:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()
