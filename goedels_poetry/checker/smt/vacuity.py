"""Have premises and definitions a model? A proof from what contradicts itself is worth nothing, and so is a refutation.

A definition that is not shown to terminate counts like a premise here: it may be all that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from goedels_poetry.checker.smt.portfolio import CVC5_OPTIONS, Z3_OPTIONS, Solvers
from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.problem import Definition, reached
from goedels_poetry.kernel.refutation.rules import read_rules
from goedels_poetry.kernel.refutation.theory import for_models, named_premises
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import BOOL, FALSE, Term, alpha, app, symbols
from goedels_poetry.solvers.limits import Limits

_NAMED = re.compile(r"(premise|definition)\.([0-9]+)")
SECONDS = 0.7
"""For each attempt to show that the premises are contradictory, or that they are not."""
NOTE_RLIMIT = 500_000
NOT_SHOWN = "consistency of the premises not shown"


MAX_LEFT_OUT = 12
"""Members of a core that are tried without, one after the other."""


@dataclass(frozen=True)
class Consistency:
    """``consistent``: shown to be so (True), shown to be contradictory (False), or not known.

    ``core`` are the premises of the contradiction, ``definitions`` the functions whose definitions are part of it.
    """

    consistent: bool | None
    core: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()


def consistency(
    context: Context,
    solvers: Solvers,
    terminating: bool,
    derived: Iterable[Sequent] = (),
    theorems: Iterable[str] = (),
    doubtful: Iterable[str] = (),
) -> Consistency:
    """Whether premises and definitions have a model.

    Without premises there is nothing to ask: sorts and inductive datatypes have a standard model, declared functions
    may be anything in it, and definitions by well-founded recursion (``terminating``) extend it in exactly one way.
    The same holds when the premises only define functions, see `_define_only`, or are ``theorems``: shown to follow
    from definitions alone.

    ``derived`` are the proven steps: what only an induction shows to contradict the premises is seen with their help.
    ``doubtful`` are the functions whose definitions are not shown to terminate, also those that a proof uses under a
    guard: for all that is said here they count as the theorem has them.
    """
    doubted, settled = tuple(doubtful), frozenset(theorems)
    if terminating and not doubted and _define_only(context, settled):
        return Consistency(True)
    limits = Limits(solvers.limits.rlimit, min(SECONDS, solvers.limits.seconds), solvers.limits.memory_mb)
    theory = _Theory(context, doubted, terminating)
    found = _contradiction(theory, solvers, limits)
    if found is not None:
        return found
    followed = "\n".join((theory.script(theory.members), *map(context.citation, derived)))
    if solvers.first.ask(followed, limits, options=Z3_OPTIONS[0]).status == "unsat":
        return theory.at_fault(theory.members)
    if terminating and _define_only(context, settled):
        return Consistency(True)
    whole = _whole(context)
    if not terminating:
        return Consistency(None, notes=("consistency of the definitions not shown",))
    if context.guards:  # a proof under guards rests on less than the definitions; and z3 finds models of endless ones
        return Consistency(None, notes=(NOT_SHOWN,))
    answer = solvers.first.ask(whole, limits)
    if answer.status == "unsat":
        return theory.at_fault(_members(solvers.first.ask(whole, limits, "core").output))
    if answer.status == "sat":
        return Consistency(True)
    if solvers.second is not None:
        for options in (CVC5_OPTIONS[0], {"finite-model-find": "true"}):
            answer = solvers.second.ask(whole, limits, options=options)
            if answer.status == "sat":
                return Consistency(True)
    return Consistency(None, notes=(NOT_SHOWN,))


def _whole(context: Context) -> str:
    """The premises and the definitions that they rest on, as a script of which ``sat`` says that it has a model.

    The other definitions have exactly one meaning in whatever satisfies it, for they terminate.
    """
    rests_on = reached(context.signature, [p.formula for p in context.problem.premises])
    named = [d.name for d in context.signature.definitions]
    safe = context.encoding.signature()  # the same definitions, in the same order
    left = tuple(d for name, d in zip(named, safe.definitions, strict=True) if name in rests_on)
    return "\n".join(("(set-logic ALL)", *for_models(replace(safe, definitions=left)), *named_premises(context)))


def _define_only(context: Context, theorems: frozenset[str]) -> bool:
    """Whether each premise is one of the ``theorems``, or an equation ``forall xs. f(patterns) = t`` that the evaluator
    reads as a definition.

    Such equations never apply to the same arguments and do not lead back to ``f``, and the declared functions that
    their patterns are made of can be interpreted as distinct and injective: so there is a model. (Not so when they
    lead back by way of a measure, which the evaluator knows nothing of.)
    """
    premises = context.problem.premises
    defining = read_rules(context.signature, premises, circular=False).defining
    if not {p.name for p in premises} <= defining | theorems:
        return False
    # where a definition holds depends on its measure, so no premise may lead from what that rests on to the definition
    measures = reached(context.signature, [term for terms in context.problem.measures.values() for term in terms])
    rules = [p.formula for p in premises if p.name in defining]
    led_to = reached(context.signature, rules)
    return not (context.guards.keys() & led_to and any(measures & symbols(rule) for rule in rules))


Member: TypeAlias = tuple[str, int]
"""A premise or a definition, by its number."""


class _Theory:
    """Premises and definitions as a solver is asked about them: the premises and the definitions in doubt by name."""

    def __init__(self, context: Context, doubtful: tuple[str, ...], terminating: bool) -> None:
        self._context = context
        names = [d.name for d in context.signature.definitions]
        self._premises = named_premises(context)
        self._definitions = {i: _named_definition(context, i) for i, name in enumerate(names) if name in doubtful}
        given = [e for e in context.equations if e.function in names and e.function not in doubtful]
        usable = [e for e in given if not terminating or context.is_safe_to_unfold(e)]
        self._given = (*context.declarations, *map(context.assert_equation, usable))
        self.members: tuple[Member, ...] = (
            *[("definition", i) for i in self._definitions],
            *[("premise", i) for i in range(len(self._premises))],
        )

    def script(self, members: Iterable[Member]) -> str:
        """What is asked about some of the members."""
        named = [self._definitions[i] if kind == "definition" else self._premises[i] for kind, i in members]
        return "\n".join((*self._given, *named))

    def at_fault(self, members: Iterable[Member]) -> Consistency:
        """The answer that these contradict each other."""
        core = set(members)
        problem = self._context.problem
        premises = tuple(p.name for i, p in enumerate(problem.premises) if ("premise", i) in core)
        definitions = tuple(
            d.name for i, d in enumerate(self._context.signature.definitions) if ("definition", i) in core
        )
        return Consistency(False, premises, definitions=definitions)


def _named_definition(context: Context, number: int) -> str:
    """A definition as the theorem has it, without a guard, as an assertion named ``definition.0`` and so on."""
    definition = context.signature.definitions[number]
    equation = equation_of(definition)
    text = context.quantified(definition.params, equation, (equation.args[0],))
    return f"(assert (! {text} :named definition.{number}))"


def equation_of(definition: Definition) -> Term:
    """``f(parameters) = body``."""
    return app("=", (app(definition.name, definition.params, definition.sort), definition.body), BOOL)


def definitions_at_fault(context: Context, solvers: Solvers, doubtful: Iterable[str]) -> Consistency | None:
    """Which of the definitions (and premises) contradict each other, if a solver sees that they do."""
    limits = Limits(solvers.limits.rlimit, min(SECONDS, solvers.limits.seconds), solvers.limits.memory_mb)
    return _contradiction(_Theory(context, tuple(doubtful), False), solvers, limits)


def _contradiction(theory: _Theory, solvers: Solvers, limits: Limits) -> Consistency | None:
    for options in Z3_OPTIONS:
        answer = solvers.first.ask(theory.script(theory.members), limits, "core", options)
        if answer.status == "unsat":
            core = [m for m in theory.members if m in _members(answer.output)]
            for member in core[:MAX_LEFT_OUT] if len(core) > 1 else ():
                fewer = [m for m in core if m != member]
                if solvers.first.ask(theory.script(fewer), limits, options=options).status == "unsat":
                    core = fewer
            return theory.at_fault(core)
    return None


def _members(output: str) -> set[Member]:
    return {(kind, int(number)) for kind, number in _NAMED.findall(output)}


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
