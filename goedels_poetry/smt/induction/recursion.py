"""Induction along the recursion of a function: which calls of the goal give a hypothesis where it is needed.

Structural induction has its hypothesis at the fields of a constructor. A function that calls itself on something else
(``filter p xs`` for ``xs``, two arguments in turn, two elements at a time) wants it there.

Boyer and Moore ("A Computational Logic", 1979) let the terms of the goal suggest its inductions and prefer those that
many suggest; the rule is the functional induction of Krauss, "Partial Recursive Functions in Higher-Order Logic", 2006.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import RecursionInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Term, subterms
from goedels_poetry.smt.context.attempts import close_goal
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.structural import by_cases, general_beside, induction_variables, nested_induction
from goedels_poetry.smt.rewriting.plan import Plan

MAX_CALLS = 4
"""Different inductions of one goal."""


def recursion_schemes(context: ProverContext, sequent: Sequent, *, full: bool = True) -> list[RecursionInduction]:
    """Inductions along the calls of the goal, the likeliest first: those that the most calls agree on.

    ``full``: also with all other variables fixed, which keeps the hypotheses free of quantifiers.
    """
    votes: dict[tuple[str, tuple[Term, ...]], int] = {}
    for part in (sequent.concl, *sequent.hyps):
        if part.binders:
            continue
        for call in subterms(part):
            recursion = context.recursions.get(call.name) if call.kind is Kind.APP else None
            if (
                recursion is None
                or not recursion.total
                or recursion.structural
                or not call.free <= frozenset(sequent.vars)
            ):
                continue
            if all(call.args[i].kind is Kind.VAR for i in recursion.changed):
                votes[call.name, call.args] = 1 + sum(
                    other.kind is Kind.VAR and other in t.args
                    for t in subterms(part)
                    for other in (call.args[i] for i in recursion.changed)
                )
    schemes: list[RecursionInduction] = []
    for function, at in sorted(votes, key=lambda c: -votes[c])[:MAX_CALLS]:
        general = general_beside(sequent, at)
        schemes.append(RecursionInduction(function, at, general))
        if general and full:
            schemes.append(RecursionInduction(function, at, ()))
    return schemes


def recursion_plans(
    context: ProverContext, sequent: Sequent, rlimit: int | None = None, *, full: bool = True
) -> Iterator[Plan]:
    """Plans by induction along a function all of whose cases the solver closes.

    A case that it does not close may be inducted on once more, in a variable that the hypothesis is general in.
    ``full``: all of `recursion_schemes`.
    """
    for scheme in recursion_schemes(context, sequent, full=full):
        plan = _along_function(context, sequent, scheme, rlimit)
        if plan is not None:
            yield plan


def _along_function(
    context: ProverContext, sequent: Sequent, scheme: RecursionInduction, rlimit: int | None
) -> Plan | None:
    """One induction along a function; None when a case stays open."""
    try:
        cases = instances(sequent, scheme, context.signature)
    except SchemeError:
        return None
    began = time.monotonic()
    detail = _detail(scheme)
    children: list[Plan] = []
    for case in cases:
        closed = close_goal(context, case, rlimit)
        if closed is None:
            again = [v for v in induction_variables(context, case) if v.name in scheme.general]
            tries = (nested_induction(context, case, (v,), 1, rlimit) for v in again)
            closed = next((plan for plan in tries if plan is not None), None)
        if closed is None:
            context.note_open(sequent, "recursion-induction", detail, [case], len(cases), began)
            return None
        children.append(closed)
    return Plan(sequent, scheme, tuple(children), "recursion-induction", detail)


def closed_along(
    context: ProverContext, sequent: Sequent, scheme: RecursionInduction, close: Callable[[Sequent], Plan | None]
) -> Plan | None:
    """One induction along a function whose cases are all closed by ``close``; None when one stays open."""
    return by_cases(context, sequent, scheme, close, "recursion-induction", _detail(scheme))


def _detail(scheme: RecursionInduction) -> str:
    return f"{scheme.function} {' '.join(map(show, scheme.at))} / {' '.join(scheme.general)}"
