"""Lemma candidates from a goal: what the step of its induction lacks, and the goal with a term made a variable.

Candidates are guesses. They are tested on values here and there, and proved before they are used.

Using the hypothesis as a rewrite rule, giving it up and generalising what is left are the heuristics of Boyer and Moore
("A Computational Logic", 1979); taking the lemma from the failed step is lemma calculation (Ireland and Bundy,
"Productive Use of Failure in Inductive Proof", 1996), which works on whole classes of terms in CCLemma (Kurashige et
al., "CCLemma: E-Graph Guided Lemma Discovery for Inductive Equational Proofs", 2024).

What an induction along the calls of a function of numbers leaves to be shown, as lemmas.

``fexp b n = pow b n``: for even ``n`` the left side is ``fexp (b * b) (n div 2)``, so by the hypothesis
``pow (b * b) (n div 2)``, and what is left is ``pow (b * b) (n div 2) = pow b n`` for even ``n > 0``. That is a
statement of fewer functions, with an induction of its own. For datatypes see
`conjecture.failed_steps`. Using the hypothesis so and then forgetting it is the cross-fertilisation of Boyer and Moore,
"A Computational Logic", 1979.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from goedels_poetry.kernel.calls import extend
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import StructuralInduction
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    Kind,
    Term,
    app,
    eq,
    is_app,
    not_,
    rebuild,
    substitute,
    subterms,
)
from goedels_poetry.smt.conjecture.loop_calls import carried
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.structural import induction_variables
from goedels_poetry.smt.rewriting.statements import lemma, match, occurrences, replace_subterm

MAX_SIZE = 22
MAX_LEMMAS = 8
MAX_STARTS = 4
"""Arguments from which functions recur, each for itself."""


def generalisations(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """The goal with terms replaced by variables: repeated calls, largest first; then where functions recur from.

    An argument that changes from call to call is a variable then: all of them at once, or one of them, each also with
    numbers that are no smaller than the one in the goal.
    """
    parts = (sequent.concl, *sequent.hyps)
    if any(t.binders for part in parts for t in subterms(part)):
        return
    counts: dict[Term, int] = {}
    for part in parts:
        for term, number in occurrences(part).items():
            counts[term] = counts.get(term, 0) + number
    names = Names(*sequent.vars, *parts, reserved=context.reserved)

    def general(terms: Sequence[Term], positions: Collection[tuple[str, int]], guarded: bool = False) -> Sequent:
        new = {term: names.fresh("g", term.sort) for term in terms}
        opened = [_opened(part, new, positions) for part in parts]
        least = [app(">=", (new[t], t), BOOL) for t in terms if guarded and t.kind is Kind.LIT and t.sort is INT]
        return make_sequent((*sequent.vars, *new.values()), [*opened[1:], *least], opened[0])

    for term, number in sorted(counts.items(), key=lambda item: -item[0].size):
        if number > 1 and term.sort is not BOOL and term.args and context.signature.definition(term.name) is not None:
            yield general([term], ())
    starts = dict[Term, set[tuple[str, int]]]()
    for call in counts:
        for position in sorted(carried(context, call.name)):
            if call.args[position].kind is not Kind.VAR:
                starts.setdefault(call.args[position], set()).add((call.name, position))
    if not starts:
        return
    for terms in dict.fromkeys((tuple(starts), *[(term,) for term in starts][:MAX_STARTS])):
        places = set().union(*[starts[term] for term in terms])
        yield general(terms, places)
        if any(term.kind is Kind.LIT and term.sort is INT for term in terms):
            yield general(terms, places, guarded=True)


def _opened(term: Term, new: Mapping[Term, Term], positions: Collection[tuple[str, int]]) -> Term:
    """The term with variables for terms: for literals only at positions of calls, for others wherever they are."""
    if term in new and term.args:
        return new[term]
    args = [
        new.get(arg, arg) if (term.name, number) in positions else arg if not arg.args else _opened(arg, new, positions)
        for number, arg in enumerate(term.args)
    ]
    return rebuild(term, tuple(args)) if args else term


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
    return sorted((c for c in candidates.values() if not _instance(c, sequent)), key=lambda s: s.concl.size)[
        :MAX_LEMMAS
    ]


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


REMAINING_GOALS_MAX_SIZE = 40
MAX_GOALS = 8


def remaining_goals(context: ProverContext, sequent: Sequent) -> list[Sequent]:
    """The steps of an equation, one side unfolded at one call, with the hypothesis applied; smallest first."""
    concl = sequent.concl
    if not is_app(concl, "=") or len(concl.args) != 2 or concl.args[0].sort is BOOL:
        return []
    if any(t.binders for part in (concl, *sequent.hyps) for t in subterms(part)):
        return []
    goals: dict[Term, Sequent] = {}
    for side, other in (concl.args, concl.args[::-1]):
        for path, stepped in _steps(context, side):
            used = _by_hypothesis(stepped, side, other)
            if used is not None and used is not other:
                candidate = make_sequent(sequent.vars, (*sequent.hyps, *path), eq(used, other))
                if candidate.size <= REMAINING_GOALS_MAX_SIZE:
                    goals.setdefault(candidate.key, candidate)
    return sorted(goals.values(), key=lambda s: s.size)[:MAX_GOALS]


def _steps(context: ProverContext, side: Term) -> Iterator[tuple[tuple[Term, ...], Term]]:
    """``side`` with one call unfolded, for each branch of the body: under which conditions, and what it is then."""
    for call in dict.fromkeys(subterms(side)):
        definition = context.signature.definition(call.name) if call.kind is Kind.APP else None
        if definition is None or call.name not in context.shape.unfolded:
            continue
        body = definition.at(call.args)
        for path, leaf in _branches(simplify(body, context.signature), ()):
            yield path, replace_subterm(side, call, leaf)


def _branches(body: Term, path: tuple[Term, ...]) -> Iterator[tuple[tuple[Term, ...], Term]]:
    if is_app(body, "ite"):
        condition, then, otherwise = body.args
        yield from _branches(then, extend(path, condition))
        yield from _branches(otherwise, extend(path, not_(condition)))
    else:
        yield path, body


def _by_hypothesis(term: Term, side: Term, other: Term) -> Term | None:
    """``term`` with every smaller instance of ``side`` replaced by that of ``other``; None when there is none."""
    result, changed = term, False
    for part in list(dict.fromkeys(subterms(term))):
        binding = match(side, part)
        if binding is not None and part is not side and other.free <= binding.keys():
            result, changed = replace_subterm(result, part, substitute(other, binding)), True
    return result if changed else None
