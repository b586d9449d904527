"""Separate, killable solver processes with limits; nothing of a solver runs in our own process.

``Z3Process().ask(script)`` poses one query; ``Z3Process().session(prelude).check(extra)`` poses many over
one prelude. All names are imported on first use: who forks workers needs no solver, and asyncio takes its time. Who
calls whom:

* `limits` has the data that all share: `Limits`, `Answer`, the errors. `script` is the gate that every text passes.
* `process` is what all solver processes have in common, over `child` (a child behind two pipes) and `launch` (tied to
  its parent, bounded in memory). `z3_process` talks SMT-LIB to the program, with `z3_scope` for many small programs and
  `z3_replies` for what it says; `z3_child` stands in where only the library is there. `cvc5_process` talks in `frames`
  to `cvc5_child`.
* `racing` puts one question to two of them, in threads; `pool` and `worker_pool` are for coroutines: solvers, and
  processes of our own (`worker`) for computation, both behind `worker_threads`.
* `ahead` has workers forked from a warm parent, the `nursery`; `headstart` starts that one with as little as can be
  loaded, `surroundings` says with which command line and environment. `spare` has z3 processes that one search leaves
  to the next, `ready` fresh ones for the next job of a worker, `templates` what forks these for a worker of many jobs.
* `query_runner` puts the questions that the kernel has about one logic program: fast first, then with insistence.
* `versions` says which solvers answer here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.plugins import on_first_use

if TYPE_CHECKING:
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
    from goedels_poetry.solvers.pool import SolverName, SolverPool
    from goedels_poetry.solvers.process import SolverProcess
    from goedels_poetry.solvers.racing import Finish, Runner, race
    from goedels_poetry.solvers.versions import solver_versions
    from goedels_poetry.solvers.worker_pool import WorkerPool
    from goedels_poetry.solvers.z3_process import Session, Z3Process
    from goedels_poetry.solvers.z3_scope import Evidence, Scope

_HOME_OF = {
    "Answer": "limits",
    "Cvc5Process": "cvc5_process",
    "Evidence": "z3_scope",
    "Finish": "racing",
    "Get": "limits",
    "JobCrashed": "limits",
    "JobMemory": "limits",
    "JobTimeout": "limits",
    "Limits": "limits",
    "Options": "limits",
    "Runner": "racing",
    "Scope": "z3_scope",
    "Session": "z3_process",
    "SolverError": "limits",
    "SolverName": "pool",
    "SolverPool": "pool",
    "SolverProcess": "process",
    "SolverUnavailable": "limits",
    "WorkerPool": "worker_pool",
    "Z3Process": "z3_process",
    "memory_limit_mb": "launch",
    "race": "racing",
    "solver_versions": "versions",
}

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
