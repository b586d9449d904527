"""The tests of a formalisation that ask a model, about the text of a program."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from goedels_poetry.checker.asking import SolverPair
from goedels_poetry.checker.entailment import Entailment, decide
from goedels_poetry.checker.logic.check import read_program
from goedels_poetry.languages.logic import LogicProgram
from goedels_poetry.reasoning.trust import Ask, TrustTest, judge

MILLISECONDS = 2_000
"""For one query of a test."""


async def judged(
    text: str, options: Mapping[str, Any], question: str, sentences: Sequence[str], ask: Ask
) -> list[TrustTest]:
    """See `trust.judge`.

    Args:
        text: of a program that has been read and decided before.
        options: as of `LogicLanguage.read`, all of them.
        question: what was asked, without the case that it tells of.
        sentences: by number, from 1; () without a text.
        ask: asks the model of the role judge.
    """
    with SolverPair() as solvers:

        def solve(program: LogicProgram) -> Entailment:
            return decide(program, milliseconds=MILLISECONDS, solvers=solvers, world=options["world"])

        program = await asyncio.to_thread(read_program, text, options["dialect"])
        entailment = await asyncio.to_thread(decide, program, milliseconds=options["verify_timeout"], solvers=solvers)
        return await judge(program, entailment, question, sentences, solve, ask)


__all__ = ["judged"]
