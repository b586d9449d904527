"""Induction plans: which variables, in which order, how deep, and whether the solver closes every case.

The variables that functions recurse on come first: the recursion analysis of Boyer and Moore, "A Computational Logic",
1979.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import StructuralInduction
from goedels_poetry.kernel.schemas import ConstructorSplit, Scheme, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Term, subterms
from goedels_poetry.smt.context.attempts import close_goal
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.plan import Plan

MAX_VARIABLES = 6


def structural_plans(
    context: ProverContext, sequent: Sequent, *, full: bool = True, rlimit: int | None = None
) -> Plan | None:
    """The first structural induction all of whose cases the solver closes.

    One variable at a time, then nested in two, then two constructors deep; ``full=False`` tries the first only.
    """
    variables = induction_variables(context, sequent)
    orders: list[tuple[Term, ...]] = [(v,) for v in variables]
    if full:
        orders += [(a, b) for a in variables for b in variables if a is not b]
    for order in orders:
        plan = nested_induction(context, sequent, order, 1, rlimit)
        if plan is not None and plan.complete:
            return plan
    if full:
        for v in variables:
            plan = nested_induction(context, sequent, (v,), 2, rlimit)
            if plan is not None and plan.complete:
                return plan
    return None


def nested_induction(
    context: ProverContext,
    sequent: Sequent,
    order: tuple[Term, ...],
    depth: int,
    rlimit: int | None = None,
    keep: bool = False,
) -> Plan | None:
    """Induction on the first variable; a case that does not close by a query is inducted on with the rest.

    With ``keep`` the cases that did not close are left open in the plan; otherwise None as soon as one fails.
    """
    on, rest = order[0], order[1:]
    scheme = StructuralInduction(on.name, general_variables(sequent, on), depth)
    try:
        cases = instances(sequent, scheme, context.signature)
    except SchemeError:
        return None
    began = time.monotonic()
    name = "structural-induction" if depth == 1 else f"structural-induction-{depth}"
    detail = " ".join(v.name for v in order)
    children: list[Plan] = []
    for case in cases:
        closed = close_goal(context, case, rlimit)
        if closed is None:
            again = tuple(v for v in rest if v in case.vars)
            closed = nested_induction(context, case, again, depth, rlimit) if again else None
        if closed is None and not keep:
            context.note_open(sequent, name, detail, [case], len(cases), began)
            return None
        children.append(closed or Plan(case))
    context.note_open(sequent, name, detail, [c.sequent for c in children if not c.complete], len(cases), began)
    return Plan(sequent, scheme, tuple(children), name, detail)


def by_cases(
    context: ProverContext,
    sequent: Sequent,
    scheme: Scheme,
    close: Callable[[Sequent], Plan | None],
    strategy: str,
    detail: str = "",
    *,
    backwards: bool = False,
) -> Plan | None:
    """The goal by a scheme; None when it does not apply or ``close`` leaves a case open.

    ``backwards``: the last case first.
    """
    try:
        cases = instances(sequent, scheme, context.signature)
    except SchemeError:
        return None
    children: list[Plan] = []
    for case in reversed(cases) if backwards else cases:
        closed = close(case)
        if closed is None:
            return None
        children.append(closed)
    return Plan(sequent, scheme, tuple(reversed(children) if backwards else children), strategy, detail)


def constructor_split(context: ProverContext, sequent: Sequent, on: Term) -> Plan:
    """Case distinction on the constructor of ``on``; cases that do not close stay open."""
    began = time.monotonic()
    scheme = ConstructorSplit(on.name)
    cases = instances(sequent, scheme, context.signature)
    children = tuple(close_goal(context, case) or Plan(case) for case in cases)
    still_open = [child.sequent for child in children if not child.complete]
    context.note_open(sequent, "case-split", on.name, still_open, len(cases), began)
    return Plan(sequent, scheme, children, "case-split", on.name)


def general_variables(sequent: Sequent, on: Term) -> tuple[str, ...]:
    """All variables but those that an induction hypothesis speaks of: they stem from an outer induction."""
    return general_beside(sequent, (on,))


def general_beside(sequent: Sequent, terms: tuple[Term, ...]) -> tuple[str, ...]:
    """The same, without the variables of ``terms``."""
    fixed = frozenset[Term]().union(*[t.free for t in terms], *[h.free for h in sequent.hyps if h.kind is Kind.FORALL])
    return tuple(v.name for v in sequent.vars if v not in fixed)


def induction_variables(context: ProverContext, sequent: Sequent) -> list[Term]:
    """Datatype variables worth an induction, those in positions that functions recurse on first."""
    score: dict[Term, int] = {v: 0 for v in sequent.vars if context.signature.datatype(v.sort) is not None}
    for part in (sequent.concl, *sequent.hyps):
        for term in _plain_subterms(part):
            for position, argument in enumerate(term.args):
                if argument in score:
                    score[argument] += 2 if context.shape.recurses_on(term.name, position) else 1
    useful = [v for v in score if score[v] > 0]
    return sorted(useful, key=lambda v: -score[v])[:MAX_VARIABLES]


def _plain_subterms(term: Term) -> Iterator[Term]:
    return (t for t in subterms(term) if t.kind is Kind.APP)
