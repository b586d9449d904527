"""All tests that ask a model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from goedels_poetry.checker.entailment import Entailment
from goedels_poetry.languages.logic import LogicProgram
from goedels_poetry.reasoning.trust.case import case_of
from goedels_poetry.reasoning.trust.facts import stated_facts
from goedels_poetry.reasoning.trust.outcomes import Ask, Solve, TrustTest
from goedels_poetry.reasoning.trust.queries import Solver
from goedels_poetry.reasoning.trust.reading import back_translation
from goedels_poetry.state import Verdict


async def judge(
    program: LogicProgram,
    entailment: Entailment,
    question: str,
    sentences: Sequence[str],
    solve: Solve,
    ask: Ask,
) -> list[TrustTest]:
    """Have models read text and program, each without the other, and see whether they agree; changes no verdict.

    Three questions at most (two without a text), the first two at the same time. What a model cannot answer, or
    answers unreadably, is skipped and says so. Arguments as of `examine`; ``solve`` is called once, in a thread.

    Returns:
        The tests in a fixed order; [] for a program without goals, and for verdicts that are none.
    """
    if not program.goals or entailment.verdict not in (Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN):
        return []
    case = case_of(program, entailment, question, sentences)
    facts, reading = await asyncio.gather(stated_facts(case, ask, Solver(solve)), back_translation(case, ask))
    return [facts, *reading]


__all__ = ["judge"]
