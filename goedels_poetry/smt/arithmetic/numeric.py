"""Lemmas about functions of numbers, read off their values: bounds, closed forms, what they do to sums and products.

A step of an induction over integers often needs no equation but a sign (``2^n > 0``), or that a call of another
function is a polynomial (``ack 1 n = n + 2``), or periodic (``even n = (n mod 2 = 0)``). All this can be seen in a
table of values. What is seen is a guess like any other lemma: it is tested and proved before it is used.

Likely properties read off values are the method of Daikon (Ernst, Cockrell, Griswold and Notkin, "Dynamically
Discovering Likely Program Invariants to Support Program Evolution", 2001).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import random_value
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    REAL,
    Kind,
    Term,
    app,
    eq,
    integer,
    lit,
    or_,
    substitute,
    subterms,
    var,
)
from goedels_poetry.smt.conjecture.relations import closed_forms
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma

MAX_PARAMS = 3
MAX_CALLS = 8
SAMPLES = 36
LEAST_SAMPLES = 5
PERIODS = (2, 3, 4, 5, 6)

Values = dict[Term, Any]


def numeric_lemmas(context: ProverContext, sequent: Sequent) -> Iterator[list[Sequent]]:
    """Batches of conjectures about the functions of the goal that recur on numbers, the most useful first."""
    functions = [f for f in context.shape.reachable_functions(sequent.formula) if f in context.shape.unfolded]
    tables = [t for f in functions if (t := _table(context, app(f, *_general(context, f)))) is not None]
    yield [c for call in _special_calls(context, sequent) for c in _closed_forms(context, call)]
    yield [c for t in tables for c in _closed_forms(context, t.call, t)]
    yield [c for t in tables for c in _bounds(context, t)]
    yield [c for t in tables for c in _homomorphisms(context, t)]
    yield [c for f in functions for c in _frames(context, app(f, *_general(context, f)))]


# ------------------------------------------------------------------------------------------------ values


@dataclass(frozen=True)
class _Table:
    """A call whose arguments are variables and numbers, with its value for some values of the variables."""

    call: Term
    variables: tuple[Term, ...]
    rows: tuple[tuple[Values, Any], ...]

    def numbers(self) -> list[Term]:
        """The variables that are numbers."""
        return [v for v in self.variables if v.sort in (INT, REAL)]


def _general(context: ProverContext, function: str) -> tuple[tuple[Term, ...], Any]:
    params, result = context.signature.type_of(function) or ((), BOOL)
    return tuple(var(f"x{i}", s) for i, s in enumerate(params)), result


def _table(context: ProverContext, call: Term) -> _Table | None:
    """The values of ``call``, or None when there are too many variables or too few values."""
    variables = tuple(dict.fromkeys(a for a in call.args if a.kind is Kind.VAR))
    if not variables or len(variables) > MAX_PARAMS:
        return None
    source = random.Random(context.seed + 23)
    if len(variables) == 1 and variables[0].sort is INT:
        points = [[n] for n in range(-2, 12)]
    elif len(variables) == 2 and all(v.sort is INT for v in variables):
        points = [list(p) for p in itertools.product(range(-1, 5), repeat=2)]
    else:
        points = [[random_value(context.signature, v.sort, n % 5, source) for v in variables] for n in range(SAMPLES)]
    rows = []
    undecided = 0
    try:
        code = context.evaluator.compile(call, variables)
    except Undecided:
        return None
    for point in points:
        try:
            rows.append((dict(zip(variables, point, strict=True)), context.evaluator.run(code, list(point))))
        except Undecided:
            undecided += 1
            if undecided > len(points) // 2:
                return None
    return _Table(call, variables, tuple(rows)) if len(rows) >= LEAST_SAMPLES else None


def _special_calls(context: ProverContext, sequent: Sequent) -> list[Term]:
    """Calls on a number and variables, in the goal and in what its calls unfold to; small numbers first.

    ``ack 2 n`` leads to ``ack 1 (ack 2 (n - 1))``, of which ``ack 1 x`` is general.
    """
    calls: dict[Term, None] = {}
    pending = [t for part in (sequent.concl, *sequent.hyps) for t in subterms(part)]
    while pending and len(calls) < MAX_CALLS:
        call = pending.pop(0)
        definition = context.signature.definition(call.name) if call.kind is Kind.APP else None
        if definition is None or call.name not in context.shape.unfolded:
            continue
        fixed = [a.kind is Kind.LIT for a in call.args]
        general = app(
            call.name,
            [a if f else var(f"x{i}", a.sort) for i, (a, f) in enumerate(zip(call.args, fixed, strict=True))],
            call.sort,
        )
        if not any(fixed) or all(fixed) or general in calls:
            continue
        calls[general] = None
        body = substitute(definition.body, dict(zip(definition.params, general.args, strict=True)))
        pending += subterms(simplify(body, context.signature))
    return sorted(calls, key=lambda c: sum(a.value for a in c.args if a.kind is Kind.LIT and isinstance(a.value, int)))


# ---------------------------------------------------------------------------------------------- conjectures


def _closed_forms(context: ProverContext, call: Term, table: _Table | None = None) -> Iterator[Sequent]:
    """A polynomial or, for a predicate, remainders that give the values of a call of one variable from 0 on."""
    yield from closed_forms(context, call)
    variables = [a for a in call.args if a.kind is Kind.VAR]
    if len(variables) == 1 and variables[0].sort is INT and call.sort is BOOL:
        table, (x,) = table or _table(context, call), variables
        points = [(row[x], value) for row, value in table.rows if row[x] >= 0] if table else []
        if (periodic := _periodic(x, points)) is not None:
            yield lemma(eq(call, periodic), (_at_least(x, 0),))


def _periodic(x: Term, points: list[tuple[int, Any]]) -> Term | None:
    """``x mod k`` among some remainders, if that is when the values are true."""
    for k in PERIODS:
        if len(points) < 2 * k:
            return None
        true = {n % k for n, value in points if value}
        if 0 < len(true) < k and all(value == (n % k in true) for n, value in points):
            rest = app("mod", (x, integer(k)), INT)
            return or_(eq(rest, integer(r)) for r in sorted(true))
    return None


def _bounds(context: ProverContext, table: _Table) -> Iterator[Sequent]:
    """Signs, and the arguments as bounds, under the weakest conditions on signs of arguments for which they hold."""
    call, numbers = table.call, table.numbers()
    if call.sort not in (INT, REAL):
        return
    same = [v for v in numbers if v.sort is call.sort]
    chains = [[_over(call, 0, strict=True), _over(call, 0)]]
    chains += [[app(">", (call, v), BOOL), app(">=", (call, v), BOOL)] for v in same]
    chains += [[app("<", (call, v), BOOL), app("<=", (call, v), BOOL)] for v in same]
    for chain in chains:
        done: list[int] = []
        for concl in chain:
            guards = _weakest_guards(table, concl)
            # the stronger of two claims comes first, the weaker one counts under fewer conditions only
            if guards is None or any(len(guards) >= n for n in done):
                continue
            candidate = lemma(concl, guards)
            if context.refutes(candidate, 60) is None:
                done.append(len(guards))
                yield candidate


def _weakest_guards(table: _Table, concl: Term) -> tuple[Term, ...] | None:
    """Conditions ``x >= 0`` or ``x >= 1`` on numbers, as few and as weak as can be, under which all rows agree."""
    numbers = table.numbers()
    for bounds in sorted(itertools.product((None, 0, 1), repeat=len(numbers)), key=_weight):
        limits = [(v, b) for v, b in zip(numbers, bounds, strict=True) if b is not None]
        rows = [row for row in table.rows if all(row[0][v] >= b for v, b in limits)]
        if len(rows) >= LEAST_SAMPLES and all(_compare(concl, table.call, *row) for row in rows):
            return tuple(_at_least(v, b) for v, b in limits)
    return None


def _weight(bounds: tuple[int | None, ...]) -> int:
    return sum(0 if b is None else 2 + b for b in bounds)


def _compare(concl: Term, call: Term, row: Mapping[Term, Any], value: Any) -> bool:
    other = concl.args[1]
    bound = row[other] if other.kind is Kind.VAR else other.value
    return bool(_COMPARISONS[concl.name](value, bound))


_COMPARISONS: dict[str, Any] = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
}


def _homomorphisms(context: ProverContext, table: _Table) -> Iterator[Sequent]:
    """``f (x + y) = f x * f y`` and the like, in each argument that is a number, with the others as they are."""
    call = table.call
    for position, x in enumerate(call.args):
        y = var("y", x.sort)
        inner_names, outer_names = _JOINING.get(x.sort.name, ()), _JOINING.get(call.sort.name, ())
        guard = () if x.sort.name == "BitVec" else (_at_least(x, 0), _at_least(y, 0))
        for inner, outer in itertools.product(inner_names, outer_names):
            together = _at(call, position, app(inner, (x, y), x.sort))
            apart = app(outer, (call, _at(call, position, y)), call.sort)
            for guards in ((), guard) if guard else ((),):
                candidate = lemma(eq(together, apart), guards)
                if context.refutes(candidate, 30) is None:
                    yield candidate
                    break
        for other, z in enumerate(call.args):
            if other != position and x.sort is INT and z.sort is call.sort:  # (b^m)^n = b^(m * n)
                nested = _at(_at(call, other, call), position, y)
                candidate = lemma(eq(nested, _at(call, position, app("*", (x, y), INT))), guard)
                if context.refutes(candidate, 30) is None:
                    yield candidate


def _frames(context: ProverContext, call: Term) -> Iterator[Sequent]:
    """That a call does not see a change of an array beyond one of its other arguments, or sees it as a sum does."""
    for position, array in enumerate(call.args):
        if array.sort.name != "Array" or array.sort.args[0] is not INT:
            continue
        at, new = var("i", INT), var("e", array.sort.args[1])
        changed = _at(call, position, app("store", (array, at, new), array.sort))
        for bound in call.args:
            if bound.sort is INT:
                for relation in (">=", ">", "<=", "<"):
                    candidate = lemma(eq(changed, call), (app(relation, (at, bound), BOOL),))
                    if context.refutes(candidate, 150) is None:
                        yield candidate
                        break
        if call.sort is new.sort and call.sort is INT:
            added = app("+", (call, app("-", (new, app("select", (array, at), INT)), INT)), INT)
            ends = [a for a in call.args if a.sort is INT]
            for low, high in [*itertools.permutations(ends, 2), *[(integer(0), end) for end in ends]]:
                inside = (app("<=", (low, at), BOOL), app("<", (at, high), BOOL))
                candidate = lemma(eq(changed, added), inside)
                if context.refutes(candidate, 150) is None:
                    yield candidate


_JOINING: dict[str, tuple[str, ...]] = {"Int": ("+", "*"), "Real": ("+", "*"), "BitVec": ("bvadd",)}


def _at(call: Term, position: int, argument: Term) -> Term:
    return app(call.name, (*call.args[:position], argument, *call.args[position + 1 :]), call.sort)


def _at_least(x: Term, bound: int) -> Term:
    return app(">=", (x, integer(bound) if x.sort is INT else lit(Fraction(bound), REAL)), BOOL)


def _over(call: Term, bound: int, *, strict: bool = False) -> Term:
    zero = integer(bound) if call.sort is INT else lit(Fraction(bound), REAL)
    return app(">" if strict else ">=", (call, zero), BOOL)
