"""What a function of numbers gives divides its arguments: Euclid's algorithm, by remainders or by differences.

``gcd a b = gcd b (a mod b)`` divides ``a`` and ``b``, which an induction along it has to show of both at once. By the
hypothesis its result divides ``b`` and ``a mod b``, and so ``b * (a div b) + a mod b``, which is ``a``. That a divisor
of two numbers divides such a sum is a lemma, which solvers use where they are told at which numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.inductions import RecursionInduction
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    INT,
    Kind,
    Term,
    and_,
    app,
    eq,
    integer,
    is_app,
    not_,
    substitute,
    subterms,
    var,
)
from goedels_poetry.smt.context.limits import GROUND
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.recursion import closed_along
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf
from goedels_poetry.smt.rewriting.statements import lemma

TESTS = 60
MAX_CALLS = 2
"""Functions in one goal whose result may divide their arguments."""
MAX_COMBINATIONS = 8

_ZERO, _ONE = integer(0), integer(1)
_G, _K, _X, _Y = (var(name, INT) for name in "gkxy")


def _divides(divisor: Term, term: Term) -> Term:
    return eq(app("mod", (term, divisor), INT), _ZERO)


def _sum(x: Term, k: Term, y: Term) -> Term:
    return app("+", (app("*", (x, k), INT), y), INT)


MULTIPLE = make_sequent((_G, _K), [not_(eq(_G, _ZERO))], _divides(_G, app("*", (_G, _K), INT)))
"""A multiple leaves no remainder."""

COMBINATION = make_sequent(
    (_G, _K, _X, _Y), [not_(eq(_G, _ZERO)), _divides(_G, _X), _divides(_G, _Y)], _divides(_G, _sum(_X, _K, _Y))
)
"""What divides two numbers divides a multiple of one and the other together."""


def combination_by_multiple(context: ProverContext, sequent: Sequent) -> Plan | None:
    """`COMBINATION` from `MULTIPLE`: how often it divides the sum."""
    g, k, x, y = sequent.vars
    often = _sum(app("div", (x, g), INT), k, app("div", (y, g), INT))
    key = key_of(MULTIPLE)
    query = Query((key,), (Instance("step", key, (g, often)),), equations=False, quantified=False)
    return leaf(sequent, query) if context.holds(sequent, query, GROUND) else None


def common_divisors(context: ProverContext, sequent: Sequent) -> Iterator[tuple[Sequent, ...]]:
    """For each function of numbers whose result the goal divides by: that it is not 0 here, and divides its arguments.

    The first is only there where the goal does not say so itself; the last is what `divides` proves.
    """
    calls = [c for c in _divisors_in(sequent.concl) if c.kind is Kind.APP and c.name in context.recursions]
    for call in calls[:MAX_CALLS]:
        divisor = _divisor(context, call, ()) or _divisor(context, call, _said_of_arguments(context, sequent, call))
        if divisor is not None:
            here = not_(eq(call, _ZERO))
            some = () if here in sequent.hyps else (make_sequent(sequent.vars, sequent.hyps, here),)
            yield (*some, divisor)


def _divisor(context: ProverContext, call: Term, hyps: tuple[Term, ...]) -> Sequent | None:
    """That the result divides those arguments that it divides on values, whatever they are but for ``hyps``."""
    definition = context.signature.definition(call.name)
    assert definition is not None
    result = app(call.name, definition.params, INT)
    given = (*hyps, not_(eq(result, _ZERO)))
    divisible = [_divides(result, p) for p in definition.params if p.sort is INT]
    kept = [d for d in divisible if context.refutes(lemma(d, given), TESTS) is None]
    return lemma(and_(kept), given) if kept else None


def _said_of_arguments(context: ProverContext, sequent: Sequent, call: Term) -> tuple[Term, ...]:
    """The hypotheses that speak of nothing but the arguments, in terms of the parameters."""
    definition = context.signature.definition(call.name)
    if definition is None or len(set(call.args)) < len(call.args) or any(a.kind is not Kind.VAR for a in call.args):
        return ()
    named = dict(zip(call.args, definition.params, strict=True))
    return tuple(substitute(h, named) for h in sequent.hyps if h.free <= named.keys() and call not in subterms(h))


def divides(context: ProverContext, sequent: Sequent) -> Plan | None:
    """That a result divides arguments, by induction along its function, once `MULTIPLE` and `COMBINATION` are known."""
    for call in _divisors_in(sequent.concl):
        scheme = RecursionInduction(call.name, call.args, ())
        plan = closed_along(context, sequent, scheme, partial(_closed, context, call.name))
        if plan is not None:
            return plan
    return None


def _divisors_in(term: Term) -> list[Term]:
    return list(dict.fromkeys(t.args[1] for t in subterms(term) if is_app(t, "mod") and len(t.args) == 2))


def _closed(context: ProverContext, function: str, case: Sequent) -> Plan | None:
    combined = [Instance("step", key_of(COMBINATION), at) for at in dict.fromkeys(_combinations(case, function))]
    results = [t for t in dict.fromkeys(subterms(case.concl)) if t.kind is Kind.APP and t.name == function]
    ends = dict.fromkeys(a for r in results for a in r.args if a.sort is INT)  # where it does not go on
    itself = [Instance("step", key_of(MULTIPLE), (a, _ONE)) for a in ends]
    cites = (key_of(MULTIPLE), key_of(COMBINATION))
    for unfolded in context.unfolder.unfoldings(case, (1,)):
        at = (*unfolded, *itself, *combined[:MAX_COMBINATIONS])
        query = Query(cites, at, equations=False, quantified=False)
        if context.holds(case, query, GROUND):
            return leaf(case, query)
    return None


def _combinations(case: Sequent, function: str) -> Iterator[tuple[Term, Term, Term, Term]]:
    """Where to say that the result of a smaller call divides a combination: of what it is called with."""
    called = [t for h in case.hyps for t in subterms(h) if t.kind is Kind.APP and t.name == function]
    for result in dict.fromkeys(called):
        known = [a for a in result.args if a.sort is INT]
        for rest in known:
            for part in dict.fromkeys(subterms(rest)):
                if is_app(part, "mod") and part.args[1] in known:
                    times = app("div", part.args, INT)
                    yield result, times, part.args[1], rest
                    if part is not rest:  # a remainder that was moved into the range of the divisor
                        yield result, app("-", (times, _ONE), INT), part.args[1], rest
                        yield result, app("+", (times, _ONE), INT), part.args[1], rest
            if rest.name in ("-", "+") and len(rest.args) == 2:
                times = integer(1 if rest.name == "-" else -1)
                yield from ((result, times, other, rest) for other in rest.args if other in known)
