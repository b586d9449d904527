"""How the lemmas of a language model's proposal give the goal, found out by the symbolic engine.

That they do is for the solver to say, as for every other sketch; the reading is in `proposals`.

What a rejected sketch leaves open, in words from which one can go on: the simplest case first, only whole ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from goedels_poetry.errors import OUT_OF_TIME
from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import IntInduction, MeasureInduction, RecursionInduction, StructuralInduction
from goedels_poetry.kernel.printer import show, show_sort
from goedels_poetry.kernel.problem import Datatype, Signature
from goedels_poetry.kernel.schemas import Conjuncts, ConstructorSplit, Scheme, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, Kind, is_app
from goedels_poetry.protocol.trials import HINT
from goedels_poetry.smt.context.attempts import cited, close_goal, minimise, sketch_json, with_lemmas
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import GROUND, PATIENT, OutOfTime
from goedels_poetry.smt.induction.first import induction
from goedels_poetry.smt.induction.integers import recursive_points
from goedels_poetry.smt.induction.recursion import recursion_schemes
from goedels_poetry.smt.induction.structural import induction_variables, nested_induction
from goedels_poetry.smt.jobs.chains import chained, computed
from goedels_poetry.smt.jobs.proposals import RULE_NAMES, PlacedInstance, at_points, in_cases, instances_for
from goedels_poetry.smt.jobs.rules import Rule
from goedels_poetry.smt.notation.text import parse_sequent, scheme_to_json
from goedels_poetry.smt.refutation.refute import show_assignment
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf

Json = dict[str, Any]


def complete(context: ProverContext, sequent: Sequent, proposal: Json) -> tuple[Json | None, str, str]:
    """Find out how a proposal's lemmas give the goal: the sketch with a rule, or None with what is missing.

    That is said in one line, and as a report. A lemma that one induction closes from the earlier ones gets its proof at
    once; the others become open goals. The budget of the context bounds the work.
    """
    children, idea = proposal["children"], proposal["idea"]
    lemmas = [parse_sequent(child["statement"], context.signature) for child in children]
    rule = Rule.from_json(idea, context.problem, sequent.vars)
    placed = tuple(PlacedInstance.from_json(i, context.problem, sequent.vars) for i in idea.get("instances", ()))
    fault = _no_induction(context, rule)
    if fault:
        return None, fault, fault
    found = Finding(notes=tuple(idea.get("notes", ())))
    library: dict[str, Plan] = {}
    for position, (child, lemma) in enumerate(zip(children, lemmas, strict=True)):
        own = Rule.from_json(child.get("by", {}), context.problem, lemma.vars)
        with context.budget.part(max(PART, 1 / (len(lemmas) - position + 1))):
            plan, ended = at_once(context, lemma, own)
        library[key_of(lemma)] = plan or Plan(lemma)
        found.lemmas.append((called(position, child.get("name", ""), lemma, context.signature), lemma, ended))
        context.add_lemma(lemma)
    placed = tuple(p for p in placed if p.instance.of != "step" or p.instance.name in context.lemmas)
    if _is_over(context):
        context.budget.set_deadline(GOAL_SECONDS)
        context.budget.limit_calls(GOAL_CALLS)
    plan, partial = _search(context, sequent, rule, placed)
    if plan is None and partial is not None and idea["leave_open"]:
        plan = partial
    over = _is_over(context)
    context.budget.set_deadline(FINISHING_SECONDS)
    context.budget.limit_calls(None)
    if plan is None:
        line, report = missing(context, sequent, partial, found)
        ran_out = f"{OUT_OF_TIME} before all of this was tried; so far " if over else ""
        return None, f"{ran_out}{line}", f"{ran_out}{report}"
    if partial is not None and not partial.complete and proposal["strategy"] == HINT:
        idea["notes"] = [*idea["notes"], missing(context, sequent, partial, found)[0]]  # another rule has closed it
    keys = [key_of(lemma) for lemma in lemmas]
    uses = {key: [keys[i] for i in child["waits_for"]] for key, child in zip(keys, children, strict=True)}
    return _stored(context, plan, library, uses, proposal), "", ""


FINISHING_SECONDS = 60.0
PART = 0.25
"""Of what is left for a sketch, for one lemma: a hard one leaves enough for those after it."""
GOAL_CALLS, GOAL_SECONDS = 60, 30.0
"""Whether the goal follows from the lemmas is found out even where they have used up everything."""


def _no_induction(context: ProverContext, rule: Rule | None) -> str:
    """Why a rule gives nothing at all, or nothing."""
    if rule is not None and isinstance(rule.scheme, RecursionInduction):
        function = rule.scheme.function
        recursion = context.recursions.get(function)
        if recursion is None or not recursion.total:
            return f"{function} was not shown to terminate, so it gives no induction"
    return ""


def _is_over(context: ProverContext) -> bool:
    try:
        context.budget.check()
    except OutOfTime:
        return True
    return False


def at_once(context: ProverContext, lemma: Sequent, rule: Rule | None) -> tuple[Plan | None, str]:
    """A proof of a lemma from those before it, by one query, its own rule or one induction; how that ended."""
    try:
        own, plan = None, closed_by_query(context, lemma)
        if plan is None and rule is not None and not _no_induction(context, rule):
            own = _by_rule(context, lemma, rule, ())
            if own.complete:
                return own, f"proved by its own {own.strategy}"
        plan = plan or induction(context, lemma, full=False) or _with_unfolding(context, lemma)
    except OutOfTime:
        return None, "not proved: the queries or the time for it were used up"
    if plan is not None:
        return plan, how(plan)
    if own is not None:
        left = min(open_cases(own), key=lambda case: case.size)
        shown = show(left.formula)
        return None, f"not proved; by its own {own.strategy} this case stays open: {shown}"
    return None, "not proved by one query or one induction, and not refuted by tests"


def _search(
    context: ProverContext, sequent: Sequent, rule: Rule | None, placed: tuple[PlacedInstance, ...]
) -> tuple[Plan | None, Plan | None]:
    """A plan without open cases, and the proposed rule (or the likeliest induction) with the cases that stay open."""
    partial: Plan | None = None
    try:
        closed = _by_instances(context, sequent, placed) or closed_by_query(context, sequent)
        if closed is not None:
            return closed, None
    except OutOfTime:
        pass  # the cases are told all the same
    partial = _by_rule(context, sequent, rule, placed) if rule is not None else None
    if partial is not None and partial.complete:
        return partial, partial
    try:
        plan = induction(context, sequent) or _with_unfolding(context, sequent)
        if plan is None and partial is None:
            cases = _by_constructors(context, sequent)
            plan, partial = (cases, cases) if cases.complete else (None, cases if cases.children else None)
        if plan is None and partial is None and (variables := induction_variables(context, sequent)):
            partial = nested_induction(context, sequent, (variables[0],), 1, keep=True)
    except OutOfTime:
        return None, partial
    return plan, partial


# --------------------------------------------------------------------------------------------------- the proposed rule


def _by_rule(context: ProverContext, sequent: Sequent, rule: Rule, placed: tuple[PlacedInstance, ...]) -> Plan:
    """The rule as it was meant, with the cases that stay open; never out of time."""
    name = RULE_NAMES[scheme_to_json(rule.scheme)["kind"]]
    if isinstance(rule.scheme, StructuralInduction) and len(rule.order) > 1 and not placed:
        variables = tuple(v for n in rule.order for v in sequent.vars if v.name == n)
        try:
            nested = nested_induction(context, sequent, variables, rule.scheme.depth, keep=True)
        except OutOfTime:
            nested = None
        if nested is not None:
            return nested
    best: Plan | None = None
    for scheme in _readings(context, sequent, rule.scheme, placed):
        cases = instances(sequent, scheme, context.signature)
        places = in_cases(context.signature, sequent, scheme, cases, placed)
        split = rule.order[1:] if isinstance(scheme, ConstructorSplit) else ()
        children = [_case(context, c, p, rule.inside, split) for c, p in zip(cases, places, strict=True)]
        plan = Plan(sequent, scheme, tuple(children), name)
        if plan.complete:
            return plan
        best = best or plan
    assert best is not None
    return best


def _case(
    context: ProverContext,
    case: Sequent,
    placed: tuple[PlacedInstance, ...],
    inside: tuple[Scheme, ...],
    split: tuple[str, ...],
) -> Plan:
    """A case by the instances named for it, by one query, by the next split, by its conjuncts; open otherwise."""
    try:
        closed = _by_instances(context, case, placed) or _by_constructors(context, case, split)
        if closed.complete:
            return closed
        if inside and (within := _within(context, case, placed, inside)) is not None:
            return within
        if is_app(case.concl, "and"):
            parts = instances(case, Conjuncts(), context.signature)
            children = [_by_instances(context, p, placed) or _by_constructors(context, p) for p in parts]
            return Plan(case, Conjuncts(), tuple(children), "conjunction")
        return closed
    except OutOfTime:
        return Plan(case)


def _within(
    context: ProverContext, case: Sequent, placed: tuple[PlacedInstance, ...], inside: tuple[Scheme, ...]
) -> Plan | None:
    """The next split inside of a case; None when what it splits is gone."""
    try:
        cases = instances(case, inside[0], context.signature)
    except SchemeError:
        return None
    places = in_cases(context.signature, case, inside[0], cases, placed)
    children = [_case(context, c, p, inside[1:], ()) for c, p in zip(cases, places, strict=True)]
    return Plan(case, inside[0], tuple(children), "case-split")


def _by_instances(context: ProverContext, sequent: Sequent, placed: tuple[PlacedInstance, ...]) -> Plan | None:
    """The goal closed with the instances that a model has named for it, or None."""
    at = instances_for(sequent, placed)
    if not at:
        return None
    cited = tuple(dict.fromkeys(i.name for i in at if i.of == "step"))
    # Without a quantifier first: such an answer is quick either way, and any solver confirms it.
    attempts = [Query(cited, at, equations=False, quantified=False)]
    if context.shape.mentions_unfolded(sequent):
        for unfolded in context.unfolder.unfoldings(sequent, (1, 2)):
            attempts.append(Query(cited, (*unfolded, *at), equations=False, quantified=False))
    attempts += [Query(cited, at, quantified=False), Query(tuple(context.lemmas), at)]
    return next((leaf(sequent, query) for query in attempts if context.holds(sequent, query, PATIENT)), None)


def _by_constructors(context: ProverContext, sequent: Sequent, wanted: tuple[str, ...] = ()) -> Plan:
    """The goal by one query, or by what its variables are built of: those that are ``wanted``, pairs, signs, ..."""
    closed = closed_by_query(context, sequent)
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


def closed_by_query(context: ProverContext, sequent: Sequent) -> Plan | None:
    """A goal by one query: as the engine asks, with lemmas at what it unfolds, by evaluation, by chains of lemmas."""
    closed = close_goal(context, sequent, PATIENT)
    if closed is not None:
        return closed
    attempts = []
    if context.shape.mentions_unfolded(sequent):
        numeric = all(v.sort is INT for v in sequent.vars)
        unfolded = list(context.unfolder.unfoldings(sequent, range(DEEP if numeric else 2)))
        attempts += [Query(tuple(context.lemmas), at) for at in unfolded[:3] if context.lemmas]
        attempts += [Query((), at, equations=False, quantified=False) for at in unfolded[-1:] if numeric]
    if values := computed(context, sequent):
        attempts.append(Query((), values, equations=False, quantified=False))
    if (found := next((query for query in attempts if context.holds(sequent, query, PATIENT)), None)) is None:
        found = next((query for query in chained(context, sequent) if context.holds(sequent, query, GROUND)), None)
    return leaf(sequent, found) if found is not None else None


DEEP = 6
"""Calls of functions of numbers within each other that are unfolded at one go, as of 2^(4n + 6)."""
MAX_SPLITS = 64
MOST_ALONG = 2
"""Functions along which an induction is tried whose cases get chains of lemmas; more where they are mutual."""


def _flat(datatype: Datatype) -> bool:
    """Whether no field is of the datatype's own sort."""
    fields = {sort for constructor in datatype.constructors for _, sort in constructor.fields}
    return datatype.sort not in fields


def _with_unfolding(context: ProverContext, sequent: Sequent) -> Plan | None:
    """The goal by an induction whose cases need lemmas at what is unfolded, see `_closed`; None when they stay open.

    Along functions that are defined together, as over trees and forests, the others are unfolded on the way to a call
    of the same one. Over data, where functions recurse on something else, as on numbers, if only below.
    """
    groups = [d.group for d in context.signature.definitions]
    along = [
        Rule(scheme)
        for number, scheme in enumerate(recursion_schemes(context, sequent, full=False))
        if (definition := context.signature.definition(scheme.function))
        and (number < MOST_ALONG or groups.count(definition.group) > 1)
    ]
    numeric = not context.shape.unfolded.isdisjoint(context.shape.rests_on(sequent.formula))
    over = induction_variables(context, sequent)[:2] if numeric else ()
    structural = [
        Rule(StructuralInduction(v.name, tuple(w.name for w in sequent.vars if w is not v)), (v.name,)) for v in over
    ]
    plans = (_by_rule(context, sequent, rule, ()) for rule in (*along, *structural))
    return next((plan for plan in plans if plan.complete), None)


def _readings(
    context: ProverContext, sequent: Sequent, rule: Scheme, placed: tuple[PlacedInstance, ...]
) -> Iterator[Scheme]:
    """The rule as it was proposed; then with the hypothesis where functions recurse, or for all other values."""
    points = at_points(sequent, placed)
    if isinstance(rule, MeasureInduction) and points:
        rule = replace(rule, at=(*rule.at, *points))
    if isinstance(rule, IntInduction) and points:  # an instance is of a hypothesis for all values
        rule = replace(
            rule, general=tuple(v.name for v in sequent.vars if v.name != rule.on and v not in rule.base.free)
        )
    yield rule
    match rule:
        case MeasureInduction(measure, ()):
            for at in recursive_points(context, sequent):
                yield MeasureInduction(measure, at)
        case RecursionInduction(_, _, general) if general:
            yield replace(rule, general=())
        case IntInduction(_, _, general):
            if general:
                yield replace(rule, general=())
            if rule.width == 1:
                yield replace(rule, width=2)


# ------------------------------------------------------------------------------------------------------------- sketches


def _stored(
    context: ProverContext, plan: Plan, library: dict[str, Plan], uses: dict[str, list[str]], proposal: Json
) -> Json:
    """The completed plan as the machine stores it, under the name and fingerprint of the proposal.

    Only the lemmas that it needs are kept, in their order: each comes after what it may cite.
    """
    keys = list(library)
    library = {key: minimise(context, lemma) for key, lemma in library.items()}
    named = replace(plan, detail=f"{plan.strategy} {plan.detail}".strip())
    # What is cited is read from the plan that is stored: to minimise twice may come to two different ends.
    whole = with_lemmas(context, named, library) if plan.complete else minimise(context, plan)
    direct = [child.key for child in whole.children if child.key in library]
    needed = _needed(direct, library, uses) if plan.complete else set(keys)
    lemmas = tuple(library[key] for key in keys if key in needed)
    if not lemmas:
        whole = replace(whole, detail=plan.detail)
    else:
        others = tuple(child for child in whole.children if child.key not in library)
        if not plan.complete:
            whole, others = Plan(plan.sequent, Query(cites=(plan.key,)), (), plan.strategy), (plan,)
        whole = replace(whole, children=(*lemmas, *others))
    stored = sketch_json(whole)
    places = {child.key: i for i, child in enumerate(whole.children)}
    for child, entry in zip(whole.children, stored["children"], strict=True):
        if child.key in library and child.by is None:
            entry["waits_for"] = sorted(places[key] for key in uses[child.key])
        elif child.key not in library and not child.complete and lemmas:
            entry["waits_for"] = list(range(len(lemmas)))  # whatever the open cases will need
    dropped = [
        called(i, child.get("name", ""), parse_sequent(child["statement"], context.signature), context.signature)
        for i, (key, child) in enumerate(zip(uses, proposal["children"], strict=True))
        if key not in needed
    ]
    notes = [*proposal["idea"].get("notes", ()), *(f"nothing needs {what}: it is dropped" for what in dropped)]
    return {
        **stored,
        **{name: proposal[name] for name in ("strategy", "fingerprint", "deterministic")},
        **({"notes": notes} if notes else {}),
    }


def _needed(direct: list[str], library: dict[str, Plan], uses: dict[str, list[str]]) -> set[str]:
    """Keys of the lemmas that are cited, and of those that these cite or may cite."""
    needed: set[str] = set()
    frontier = direct
    while frontier:
        key = frontier.pop()
        if key not in needed:
            needed.add(key)
            lemma = library[key]
            frontier += uses[key] if lemma.by is None else cited(lemma)
            frontier = [k for k in frontier if k in library]
    return needed


MAX_CASES = 3
MAX_REPORT = 5_000
MAX_REASON = 380
"""Characters of the line that stands for a report: what is longer stands in the report alone."""
TESTS = 150


@dataclass(slots=True)
class Finding:
    """How the lemmas of a sketch and the goal itself ended."""

    lemmas: list[tuple[str, Sequent, str]] = field(default_factory=list)
    """What each lemma is called, itself, and how it ended."""
    notes: tuple[str, ...] = ()


def open_cases(plan: Plan) -> Iterator[Sequent]:
    """What of a plan is not closed, as deep as it goes."""
    if not plan.complete:
        if plan.children:
            for child in plan.children:
                yield from open_cases(child)
        else:
            yield plan.sequent


def missing(context: ProverContext, sequent: Sequent, partial: Plan | None, found: Finding) -> tuple[str, str]:
    """Why the lemmas do not give the goal: in one line, and as a report."""
    given = "with these lemmas the goal" if found.lemmas else "the goal"
    cases = sorted(open_cases(partial), key=lambda case: case.size) if partial is not None else []
    line = f"{given} does not follow, neither directly nor by one induction"
    if partial is not None and cases:
        line = f"{given} does not follow: by {partial.strategy} these cases stay open"
    parts = [f"{line}:" if cases else f"{line}."]
    parts += [_open_cases_case(context, number, case) for number, case in enumerate(cases[:MAX_CASES], 1)]
    parts += [f"and {len(cases) - MAX_CASES} more cases."] if len(cases) > MAX_CASES else []
    parts += [f"- {what}: {ended}" for what, _, ended in found.lemmas]
    parts += [f"Note: {note}" for note in found.notes]
    first = show(cases[0].formula) if cases else ""
    more = f" (and {len(cases) - 1} more)" if len(cases) > 1 else ""
    line = f"{line}: {first}{more}" if first and len(line) + len(first) < MAX_REASON else line
    return line, "\n".join(parts)[:MAX_REPORT]


def _open_cases_case(context: ProverContext, number: int, case: Sequent) -> str:
    """One open case: variables, hypotheses, conclusion, and what was tried on it."""
    lines = [f"{number}. for {_variables(case)}" if case.vars else f"{number}."]
    for hypothesis in case.hyps:
        label = "induction hypothesis" if hypothesis.kind is Kind.FORALL else "given"
        lines.append(f"   {label}: {show(hypothesis)}")
    lines.append(f"   to show: {show(case.concl)}")
    lines.append(f"   {_ended(context, case)}")
    return "\n".join(lines)


def _ended(context: ProverContext, case: Sequent) -> str:
    """What is known of a case: false at values, or how it was tested and tried."""
    values = context.refutes(case, TESTS)
    if values is not None:
        at = ", ".join(f"{n} = {text}" for n, text in show_assignment(context.signature, values)["values"].items())
        return f"it is false for {at}: another rule or a stronger hypothesis is needed, no lemma will do"
    quantified = any(h.kind is Kind.FORALL for h in case.hyps)
    tried = "no solver closed it with all lemmas, the definitions and the hypotheses"
    if quantified:
        return f"{tried}; the hypothesis may be wanted at terms that do not stand there: name them in `instances`"
    return f"{tried}; no counterexample was found"


def _variables(case: Sequent) -> str:
    return ", ".join(f"{show(v)}: {show_sort(v.sort)}" for v in case.vars)


def called(position: int, name: str, lemma: Sequent, signature: Signature) -> str:
    """A lemma as a report names it."""
    title = f"lemma {name}" if name else f"lemma {position + 1}"
    text = show(lemma.formula)
    return f"{title} {text}" if len(text) <= MAX_REASON else title


def how(plan: Plan) -> str:
    """How a lemma was proved."""
    if not plan.children:
        return "proved by one query"
    on = plan.detail.rstrip(" /")  # terms, and after a stroke the variables that the hypothesis holds for
    return f"proved by {plan.strategy}{' on ' + on if on else ''}"
