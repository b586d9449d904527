"""A program's text to the program, in both dialects, and its options to a decision."""

from __future__ import annotations

from typing import Any

from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.entailment.findings import Entailment
from goedels_poetry.questions.entailment.program import LogicProgram
from goedels_poetry.questions.query_runner import SolverPair


def read_program(text: str | bytes, dialect: str) -> LogicProgram:
    """Read a program of the dialect ``smt2`` or ``json``; raises InvalidInput. A reader is imported on first use."""
    if dialect == "json":
        from goedels_poetry.questions.json.reader import read_json

        return read_json(text)
    from goedels_poetry.questions.program.smt2 import read_smt2

    return read_smt2(text)


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
