"""Are the premises consistent? A proof from contradictory premises is worth nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from goedels_poetry.checker.replay import CVC5_OPTIONS, Z3_OPTIONS, Solvers
from goedels_poetry.languages.smt.derivation import Query
from goedels_poetry.languages.smt.evaluate import Evaluator
from goedels_poetry.languages.smt.obligations import Context
from goedels_poetry.languages.smt.reach import reached
from goedels_poetry.languages.smt.sequent import Sequent, sequent_of
from goedels_poetry.languages.smt.terms import FALSE, alpha, symbols
from goedels_poetry.solvers import Limits

_PREMISE = re.compile(r"premise\.([0-9]+)")
SECONDS = 0.7
"""For each attempt to show that the premises are contradictory, or that they are not."""
NOTE_RLIMIT = 500_000
NOT_SHOWN = "consistency of the premises not shown"


@dataclass(frozen=True)
class Consistency:
    """``consistent``: shown to be so (True), shown to be contradictory (False, with the core), or not known."""

    consistent: bool | None
    core: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def consistency(
    context: Context,
    solvers: Solvers,
    terminating: bool,
    derived: Iterable[Sequent] = (),
    theorems: Iterable[str] = (),
) -> Consistency:
    """Whether premises and definitions have a model.

    Without premises there is nothing to ask: sorts and inductive datatypes have a standard model, declared functions
    may be anything in it, and definitions by well-founded recursion (``terminating``) extend it in exactly one way.
    The same holds when the premises only define functions, see `_define_only`, or are ``theorems``: shown to follow
    from definitions alone.

    ``derived`` are the proven steps: what only an induction shows to contradict the premises is seen with their help.
    """
    if terminating and _define_only(context, frozenset(theorems)):
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
    followed = "\n".join((with_equations, *map(context.citation, derived)))
    if solvers.first.ask(followed, limits, options=Z3_OPTIONS[0]).status == "unsat":
        return Consistency(False, tuple(p.name for p in context.problem.premises))
    if not terminating:
        return Consistency(None, notes=("consistency of the definitions not shown",))
    if context.guards:  # a proof under guards rests on less than the definitions; and z3 finds models of endless ones
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


def _define_only(context: Context, theorems: frozenset[str]) -> bool:
    """Whether each premise is one of the ``theorems``, or an equation ``forall xs. f(patterns) = t`` that the evaluator
    reads as a definition.

    Such equations never apply to the same arguments and do not lead back to ``f``, and the declared functions that
    their patterns are made of can be interpreted as distinct and injective: so there is a model. (Not so when they
    lead back by way of a measure, which the evaluator knows nothing of.)
    """
    premises = context.problem.premises
    defining = Evaluator(context.signature, premises).defining
    if not {p.name for p in premises} <= defining | theorems:
        return False
    # where a definition holds depends on its measure, so no premise may lead from what that rests on to the definition
    measures = reached(context.signature, [term for terms in context.problem.measures.values() for term in terms])
    rules = [p.formula for p in premises if p.name in defining]
    led_to = reached(context.signature, rules)
    return not (context.guards.keys() & led_to and any(measures & symbols(rule) for rule in rules))


def _core(context: Context, output: str) -> tuple[str, ...]:
    numbers = sorted({int(n) for n in _PREMISE.findall(output)})
    premises = context.problem.premises
    return tuple(premises[n].name for n in numbers if n < len(premises))


def goal_notes(context: Context, solvers: Solvers) -> list[str]:
    """Notes when the goal is one of the premises, or holds only because its own hypotheses contradict each other."""
    wanted = alpha(context.problem.goal)
    same = [p.name for p in context.problem.premises if alpha(p.formula) is wanted]
    return [f"the goal is assumed: it is the premise {name}" for name in same] + _hypotheses_note(context, solvers)


def _hypotheses_note(context: Context, solvers: Solvers) -> list[str]:
    goal = sequent_of(context.problem.goal, context.encoding.names)
    if not goal.hyps or goal.concl is FALSE:
        return []
    nothing = Sequent(goal.vars, goal.hyps, FALSE)
    script = context.script_of(nothing, Query(), {})
    limits = Limits(NOTE_RLIMIT, min(SECONDS, solvers.limits.seconds), solvers.limits.memory_mb)
    if solvers.first.ask(script, limits, options=Z3_OPTIONS[0]).status == "unsat":
        return ["vacuous: the goal's own hypotheses contradict each other, so its conclusion plays no part"]
    return []
