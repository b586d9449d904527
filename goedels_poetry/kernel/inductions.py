"""Inductions: what must be proved at each point from the hypotheses at those below.

Trusted code, see `schemas`. The arguments for soundness stand in the docstrings.
"""

from __future__ import annotations

from dataclasses import dataclass

from goedels_poetry.kernel.calls import TooLarge, extend
from goedels_poetry.kernel.faults import BadProof, SchemeError
from goedels_poetry.kernel.problem import Constructor, Signature
from goedels_poetry.kernel.recursion import cases_along, moved_variables, points_below
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.sizes import Sizes, counting_twice
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    Kind,
    Sort,
    Term,
    and_,
    app,
    forall,
    implies,
    integer,
    substitute,
)

MAX_CASES = 400
"""Of one structural induction: deep inductions over wide datatypes would have millions."""


@dataclass(frozen=True)
class StructuralInduction:
    """Induction on variable ``on`` of a datatype sort, ``depth`` constructors at a time.

    ``general`` names the variables that the induction hypothesis quantifies over (the others stay fixed).
    """

    on: str
    general: tuple[str, ...]
    depth: int = 1


@dataclass(frozen=True)
class IntInduction:
    """Induction on Int variable ``on`` from ``base``, upward or downward, with ``width`` base cases and as many
    hypotheses in the step."""

    on: str
    base: Term
    general: tuple[str, ...]
    upward: bool = True
    width: int = 1


@dataclass(frozen=True)
class MeasureInduction:
    """Well-founded induction on an Int ``measure`` of the variables, bounded below by 0.

    ``at`` lists argument tuples (one term for each variable of the sequent): the hypothesis is given at those
    points only. When empty it is given in general, quantified over all variables that the measure or ``general``
    mention.
    """

    measure: Term
    at: tuple[tuple[Term, ...], ...] = ()


@dataclass(frozen=True)
class RecursionInduction:
    """Induction along the recursion of ``function``: the hypothesis where it calls itself.

    ``at`` gives a term for each of its parameters. Variables for parameters that some call changes are moved by the
    induction, so they are distinct; the other terms stay as they are and speak of none of these. ``general`` names the
    variables that the hypothesis quantifies over.
    The function must have been shown to terminate, which `instances` takes for granted.
    """

    function: str
    at: tuple[Term, ...]
    general: tuple[str, ...] = ()


@dataclass(frozen=True)
class SizeInduction:
    """Induction on the size of the variables ``on`` together: how many constructors their values have.

    ``at`` gives points of the hypothesis, each a condition and one term for each of ``on``; the terms must lose a
    constructor under the condition, going by their form and by what is known of the sizes of results.
    ``general`` names the variables that the hypothesis quantifies over. ``twice`` are fields (a constructor and a
    position) that count twice in the size; of such a size nothing is known but the form of terms.
    """

    on: tuple[str, ...]
    at: tuple[tuple[Term, ...], ...]
    general: tuple[str, ...] = ()
    twice: tuple[tuple[str, int], ...] = ()


def variable_of(sequent: Sequent, name: str) -> Term:
    """The variable called ``name``. Raises `SchemeError` when there is none."""
    for variable in sequent.vars:
        if variable.name == name:
            return variable
    raise SchemeError(f"the goal has no variable {name}")


def in_scope(sequent: Sequent, *terms: Term) -> None:
    """Raise `SchemeError` unless the terms speak of variables of the sequent only."""
    for term in terms:
        stray = term.free - frozenset(sequent.vars)
        if stray:
            raise SchemeError(f"{sorted(v.name for v in stray)[0]} is not a variable of the goal")


def with_hyps(sequent: Sequent, *hyps: Term) -> Sequent:
    """The sequent with more hypotheses."""
    return make_sequent(sequent.vars, (*sequent.hyps, *hyps), sequent.concl)


def substituted(sequent: Sequent, variable: Term, term: Term, fresh: tuple[Term, ...]) -> Sequent:
    """The sequent at ``term`` for a variable; ``fresh`` are the new variables in it."""
    mapping = {variable: term}
    return make_sequent(
        (*[v for v in sequent.vars if v is not variable], *fresh),
        [substitute(h, mapping) for h in sequent.hyps],
        substitute(sequent.concl, mapping),
    )


def _split(
    sequent: Sequent, on: tuple[Term, ...], general: tuple[str, ...]
) -> tuple[tuple[Term, ...], list[Term], list[Term]]:
    """Generalised variables, hypotheses that stay outside the induction, hypotheses that go inside.

    Fix the variables that are neither in ``on`` nor general and assume the outside hypotheses, which mention neither:
    what remains is ``forall on, general. inside => concl``, and induction applies to that formula in ``on``.
    """
    chosen = tuple(variable_of(sequent, name) for name in general)
    moving = frozenset((*on, *chosen))
    if len(moving) != len(on) + len(chosen):
        raise SchemeError("generalised variables must be distinct and not those inducted on")
    outside = [h for h in sequent.hyps if h.free.isdisjoint(moving)]
    inside = [h for h in sequent.hyps if not h.free.isdisjoint(moving)]
    return chosen, outside, inside


def _hypothesis(general: tuple[Term, ...], inside: list[Term], concl: Term, mapping: dict[Term, Term]) -> Term:
    """The induction hypothesis at one smaller point, quantified over the generalised variables."""
    body = substitute(implies(and_(inside), concl), mapping)
    return forall(general, body)


def shapes_of(
    base: Term, sort: Sort, depth: int, signature: Signature, names: Names
) -> list[tuple[Term, tuple[Term, ...], tuple[Term, ...]]]:
    """Ways to build a value: (term, fresh variables in it, proper subterms of the same sort).

    Every value of ``sort`` matches exactly one of the terms. Deeper levels open only the recursive arguments.
    """
    datatype = signature.datatype(sort)
    if datatype is None:
        raise SchemeError(f"{base.name} is of sort {sort}, which is not a datatype")
    shapes: list[tuple[Term, tuple[Term, ...], tuple[Term, ...]]] = []
    for constructor in datatype.constructors:
        fresh = tuple(names.fresh(_stem(base, constructor, i, s), s) for i, (_, s) in enumerate(constructor.fields))
        partial: list[tuple[tuple[Term, ...], tuple[Term, ...], tuple[Term, ...]]] = [((), (), ())]
        for variable in fresh:
            if depth > 1 and variable.sort is sort:
                options = [(t, f, (t, *s)) for t, f, s in shapes_of(variable, sort, depth - 1, signature, names)]
            else:
                options = [(variable, (variable,), (variable,) if variable.sort is sort else ())]
            partial = [
                ((*args, term), (*all_fresh, *more), (*smaller, *subs))
                for args, all_fresh, smaller in partial
                for term, more, subs in options
            ]
            if len(partial) + len(shapes) > MAX_CASES:
                raise SchemeError(f"more than {MAX_CASES} cases")
        shapes.extend((app(constructor.name, args, sort), new, smaller) for args, new, smaller in partial)
    return shapes


def _stem(base: Term, constructor: Constructor, position: int, sort: Sort) -> str:
    return base.name if sort is base.sort else f"{base.name}_{constructor.fields[position][0]}"


def structural(
    sequent: Sequent, scheme: StructuralInduction, signature: Signature, names: Names
) -> tuple[Sequent, ...]:
    """Induction over the proper-subterm order of a datatype, which is well-founded.

    Subterms are taken through fields of the same sort only; fields of other sorts give no hypothesis.
    """
    if not 1 <= scheme.depth <= 3:
        raise SchemeError("the depth of a structural induction is 1, 2 or 3")
    on = variable_of(sequent, scheme.on)
    general, outside, inside = _split(sequent, (on,), scheme.general)
    rest = tuple(v for v in sequent.vars if v is not on)
    cases = []
    for term, fresh, smaller in shapes_of(on, on.sort, scheme.depth, signature, names):
        hyps = [_hypothesis(general, inside, sequent.concl, {on: sub}) for sub in smaller]
        here = {on: term}
        cases.append(
            make_sequent(
                (*rest, *fresh),
                (*outside, *hyps, *[substitute(h, here) for h in inside]),
                substitute(sequent.concl, here),
            )
        )
    return tuple(cases)


def integer_cases(sequent: Sequent, scheme: IntInduction) -> tuple[Sequent, ...]:
    """Induction on an Int: the part on the wrong side of the base, ``width`` base cases, the step.

    Upward: every integer is below the base, one of base .. base+width-1, or at least base+width; in the last case
    the ``width`` values just before it are at least the base.
    """
    on = variable_of(sequent, scheme.on)
    if on.sort is not INT or scheme.base.sort is not INT:
        raise SchemeError("integer induction needs an Int variable and an Int base")
    if not 1 <= scheme.width <= 6:
        raise SchemeError("the width of an integer induction is between 1 and 6")
    general, outside, inside = _split(sequent, (on,), scheme.general)
    in_scope(sequent, scheme.base)
    if not scheme.base.free.isdisjoint((on, *general)):
        raise SchemeError("the base may not depend on the induction variable or a generalised one")
    beyond, sign = ("<", 1) if scheme.upward else (">", -1)
    cases = [with_hyps(sequent, app(beyond, (on, scheme.base), BOOL))]
    for offset in range(scheme.width):
        cases.append(substituted(sequent, on, _shift(scheme.base, sign * offset), ()))
    limit = _shift(scheme.base, sign * scheme.width)
    guard = app(">=" if scheme.upward else "<=", (on, limit), BOOL)
    hyps = [
        _hypothesis(general, inside, sequent.concl, {on: _shift(on, -sign * back)})
        for back in range(1, scheme.width + 1)
    ]
    cases.append(make_sequent(sequent.vars, (*outside, guard, *hyps, *inside), sequent.concl))
    return tuple(cases)


def _shift(term: Term, offset: int) -> Term:
    if offset == 0:
        return term
    if term.kind is Kind.LIT and isinstance(term.value, int):
        return integer(term.value + offset)
    return app("+", (term, integer(offset)), INT) if offset > 0 else app("-", (term, integer(-offset)), INT)


def by_measure(sequent: Sequent, scheme: MeasureInduction, names: Names) -> tuple[Sequent, ...]:
    """Well-founded induction: x' is below x when ``0 <= m(x') < m(x)``.

    A descending chain has decreasing non-negative measures from its second element on, so it is finite. Giving the
    hypothesis at some points only weakens what may be assumed.
    """
    measure = scheme.measure
    if measure.sort is not INT:
        raise SchemeError("a measure is an Int term")
    in_scope(sequent, measure)
    hyps = []
    if scheme.at:
        for point in scheme.at:
            if tuple(t.sort for t in point) != tuple(v.sort for v in sequent.vars):
                raise SchemeError("a point gives one term of the right sort for each variable of the goal")
            in_scope(sequent, *point)
            hyps.append(_below(sequent, measure, dict(zip(sequent.vars, point, strict=True))))
    else:
        copies = {v: names.fresh(v.name, v.sort) for v in sequent.vars}
        hyps.append(forall(copies.values(), _below(sequent, measure, dict(copies))))
    return (make_sequent(sequent.vars, (*sequent.hyps, *hyps), sequent.concl),)


def _below(sequent: Sequent, measure: Term, mapping: dict[Term, Term]) -> Term:
    there = substitute(measure, mapping)
    guards = [app("<=", (integer(0), there), BOOL), app("<", (there, measure), BOOL)]
    return implies(and_([*guards, *[substitute(h, mapping) for h in sequent.hyps]]), substitute(sequent.concl, mapping))


def along_recursion(
    sequent: Sequent, scheme: RecursionInduction, signature: Signature, names: Names
) -> tuple[Sequent, ...]:
    """Well-founded induction in the order of `recursion.points_below`, for a function that terminates.

    Fix the variables that are neither moved nor general, so that the terms of ``at`` that are not moved have values
    ``t``. Then ``q`` is below ``p`` when calls that are made lead from ``f(t, p)`` to ``f(t, q)``: an order within one
    that is well-founded. `cases_along` gives points below each ``p``. What is left of the goal is
    ``forall p, general. inside => concl``, to be shown at each ``p`` from its hypotheses, in each of the cases.
    """
    definition = signature.definition(scheme.function)
    if definition is None or not definition.recursive:
        raise SchemeError(f"{scheme.function} is not a recursive function")
    if tuple(t.sort for t in scheme.at) != tuple(p.sort for p in definition.params):
        raise SchemeError(f"{scheme.function} does not take such arguments")
    in_scope(sequent, *scheme.at)
    try:
        points = points_below(definition, signature)
    except TooLarge as error:
        raise SchemeError(f"the body of {error} has too many paths to follow") from error
    moved = moved_variables(scheme.at, points, definition)
    general, outside, inside = _split(sequent, tuple(moved), scheme.general)
    if any(not t.free.isdisjoint((*moved, *general)) for i, t in enumerate(scheme.at) if moved.get(t) != i):
        raise SchemeError("an argument that stays may not depend on what the induction moves or generalises")
    rest = tuple(v for v in sequent.vars if v not in moved)
    cases, any_hypothesis = [], False
    for case in cases_along(definition, scheme.at, moved, points, signature, names):
        hyps = []
        for point in case.below:
            body = substitute(implies(and_(inside), sequent.concl), point.there)
            hyps.append(forall((*point.bound, *general), implies(point.path, body)))
        any_hypothesis = any_hypothesis or bool(hyps)
        cases.append(
            make_sequent(
                (*rest, *[v for term in case.here.values() for v in leaves(term)]),
                (*outside, *hyps, *[substitute(h, case.here) for h in inside]),
                substitute(sequent.concl, case.here),
            )
        )
    if not any_hypothesis:
        raise SchemeError(f"no call of {scheme.function} to itself gives a hypothesis")
    return tuple(cases)


def by_size(sequent: Sequent, scheme: SizeInduction, sizes: Sizes) -> Sequent:
    """Induction on a natural number: the sizes of ``on``, whose values are finite trees, added up.

    `Sizes.loss` is the least by which the values of a point are smaller than those of the variables where the condition
    holds. What it knows of functions are bounds for those that terminate, which hold in every model of the definitions.
    """
    on = tuple(variable_of(sequent, name) for name in scheme.on)
    general, outside, inside = _split(sequent, on, scheme.general)
    if len(set(on)) != len(on) or not scheme.at:
        raise SchemeError("induction on the size of distinct variables, at one point or more")
    if scheme.twice:
        try:
            sizes = counting_twice(sizes.signature, scheme.twice)
        except BadProof as error:
            raise SchemeError(str(error)) from error
    hyps = []
    for given in scheme.at:
        condition, point = given[0] if given else FALSE, given[1:]
        if condition.sort is not BOOL or tuple(t.sort for t in point) != tuple(v.sort for v in on):
            raise SchemeError("a point is a condition and one term of the right sort for each variable inducted on")
        in_scope(sequent, condition, *point)
        if any(not t.free.isdisjoint(general) for t in (condition, *point)):
            raise SchemeError("a point may not depend on what the hypothesis quantifies over")
        loss = sizes.loss(on, point, extend((), condition))
        if loss is None or loss < 1:
            raise SchemeError(f"not shown to be smaller: {' '.join(map(repr, point))}")
        body = substitute(implies(and_(inside), sequent.concl), dict(zip(on, point, strict=True)))
        hyps.append(implies(condition, forall(general, body)))
    return make_sequent(sequent.vars, (*outside, *hyps, *inside), sequent.concl)


def leaves(pattern: Term) -> tuple[Term, ...]:
    """The variables of a pattern, from left to right."""
    return (pattern,) if pattern.kind is Kind.VAR else tuple(v for a in pattern.args for v in leaves(a))
