"""Faults that are worth another look of who wrote the program: those of the goal, and of premises the verdict uses.

What is wrong with a premise outside of a proof changes no answer: it stands in the result, and nobody is asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.questions.confidence.case import Case
from goedels_poetry.questions.confidence.sanity_tests import connected
from goedels_poetry.questions.confidence.score import FormalizationTest

OF_PREMISES = {
    "premise polarity": "it negates something where its words do not, or the other way round",
    "guards": "it has an implication under `exists`, or a conjunction of conditions under `forall`",
}
"""Tests that name premises, and what they found about each; even a warning of theirs seldom cries wolf."""
OF_THE_GOAL = {"polarity": ("warning", "failed"), "goal connected": ("failed",)}
"""Tests about the program as a whole -> outcomes that are told."""
MAX_QUOTED = 200


def doubts(case: Case, tests: Iterable[FormalizationTest]) -> list[str]:
    """One line for each fault, for the model that wrote the program: which place, its words, what is amiss."""
    used = _used(case)
    found = list[str]()
    for test in tests:
        if test.outcome in OF_THE_GOAL.get(test.name, ()):
            found.append(test.text)
        elif test.name in OF_PREMISES and test.outcome in ("warning", "failed"):
            for name in test.about:
                if name in used:
                    found.append(f"{_place(case, name)}: {OF_PREMISES[test.name]}")
    return found


def _used(case: Case) -> frozenset[str]:
    """Names of goals, and of premises that a proof needs; where there is none, of those that are linked with a goal."""
    goals = {goal.name for goal in case.program.goals}
    if case.decided:
        return frozenset(goals | {premise.name for premise in case.core})
    return frozenset(goals) | connected(case)


def _place(case: Case, name: str) -> str:
    for premise in case.program.premises:
        if premise.name == name:
            said = " ".join(filter(None, map(case.sentence, premise.sentences)))
            numbers = ", ".join(map(str, premise.sentences))
            quoted = said if len(said) <= MAX_QUOTED else f"{said[:MAX_QUOTED]}…"
            return f'premise {name} (sentence {numbers}: "{quoted}")' if said else f"premise {name}"
    return "the goal" if name == "goal" else f"goal {name}"
