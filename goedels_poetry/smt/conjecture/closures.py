"""Functions as values: what constants of a sort of functions do, as lemmas.

First order problems speak of ``nub (==) xs`` as ``nubBy lam xs`` with a constant ``lam`` that premises describe. The
same function often has several names, which no rewriting identifies; and exploration has no such constants, since what
it finds is to hold for all functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Sort, Term, app, eq, substitute, subterms, var
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma

MAX_SECTIONS = 6


def closure_lemmas(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """That two names of functions make no difference; how calls with such names commute and absorb each other.

    Guesses, most of them false: whoever proves them tests them first.
    """
    constants = [
        t for t in subterms(sequent.formula) if t.kind is Kind.APP and not t.args and t.name in context.closures
    ]
    if not constants:
        return
    functions = [
        f for f in context.shape.reachable_functions(sequent.formula) if context.signature.definition(f) is not None
    ]
    for one, other in combinations(constants, 2):
        if one.sort is other.sort:
            for name in functions:
                left, right = _call(context, name, {one.sort: one}), _call(context, name, {one.sort: other})
                if left is not right:
                    yield lemma(eq(left, right))
    first = {t.sort: t for t in reversed(constants)}
    sections = [s for name in functions for s in _sections(context, name, first)][:MAX_SECTIONS]
    for term, hole in sections:
        if any(c in subterms(term) for c in constants):
            yield lemma(eq(_into(term, hole, term), term))
    for (outer, a), (inner, b) in permutations(sections, 2):
        if a.sort is b.sort and any(c in subterms(t) for t in (outer, inner) for c in constants):
            together = _into(outer, a, inner)
            if show(outer) < show(inner):
                yield lemma(eq(together, _into(inner, b, _into(outer, a, b))))
            yield lemma(eq(together, inner))


def _call(context: ProverContext, name: str, given: dict[Sort, Term]) -> Term:
    """A call of ``name`` with variables, but for the sorts that are given."""
    definition = context.signature.definition(name)
    assert definition is not None
    args = [given.get(p.sort) or var(f"y{i}", p.sort) for i, p in enumerate(definition.params)]
    return app(name, args, definition.sort)


def _sections(context: ProverContext, name: str, given: dict[Sort, Term]) -> Iterator[tuple[Term, Term]]:
    """Calls of ``name`` as functions of one argument of the sort of their result, which is a variable."""
    call = _call(context, name, given)
    holes = [a for a in call.args if a.sort is call.sort]
    if len(holes) == 1 and holes[0].kind is Kind.VAR:
        renaming = {v: var(f"{v.name}_{name}", v.sort) for v in call.args if v.kind is Kind.VAR}
        yield substitute(call, renaming), renaming[holes[0]]


def _into(outer: Term, hole: Term, inner: Term) -> Term:
    return substitute(outer, {hole: inner})
