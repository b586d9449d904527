"""Lemmas that come with a theorem: proved in order before the goal, and known to it; those that fail are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from goedels_poetry.kernel.faults import InvalidText, SchemeError
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.reading.parser import parse_term
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import BOOL
from goedels_poetry.protocol.trials import Status
from goedels_poetry.smt.conjecture.loops import LoopStatement
from goedels_poetry.smt.context.attempts import close_goal, sketch_json, with_lemmas
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import OutOfTime
from goedels_poetry.smt.jobs.guided import at_once
from goedels_poetry.smt.jobs.reading import BadProposal
from goedels_poetry.smt.jobs.rules import Rule, read_rule
from goedels_poetry.smt.refutation.refute import show_assignment
from goedels_poetry.smt.rewriting.plan import Plan, key_of
from goedels_poetry.smt.search.search import Sketcher

Json = dict[str, Any]

TESTS = 150
PART = 0.2
"""Of the time that is left, for one lemma."""


def by_hints(context: ProverContext, sketcher: Sketcher, goal: Sequent, hints: Iterable[Json]) -> Json | None:
    """Prove the lemmas as far as they go, each known to those after it; a sketch of the goal where it follows.

    Lemmas that are neither proved nor false stay open goals of the sketch, where it needs them.
    """
    unproved: dict[str, Sequent] = {}
    for hint in hints:
        with suppress(InvalidText):  # of something that the goal does not speak of
            lemma = sequent_of(parse_term(hint["formula"], context.signature, (), BOOL), context.signature.names)
            if lemma.key is not goal.key and not _is_false(context, lemma, hint):
                proved = sketcher.library.establish(lemma, lambda c, fact, hint=hint: _proof(c, fact, hint))
                status, result = (Status.PROVED, "proved") if proved else (Status.FAILED, _unproved(context, hint))
                context.trials.tried(_name(hint), status, result, strategy="hint")
                if not proved:
                    unproved[key_of(lemma)] = lemma
    plan = close_goal(context, goal)
    if plan is None and unproved:
        for lemma in unproved.values():
            context.add_lemma(lemma)
        plan = close_goal(context, goal)
    if plan is None:
        return None
    plans = {**sketcher.library.plans, **{key: Plan(lemma) for key, lemma in unproved.items()}}
    sketch = sketch_json(with_lemmas(context, replace(plan, strategy="hints"), plans))
    for position, child in enumerate(sketch["children"]):
        if "candidate" not in child and "sketch" not in child:
            child["waits_for"] = list(range(position))
    return sketch


def _proof(context: ProverContext, lemma: Sequent, hint: Json) -> Plan | None:
    with suppress(OutOfTime), context.budget.part(PART):
        plan, _ = at_once(context, lemma, _rule(context, lemma, hint))
        if plan is None and hint.get("along"):
            plan = LoopStatement(lemma, frozenset(hint["along"]), {}).proof(context)
        return plan
    return None


def _rule(context: ProverContext, lemma: Sequent, hint: Json) -> Rule | None:
    if hint.get("measure"):
        with suppress(BadProposal, SchemeError):
            return read_rule(context.problem, lemma, {"induction": {"measure": hint["measure"]}}, [])
    return None


def _is_false(context: ProverContext, lemma: Sequent, hint: Json) -> bool:
    values = context.refutes(lemma, TESTS)
    if values is not None:
        shown = show_assignment(context.signature, values)["text"]
        context.trials.tried(_name(hint), Status.REFUTED, _unproved(context, hint) or f"false for {shown}", strategy="hint")
    return values is not None


def _unproved(context: ProverContext, hint: Json) -> str:
    """Why an invariant does not hold: a state from which a round does not keep it."""
    return ""


def _name(hint: Json) -> str:
    return f"line {hint['line']}: {hint['says']}"
