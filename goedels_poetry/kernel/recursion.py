"""Where a function calls itself: inductions along its recursion, and definitions that hold where it gets smaller.

Trusted code. Let ``f`` have been shown to terminate as in `termination`, and say that a call in a body is *made* at
arguments ``p`` when its path holds there, in the model at hand, for some values of the quantified variables above it.
The evidence gives each group of functions components that rise at none of the calls that `calls_of` lists for it and,
one after the other, fall at all that lie on a cycle. The values of the functions of the group count as arbitrary there,
so all this is true of their values in the model as well: also of calls that stand in arguments of calls, and of paths
that speak of the group. (For a function that recurses on its own results the measure falls given bounds on these, which
are shown to be kept.) Hence there is no infinite sequence of
calls each of which is made at the arguments of the one before: the order *q is below p when calls that are made lead
from f(p) to f(q)* is well-founded. `points_below` lists points of it.

Only the group of ``f`` matters: the values of functions outside of it are part of the model. Calls have to be listed
for the same groups and the same simplified bodies as there, since the path of a call depends on where other calls of
its group stand.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from goedels_poetry.kernel.calls import Call, TooLarge, calls_of, recursive_groups
from goedels_poetry.kernel.equations import constructor_cases, simplify
from goedels_poetry.kernel.faults import GuardError
from goedels_poetry.kernel.problem import Definition, Measures, Signature
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    Kind,
    Term,
    and_,
    app,
    eq,
    forall,
    implies,
    integer,
    or_,
    substitute,
    subterms,
    symbols,
)

# Definitions that hold where their recursion gets smaller


def guards(signature: Signature, measures: Measures) -> dict[str, Term]:
    """The guard of each measured function, over its parameters.

    Raises:
        GuardError: a function without a definition or not recursive, a group measured in part, terms that are not
            integers over the parameters or rest on the group itself, tuples of different lengths, a body too large.
    """
    found: dict[str, Term] = {}
    for name in measures:
        definition = signature.definition(name)
        if definition is None or not definition.recursive:
            raise GuardError(f"{name} has no recursive definition")
        group = [d for d in signature.definitions if d.group == definition.group]
        names = frozenset(d.name for d in group)
        if not names <= measures.keys() or len({len(measures[n]) for n in names}) != 1 or not measures[name]:
            raise GuardError(f"a group of definitions is measured as a whole: {', '.join(sorted(names))}")
        for term in measures[name]:
            if term.sort is not INT or not term.free <= frozenset(definition.params):
                raise GuardError(f"a measure of {name} is an integer term over its parameters")
            if not names.isdisjoint(_reached(term, signature, measures)):
                raise GuardError(f"a measure of {name} rests on the function that it is to measure")
        found[name] = _guard(definition, names, measures, signature)
    return found


def guard_at(guard: Term, definition: Definition, args: Iterable[Term]) -> Term:
    """The guard of a call."""
    return substitute(guard, dict(zip(definition.params, args, strict=True)))


def _guard(definition: Definition, names: frozenset[str], measures: Measures, signature: Signature) -> Term:
    reserved = {d.name for d in signature.definitions} | set(signature.functions)
    try:
        calls = calls_of(definition, names, simplify(definition.body, signature), reserved)
    except TooLarge as large:
        raise GuardError(f"the body of {definition.name} has too many paths to follow") from large
    parameters = {d.name: d.params for d in signature.definitions}
    return and_(_falls(call, definition, parameters, measures) for call in calls)


def _falls(call: Call, definition: Definition, parameters: Mapping[str, tuple[Term, ...]], measures: Measures) -> Term:
    """That the measure falls at ``call`` when its path holds."""
    there = dict(zip(parameters[call.callee], call.args, strict=True))
    after = [substitute(term, there) for term in measures[call.callee]]
    bound = tuple(v for v in call.variables if v not in definition.params)
    return forall(bound, implies(and_(call.path), _smaller(after, list(measures[definition.name]))))


def _smaller(after: list[Term], before: list[Term]) -> Term:
    a, b = after[0], before[0]
    falls = and_([app("<=", (integer(0), b), BOOL), app("<", (a, b), BOOL)])
    return or_([falls, and_([eq(a, b), _smaller(after[1:], before[1:])])]) if len(before) > 1 else falls


def _reached(term: Term, signature: Signature, measures: Measures) -> set[str]:
    """Functions that the value of ``term`` rests on; that of a measured function rests on its measure, too."""
    found: set[str] = set()
    pending = [term]
    while pending:
        for name in symbols(pending.pop()) - found:
            found.add(name)
            definition = signature.definition(name)
            if definition is not None:
                pending += [definition.body, *measures.get(name, ())]
    return found


MAX_POINTS = 100
"""Further ones are left out: an induction with fewer hypotheses is as sound."""
MAX_FOLLOWED = 50_000
"""Nodes of the calls that are followed from one function to the next: most ways may lead nowhere."""


@dataclass(frozen=True)
class Point:
    """``args`` is below the parameters where ``path`` holds, for all values of ``bound``.

    Both are terms over the parameters of the function and ``bound``.
    """

    args: tuple[Term, ...]
    path: tuple[Term, ...]
    bound: tuple[Term, ...]


@dataclass(frozen=True)
class Below:
    """A point below one case of the arguments: what the variables that move become, where ``path`` holds, for all
    values of ``bound``."""

    there: Mapping[Term, Term]
    path: Term
    bound: tuple[Term, ...]


@dataclass(frozen=True)
class Case:
    """What the variables that move are built of, and the points below that."""

    here: Mapping[Term, Term]
    below: tuple[Below, ...]


def points_below(definition: Definition, signature: Signature) -> tuple[Point, ...]:
    """The calls by which a function that terminates comes back to itself.

    Calls through other functions of its group are followed as long as no function occurs twice on the way, the
    shortest ways first. They come in the order of the bodies.

    Raises:
        TooLarge: a body with more paths than we are ready to follow.
    """
    group = next(g for g in recursive_groups(signature) if definition.name in g)
    members = [d for d in signature.definitions if d.name in group]
    names = Names(*[t for d in members for t in (d.body, *d.params)], reserved=signature.names)
    params = {d.name: d.params for d in members}
    calls = {d.name: calls_of(d, frozenset(group), simplify(d.body, signature), signature.names) for d in members}
    costs = {name: [_nodes(call) for call in made] for name, made in calls.items()}
    found: list[tuple[tuple[int, ...], Point]] = []
    waiting = deque([_Way(definition.name, Point(definition.params, (), ()), (), frozenset())])
    followed = 0
    while waiting:
        way = waiting.popleft()
        for number, call in enumerate(calls[way.at]):
            if call.callee in way.passed:
                continue
            followed += costs[way.at][number]
            if len(found) >= MAX_POINTS or followed > MAX_FOLLOWED:
                waiting.clear()
                break
            there = _beyond(call, way.point, params[way.at], names)
            turns = (*way.turns, number)
            if call.callee == definition.name:
                found.append((turns, there))
            else:
                waiting.append(_Way(call.callee, there, turns, way.passed | {call.callee}))
    return tuple(point for _, point in sorted(found, key=lambda entry: entry[0]))


@dataclass(frozen=True)
class _Way:
    """Where a chain of calls has led: ``turns`` are the numbers of the calls, ``passed`` the functions on the way."""

    at: str
    point: Point
    turns: tuple[int, ...]
    passed: frozenset[str]


def _nodes(call: Call) -> int:
    return len({t for term in (*call.args, *call.path) for t in subterms(term)}) + 1


def _beyond(call: Call, here: Point, params: tuple[Term, ...], names: Names) -> Point:
    """Where a call leads that is made at ``here``, in terms of what ``here`` is in terms of."""
    own = call.variables[len(params) :]
    renaming = {v: names.fresh(v.name, v.sort) for v in own}
    at = {**dict(zip(params, here.args, strict=True)), **renaming}
    return Point(
        tuple(substitute(a, at) for a in call.args),
        (*here.path, *[substitute(c, at) for c in call.path]),
        (*here.bound, *renaming.values()),
    )


def moved_variables(at: tuple[Term, ...], points: tuple[Point, ...], definition: Definition) -> dict[Term, int]:
    """The variables among the arguments ``at`` for parameters that some call changes, with their positions."""
    return {
        t: i
        for i, t in enumerate(at)
        if t.kind is Kind.VAR and any(p.args[i] is not definition.params[i] for p in points)
    }


def cases_along(
    definition: Definition,
    at: tuple[Term, ...],
    moved: Mapping[Term, int],
    points: tuple[Point, ...],
    signature: Signature,
    names: Names,
) -> list[Case]:
    """The cases of ``at`` as the equations of the function have them, each with the points below it.

    The arguments that are not ``moved`` have values that stay: a point with another term for one of them is left
    out, and so is one whose path is false by its form. For all values of the variables exactly one case applies.
    """
    whole = app(definition.name, at, definition.sort)
    body = definition.at(at)
    found = []
    for pattern, _ in constructor_cases(whole, body, moved, signature, names):
        below = []
        for point in points:
            bound = tuple(names.fresh(v.name, v.sort) for v in point.bound)
            given = dict(zip((*definition.params, *point.bound), (*pattern.args, *bound), strict=True))
            args = [simplify(substitute(a, given), signature) for a in point.args]
            path = and_([simplify(substitute(c, given), signature) for c in point.path])
            kept = all(args[i] is pattern.args[i] for i, t in enumerate(at) if t not in moved)
            if kept and path is not FALSE:
                below.append(Below({v: args[i] for v, i in moved.items()}, path, bound))
        found.append(Case({v: pattern.args[i] for v, i in moved.items()}, tuple(below)))
    return found
