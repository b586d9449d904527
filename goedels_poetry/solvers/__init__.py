"""Separate, killable solver processes with limits; nothing of a solver runs in our own process.

``Z3Process().ask(script)`` poses one query; ``Z3Process().session(prelude).check(extra)`` poses many over
one prelude. What coroutines use is imported on first use: asyncio takes its time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.plugins import on_first_use
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.launch import memory_limit_mb
from goedels_poetry.solvers.limits import (
    Answer,
    Get,
    JobCrashed,
    JobMemory,
    JobTimeout,
    Limits,
    Options,
    SolverError,
    SolverUnavailable,
)
from goedels_poetry.solvers.process import SolverProcess
from goedels_poetry.solvers.race import Finish, Runner, race
from goedels_poetry.solvers.versions import solver_versions
from goedels_poetry.solvers.z3_process import Session, Z3Process
from goedels_poetry.solvers.z3_scope import Evidence, Scope

if TYPE_CHECKING:
    from goedels_poetry.solvers.pool import SolverName, SolverPool
    from goedels_poetry.solvers.worker_pool import WorkerPool

_HOME_OF = {"SolverName": "pool", "SolverPool": "pool", "WorkerPool": "worker_pool"}

__getattr__, __dir__ = on_first_use(__name__, _HOME_OF)


__all__ = [
    "Answer",
    "Cvc5Process",
    "Evidence",
    "Finish",
    "Get",
    "JobCrashed",
    "JobMemory",
    "JobTimeout",
    "Limits",
    "Options",
    "Runner",
    "Scope",
    "Session",
    "SolverError",
    "SolverName",
    "SolverPool",
    "SolverProcess",
    "SolverUnavailable",
    "WorkerPool",
    "Z3Process",
    "memory_limit_mb",
    "race",
    "solver_versions",
]
