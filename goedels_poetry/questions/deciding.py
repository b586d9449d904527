"""What the options of a program ask for, within their limits."""

from __future__ import annotations

from typing import Any

from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.entailment.findings import Entailment
from goedels_poetry.questions.entailment.program import LogicProgram
from goedels_poetry.questions.query_runner import SolverPair


def decided_by(program: LogicProgram, options: dict[str, Any], solvers: SolverPair) -> Entailment:
    """Decide a program as all options of it say, see `LogicLanguage.read`; its core is minimal."""
    return decide(
        program,
        milliseconds=options["verify_timeout"],
        optimize_milliseconds=options["optimize_timeout"],
        solvers=solvers,
        semantics=options["semantics"],
        world=options["world"],
        minimal_cores=True,
    )
