"""Leaves full of conditions: all of them are decided first, as a person would, where `grind` loses its way.

A condition may have others inside (``if f (if a then x else y) then …``). So they are decided from the inside out: each
decision says what the next ones are about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from goedels_poetry.kernel.inductions import shapes_of
from goedels_poetry.kernel.sequent import Names, Sequent
from goedels_poetry.kernel.terms import Kind, Term, app, substitute, subterms
from goedels_poetry.lean.smt_proofs.writing import HYPOTHESIS, Writing, indented, listed, own_name

FEWEST, MOST = 2, 4
"""Conditions for which this is tried: one is split by others, and every further one doubles the cases."""
MOST_VARIABLES, MOST_POINTS = 2, 2
MOST_WAYS = 8
"""Of what a term with conditions may be."""


def decided(writing: Writing, sequent: Sequent, defs: Sequence[str]) -> Iterator[str]:
    """Tactic blocks for a sequent with several conditions: at the parts of its variables, then as it stands."""
    if not any(t.name == "ite" for hyp in (*sequent.hyps, sequent.concl) for t in subterms(hyp)):
        return
    yield from _at_parts(writing, sequent, defs)
    found = conditions([sequent.concl, *(h for h in sequent.hyps if h.kind is not Kind.FORALL)])
    if FEWEST <= len(found) <= MOST:
        splits, names = _splits(writing, found)
        simp = f"(try simp only{listed([*names, *_PLAIN])}) <;> (try simp_all{listed(defs)})"
        yield f"{splits} <;> {simp} <;> grind{listed(defs)}"


def nested(sequent: Sequent) -> bool:
    """Whether what one condition is about is decided by another: then `grind` is the last that should be asked."""
    ites = (t for term in (*sequent.hyps, sequent.concl) for t in subterms(term) if t.name == "ite")
    return any(t.name == "ite" for ite in ites for t in subterms(ite.args[0]))


def conditions(terms: Sequence[Term]) -> list[Term]:
    """The conditions of `ite` in the terms, without any `ite` in themselves, the inner before what they decide.

    One more than `MOST` where there are more.
    """
    found: dict[Term, None] = {}
    seen = set[Term]()
    waiting = [t for term in terms for t in _own(term)]
    while waiting and len(found) <= MOST:
        condition = waiting.pop(0)
        if condition in seen:
            continue
        seen.add(condition)
        ways = list(islice(_without(condition), MOST_WAYS))
        if ways != [condition]:
            waiting = [*_own(condition), *ways, *waiting]
        elif condition.kind is Kind.APP:
            found[condition] = None
    return list(found)


def _own(term: Term) -> list[Term]:
    """Conditions of the term whose variables are its own."""
    return [t.args[0] for t in subterms(term) if t.name == "ite" and t.args[0].free <= term.free]


def _without(term: Term) -> Iterator[Term]:
    """What a term may be when each `ite` is one of its branches."""
    if term.kind is not Kind.APP or not any(t.name == "ite" for t in subterms(term)):
        yield term
    elif term.name == "ite":
        for branch in term.args[1:]:
            yield from _without(branch)
    else:
        for args in product(*(list(islice(_without(a), MOST_WAYS)) for a in term.args)):
            yield app(term.name, args, term.sort, term.indices)


def _splits(writing: Writing, found: Sequence[Term]) -> tuple[str, list[str]]:
    names = [f"_c{i}" for i, _ in enumerate(found)]
    cases = [f"by_cases {n} : {writing.theory.prop(c)}" for n, c in zip(names, found, strict=True)]
    return " <;> ".join(cases), names


_PLAIN = ("Bool.false_eq_true", "if_true", "if_false", "reduceIte")


def _at_parts(writing: Writing, sequent: Sequent, defs: Sequence[str]) -> Iterator[str]:
    """The one hypothesis about all values at the parts of the variables that it is general in, and nowhere else."""
    general = [(i, h) for i, h in enumerate(sequent.hyps, 1) if h.kind is Kind.FORALL]
    if len(general) != 1 or not 0 < len(general[0][1].binders) <= MOST_VARIABLES:
        return
    number, hyp = general[0]
    named = {v.name: v for v in sequent.vars}
    variables = [named.get(b.name) for b in hyp.binders]
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=writing.problem.signature.names)
    known, theory = f"{HYPOTHESIS}{number}", writing.theory

    def closed(parts: Sequence[Sequence[Term]]) -> str:
        points = list(islice(product(*parts), MOST_POINTS))
        haves = [f"have _i{i} := {known} {' '.join(map(theory.value, point))}" for i, point in enumerate(points)]
        stated = [substitute(hyp.args[0], dict(zip(hyp.binders, point, strict=True))) for point in points]
        found = conditions(stated)
        if not FEWEST <= len(found) <= MOST:
            return f"clear {known}\nfirst | (grind{listed(defs)}) | (simp_all{listed(defs)})"
        splits, decisions = _splits(writing, found)
        places = " ".join(f"_i{i}" for i, _ in enumerate(points))
        simp = f"(try simp{listed([*decisions, *defs])} at {places} ⊢)"
        return "\n".join([*haves, f"clear {known}", f"{splits} <;> {simp} <;> (try simp_all{listed(defs)}) <;> grind"])

    def taken_apart(left: Sequence[Term], parts: Sequence[Sequence[Term]]) -> str:
        if not left:
            return closed(parts)
        on, arms = left[0], []
        for term, fresh, smaller in shapes_of(on, on.sort, 1, writing.problem.signature, names):
            pattern = " ".join([own_name(theory.name(term.name)), *map(theory.value, fresh)])
            arms.append(f"| {pattern} =>\n{indented(taken_apart(left[1:], [*parts, smaller]))}")
        return "\n".join([f"cases {theory.value(on)} with", *arms])

    if all(v is not None and writing.is_datatype(v.sort) for v in variables):
        yield taken_apart([v for v in variables if v is not None], [])
