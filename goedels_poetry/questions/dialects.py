"""A program's text to the program, in whichever dialect it is; the readers are imported on first use."""

from __future__ import annotations

from goedels_poetry.questions.entailment.program import LogicProgram


def read_program(text: str | bytes, dialect: str) -> LogicProgram:
    """Read a program of the dialect ``smt2`` or ``json``; raises InvalidInput."""
    if dialect == "json":
        from goedels_poetry.questions.json.reader import read_json

        return read_json(text)
    from goedels_poetry.questions.program.smt2 import read_smt2

    return read_smt2(text)
