"""Instances of lemmas at the calls of a goal: where unfolding is by the instance, lemmas are given so, too.

Patterns as in Detlefs, Nelson and Saxe, "Simplify: A Theorem Prover for Program Checking", 2005, which matches them
modulo equations; here terms are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, combinations, islice

from goedels_poetry.kernel.derivation import Instance
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Term, subterms
from goedels_poetry.smt.rewriting.matching import match

MAX_LEMMA_INSTANCES = 24


def lemma_instances(lemmas: Mapping[str, Sequent], calls: Iterable[Term]) -> tuple[Instance, ...]:
    """Each lemma at those of the ``calls`` that a term of its conclusion (or hypotheses) matches.

    A pattern is a term that mentions all variables of the lemma, so that a match gives the whole instance; then also
    two calls that do so together, as ``b^m`` and ``b^n`` do in ``b^(m + n) = b^m * b^n``.
    """
    calls = list(dict.fromkeys(calls))
    one = (
        Instance("step", key, tuple(binding[v] for v in lemma.vars))
        for key, lemma in lemmas.items()
        for pattern in _patterns(lemma)
        for call in calls
        if (binding := match(pattern, call)) is not None
    )
    two = (
        Instance("step", key, tuple(binding[v] for v in lemma.vars))
        for key, lemma in lemmas.items()
        for pair in _pairs(lemma)
        for binding in _together(pair, calls)
    )
    return tuple(islice(dict.fromkeys(chain(one, two)), MAX_LEMMA_INSTANCES))


def _together(pair: tuple[Term, Term], calls: list[Term]) -> Iterator[dict[Term, Term]]:
    """What makes the two patterns two of the calls."""
    first, second = ([b for c in calls if (b := match(p, c)) is not None] for p in pair)
    for left in first:
        for right in second:
            if all(left.get(v, t) is t for v, t in right.items()):
                yield {**left, **right}


def _pairs(lemma: Sequent) -> Iterator[tuple[Term, Term]]:
    """Two calls of one function in the conclusion that mention all variables together, though neither does alone."""
    variables = frozenset(lemma.vars)
    parts = [
        t
        for t in subterms(lemma.concl)
        if t.kind is Kind.APP and t.free and not t.free >= variables and not _binds(t) and _plain(t)
    ]
    for left, right in combinations(parts, 2):
        if left.name == right.name and left.free | right.free >= variables:
            yield left, right


def _plain(term: Term) -> bool:
    """Whether it is a call on variables, of which a match tells something."""
    return bool(term.args) and term.name not in _OPERATORS and all(a.kind is Kind.VAR for a in term.args)


_OPERATORS = frozenset({"+", "-", "*", "div", "mod", "=", "<", "<=", ">", ">=", "not", "and", "or", "=>", "/"})


def _patterns(lemma: Sequent) -> Iterator[Term]:
    variables = frozenset(lemma.vars)
    for part in (lemma.concl, *lemma.hyps):
        for term in subterms(part):
            if term.kind is Kind.APP and term.args and variables and variables <= term.free and not _binds(term):
                yield term


def _binds(term: Term) -> bool:
    return any(t.binders for t in subterms(term))
