"""One goal, one induction: the first kind that the solver can close all cases of."""

from __future__ import annotations

from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.by_size import size_plans
from goedels_poetry.smt.induction.descent import descent_plans
from goedels_poetry.smt.induction.integers import integer_plans
from goedels_poetry.smt.induction.recursion import recursion_plans
from goedels_poetry.smt.induction.structural import structural_plans
from goedels_poetry.smt.rewriting.plan import Plan


def induction(context: ProverContext, sequent: Sequent, *, full: bool = True, rlimit: int | None = None) -> Plan | None:
    """The first induction all of whose cases the solver closes: structural, along a function, over an integer."""
    plan = structural_plans(context, sequent, full=full, rlimit=rlimit)
    if plan is None:
        plan = next(recursion_plans(context, sequent, rlimit, full=full), None)
    if plan is None and context.problem.measures:
        plan = next(descent_plans(context, sequent), None)
    if plan is None:
        plan = next(size_plans(context, sequent, rlimit), None)
    if plan is None and any(v.sort is INT for v in sequent.vars):
        plan = next((p for p in integer_plans(context, sequent, rlimit) if p.complete), None)
    return plan
