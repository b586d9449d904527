"""Lemmas that come with a theorem: proved in order before the goal, and known to it; those that fail are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.faults import InvalidText, SchemeError
from goedels_poetry.kernel.inductions import MeasureInduction, RecursionInduction, StructuralInduction
from goedels_poetry.kernel.reading.parser import parse_term
from goedels_poetry.kernel.schemas import Scheme
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import BOOL, Term
from goedels_poetry.protocol.trials import HINT, Status
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.context.attempts import close_goal, sketch_json, with_lemmas
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import GROUND, MODEL_SECONDS, PATIENT, OutOfTime
from goedels_poetry.smt.induction.descent import descents
from goedels_poetry.smt.induction.recursion import recursion_schemes
from goedels_poetry.smt.induction.structural import by_cases
from goedels_poetry.smt.jobs.guided import at_once, closed_by_query
from goedels_poetry.smt.jobs.proposals import RULE_NAMES
from goedels_poetry.smt.jobs.reading import BadProposal
from goedels_poetry.smt.jobs.rules import read_rule
from goedels_poetry.smt.notation.text import scheme_to_json
from goedels_poetry.smt.refutation.refute import show_assignment
from goedels_poetry.smt.rewriting.plan import Plan, detail_of, key_of, leaf
from goedels_poetry.smt.rewriting.statements import apart
from goedels_poetry.smt.search.search import Sketcher

Json = dict[str, Any]

TESTS = 150
PART, SECONDS = 0.3, 12.0
"""Of the time that is left, for one lemma, and at most so many seconds."""


def by_hints(context: ProverContext, sketcher: Sketcher, goal: Sequent, hints: Iterable[Json]) -> Json | None:
    """Prove the lemmas as far as they go, each known to those after it; a sketch of the goal where it follows.

    Lemmas that are neither proved nor false stay open goals of the sketch, where it needs them.
    """
    library = sketcher.library
    unproved: dict[str, Sequent] = {}
    for hint in hints:
        with suppress(InvalidText):  # of something that the goal does not speak of
            lemma = _read(context, hint["formula"])
            if lemma.key is not goal.key and not _is_false(context, lemma, hint):
                proved = library.establish(lemma, partial(_proof, library, hint))
                status, result = (Status.PROVED, "proved") if proved else (Status.REJECTED, _unproved(context, hint))
                if hint["line"]:
                    context.trials.tried(_name(hint), status, result, strategy=HINT)
                if hint["says"] and not proved:
                    unproved[key_of(lemma)] = lemma
    plan = close_goal(context, goal)
    if plan is None and unproved:
        for lemma in unproved.values():
            context.add_lemma(lemma)
        plan = close_goal(context, goal)
    if plan is None:
        return None
    plans = {**library.plans, **{key: Plan(lemma) for key, lemma in unproved.items()}}
    sketch = sketch_json(with_lemmas(context, replace(plan, strategy="hints"), plans))
    for position, child in enumerate(sketch["children"]):
        if "candidate" not in child and "sketch" not in child:
            child["waits_for"] = list(range(position))
    return sketch


def _read(context: ProverContext, text: str) -> Sequent:
    return sequent_of(parse_term(text, context.signature, (), BOOL), context.signature.names)


def _kept(context: ProverContext, hint: Json) -> Iterator[Sequent]:
    """What is to hold for a round to keep the invariant; nothing of what the goal does not speak of."""
    for text in hint.get("kept", ()):
        with suppress(InvalidText):
            yield _read(context, text)


def _proof(library: Library, hint: Json, context: ProverContext, lemma: Sequent) -> Plan | None:
    with suppress(OutOfTime), context.budget.part(1.0):
        context.budget.set_deadline(min(SECONDS, PART * context.budget.seconds_left()))
        return _along(context, library, lemma, hint) if "along" in hint else _plainly(context, lemma, hint)
    return None


def _plainly(context: ProverContext, lemma: Sequent, hint: Json) -> Plan | None:
    rule = None
    if hint.get("measure"):
        with suppress(BadProposal, SchemeError):
            rule = read_rule(context.problem, lemma, {"induction": {"measure": hint["measure"]}}, [])
    return at_once(context, lemma, rule)[0]


def _along(context: ProverContext, library: Library, lemma: Sequent, hint: Json) -> Plan | None:
    """A statement about each state of a loop by induction along its rounds, each of which keeps the invariant."""
    kept = []
    for fact in _kept(context, hint):
        if library.establish(fact, closed_by_query):
            kept.append(apart(fact, context.reserved))

    def close(case: Sequent) -> Plan | None:
        own = {v.name: v for v in case.vars}
        at = [Instance("step", key_of(f), tuple(own[v.name] for v in f.vars)) for f in kept if own.keys() >= names(f)]
        cites = tuple(dict.fromkeys(i.name for i in at))
        for unfolded in ((), *context.unfolder.unfoldings(case, (1,))):
            query = Query(cites, (*unfolded, *at), equations=False, quantified=False)
            if context.holds_alone(case, query, GROUND, MODEL_SECONDS):
                return leaf(case, query)
        return close_goal(context, case, PATIENT)

    def names(fact: Sequent) -> set[str]:
        return {v.name for v in fact.vars}

    for scheme in _schemes(context, lemma, hint):
        plan = by_cases(context, lemma, scheme, close, RULE_NAMES[scheme_to_json(scheme)["kind"]], detail_of(scheme))
        if plan is not None:
            return plan
    return at_once(context, lemma, None)[0] if hint["says"] else None


def _schemes(context: ProverContext, lemma: Sequent, hint: Json) -> Iterator[Scheme]:
    """Inductions along the rounds of a loop: on the measure, along a function, on what is gone over."""

    def read(text: str) -> Term:
        return parse_term(text, context.signature, lemma.vars)

    with suppress(InvalidText):
        after = hint.get("again", {})
        again = tuple(read(after[v.name]) if v.name in after else v for v in lemma.vars)
        if hint.get("on"):
            yield StructuralInduction(hint["on"], tuple(v.name for v in lemma.vars if v.name != hint["on"]))
        if hint.get("measure"):
            yield MeasureInduction(read(hint["measure"]), (again,) if after else ())
        for function in hint["along"] if "at" in hint else ():
            with suppress(InvalidText):  # of a variable that the lemma does not have
                yield RecursionInduction(function, tuple(map(read, hint["at"])))
        for scheme in recursion_schemes(context, lemma):
            if scheme.function in hint["along"]:
                yield scheme
        for descent in descents(context, lemma) if after else ():
            yield replace(descent, at=(again,))
        for variable, new in zip(lemma.vars, again, strict=True):
            if new is not variable and context.signature.datatype(variable.sort) is not None:
                yield StructuralInduction(variable.name, tuple(v.name for v in lemma.vars if v is not variable))


def _is_false(context: ProverContext, lemma: Sequent, hint: Json) -> bool:
    values = context.refutes(lemma, TESTS)
    if values is not None and hint["line"]:
        shown = show_assignment(context.signature, values)["text"]
        why = f"it does not give the contract from {shown}" if "kept" in hint else f"false for {shown}"
        context.trials.tried(_name(hint), Status.REFUTED, why, strategy=HINT)
    return values is not None


def _unproved(context: ProverContext, hint: Json) -> str:
    """Why a lemma is not proved: a state from which a round does not keep the invariant, where there is one."""
    for fact in _kept(context, hint):
        values = context.refutes(fact, TESTS)
        if values is not None:
            shown = show_assignment(context.signature, values)["text"]
            return f"a round does not keep it from {shown}"
    return "holds in every test, and is not proved"


def _name(hint: Json) -> str:
    return f"line {hint['line']}: {hint['says']}"
