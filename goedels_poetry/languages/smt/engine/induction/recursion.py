"""Induction along the recursion of a function: which calls of the goal give a hypothesis where it is needed.

Structural induction has its hypothesis at the fields of a constructor. A function that calls itself on something else
(``filter p xs`` for ``xs``, two arguments in turn, two elements at a time) wants it there.
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.kernel.schemas import RecursionInduction, SchemeError, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Term, subterms
from goedels_poetry.languages.smt.engine.context import Workbench
from goedels_poetry.languages.smt.engine.induction.induct import general_beside, induction_variables, nested_induction
from goedels_poetry.languages.smt.engine.plan import Plan

MAX_CALLS = 4
"""Different inductions of one goal."""


def recursion_schemes(bench: Workbench, sequent: Sequent, *, full: bool = True) -> list[RecursionInduction]:
    """Inductions along the calls of the goal, the likeliest first: those that the most calls agree on.

    ``full``: also with all other variables fixed, which keeps the hypotheses free of quantifiers.
    """
    votes: dict[tuple[str, tuple[Term, ...]], int] = {}
    for part in (sequent.concl, *sequent.hyps):
        if part.binders:
            continue
        for call in subterms(part):
            found = bench.recursions.get(call.name) if call.kind is Kind.APP else None
            if found is None or found.structural or not call.free <= frozenset(sequent.vars):
                continue
            if all(call.args[i].kind is Kind.VAR for i in found.changed):
                votes[call.name, call.args] = 1 + sum(
                    other.kind is Kind.VAR and other in t.args
                    for t in subterms(part)
                    for other in (call.args[i] for i in found.changed)
                )
    schemes: list[RecursionInduction] = []
    for function, at in sorted(votes, key=lambda c: -votes[c])[:MAX_CALLS]:
        general = general_beside(sequent, at)
        schemes.append(RecursionInduction(function, at, general))
        if general and full:
            schemes.append(RecursionInduction(function, at, ()))
    return schemes


def recursion_plans(
    bench: Workbench, sequent: Sequent, rlimit: int | None = None, *, full: bool = True, keep: bool = False
) -> Iterator[Plan]:
    """Plans by induction along a function all of whose cases the solver closes.

    A case that it does not close may be inducted on once more, in a variable that the hypothesis is general in.
    ``full``: all of `recursion_schemes`. ``keep``: plans with open cases, too.
    """
    for scheme in recursion_schemes(bench, sequent, full=full):
        plan = along_function(bench, sequent, scheme, rlimit, keep=keep)
        if plan is not None:
            yield plan


def along_function(
    bench: Workbench,
    sequent: Sequent,
    scheme: RecursionInduction,
    rlimit: int | None = None,
    *,
    keep: bool = False,
) -> Plan | None:
    """One induction along a function; None when a case stays open, unless ``keep``."""
    try:
        cases = instances(sequent, scheme, bench.signature)
    except SchemeError:
        return None
    children: list[Plan] = []
    for case in cases:
        closed = bench.closed(case, rlimit)
        if closed is None:
            again = [v for v in induction_variables(bench, case) if v.name in scheme.general]
            tries = (nested_induction(bench, case, (v,), 1, rlimit) for v in again)
            closed = next((plan for plan in tries if plan is not None), None)
        if closed is None and not keep:
            return None
        children.append(closed or Plan(case))
    detail = f"{scheme.function} {' '.join(map(repr, scheme.at))} / {' '.join(scheme.general)}"
    return Plan(sequent, scheme, tuple(children), "recursion-induction", detail)
