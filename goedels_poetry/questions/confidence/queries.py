"""Tests that ask the solver, within a number of queries and seconds of their own."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.terms import BOOL, TRUE, Kind, Sort, Term, and_, app, eq, exists, forall, is_app, var
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.confidence.case import DECIDED, Case
from goedels_poetry.questions.confidence.names import Pair
from goedels_poetry.questions.confidence.outcomes import FormalizationTest, Solve
from goedels_poetry.questions.entailment.findings import Entailment, GoalAnswer
from goedels_poetry.questions.entailment.program import LogicGoal, LogicPremise, LogicProgram

MAX_GOALS = 40
"""Formulas that one query decides."""
MAX_CONSTANTS = 40
"""Constants of a sort that are taken to be different things: as many pairs as its square."""
PREFIX = "trust-"
"""Begins the names of what is added to a program here."""


class Solver:
    """The caller's solver with a bound on queries and seconds; beyond it, and for what fails, there is no answer."""

    def __init__(self, solve: Solve, queries: int = 6, seconds: float = 10.0) -> None:
        """``seconds`` from now: no query begins later."""
        self._solve = solve
        self._left = queries
        self._until = time.monotonic() + seconds

    def decide(self, program: LogicProgram) -> Entailment | None:
        """What the solver says to a program, or None."""
        if self._left <= 0 or time.monotonic() > self._until:
            return None
        self._left -= 1
        try:
            return self._solve(program)
        except GoedelsPoetryError:
            return None  # a formula too large for the solver, or no solver: what it would have said is not known

    def each(
        self, program: LogicProgram, premises: Sequence[LogicPremise], formulas: Sequence[Term]
    ) -> list[GoalAnswer | None]:
        """For each formula whether it follows from the premises, its negation does, or neither."""
        asked = formulas[:MAX_GOALS]
        goals = tuple(LogicGoal(f"{PREFIX}{number}", formula) for number, formula in enumerate(asked))
        if not goals:
            return [None] * len(formulas)
        found = self.decide(replace(program, premises=tuple(premises), goals=goals, objectives=(), constraints=()))
        by_name = {answer.name: answer for answer in found.goals} if found is not None else {}
        return [by_name.get(goal.name) for goal in goals] + [None] * (len(formulas) - len(asked))


def bare(case: Case, solver: Solver) -> tuple[FormalizationTest, frozenset[str]]:
    """What holds without any premise: the goal? premises? Also: premises of the proof that are equivalent to it.

    Returns the test and the names of these premises.
    """
    shown = [term for _, term in case.shown]
    same = [(premise.name, eq(term, premise.formula)) for term in shown[:1] for premise in case.core[:8]]
    goals = shown or [goal.formula for goal in case.program.goals]
    room = MAX_GOALS - len(same) - len(goals)
    premises = [premise for premise in case.program.premises if not premise.formula.free][: max(0, room)]
    answers = solver.each(
        case.program, (), [*goals, *(equal for _, equal in same), *(premise.formula for premise in premises)]
    )
    of_goals, of_same = answers[: len(goals)], answers[len(goals) : len(goals) + len(same)]
    of_premises = answers[len(goals) + len(same) :]
    equivalent = frozenset(
        name for (name, equal), answer in zip(same, of_same, strict=True) if equal is TRUE or _proved(answer)
    )
    if any(answer is not None and answer.verdict in DECIDED for answer in of_goals) or _needs_nothing(case):
        return _valid(case), equivalent
    empty = tuple(p.name for p, answer in zip(premises, of_premises, strict=True) if _proved(answer))
    if empty:
        reason = f"premises that are true whatever their names mean: {', '.join(empty[:12])}"
        return FormalizationTest("vacuous", "warning", reason, empty[:12]), equivalent
    if all(answer is None for answer in of_goals):
        return FormalizationTest("vacuous", "skipped", "no solver's answer"), equivalent
    return FormalizationTest("vacuous", "passed", "the goal does not hold by its form"), equivalent


def _needs_nothing(case: Case) -> bool:
    return case.decided and any(answer.verdict in DECIDED and not answer.core for answer in case.answers)


def _valid(case: Case) -> FormalizationTest:
    """The goal, or its negation, follows from no premise at all."""
    signature = case.program.signature
    if not case.goal_symbols & signature.functions.keys() and case.goal_symbols:
        return FormalizationTest("vacuous", "warning", "definitions alone decide the goal, no premise is needed")
    if not case.goal_symbols:
        return FormalizationTest("vacuous", "warning", "the goal is decided by calculation alone, no premise is needed")
    return FormalizationTest("vacuous", "failed", "the goal is decided by its form alone, no premise is needed")


def impossible_case(case: Case, solver: Solver) -> FormalizationTest | None:
    """Whether the goal is an implication whose condition cannot hold under the premises; None: it is not, or open."""
    conditions = [condition for _, term in case.shown[:1] if (condition := _condition(term)) is not None]
    answers = solver.each(case.program, case.program.premises, conditions)
    if any(answer is not None and answer.verdict is Verdict.REFUTED for answer in answers):
        reason = "the condition in the goal can never hold under the premises, so it holds for want of cases"
        return FormalizationTest("vacuous", "failed", reason)
    return None


def near_duplicates(case: Case, found: Sequence[Pair], solver: Solver) -> FormalizationTest:
    """Pairs of names that may be one thing; does taking them for one decide what is open?"""
    if not found:
        return FormalizationTest("near duplicates", "passed", "no two names look like one thing")
    pairs = tuple(f"{pair.first} / {pair.second}" for pair in found[:12])
    equal = [equation for pair in found[:12] if pair.same_type and (equation := _equal(case, pair)) is not None]
    if case.verdict is Verdict.UNKNOWN and equal:
        goals = [goal.formula for goal in case.program.goals]
        answers = solver.each(case.program, (*case.program.premises, *_added(equal)), goals)
        if any(answer is not None and answer.verdict in DECIDED for answer in answers):
            reason = f"the question is open, and decided when these are one thing: {', '.join(pairs)}"
            return FormalizationTest("near duplicates", "failed", reason, pairs)
    return FormalizationTest(
        "near duplicates", "warning", f"perhaps one thing with two names: {', '.join(pairs)}", pairs
    )


def distinctness(case: Case, solver: Solver) -> FormalizationTest:
    """Constants are taken for different things by readers, and by no solver."""
    apart = _apart(case)
    if not apart:
        return FormalizationTest("distinctness", "passed", "no two constants of one sort are left open")
    if case.decided:
        return FormalizationTest(
            "distinctness", "skipped", "what follows, follows also when the constants are different things"
        )
    goals = [goal.formula for goal in case.program.goals]
    answers = solver.each(case.program, (*case.program.premises, *_added([and_(apart)])), goals)
    if any(answer is not None and answer.verdict in DECIDED for answer in answers):
        reason = "the question is decided when constants of different names are different things"
        return FormalizationTest("distinctness", "warning", reason)
    if all(answer is None for answer in answers):
        return FormalizationTest("distinctness", "skipped", "no solver's answer")
    return FormalizationTest("distinctness", "passed", "nothing hangs on whether two names denote one thing")


def _added(formulas: Iterable[Term]) -> tuple[LogicPremise, ...]:
    return tuple(LogicPremise(f"{PREFIX}added-{number}", formula) for number, formula in enumerate(formulas))


def _proved(answer: GoalAnswer | None) -> bool:
    return answer is not None and answer.verdict is Verdict.PROVED


def _condition(term: Term) -> Term | None:
    """Of ``forall x (A => C)``: ``exists x A``; None for terms of another form."""
    binders: list[Term] = []
    while term.kind is Kind.FORALL:
        binders += term.binders
        term = term.body
    return exists(binders, and_(term.args[:-1])) if is_app(term, "=>") else None


def _equal(case: Case, pair: Pair) -> Term | None:
    """That two functions of one type have the same values."""
    kind = case.program.signature.type_of(pair.first)
    if kind is None:
        return None
    args = tuple(var(f"x{number}", sort) for number, sort in enumerate(kind[0]))
    return forall(args, eq(app(pair.first, args, kind[1]), app(pair.second, args, kind[1])))


def _apart(case: Case) -> list[Term]:
    """That constants of a declared sort are different, for those that no formula equates or tells apart."""
    signature = case.program.signature
    used = case.goal_symbols.union(*case.symbols.values())
    by_sort: dict[Sort, list[Term]] = {}
    for name, (args, result) in signature.functions.items():
        if not args and result in signature.sorts and name in used:
            by_sort.setdefault(result, []).append(app(name, (), result))
    pairs = _told(case)
    return [
        app("distinct", pair, BOOL)
        for constants in by_sort.values()
        if len(constants) <= MAX_CONSTANTS
        for pair in combinations(constants, 2)
        if frozenset(pair) not in pairs
    ]


def _told(case: Case) -> set[frozenset[Term]]:
    """Pairs of constants that premises equate or tell apart."""
    pairs: set[frozenset[Term]] = set()
    for premise in case.program.premises:
        waiting = [premise.formula]
        while waiting:
            part = waiting.pop()
            if is_app(part, "and") or is_app(part, "not"):
                waiting.extend(part.args)
            elif part.kind is Kind.APP and part.name in ("=", "distinct") and len(part.args) <= MAX_CONSTANTS:
                pairs.update(frozenset(pair) for pair in combinations(part.args, 2))
    return pairs
