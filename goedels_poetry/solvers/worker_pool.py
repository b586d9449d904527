"""Computation of our own in separate, killable Python processes."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from goedels_poetry.solvers.child import Child, ChildDied, ChildFlood, ChildTimeout, module_command
from goedels_poetry.solvers.crew import Crew
from goedels_poetry.solvers.frames import BrokenFrame, is_whole, pack, unpack
from goedels_poetry.solvers.limits import JobCrashed, JobMemory, JobTimeout
from goedels_poetry.solvers.process import out_of_memory

_MAX_RESULT_BYTES = 256 << 20
_MAX_REASON = 300


class _Worker:
    """One worker process, replaced after a loss and when it has grown old or large."""

    def __init__(self, packages: Sequence[str], max_jobs: int, max_resident_mb: float) -> None:
        self._packages = packages
        self._max_jobs = max_jobs
        self._max_resident_mb = max_resident_mb
        self._child: Child | None = None
        self._jobs = 0

    def run(self, function: str, payload: dict[str, Any], seconds: float, memory_mb: int) -> Any:
        request = pack({"function": function, "payload": payload, "memory_mb": memory_mb})
        if self._child is None or not self._child.alive:
            self.close()
            self._child = Child(module_command("goedels_poetry.solvers.worker", *self._packages))
            self._jobs = 0
        self._jobs += 1
        deadline = time.monotonic() + seconds
        try:
            reply = unpack(self._child.exchange(request, is_whole, deadline, _MAX_RESULT_BYTES))
        except ChildTimeout:
            self.close()
            raise JobTimeout(f"{function} was stopped after {seconds:g} s") from None
        except ChildDied as death:
            self.close()
            if out_of_memory(death):
                raise JobMemory(f"{function} needs more than {memory_mb} MB") from None
            said = death.complaints.decode("utf-8", "replace").strip()
            raise JobCrashed(f"{function} ended its process ({death})", said) from None
        except (ChildFlood, BrokenFrame) as fault:
            self.close()
            raise JobCrashed(f"{function} returned no proper result: {fault}") from None
        except BaseException:
            self.close()
            raise
        if not reply["ok"]:
            raise JobCrashed(f"{function} raised {_in_one_line(reply['error'])}", reply["trace"])
        if self._jobs >= self._max_jobs or reply["resident_mb"] > self._max_resident_mb:
            self.close()
        return reply["result"]

    def kill(self) -> None:
        child = self._child
        if child is not None:
            child.kill_group()

    def close(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill_group()
            child.close()


def _in_one_line(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _MAX_REASON else f"{line[:_MAX_REASON]}..."


class WorkerPool:
    """At most ``size`` jobs at once in persistent worker processes. An async context manager.

    packages: the packages whose public functions may be called, plug-ins included.
    max_jobs, max_resident_mb: when a worker is replaced by a new one, between two jobs.
    """

    def __init__(
        self,
        size: int | None = None,
        packages: Sequence[str] = ("goedels_poetry",),
        max_jobs: int = 500,
        max_resident_mb: float = 1024,
    ) -> None:
        self._crew = Crew(
            size or os.cpu_count() or 1,
            lambda: _Worker(packages, max_jobs, max_resident_mb),
            "goedels-poetry-worker",
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
        return await self._crew.run(lambda worker: worker.run(function, payload, seconds, memory_mb), urgency)

    async def aclose(self) -> None:
        """Kill every worker with its children; jobs under way and waiting fail."""
        await self._crew.aclose()

    async def __aenter__(self) -> WorkerPool:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()
