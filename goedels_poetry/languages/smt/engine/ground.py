"""Instances of lemmas at the calls of a goal: where unfolding is by the instance, lemmas are given so, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from goedels_poetry.languages.smt.derivation import Instance
from goedels_poetry.languages.smt.engine.rewrite import match
from goedels_poetry.languages.smt.sequent import Sequent
from goedels_poetry.languages.smt.terms import Kind, Term, subterms

MAX_LEMMA_INSTANCES = 24


def lemma_instances(lemmas: Mapping[str, Sequent], calls: Iterable[Term]) -> tuple[Instance, ...]:
    """Each lemma at those of the ``calls`` that a term of its conclusion (or hypotheses) matches.

    Only terms that mention all variables of the lemma are patterns, so a match gives the whole instance.
    """
    calls = list(dict.fromkeys(calls))
    found = dict.fromkeys(
        Instance("step", key, tuple(binding[v] for v in lemma.vars))
        for key, lemma in lemmas.items()
        for pattern in _patterns(lemma)
        for call in calls
        if (binding := match(pattern, call)) is not None
    )
    return tuple(islice(found, MAX_LEMMA_INSTANCES))


def _patterns(lemma: Sequent) -> Iterator[Term]:
    variables = frozenset(lemma.vars)
    for part in (lemma.concl, *lemma.hyps):
        for term in subterms(part):
            if term.kind is Kind.APP and term.args and variables and variables <= term.free and not _binds(term):
                yield term


def _binds(term: Term) -> bool:
    return any(t.binders for t in subterms(term))


__all__ = ["lemma_instances"]
