"""Lemma candidates from a goal: what the step of its induction lacks, and the goal with a term made a variable.

Candidates are guesses. They are tested on values here and there, and proved before they are used.

Using the hypothesis as a rewrite rule, giving it up and generalising what is left are the heuristics of Boyer and Moore
("A Computational Logic", 1979); taking the lemma from the failed step is lemma calculation (Ireland and Bundy,
"Productive Use of Failure in Inductive Proof", 1996), which works on whole classes of terms in CCLemma (Kurashige et
al., "CCLemma: E-Graph Guided Lemma Discovery for Inductive Equational Proofs", 2024).
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import StructuralInduction
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, Kind, Term, eq, is_app, subterms
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.structural import induction_variables
from goedels_poetry.smt.rewriting.matching import match, occurrences
from goedels_poetry.smt.rewriting.replace import replace_subterm
from goedels_poetry.smt.rewriting.statements import lemma

MAX_SIZE = 22


def generalisations(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """The goal with a repeated subterm replaced by a variable; largest subterms first."""
    counts: dict[Term, int] = {}
    for part in (sequent.concl, *sequent.hyps):
        if part.kind in (Kind.FORALL, Kind.EXISTS):
            return
        for term, number in occurrences(part).items():
            counts[term] = counts.get(term, 0) + number
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=context.reserved)
    for term, number in sorted(counts.items(), key=lambda item: -item[0].size):
        if number < 2 or term.sort is BOOL or not term.args or context.signature.definition(term.name) is None:
            continue
        new = names.fresh("g", term.sort)
        concl = replace_subterm(sequent.concl, term, new)
        hyps = [replace_subterm(h, term, new) for h in sequent.hyps]
        yield make_sequent((*sequent.vars, new), hyps, concl)


def from_failed_step(context: ProverContext, sequent: Sequent) -> list[Sequent]:
    """Equations that the step of an induction lacks.

    The step case is unfolded, the induction hypothesis applied as a rewrite rule in either direction, common
    constructors are stripped, and a common subterm is replaced by a variable.
    """
    concl = sequent.concl
    if not is_app(concl, "=") or len(concl.args) != 2 or (sequent.hyps and len(sequent.hyps) > 2):
        return []
    candidates: dict[Term, Sequent] = {}
    normal = context.rewriter.normal
    for on in induction_variables(context, sequent):
        try:
            cases = instances(sequent, StructuralInduction(on.name, (), 1), context.signature)
        except SchemeError:
            continue
        for case in cases:
            hyps = [h for h in case.hyps if is_app(h, "=") and h not in sequent.hyps]
            if not hyps or not is_app(case.concl, "="):
                continue
            left, right = normal(case.concl.args[0]), normal(case.concl.args[1])
            rules = [(normal(h.args[0]), normal(h.args[1])) for h in hyps]
            for a, b in _rewritten(left, right, rules):
                for candidate in _generalised(context, *_stripped(context, a, b)):
                    if candidate.concl.size <= MAX_SIZE:
                        candidates.setdefault(candidate.key, candidate)
    return sorted((c for c in candidates.values() if not _instance(c, sequent)), key=lambda s: s.concl.size)


def _instance(candidate: Sequent, goal: Sequent) -> bool:
    """Whether a candidate only says what the goal says, of particular terms."""
    if goal.hyps or not is_app(candidate.concl, "="):
        return False
    left, right = candidate.concl.args
    return any(match(goal.concl, eq(a, b)) is not None for a, b in ((left, right), (right, left)))


def _rewritten(left: Term, right: Term, rules: list[tuple[Term, Term]]) -> Iterator[tuple[Term, Term]]:
    """The two sides with the hypothesis used, in either direction; as they are where it cannot be used."""
    for a, b in rules:
        yield replace_subterm(left, a, b), right
        yield left, replace_subterm(right, b, a)
        yield replace_subterm(left, a, b), replace_subterm(right, a, b)
        yield replace_subterm(left, b, a), replace_subterm(right, b, a)


def _stripped(context: ProverContext, a: Term, b: Term) -> tuple[Term, Term]:
    while a.kind is Kind.APP and b.kind is Kind.APP and a.name == b.name and context.signature.constructor(a.name):
        different = [(x, y) for x, y in zip(a.args, b.args, strict=True) if x is not y]
        if len(different) != 1:
            break
        a, b = different[0]
    return a, b


def _generalised(context: ProverContext, a: Term, b: Term) -> Iterator[Sequent]:
    if a is b or a.sort is not b.sort:
        return
    right = set(subterms(b))
    common = [
        t
        for t in subterms(a)
        if t.kind is Kind.APP
        and t.args
        and t.sort is not BOOL
        and t is not a
        and t is not b
        and t in right
        and context.signature.type_of(t.name)
    ]
    names = Names(a, b, reserved=context.reserved)
    for term in [*common[:4], None]:
        if term is None:
            yield lemma(eq(a, b))
        else:
            new = names.fresh("g", term.sort)
            yield lemma(eq(replace_subterm(a, term, new), replace_subterm(b, term, new)))
