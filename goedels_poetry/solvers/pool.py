"""Solvers for coroutines: a bounded number of processes, one query each at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Answer, Get, Limits, Options
from goedels_poetry.solvers.process import DEFAULT_LIMITS, SolverProcess
from goedels_poetry.solvers.processors import processors
from goedels_poetry.solvers.worker_threads import WorkerThreads
from goedels_poetry.solvers.z3_process import Z3Process

SolverName = Literal["z3", "cvc5"]


class _Solvers:
    """One process of each kind, started when first asked."""

    def __init__(self) -> None:
        self.solvers: dict[str, SolverProcess] = {"z3": Z3Process(), "cvc5": Cvc5Process()}

    def kill(self) -> None:
        for solver in self.solvers.values():
            solver.kill()

    def close(self) -> None:
        for solver in self.solvers.values():
            solver.close()


class SolverPool:
    """At most ``size`` queries at once (default: one for each processor). An async context manager."""

    def __init__(self, size: int | None = None) -> None:
        self._threads = WorkerThreads(size or processors(), _Solvers, "goedels-poetry-solver")

    async def ask(
        self,
        solver: SolverName,
        script: str,
        limits: Limits = DEFAULT_LIMITS,
        get: Get = "none",
        options: Options | None = None,
    ) -> Answer:
        """Pose one query in a fresh context, as ``SolverProcess.ask``. Cancelling kills the solver.

        Raises KeyError for an unknown solver, SolverError when the pool is closed.
        """
        return await self._threads.run(lambda ours: ours.solvers[solver].ask(script, limits, get, options))

    async def ask_each(
        self,
        solver: SolverName,
        prelude: str,
        extras: Sequence[str],
        limits: Limits = DEFAULT_LIMITS,
        options: Options | None = None,
    ) -> tuple[Answer, ...]:
        """Pose one query for each extra over one prelude, in one process one after the other, as ``ask`` else."""
        return await self._threads.run(lambda ours: ours.solvers[solver].ask_each(prelude, extras, limits, options))

    async def aclose(self) -> None:
        """Kill every process; queries under way answer "killed", waiting ones raise SolverError."""
        await self._threads.aclose()

    async def __aenter__(self) -> SolverPool:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()
