"""Before any search: is the goal false outright, are the premises contradictory, do the definitions mean anything?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reach import reached
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import Term, not_, subterms
from goedels_poetry.smt.context.attempts import query_by_models
from goedels_poetry.smt.context.limits import DIRECT, INCREMENTAL
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.preflight.falsify import MODEL, QUICK, counterexample
from goedels_poetry.smt.preflight.interpret import interpreted_counterexample
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.spare import borrowed

EVALUATED = "the definition is consistent; the counterexample makes only calls that come to an end"
"""What is left to assume when values are computed by definitions that are not shown to be well-founded."""

PATIENCE = 3
"""How much more work goes into a counterexample where functions perhaps loop: proofs are few there."""


@dataclass(frozen=True)
class Report:
    """``verdict`` is ``open`` (go and search), ``refuted``, ``inconsistent`` or ``unknown``, with its evidence."""

    verdict: str
    reason: str = ""
    core: tuple[str, ...] = ()
    counterexample: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    refuted_by: str = ""
    assumptions: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


def check_problem(context: ProverContext, assume_definitions: bool = False, text: str = "") -> Report:
    """Look at a problem as a whole. ``assume_definitions``: go on although some recursions are not known to end.

    ``text``: what it was read from; without it nothing is looked for that premises could be about.
    """
    problem = context.problem
    doubtful = [f"{', '.join(t.group)}: {t.reason}" for t in context.terminations if not t.ok]
    open_definitions = undefined_recursions(context)
    if not open_definitions:
        core = contradictory_premises(context) if problem.premises else ()
        if core:
            return Report("inconsistent", "the premises contradict each other", core)
        if context.closes_alone(sequent_of(problem.goal, problem.signature.names)):
            return Report("open")  # what is proved at once needs no attempt at a refutation
    work = PATIENCE * QUICK if open_definitions else QUICK
    rlimit = PATIENCE * MODEL if open_definitions else MODEL
    refutation = None if idle_recursions(context) else counterexample(problem, context.seed, work, rlimit)
    if refutation is not None:
        shown = refutation.shown(problem)
        assumed = tuple(f"{EVALUATED}: {d}" for d in doubtful)
        reason = f"false for {shown['text']}"
        return Report("refuted", reason, (), shown, "counterexample", assumed, refutation.evidence())
    assumptions: tuple[str, ...] = ()
    if open_definitions:
        reason = "; ".join(open_definitions)
        if not assume_definitions:
            return Report("unknown", f"not shown to be well-founded: {reason}")
        assumptions = tuple(f"the definition is consistent: {d}" for d in open_definitions)
        core = contradictory_premises(context) if problem.premises else ()
        if core:
            return Report("inconsistent", "the premises contradict each other", core, assumptions=assumptions)
    model = interpreted_counterexample(text, context.seed) if text and problem.premises and not doubtful else None
    if model is not None:
        shown = model.shown()
        return Report("refuted", f"false for {shown['text']}", (), shown, "counterexample", (), model.evidence())
    denied = Sequent((), (), not_(problem.goal))
    quantified = any(t.binders for part in _parts(problem) for t in subterms(part))
    if context.holds(denied, Query(), DIRECT // 2) or (quantified and query_by_models(context, denied) is not None):
        return Report("refuted", "the premises entail the negated goal", (), {}, "negation", assumptions=assumptions)
    return Report("open", assumptions=assumptions)


def _parts(problem: Problem) -> tuple[Term, ...]:
    """What is left of the goal without its outer variables."""
    goal = sequent_of(problem.goal, problem.signature.names)
    return (*goal.hyps, goal.concl)


def undefined_recursions(context: ProverContext) -> list[str]:
    """Recursive definitions that cannot be shown to be well-founded, each with the reason."""
    guarded = context.problem.measures.keys()
    return [
        f"{', '.join(t.group)}: {t.reason}" for t in context.terminations if not t.ok and not guarded >= set(t.group)
    ]


def idle_recursions(context: ProverContext) -> bool:
    """Whether there is a recursive definition that has perhaps no solution, and that the theorem does not rest on."""
    rests_on = reached(context.signature, [context.problem.goal, *[p.formula for p in context.problem.premises]])
    return any(not t.ok and rests_on.isdisjoint(t.group) for t in context.terminations)


def contradictory_premises(context: ProverContext) -> tuple[str, ...]:
    """Names of premises that cannot hold together, as few as easily found; empty when none were shown."""
    problem = context.problem

    def contradict(names: set[str]) -> bool:
        some = replace(problem, premises=tuple(p for p in problem.premises if p.name in names))
        lines = Context(some).prelude()
        with borrowed() as z3:
            answer = z3.ask("\n".join(lines), Limits(rlimit=2 * DIRECT, seconds=3.0), options=INCREMENTAL)
        return answer.status == "unsat"

    names = [p.name for p in problem.premises]
    if not contradict(set(names)):
        return ()
    for name in list(names):
        fewer = [n for n in names if n != name]
        if fewer and contradict(set(fewer)):
            names = fewer
    return tuple(names)
