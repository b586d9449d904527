"""Witnesses for existential conclusions: terms that make them true on values, smallest first.

``n`` even implies ``exists k. n = 2 * k``: of the terms over ``n`` that are tried on values, ``n div 2`` is the first
for which this holds. What is left to prove has no quantifier, and an induction of its own.

Of terms that agree on all values one is kept: observational equivalence, from synthesis by enumeration (Albarghouthi,
Gulwani and Kincaid, "Recursive Program Synthesis", 2013).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.evaluator import Code
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import random_value
from goedels_poetry.kernel.schemas import Witness, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, Kind, Sort, Term, app, integer, subterms
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.plan import Plan

SAMPLES = 24
LEAST_SAMPLES = 6
MAX_TERMS = 400
MAX_PAIRS = 4_000
MAX_WITNESSES = 4
MAX_OTHERS = 6
"""Functions that the problem defines and the goal does not mention: perhaps for the sake of the witness."""
ROUNDS = 2

Frames = list[list[Any]]


def witness_plans(context: ProverContext, sequent: Sequent, prove: Callable[[Sequent], Plan | None]) -> Iterator[Plan]:
    """Plans by a witness: those that ``prove`` closes, then the likeliest with its case left open."""
    if sequent.concl.kind is not Kind.EXISTS or len(sequent.concl.binders) > 2:
        return
    open_plan: Plan | None = None
    for at in itertools.islice(likely_witnesses(context, sequent), MAX_WITNESSES):
        scheme = Witness(at)
        (case,) = instances(sequent, scheme, context.signature)
        closed = prove(case)
        plan = Plan(sequent, scheme, (closed or Plan(case),), "witness", " ".join(map(show, at)))
        if closed is not None:
            yield plan
            return
        open_plan = open_plan or plan
    if open_plan is not None:
        yield open_plan


def likely_witnesses(context: ProverContext, sequent: Sequent) -> Iterator[tuple[Term, ...]]:
    """Terms over the variables of a goal that make its existential conclusion true on all values that were tried."""
    concl = sequent.concl
    frames = _frames(context, sequent)
    if len(frames) < LEAST_SAMPLES:
        return
    try:
        body = context.evaluator.compile(concl.body, (*sequent.vars, *concl.binders))
    except Undecided:
        return
    pool = _Pool(context, sequent, frames)
    pools = [pool.of(v.sort) for v in concl.binders]
    by_size = sorted(
        itertools.islice(itertools.product(*pools), MAX_PAIRS), key=lambda terms: sum(t.size for t, _ in terms)
    )
    for terms in by_size:
        rows = zip(frames, *[values for _, values in terms], strict=True)
        if all(_true(context, body, [*frame, *more]) for frame, *more in rows):
            yield tuple(t for t, _ in terms)


def _true(context: ProverContext, code: Code, frame: list[Any]) -> bool:
    try:
        return bool(context.evaluator.run(code, frame))
    except Undecided:
        return False


def _frames(context: ProverContext, sequent: Sequent) -> Frames:
    """Values for the variables that the hypotheses do not forbid."""
    source = random.Random(context.seed + 41)
    frames: Frames = []
    hyps = [h for h in sequent.hyps if not any(t.binders for t in subterms(h))]
    try:
        codes = [context.evaluator.compile(h, sequent.vars) for h in hyps]
    except Undecided:
        return []
    for number in range(6 * SAMPLES):
        frame = [random_value(context.signature, v.sort, number % 9, source) for v in sequent.vars]
        if all(_true(context, code, frame) for code in codes):
            frames.append(frame)
            if len(frames) == SAMPLES:
                break
    return frames


class _Pool:
    """Terms over the variables of a goal, one for each column of values."""

    def __init__(self, context: ProverContext, sequent: Sequent, frames: Frames) -> None:
        self._context = context
        self._variables = sequent.vars
        self._frames = frames
        self._terms: dict[Sort, dict[tuple[Any, ...], Term]] = {}
        self._count = 0
        numbers = {
            t.value: None
            for t in subterms(sequent.concl)
            if t.kind is Kind.LIT and t.sort is INT and isinstance(t.value, int) and t.value > 1
        }
        self._divisors = [integer(n) for n in list(dict.fromkeys((*numbers, 2)))[:3]]
        near = context.shape.reachable_functions(sequent.formula)
        others = [d.name for d in context.problem.signature.definitions if d.name not in near]
        self._operations = self._typed([*near, *others[:MAX_OTHERS]])
        for leaf in (*sequent.vars, integer(0), integer(1)):
            self._add(leaf)
        known = frozenset(sequent.vars)
        for term in sorted(subterms(sequent.concl.body), key=lambda t: t.size):
            if (
                term.kind is Kind.APP
                and term.args
                and term.free <= known
                and not any(t.binders for t in subterms(term))
            ):
                self._add(term)
        for name, args, result in self._operations:
            if not args:
                self._add(app(name, (), result))
        for _ in range(ROUNDS):
            self._grow()

    def of(self, sort: Sort) -> list[tuple[Term, tuple[Any, ...]]]:
        """The terms of a sort with their values, smallest first."""
        pairs = [(term, values) for values, term in self._terms.get(sort, {}).items()]
        return sorted(pairs, key=lambda pair: pair[0].size)

    def _typed(self, functions: list[str]) -> list[tuple[str, tuple[Sort, ...], Sort]]:
        signature = self._context.signature
        operations = []
        for name in functions:
            typed = signature.type_of(name)
            if typed is not None and name not in self._context.closures:
                operations.append((name, tuple(typed[0]), typed[1]))
        sorts = {s for _, args, result in operations for s in (*args, result)} | {v.sort for v in self._variables}
        for datatype in signature.datatypes:
            if datatype.sort in sorts:
                operations += [(c.name, tuple(s for _, s in c.fields), datatype.sort) for c in datatype.constructors]
        return operations

    def _grow(self) -> None:
        """Each operation on the terms that there are; those of sums and products on small ones only."""
        ready = {sort: [t for t, _ in self.of(sort)][:24] for sort in self._terms}
        for name, args, result in self._operations:
            for arguments in itertools.islice(itertools.product(*[ready.get(s, []) for s in args]), 80):
                self._add(app(name, arguments, result))
        whole = ready.get(INT, [])
        for term in whole:
            for divisor in self._divisors:
                self._add(app("div", (term, divisor), INT))
                self._add(app("mod", (term, divisor), INT))
        for a, b in itertools.product(whole[:4], repeat=2):
            self._add(app("div", (a, b), INT))
            self._add(app("mod", (a, b), INT))
        for a, b in itertools.product(whole[:12], repeat=2):
            self._add(app("+", (a, b), INT))
            self._add(app("-", (a, b), INT))
            self._add(app("*", (a, b), INT))

    def _add(self, term: Term) -> None:
        if self._count >= MAX_TERMS:
            return
        try:
            code = self._context.evaluator.compile(term, self._variables)
            values = tuple([self._context.evaluator.run(code, list(frame)) for frame in self._frames])
        except Undecided:
            return
        known = self._terms.setdefault(term.sort, {})
        if values not in known:
            known[values] = term
            self._count += 1
