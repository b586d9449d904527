"""What strategies work with on one problem, and the only place where a goal meets a solver.

* `prover`: `ProverContext`, one query or one test at a time, and the lemmas of the job.
* `attempts`: one goal, several queries: closed directly or not; a query with no more lemmas than it needs.
* `limits`: resources of solvers for each kind of attempt.
* `budget`: queries and time of a job.
* `sessions`: the solver processes, and what each has been told; `second_solver`: cvc5, where it is better.
* `shape`: which functions recur on what, which theories there are.
* `value_tests`: goals tested on values.
"""

from __future__ import annotations

from goedels_poetry.languages.smt.engine.context.attempts import (
    close_goal,
    direct_query,
    minimal_query,
    query_by_models,
)
from goedels_poetry.languages.smt.engine.context.budget import OutOfTime
from goedels_poetry.languages.smt.engine.context.limits import (
    CANDIDATE,
    DIRECT,
    GROUND,
    INCREMENTAL,
    MODEL_SECONDS,
    PATIENT,
    QUICK,
)
from goedels_poetry.languages.smt.engine.context.prover import ProverContext
from goedels_poetry.languages.smt.engine.context.second_solver import suits

__all__ = [
    "CANDIDATE",
    "DIRECT",
    "GROUND",
    "INCREMENTAL",
    "MODEL_SECONDS",
    "PATIENT",
    "QUICK",
    "OutOfTime",
    "ProverContext",
    "close_goal",
    "direct_query",
    "minimal_query",
    "query_by_models",
    "suits",
]
