"""Theorems that premises about declared functions and sorts do not make true: what these are, and values of the goal.

Each candidate makes another theorem, in which the premises are about definitions: they are evaluated or proved there
like any, and the goal's values are looked for as always.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.kernel.faults import BadProof, CodecError
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reach import reached
from goedels_poetry.kernel.refutation.interpretation import Interpretation, interpreted_theorem, shown_interpretation
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.preflight.falsify import MODEL, QUICK, Counterexample, counterexample
from goedels_poetry.smt.refutation.interpretations import open_things, suggested_functions, templates

Json = dict[str, Any]

CANDIDATES = 6
"""Interpretations under which the goal is looked at; all but the first get less work."""
SIMPLE_FIRST = 2
SIZES = (1, 2, 3)
"""Elements of declared sorts."""


@dataclass(frozen=True)
class Interpreted:
    """A counterexample under an interpretation: of the ``problem`` that this makes of the theorem."""

    interpretation: Interpretation
    problem: Problem
    found: Counterexample

    def shown(self) -> Json:
        """As `Counterexample.shown`, with what is given a meaning."""
        return self.found.shown(self.problem, shown_interpretation(self.interpretation, self.problem))

    def evidence(self) -> Json:
        """As `Counterexample.evidence`, with the interpretation."""
        return {**self.found.evidence(), "interpretation": self.interpretation.to_json()}


def interpreted_counterexample(text: str, seed: int) -> Interpreted | None:
    """An interpretation of all that premises leave open under which they hold, and values that make the goal false."""
    theorem = text.encode()
    problem = parse_problem(theorem)
    goal = reached(problem.signature, [problem.goal])
    things = open_things(problem)
    matters = bool(things.sorts) or not goal.isdisjoint(things.functions)
    tried: set[str] = set()
    for given in _candidates(theorem, problem):
        key = repr(given.to_json())
        if key in tried:
            continue
        tried.add(key)
        try:
            _, other = interpreted_theorem(theorem, problem, given)
        except (BadProof, CodecError):
            continue  # a name that the text has already, a sort that is written otherwise
        first = len(tried) == 1
        found = counterexample(other, seed, QUICK // (2 if first else 12), MODEL // 2 if first else 0)
        if found is not None:
            return Interpreted(given, other, found)
        if len(tried) >= CANDIDATES or not matters:
            return None
    return None


def _candidates(theorem: bytes, problem: Problem) -> Iterator[Interpretation]:
    """Interpretations, those that are easily understood first."""
    things = open_things(problem)
    if not things.functions and not things.sorts:
        return
    if not things.sorts:
        yield from _functions(problem)
        return
    for size in SIZES:
        elements = {s.name: _elements(theorem, s.name, size) for s in things.sorts}
        try:
            _, other = interpreted_theorem(theorem, problem, Interpretation({}, elements))
        except (BadProof, CodecError):
            return
        if not things.functions:
            yield Interpretation({}, elements)
        for inner in _functions(other):
            yield replace(inner, sorts=elements)


def _functions(problem: Problem) -> Iterator[Interpretation]:
    """Two simple ones, what z3 says of premises and goal, of the premises alone, then other simple ones."""
    things = open_things(problem)
    simple = templates(problem, things)
    for _ in range(SIMPLE_FIRST):
        first = next(simple, None)
        if first is not None:
            yield first
    for goal in (True, False):
        suggested = suggested_functions(problem, things, goal=goal)
        if suggested is not None:
            yield suggested
    yield from simple


def _elements(theorem: bytes, sort: str, size: int) -> tuple[str, ...]:
    """Names of elements that stand nowhere in the theorem."""
    base = f"{sort}!"
    while base.encode() in theorem:
        base += "!"
    return tuple(f"{base}{n}" for n in range(size))
