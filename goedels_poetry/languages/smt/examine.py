"""Is a statement that a model wrote worth proving? What its text says without any solver."""

from __future__ import annotations

import re

from goedels_poetry.languages.base import FAILED, PASSED, Outcome
from goedels_poetry.languages.smt.problem import Problem
from goedels_poetry.languages.smt.terms import TRUE, Kind, Term, is_app

_COMMENT = re.compile(r'(\|[^|]*\||"[^"]*(?:""[^"]*)*")|;[^\r\n]*')


def examine(problem: Problem) -> Outcome:
    """See `Examinable.examine`; counterexamples and contradictions are the judge's."""
    empty = says_nothing(problem.goal)
    words = "it says nothing: its conclusion holds by the form alone" if empty else "its conclusion has content"
    test = {"test": "says something", "outcome": FAILED if empty else PASSED, "words": words}
    return Outcome(not empty, {"tests": [test]}, words if empty else "")


def plain(text: str) -> str:
    """The script without comments. See `Examinable.plain`."""
    kept = _COMMENT.sub(lambda found: found[1] or "", text)
    return "\n".join(line.rstrip() for line in kept.splitlines() if line.strip())


def says_nothing(goal: Term) -> bool:
    """Whether the conclusion, below quantifiers and hypotheses, is ``true`` or ``(= t t)``."""
    while goal.kind is Kind.FORALL or is_app(goal, "=>"):
        goal = goal.args[-1]
    if is_app(goal, "and"):
        return all(map(says_nothing, goal.args))
    if is_app(goal, "or"):
        return any(map(says_nothing, goal.args))
    return goal is TRUE or (is_app(goal, "=") and len(set(goal.args)) == 1)


__all__ = ["examine", "plain", "says_nothing"]
