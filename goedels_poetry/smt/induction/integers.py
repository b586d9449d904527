"""Induction on integers: from a bound, or on a measure with the hypothesis where a function recurses."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import IntInduction, MeasureInduction, RecursionInduction
from goedels_poetry.kernel.obligations import is_quantified
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import random_value
from goedels_poetry.kernel.schemas import Scheme, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, Kind, Term, app, integer, is_app, substitute, subterms
from goedels_poetry.smt.context.attempts import close_goal
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.recursion import recursion_schemes
from goedels_poetry.smt.induction.structural import by_cases
from goedels_poetry.smt.rewriting.plan import Plan, detail_of

MAX_POINTS = 6
SAMPLES = 24
MAX_SHORT = 2
MAX_WIDTH = 6
MAX_MEASURES = 10


def integer_plans(context: ProverContext, sequent: Sequent, rlimit: int | None = None) -> Iterator[Plan]:
    """Plans by integer and measure induction, likely ones first; cases that do not close are left open."""
    for name, scheme, detail in _schemes(context, sequent):
        try:
            cases = instances(sequent, scheme, context.signature)
        except SchemeError:
            continue
        began = time.monotonic()
        children = []
        for case in cases:
            closed = close_goal(context, case, rlimit)
            children.append(closed or Plan(case))
            if closed is None and len(cases) > 1 and case is not cases[-1]:
                break
        context.note_open(sequent, name, detail, [c.sequent for c in children if not c.complete], len(cases), began)
        if len(children) == len(cases):
            yield Plan(sequent, scheme, tuple(children), name, detail)


def short_proof(context: ProverContext, sequent: Sequent, rlimit: int) -> Plan | None:
    """One induction along a call or over an integer that drives the recursion, with all else fixed, if that will do.

    For lemmas about functions of numbers: queries that multiply unknowns are slow to fail, so there have to be few.
    """

    def closed(case: Sequent) -> Plan | None:
        return close_goal(context, case, rlimit)

    along = [replace(s, general=()) for s in recursion_schemes(context, sequent, full=False)[:MAX_SHORT]]
    over = [s for _, s, _ in itertools.islice(_inductions(context, sequent), MAX_SHORT)]
    schemes: list[Scheme] = [*along, *over]
    for scheme in schemes:
        name = "recursion-induction" if isinstance(scheme, RecursionInduction) else "integer-induction"
        plan = by_cases(context, sequent, scheme, closed, name, detail_of(scheme))
        if plan is not None:
            return plan
    return None


def _inductions(context: ProverContext, sequent: Sequent) -> Iterator[tuple[str, IntInduction, str]]:
    integers = [v for v in sequent.vars if v.sort is INT]
    recursion = [v for v in integers if _drives_recursion(context, sequent, v)]
    periods = _periods(sequent)
    for on in [*recursion, *[v for v in integers if v not in recursion]]:
        for base in _bases(sequent, on):
            for width in dict.fromkeys(((1, 2) if on in recursion else (1,)) + periods):
                scheme = IntInduction(on.name, integer(base), (), True, width)
                yield "integer-induction", scheme, f"{on.name} from {base} by {width}"


def _schemes(context: ProverContext, sequent: Sequent) -> Iterator[tuple[str, Scheme, str]]:
    yield from _inductions(context, sequent)
    sets = recursive_points(context, sequent)
    if not sets:
        return
    falls = _Falls(context, sequent)
    done: set[tuple[tuple[Term, ...], ...]] = set()
    for measure in _measures(context, sequent):
        for points in sets:
            at, always = falls.below(measure, points)
            # where a measure falls whenever the goal has something to say, no other one gives more
            if at and at not in done:
                if always:
                    done.add(at)
                yield (
                    "measure-induction",
                    MeasureInduction(measure, at),
                    f"{show(measure)} at {len(at)}: {detail_of(at)}",
                )


class _Falls:
    """Where measures fall, judged by values that satisfy the hypotheses of a goal."""

    def __init__(self, context: ProverContext, sequent: Sequent) -> None:
        self._context = context
        self._sequent = sequent
        source = random.Random(context.seed + 31)
        self._frames: list[dict[Term, Any]] = []
        for number in range(SAMPLES):
            frame = {v: random_value(context.signature, v.sort, number % 6, source) for v in sequent.vars}
            if all(self._value(h, frame) is not False for h in sequent.hyps if not is_quantified(h)):
                self._frames.append(frame)

    def below(self, measure: Term, points: tuple[tuple[Term, ...], ...]) -> tuple[tuple[tuple[Term, ...], ...], bool]:
        """The points where the measure may fall, and whether it falls at all of them whenever it is above 0."""
        falls_at, always = [], True
        for point in points:
            there = substitute(measure, dict(zip(self._sequent.vars, point, strict=True)))
            falls = [self._falls(measure, there, frame) for frame in self._frames]
            if there is not measure and (not falls or any(falls)):
                falls_at.append(point)
                always = always and all(f is not False for f in falls)
        return tuple(falls_at), always

    def _falls(self, measure: Term, there: Term, frame: dict[Term, Any]) -> bool | None:
        """None when the measure is 0 or less here, or when a value is not known: then it is not to blame."""
        here, below = self._value(measure, frame), self._value(there, frame)
        if here is None or below is None or here <= 0:
            return None
        return bool(0 <= below < here)

    def _value(self, term: Term, frame: dict[Term, Any]) -> Any:
        try:
            return self._context.evaluator.value(term, frame)
        except Undecided:
            return None


def _drives_recursion(context: ProverContext, sequent: Sequent, variable: Term) -> bool:
    """Whether it occurs in an argument that some function of numbers changes when it calls itself."""
    return any(
        t.kind is Kind.APP
        and t.name in context.shape.unfolded
        and any(variable in a.free for a in _changing(context, t))
        for part in (sequent.concl, *sequent.hyps)
        for t in subterms(part)
    )


def _changing(context: ProverContext, call: Term) -> list[Term]:
    recursion = context.recursions.get(call.name)
    return [a for i, a in enumerate(call.args) if recursion is None or i in recursion.changed]


def _periods(sequent: Sequent) -> tuple[int, ...]:
    """Small moduli in the conclusion: what is periodic is seen to be so over a whole period."""
    return tuple(
        sorted(
            {
                t.args[1].value
                for t in subterms(sequent.concl)
                if is_app(t, "mod") and isinstance(t.args[1].value, int) and 2 <= t.args[1].value <= MAX_WIDTH
            }
        )
    )


def _bases(sequent: Sequent, on: Term) -> list[int]:
    """Lower bounds that the hypotheses give, and 0."""
    bases: dict[int, None] = {}
    for hyp in sequent.hyps:
        if hyp.kind is Kind.APP and hyp.name in ("<=", "<", ">=", ">") and len(hyp.args) == 2:
            left, right = hyp.args
            if hyp.name in ("<=", "<"):
                left, right = right, left
            if left is on and right.kind is Kind.LIT and isinstance(right.value, int):
                bases[right.value + (hyp.name in ("<", ">"))] = None
    bases.setdefault(0)
    return list(bases)[:3]


def _measures(context: ProverContext, sequent: Sequent) -> list[Term]:
    """Int terms that may decrease: variables, differences from a bound of goal or loop, sums and differences."""
    integers = [v for v in sequent.vars if v.sort is INT]
    measures: dict[Term, None] = dict.fromkeys(integers)
    unfolded = [context.signature.unfolded(call) for call in _calls(context, sequent)]
    guards = [t.args[0] for body in unfolded for t in subterms(body) if is_app(t, "ite")]
    for said in (*sequent.hyps, *guards):
        if said.kind is Kind.APP and said.name in ("<=", "<", ">=", ">") and len(said.args) == 2:
            low, high = said.args if said.name in ("<=", "<") else said.args[::-1]
            if low.sort is INT and low.kind is not Kind.LIT and said.free <= frozenset(sequent.vars):
                measures.setdefault(app("-", (high, low), INT))
    for i, a in enumerate(integers):
        for b in integers[i + 1 :]:
            measures.setdefault(app("+", (a, b), INT))
    for a in integers:
        for b in integers:
            if a is not b:
                measures.setdefault(app("-", (a, b), INT))
    return list(measures)[:MAX_MEASURES]


def recursive_points(context: ProverContext, sequent: Sequent) -> list[tuple[tuple[Term, ...], ...]]:
    """Where the hypothesis is wanted: the substitutions that turn a call in the goal into what such a one calls."""
    points: dict[tuple[Term, ...], None] = {}
    calls = _calls(context, sequent)
    for call in calls:
        for recursive in _recursive_calls(context, call):
            for general in (call, *(c for c in calls if c.name == call.name and c is not call)):
                point = _substitution(sequent, general, recursive)
                if point is not None:
                    points.setdefault(point)
    shifted: dict[tuple[Term, ...], None] = {}
    for variable in sequent.vars:
        if variable.sort is INT and _drives_recursion(context, sequent, variable):
            for back in (1, 2):
                shifted.setdefault(
                    tuple(app("-", (v, integer(back)), INT) if v is variable else v for v in sequent.vars)
                )
    sets = []
    if points:
        sets.append(tuple(points)[:MAX_POINTS])
    if shifted:
        sets.append(tuple(shifted)[:MAX_POINTS])
    both = tuple({**points, **shifted})
    if points and shifted and len(both) <= MAX_POINTS:
        sets.append(both)
    return list(dict.fromkeys(sets))


def _calls(context: ProverContext, sequent: Sequent) -> list[Term]:
    """Calls of functions that recur on numbers, smallest first."""
    parts = (sequent.concl, *sequent.hyps)
    found = {t for p in parts for t in subterms(p) if t.kind is Kind.APP and t.name in context.shape.unfolded}
    return sorted(found, key=lambda t: (t.size, show(t)))


def _recursive_calls(context: ProverContext, call: Term) -> list[Term]:
    """Calls of the same group in the body of ``call``, innermost included."""
    definition = context.signature.definition(call.name)
    if definition is None:
        return []
    body = definition.at(call.args)
    return [t for t in subterms(body) if t.kind is Kind.APP and t.name == call.name]


def _substitution(sequent: Sequent, call: Term, recursive: Term) -> tuple[Term, ...] | None:
    """A term for each variable such that arguments of a call, but constants, become those of a recursive call."""
    binding: dict[Term, Term] = {}
    for old, new in zip(call.args, recursive.args, strict=True):
        if old is new or not old.free:  # where it begins may be left to a lemma about any beginning
            continue
        if old.kind is Kind.VAR and old in sequent.vars:
            if binding.setdefault(old, new) is not new:
                return None
        else:
            solved = _solve_shift(old, new)
            if solved is None or binding.setdefault(solved[0], solved[1]) is not solved[1]:
                return None
    if not binding or any(not t.free <= frozenset(sequent.vars) for t in binding.values()):
        return None
    return tuple(binding.get(v, v) for v in sequent.vars)


def _solve_shift(old: Term, new: Term) -> tuple[Term, Term] | None:
    """For ``old = v + k`` and ``new = old - c`` the variable ``v`` and ``v - c``."""
    if is_app(new, "-") and len(new.args) == 2 and new.args[0] is old:
        for variable in sorted(old.free, key=lambda v: v.name):
            if variable.sort is INT and is_app(old, "+") and variable in old.args:
                return variable, app("-", (variable, new.args[1]), INT)
    return None
