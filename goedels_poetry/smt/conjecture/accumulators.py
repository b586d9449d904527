"""Strengthening: what a function with accumulating arguments computes for any start, not just the one in the goal.

``fibit n 0 1 = fib n`` has no induction; ``fibit n a b = a * fib (n - 1) + b * fib n`` has. The general statement is
found by values: if the result depends on the accumulators linearly, its coefficients are functions of the other
arguments, and they are looked for among small terms over the functions at hand.

The generalisation is that of Ireland and Bundy, "Automatic Verification of Functions with Accumulating Parameters",
1999; they find it by what a proof lacks, here it is found by values.

What numbers inside of results are at least: the length of a run is 1 or more, a count is not negative.

A step of an induction often rests on such a bound, and says nothing of it: ``repeat x (n + 1)`` begins with ``x`` only
where ``n`` is not below 0. Candidates are guesses, which values test first.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    Kind,
    Term,
    app,
    eq,
    integer,
    is_app,
    not_,
    or_,
    rebuild,
    substitute,
    subterms,
    tester,
)
from goedels_poetry.smt.conjecture.data import SPARE, equations, sample
from goedels_poetry.smt.conjecture.failed_steps import generalisations
from goedels_poetry.smt.conjecture.loop_calls import carried, without_plain_functions
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma, replace_subterm


def general_statements(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """The goal with the numbers that start accumulators made variables, where an equation that holds is found.

    Before it what a step of an induction may rest on: functions one step on, bounds of numbers inside of results.
    """
    yield from hidden_steps(context, sequent)
    yield from field_bounds(context, sequent)
    sequent = without_plain_functions(context, sequent)
    yield from generalisations(context, sequent)
    if not (is_app(sequent.concl, "=") and len(sequent.concl.args) == 2 and sequent.concl.args[0].sort is INT):
        return
    left, right = sequent.concl.args
    for side, other in ((left, right), (right, left)):
        for call in subterms(side):
            positions = _accumulators(context, call)
            if positions:
                yield from _general(context, sequent, side, other, call, positions)


def _accumulators(context: ProverContext, call: Term) -> list[int]:
    """Positions of a call that hold a number and change on recursion."""
    changing = sorted(carried(context, call.name)) if call.kind is Kind.APP else []
    return [i for i in changing if call.args[i].kind is Kind.LIT and call.args[i].sort is INT]


def _general(
    context: ProverContext, sequent: Sequent, side: Term, other: Term, call: Term, positions: list[int]
) -> Iterator[Sequent]:
    """``side`` with any starts in one call of it, where it is linear in them; under the hypotheses of the goal.

    Its coefficients are sums of numbers, variables, the other side and functions at hand.
    """
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=context.reserved)
    starts = {i: names.fresh("a", INT) for i in positions}
    opened = rebuild(call, tuple([starts.get(i, a) for i, a in enumerate(call.args)]))
    whole = replace_subterm(side, call, opened)
    coefficients = list(dict.fromkeys(itertools.islice(_terms(context, sequent, other, call.name), MAX_COEFFICIENTS)))
    columns = [
        *coefficients,
        *(a if c is integer(1) else app("*", (c, a), INT) for a in starts.values() for c in coefficients),
        whole,
    ]
    variables = (*sequent.vars, *starts.values())
    numbers = [v for v in sequent.vars if v.sort is INT]
    for least in (0, 1):
        found = equations(context, columns, variables, _points(context, variables, least, 2 * len(columns) + SPARE))
        if whole in found:
            guards = [app(">=", (v, integer(least)), BOOL) for v in numbers] if least else []
            yield make_sequent(variables, (*sequent.hyps, *guards), found[whole])


def _points(context: ProverContext, variables: tuple[Term, ...], least: int, most: int) -> Iterator[list[Any]]:
    source = random.Random(context.seed + 11)
    for number in range(most):
        yield sample(context, variables, range(least, least + 8), number % 5, source)


def _terms(context: ProverContext, sequent: Sequent, other: Term, apart: str) -> Iterator[Term]:
    """What coefficients are made of: numbers, variables, the other side, other functions at hand, also a step off."""
    variables = sequent.vars
    yield from (integer(1), *(v for v in variables if v.sort is INT), other)
    for name in context.shape.reachable_functions(sequent.formula):
        typed = context.signature.type_of(name)
        if typed is None or typed[1] is not INT or not typed[0] or name == apart:
            continue
        pools = [[w for v in variables if v.sort is s for w in _near(v)] for s in typed[0]]
        for args in itertools.islice(itertools.product(*pools), 8):
            yield app(name, args, INT)


def _near(variable: Term) -> list[Term]:
    if variable.sort is not INT:
        return [variable]
    one = integer(1)
    return [variable, app("-", (variable, one), INT), app("+", (variable, one), INT)]


MAX_COEFFICIENTS = 12
MAX_BOUNDS = 6
TESTS = 40


def field_bounds(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """Bounds of numbers in the results of recursive functions of the goal."""
    left = MAX_BOUNDS
    for name in context.shape.reachable_functions(sequent.formula):
        definition = context.signature.definition(name)
        if definition is None or not definition.recursive or definition.sort in (INT, BOOL):
            continue
        call = app(name, definition.params, definition.sort)
        for given, number in _numbers(context, call, 2):
            for least in (1, 0):
                bound = app(">=", (number, integer(least)), BOOL)
                candidate = lemma(or_([*map(not_, given), bound]))
                if left and context.refutes(candidate, TESTS) is None:
                    left -= 1
                    yield candidate
                    break


def hidden_steps(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """What functions that count down do one step on, where the goal calls them only through others.

    Their defining equations are no axioms, since a solver would unfold them for ever; where the goal itself calls
    them they are unfolded by hand.
    """
    mentioned = {t.name for part in (sequent.concl, *sequent.hyps) for t in subterms(part) if t.kind is Kind.APP}
    for name in context.shape.reachable_functions(sequent.formula):
        definition = context.signature.definition(name)
        if definition is None or name in mentioned or name not in context.shape.unfolded:
            continue
        calls = [t for t in subterms(definition.body) if t.kind is Kind.APP and t.name == name]
        for i, parameter in enumerate(definition.params):
            down = app("-", (parameter, integer(1)), INT)
            if parameter.sort is INT and calls and all(c.args[i] is down for c in calls):
                for next_one in (integer(0), integer(1), app("+", (parameter, integer(1)), INT)):
                    at = {parameter: next_one}
                    left = app(name, [at.get(p, p) for p in definition.params], definition.sort)
                    body = substitute(definition.body, at)
                    if next_one is not integer(0):
                        body = replace_subterm(body, app("-", (next_one, integer(1)), INT), _before(next_one))
                    yield lemma(eq(left, simplify(body, context.signature)))


def _before(number: Term) -> Term:
    return number.args[0] if number.args else integer(0)


def _numbers(context: ProverContext, term: Term, depth: int) -> Iterator[tuple[list[Term], Term]]:
    """Numbers among the fields of a value, each with the forms that it must have for them."""
    datatype = context.signature.datatype(term.sort)
    for constructor in datatype.constructors if datatype and depth else ():
        has_form = [tester(constructor.name, term)] if datatype and len(datatype.constructors) > 1 else []
        for selector, sort in constructor.fields:
            part = app(selector, (term,), sort)
            if sort is INT:
                yield has_form, part
            elif sort is not term.sort:
                yield from (([*has_form, *more], number) for more, number in _numbers(context, part, depth - 1))
