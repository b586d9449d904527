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
from goedels_poetry.languages.smt.engine.context import DIRECT, INCREMENTAL, Workbench
from goedels_poetry.languages.smt.engine.refutation.falsify import MODEL, QUICK, counterexample
from goedels_poetry.solvers import Limits, Z3Process

EVALUATED = "the definition is consistent; the counterexample makes only calls that come to an end"
"""What is left to assume when values are computed by definitions that are not shown to be well-founded."""

PATIENCE = 3
"""How much more work goes into a counterexample where functions perhaps loop: proofs are few there."""


@dataclass(frozen=True)
class Judgement:
    """``verdict`` is ``open`` (go and search), ``refuted``, ``inconsistent`` or ``unknown``, with its evidence."""

    verdict: str
    reason: str = ""
    core: tuple[str, ...] = ()
    counterexample: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    refuted_by: str = ""
    assumptions: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


def judge(bench: Workbench, assume_definitions: bool = False) -> Judgement:
    """Look at a problem as a whole."""
    problem = bench.problem
    doubtful = [f"{', '.join(t.group)}: {t.reason}" for t in bench.terminations if not t.ok]
    open_definitions = undefined_recursions(bench)
    work = PATIENCE * QUICK if open_definitions else QUICK
    rlimit = PATIENCE * MODEL if open_definitions else MODEL
    found = None if idle_recursions(bench) else counterexample(problem, bench.seed, work, rlimit)
    if found is not None:
        shown = found.shown(problem.signature)
        assumed = tuple(f"{EVALUATED}: {d}" for d in doubtful)
        reason = f"false for {shown['text']}"
        return Judgement("refuted", reason, (), shown, "counterexample", assumed, found.evidence())
    assumptions: tuple[str, ...] = ()
    if open_definitions:
        reason = "; ".join(open_definitions)
        if not assume_definitions:
            return Judgement("unknown", f"not shown to be well-founded: {reason}")
        assumptions = tuple(f"the definition is consistent: {d}" for d in open_definitions)
    if problem.premises:
        core = contradictory_premises(bench)
        if core:
            return Judgement("inconsistent", "the premises contradict each other", core, assumptions=assumptions)
    denied = Sequent((), (), not_(problem.goal))
    quantified = any(t.binders for part in _parts(problem) for t in subterms(part))
    if bench.holds(denied, Query(), DIRECT // 2) or (quantified and bench.by_models(denied) is not None):
        return Judgement("refuted", "the premises entail the negated goal", (), {}, "negation", assumptions=assumptions)
    return Judgement("open", assumptions=assumptions)


def _parts(problem: Problem) -> tuple[Term, ...]:
    """What is left of the goal without its outer variables."""
    goal = sequent_of(problem.goal, problem.signature.names)
    return (*goal.hyps, goal.concl)


def undefined_recursions(bench: Workbench) -> list[str]:
    """Recursive definitions that cannot be shown to be well-founded, each with the reason."""
    guarded = bench.problem.measures.keys()
    return [f"{', '.join(t.group)}: {t.reason}" for t in bench.terminations if not t.ok and not guarded >= set(t.group)]


def idle_recursions(bench: Workbench) -> bool:
    """Whether there is a recursive definition that has perhaps no solution, and that the theorem does not rest on."""
    rests_on = reached(bench.signature, [bench.problem.goal, *[p.formula for p in bench.problem.premises]])
    return any(not t.ok and rests_on.isdisjoint(t.group) for t in bench.terminations)


def contradictory_premises(bench: Workbench) -> tuple[str, ...]:
    """Names of premises that cannot hold together, as few as easily found; empty when none were shown."""
    problem = bench.problem

    def contradict(names: set[str]) -> bool:
        some = replace(problem, premises=tuple(p for p in problem.premises if p.name in names))
        lines = Context(some).prelude()
        with Z3Process() as z3:
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
