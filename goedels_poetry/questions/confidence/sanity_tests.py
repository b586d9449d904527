"""All tests that need no model."""

from __future__ import annotations

from collections.abc import Sequence

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.confidence import names, polarity, proof, queries, relevance
from goedels_poetry.questions.confidence.case import case_of
from goedels_poetry.questions.confidence.outcomes import FormalizationTest, Solve
from goedels_poetry.questions.entailment.findings import Entailment
from goedels_poetry.questions.entailment.program import LogicProgram


def sanity_tests(
    program: LogicProgram,
    entailment: Entailment,
    question: str,
    sentences: Sequence[str],
    solve: Solve,
    *,
    max_queries: int = 6,
    max_seconds: float = 10.0,
) -> list[FormalizationTest]:
    """What speaks for and against a program as a rendering of its text and question; changes no verdict.

    Args:
        program: as it was read.
        entailment: what was found out about it.
        sentences: of the text, as they were numbered for the formalizer; [] without a text.
        solve: the solver; asked at most ``max_queries`` times, and not any more after ``max_seconds``.

    Returns:
        The tests in a fixed order; [] for a program without goals, and for verdicts that are none.
    """
    if not program.goals or entailment.verdict not in (Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN):
        return []
    case = case_of(program, entailment, question, sentences)
    solver = queries.Solver(solve, max_queries, max_seconds)
    vacuous, same = queries.bare(case, solver)
    if vacuous.outcome == "passed":
        vacuous = queries.impossible_case(case, solver) or vacuous
    return [
        relevance.text_given(case),
        proof.left_open(case),
        relevance.goal_connected(case),
        relevance.unused_premises(case),
        relevance.coverage(case),
        relevance.sentence_numbers(case),
        proof.assumed_goal(case, same),
        proof.single_premise(case),
        relevance.world_only(case),
        vacuous,
        queries.near_duplicates(case, names.pairs(case), solver),
        names.used_once(case),
        names.equated(case),
        queries.distinctness(case, solver),
        polarity.polarity(case),
        polarity.premise_polarity(case),
        polarity.quantifier_words(case),
        polarity.guards(case),
        proof.premises_per_sentence(case),
    ]
