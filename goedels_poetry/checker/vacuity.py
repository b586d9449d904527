"""Are the premises consistent? A proof from contradictory premises is worth nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from goedels_poetry.checker.replay import CVC5_OPTIONS, Z3_OPTIONS, Solvers
from goedels_poetry.languages.smt.derivation import Query
from goedels_poetry.languages.smt.obligations import Context
from goedels_poetry.languages.smt.sequent import Sequent, sequent_of
from goedels_poetry.languages.smt.terms import FALSE
from goedels_poetry.solvers import Limits

_PREMISE = re.compile(r"premise\.([0-9]+)")
SECONDS = 5.0
NOT_SHOWN = "consistency of the premises not shown"


@dataclass(frozen=True)
class Consistency:
    """``consistent``: shown to be so (True), shown to be contradictory (False, with the core), or not known."""

    consistent: bool | None
    core: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def consistency(context: Context, solvers: Solvers, terminating: bool) -> Consistency:
    """Whether premises and definitions have a model.

    Without premises there is nothing to ask: sorts and inductive datatypes have a standard model, declared functions
    may be anything in it, and definitions by well-founded recursion (``terminating``) extend it in exactly one way.
    """
    if not context.problem.premises and terminating:
        return Consistency(True)
    limits = Limits(solvers.limits.rlimit, min(SECONDS, solvers.limits.seconds), solvers.limits.memory_mb)
    named = context.named_premises()
    equations = () if terminating else context.every_equation
    with_equations = "\n".join((*context.prelude(terminating, premises=False), *equations, *named))
    with_definitions = "\n".join((*context.definitions, *named))
    for options in Z3_OPTIONS:
        answer = solvers.first.ask(with_equations, limits, "core", options)
        if answer.status == "unsat":
            return Consistency(False, _core(context, answer.output))
    if not terminating:
        return Consistency(None, notes=(NOT_SHOWN,))
    answer = solvers.first.ask(with_definitions, limits)
    if answer.status == "unsat":
        return Consistency(False, _core(context, solvers.first.ask(with_definitions, limits, "core").output))
    if answer.status == "sat":
        return Consistency(True)
    if solvers.second is not None:
        for options in (CVC5_OPTIONS[0], {"finite-model-find": "true"}):
            answer = solvers.second.ask(with_definitions, limits, options=options)
            if answer.status == "sat":
                return Consistency(True)
    return Consistency(None, notes=(NOT_SHOWN,))


def _core(context: Context, output: str) -> tuple[str, ...]:
    numbers = sorted({int(n) for n in _PREMISE.findall(output)})
    premises = context.problem.premises
    return tuple(premises[n].name for n in numbers if n < len(premises))


def hypotheses_note(context: Context, solvers: Solvers) -> list[str]:
    """A note when the goal holds only because its own hypotheses contradict each other."""
    goal = sequent_of(context.problem.goal, context.encoding.names)
    if not goal.hyps or goal.concl is FALSE:
        return []
    nothing = Sequent(goal.vars, goal.hyps, FALSE)
    script = context.script_of(nothing, Query(), {})
    limits = Limits(solvers.limits.rlimit, min(SECONDS, solvers.limits.seconds), solvers.limits.memory_mb)
    if solvers.first.ask(script, limits, options=Z3_OPTIONS[0]).status == "unsat":
        return ["vacuous: the goal's own hypotheses contradict each other, so its conclusion plays no part"]
    return []
