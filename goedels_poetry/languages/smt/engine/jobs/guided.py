"""How the lemmas of a language model's proposal give the goal, found out by the symbolic engine.

That they do is for the solver to say, as for every other sketch; the reading is in `proposals`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.inductions import IntInduction, MeasureInduction, RecursionInduction, StructuralInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Datatype
from goedels_poetry.kernel.reading.certificate import scheme_from_json
from goedels_poetry.kernel.schemas import ConstructorSplit, Scheme, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.languages.smt.engine.context import PATIENT, OutOfTime, ProverContext, close_goal
from goedels_poetry.languages.smt.engine.induction import (
    induction,
    induction_variables,
    nested_induction,
    recursive_points,
)
from goedels_poetry.languages.smt.engine.jobs.proposals import RULE_NAMES
from goedels_poetry.languages.smt.engine.plan import Plan, key_of
from goedels_poetry.languages.smt.engine.sketches import cited, minimise, sketch_json, with_lemmas
from goedels_poetry.languages.smt.proof_json import scheme_to_json
from goedels_poetry.languages.smt.text import parse_sequent

Json = dict[str, Any]

MAX_SHOWN_CASES = 3


def complete(context: ProverContext, sequent: Sequent, proposal: Json) -> tuple[Json | None, str]:
    """Find out how a proposal's lemmas give the goal: (sketch with a rule, "") or (None, what is missing).

    A lemma that one induction closes from the earlier ones gets its proof at once; the others become open goals.
    The budget of the context bounds the work.
    """
    lemmas = [parse_sequent(child["statement"], context.signature) for child in proposal["children"]]
    idea = proposal["idea"]
    rule = scheme_from_json(idea["rule"], context.signature, sequent.vars) if idea["rule"] else None
    if isinstance(rule, RecursionInduction) and rule.function not in context.recursions:
        return None, f"{rule.function} was not shown to terminate, so it gives no induction"
    library: dict[str, Plan] = {}
    plan = partial = None
    try:
        for lemma in lemmas:
            library[key_of(lemma)] = _at_once(context, lemma) or Plan(lemma)
            context.add_lemma(lemma)
        plan, partial = _search(context, sequent, rule, tuple(idea["order"]))
    except OutOfTime:
        for lemma in lemmas:
            library.setdefault(key_of(lemma), Plan(lemma))
    if plan is None and partial is not None and idea["leave_open"]:
        plan = partial
    if plan is None:
        return None, _missing(partial, bool(lemmas))
    context.budget.set_deadline(FINISHING_SECONDS)
    context.budget.limit_calls(None)
    uses = {key: child["waits_for"] for key, child in zip(library, proposal["children"], strict=True)}
    return _stored(context, plan, library, uses, proposal), ""


FINISHING_SECONDS = 60.0


def _at_once(context: ProverContext, lemma: Sequent) -> Plan | None:
    """A proof of a lemma from those before it: by one query, or by one induction."""
    return close_goal(context, lemma) or induction(context, lemma, full=False)


def _search(
    context: ProverContext, sequent: Sequent, rule: Scheme | None, order: tuple[str, ...]
) -> tuple[Plan | None, Plan | None]:
    """A plan without open cases, and the proposed rule (or the likeliest induction) with the cases that stay open."""
    closed = close_goal(context, sequent, PATIENT)
    if closed is not None:
        return closed, None
    partial = _by_rule(context, sequent, rule, order) if rule is not None else None
    if partial is not None and partial.complete:
        return partial, partial
    plan = induction(context, sequent)
    if plan is None and partial is None:
        cases = _by_constructors(context, sequent)
        plan, partial = (cases, cases) if cases.complete else (None, cases if cases.children else None)
    if plan is None and partial is None and (variables := induction_variables(context, sequent)):
        partial = nested_induction(context, sequent, (variables[0],), 1, keep=True)
    return plan, partial


def _by_rule(context: ProverContext, sequent: Sequent, rule: Scheme, order: tuple[str, ...]) -> Plan:
    name = RULE_NAMES[scheme_to_json(rule)["kind"]]
    if isinstance(rule, StructuralInduction) and len(order) > 1:
        variables = tuple(v for n in order for v in sequent.vars if v.name == n)
        nested = nested_induction(context, sequent, variables, rule.depth, keep=True)
        if nested is not None:
            return nested
    if isinstance(rule, ConstructorSplit):
        return _by_constructors(context, sequent, order or (rule.on,))
    first: Plan | None = None
    for scheme in _readings(context, sequent, rule):
        children = []
        for case in instances(sequent, scheme, context.signature):
            children.append(_by_constructors(context, case))
        plan = Plan(sequent, scheme, tuple(children), name)
        if plan.complete:
            return plan
        first = first or plan
    assert first is not None
    return first


def _by_constructors(context: ProverContext, sequent: Sequent, wanted: tuple[str, ...] = ()) -> Plan:
    """The goal by one query, or by what its variables are built of: those that are ``wanted``, pairs, signs, ..."""
    closed = close_goal(context, sequent, PATIENT)
    if closed is not None:
        return closed
    data = [(v, d) for v in sequent.vars if (d := context.signature.datatype(v.sort)) is not None]
    split = [(v, d) for v, d in data if v.name in wanted] or [(v, d) for v, d in data if _flat(d)]
    if not split or prod(len(d.constructors) for _, d in split) > MAX_SPLITS:
        return Plan(sequent)
    scheme = ConstructorSplit(split[0][0].name)
    rest = tuple(name for name in wanted if name != scheme.on)
    cases = instances(sequent, scheme, context.signature)
    return Plan(
        sequent, scheme, tuple(_by_constructors(context, case, rest) for case in cases), "case-split", scheme.on
    )


MAX_SPLITS = 64


def _flat(datatype: Datatype) -> bool:
    """Whether no field is of the datatype's own sort."""
    fields = {sort for constructor in datatype.constructors for _, sort in constructor.fields}
    return datatype.sort not in fields


def _open_cases(plan: Plan) -> Iterator[Sequent]:
    """What of a plan is not closed, as deep as it goes."""
    if not plan.complete:
        if plan.children:
            for child in plan.children:
                yield from _open_cases(child)
        else:
            yield plan.sequent


def _readings(context: ProverContext, sequent: Sequent, rule: Scheme) -> Iterator[Scheme]:
    """The rule as it was proposed; then with the hypothesis where functions recurse, or for all other values."""
    yield rule
    match rule:
        case MeasureInduction(measure, ()):
            for at in recursive_points(context, sequent):
                yield MeasureInduction(measure, at)
        case RecursionInduction(_, _, general) if general:
            yield replace(rule, general=())
        case IntInduction(on, base, ()):
            general = tuple(v.name for v in sequent.vars if v.name != on and v not in base.free)
            if general:
                yield replace(rule, general=general)
            if rule.width == 1:
                yield replace(rule, width=2)


def _stored(
    context: ProverContext, plan: Plan, library: dict[str, Plan], uses: dict[str, list[int]], proposal: Json
) -> Json:
    """The completed plan as the machine stores it, under the name and fingerprint of the proposal.

    Only the lemmas that it needs are kept, in their order: each comes after what it may cite.
    """
    keys = list(library)
    library = {key: minimise(context, lemma) for key, lemma in library.items()}
    named = replace(plan, detail=f"{plan.strategy} {plan.detail}".strip())
    whole = minimise(context, plan)
    needed = _needed(whole, library, uses) if plan.complete else set(keys)
    lemmas = tuple(library[key] for key in keys if key in needed)
    if lemmas:
        whole = with_lemmas(context, named, library) if plan.complete else whole
        others = tuple(child for child in whole.children if child.key not in library)
        if not plan.complete:
            whole, others = Plan(plan.sequent, Query(cites=(plan.key,)), (), plan.strategy), (plan,)
        whole = replace(whole, children=(*lemmas, *others))
    stored = sketch_json(whole)
    places = {child.key: i for i, child in enumerate(whole.children)}
    for child, entry in zip(whole.children, stored["children"], strict=True):
        if child.key in library and child.by is None:
            entry["waits_for"] = sorted(places[keys[i]] for i in uses[child.key])
        elif child.key not in library and not child.complete and lemmas:
            entry["waits_for"] = list(range(len(lemmas)))  # whatever the open cases will need
    return {**stored, **{name: proposal[name] for name in ("strategy", "fingerprint", "deterministic")}}


def _needed(plan: Plan, library: dict[str, Plan], uses: dict[str, list[int]]) -> set[str]:
    """Keys of the lemmas that a plan cites, or that these may cite."""
    keys = list(library)
    needed: set[str] = set()
    frontier = [key for key in cited(plan) if key in library]
    while frontier:
        key = frontier.pop()
        if key not in needed:
            needed.add(key)
            lemma = library[key]
            frontier += [keys[i] for i in uses[key]] if lemma.by is None else cited(lemma)
            frontier = [k for k in frontier if k in library]
    return needed


def _missing(partial: Plan | None, with_lemmas: bool) -> str:
    given = "with these lemmas the goal" if with_lemmas else "the goal"
    if partial is None:
        return f"{given} does not follow, neither directly nor by one induction"
    open_cases = list(_open_cases(partial))
    shown = "; ".join(show(s.formula) for s in open_cases[:MAX_SHOWN_CASES])
    more = f"; and {len(open_cases) - MAX_SHOWN_CASES} more" if len(open_cases) > MAX_SHOWN_CASES else ""
    return f"{given} does not follow: by {partial.strategy} these cases stay open: {shown}{more}"


__all__ = ["complete"]
