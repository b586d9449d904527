"""Definitions that hold where their recursion gets smaller: for functions whose termination is a theorem of its own.

Trusted code. ``f(p) = body`` may contradict itself when the recursion does not end; what follows is always consistent.
Choose a measure ``m`` for each function of a group, any tuple of integer terms over its parameters, and let the *guard*
``D(p)`` say that each call which the body makes at ``p`` is at arguments of a smaller measure. Then the axioms

    for all p. D(p) => f(p) = body(p)

have a solution whatever the functions are that bodies and measures rest on: define ``f`` by recursion along the measure
(tuples compared from the left, an entry falls when it was not negative, so there is no infinite descent), evaluating
``body`` in the order of `calls_of`, and take some fixed value as soon as a call is met whose measure is not smaller.
Where ``D(p)`` holds, no such call is met, since exactly the calls are made whose paths hold; so the value is that of
``body``. The groups are solved one after the other: no measure may lead back to its group, be it through bodies or
through the measures of other groups.

So nothing need be shown before these axioms are used. That ``D`` holds everywhere, or where it matters, is a lemma like
any other, and only what it covers can be unfolded. The user's own, unguarded equation is stronger: what is proved from
the guarded ones is true of every function that satisfies it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from goedels_poetry.kernel.calls import Call, TooLarge, calls_of
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.faults import GuardError
from goedels_poetry.kernel.problem import Definition, Measures, Signature
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    Term,
    and_,
    app,
    eq,
    forall,
    implies,
    integer,
    or_,
    substitute,
    symbols,
)


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
