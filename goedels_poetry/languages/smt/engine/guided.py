"""What a language model proposes for an SMT goal: read with our parser, then completed by the symbolic engine.

Nothing here trusts the proposal. Its text is parsed over the problem's own symbols, its lemmas become goals of
their own, and that they give the goal is found out by the solver, as for every other sketch.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.languages.smt.codec import query_to_json, scheme_from_json, scheme_to_json
from goedels_poetry.languages.smt.derivation import Instance, Query
from goedels_poetry.languages.smt.engine.finish import cited, minimise, sketch_json, with_lemmas
from goedels_poetry.languages.smt.engine.induct import (
    general_variables,
    induction_variables,
    nested_induction,
    structural_plans,
)
from goedels_poetry.languages.smt.engine.integers import integer_plans, recursive_points
from goedels_poetry.languages.smt.engine.plan import Plan, key_of, leaf
from goedels_poetry.languages.smt.engine.workbench import PATIENT, OutOfTime, Workbench
from goedels_poetry.languages.smt.parser import parse_sequent, parse_term
from goedels_poetry.languages.smt.printer import show, show_sequent
from goedels_poetry.languages.smt.problem import Problem
from goedels_poetry.languages.smt.schemas import (
    IntInduction,
    MeasureInduction,
    Scheme,
    SchemeError,
    StructuralInduction,
    Witness,
    instances,
)
from goedels_poetry.languages.smt.sequent import Sequent, sequent_of
from goedels_poetry.languages.smt.terms import BOOL, INT, Kind, Term, integer

Json = dict[str, Any]

MAX_TEXT = 20_000
"""Characters of one proposal; a useful one has a few hundred."""

MAX_LEMMAS = 12
MAX_INSTANCES = 40
MAX_TERM = 400
"""Nodes of one lemma or term."""

MAX_SHOWN_CASES = 3


class BadProposal(ValueError):
    """A model's proposal that cannot be used; the message goes back to the model."""


# ------------------------------------------------------------------------------------------------- reading


@dataclass(frozen=True)
class Idea:
    """A sketch as a model proposes it, read."""

    lemmas: tuple[tuple[Sequent, tuple[int, ...]], ...]
    """Each lemma with the earlier ones that its own proof may cite."""
    rule: Scheme | None
    order: tuple[str, ...]
    """Variables of a nested structural induction, outermost first."""
    leave_open: bool


def is_sketch(reply: Any) -> bool:
    """Whether a reply proposes lemmas or a rule, rather than instances.

    Raises:
        BadProposal: it is not an object.
    """
    return any(_object(reply).get(part) for part in ("lemmas", "generalise", "induction", "cases", "witness"))


def read_idea(problem: Problem, sequent: Sequent, known: set[str], reply: Any) -> Idea:
    """Read a sketch.

    Args:
        known: keys of facts that may be cited anyway.

    Raises:
        BadProposal: it is not an object of the published form, speaks of unknown symbols, or proposes nothing.
    """
    proposal = _object(reply)
    entries = [*_list(proposal, "lemmas"), *([proposal["generalise"]] if proposal.get("generalise") else [])]
    if len(entries) > MAX_LEMMAS:
        raise BadProposal(f"{len(entries)} lemmas: at most {MAX_LEMMAS} are read")
    lemmas: list[tuple[Sequent, tuple[int, ...]]] = []
    place: dict[int, int] = {}
    seen = set(known)
    for number, entry in enumerate(entries):
        text, uses = _lemma_entry(entry, number)
        uses = range(number) if uses is None else uses
        lemma = sequent_of(_term(text, problem, (), f"lemma {number + 1}", BOOL), problem.signature.names)
        key = key_of(lemma)
        if lemma.key is sequent.key:
            raise BadProposal(f"lemma {number + 1} is the goal itself")
        if key in seen:
            continue
        seen.add(key)
        place[number] = len(lemmas)
        lemmas.append((lemma, tuple(sorted({place[u] for u in uses if u in place}))))
    rule, order = _rule(problem, sequent, proposal)
    if not lemmas and rule is None:
        raise BadProposal("the sketch has neither a new lemma nor an induction, a case split or a witness")
    if rule is not None:
        try:
            instances(sequent, rule, problem.signature)
        except SchemeError as error:
            raise BadProposal(str(error)) from error
    return Idea(tuple(lemmas), rule, order, proposal.get("leave_open") is True)


def idea_to_sketch(idea: Idea) -> Json:
    """The sketch that the machine stores until `complete` has found out how the lemmas give the goal."""
    rule = scheme_to_json(idea.rule) if idea.rule is not None else None
    identity = [rule, list(idea.order), sorted(key_of(lemma) for lemma, _ in idea.lemmas)]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
    parts = [*([_NAMES[str(rule["kind"])]] if rule else []), *(["lemmas"] if idea.lemmas else [])]
    return {
        "strategy": "model-" + "-".join(parts),
        "fingerprint": f"model:{digest}",
        "deterministic": False,
        "idea": {"rule": rule, "order": list(idea.order), "leave_open": idea.leave_open},
        "children": [
            {"statement": show_sequent(lemma), "waits_for": list(uses), "words": show(lemma.formula)}
            for lemma, uses in idea.lemmas
        ],
    }


_NAMES = {
    "structural": "structural-induction",
    "integer": "integer-induction",
    "measure": "measure-induction",
    "cases": "case-split",
    "constructors": "case-split",
    "witness": "witness",
    "contradiction": "contradiction",
}


def _rule(problem: Problem, sequent: Sequent, proposal: Json) -> tuple[Scheme | None, tuple[str, ...]]:
    given = [name for name in ("induction", "cases", "witness") if proposal.get(name)]
    if len(given) > 1:
        raise BadProposal(f"one rule at a time, not {' and '.join(given)}")
    if not given:
        return None, ()
    if given == ["witness"]:
        texts = _list(proposal, "witness")
        at = tuple(_term(t, problem, sequent.vars, "witness") for t in texts)
        return Witness(at), ()
    if given == ["cases"]:
        on = proposal["cases"]
        kind = "constructors" if any(v.name == on and v.sort is not BOOL for v in sequent.vars) else "cases"
        try:
            return scheme_from_json({"kind": kind, "on": on}, problem.signature, sequent.vars), ()
        except (GoedelsPoetryError, ValueError) as error:
            raise BadProposal(f"cases: {error}") from error
    return _induction(problem, sequent, proposal["induction"])


def _induction(problem: Problem, sequent: Sequent, given: Any) -> tuple[Scheme, tuple[str, ...]]:
    if isinstance(given, str):
        given = {"on": given}
    if not isinstance(given, dict):
        raise BadProposal('induction: write {"on": "variable"}')
    if given.get("measure"):
        measure = _term(given["measure"], problem, sequent.vars, "measure", INT)
        points = tuple(
            tuple(
                _term(t, problem, sequent.vars, "point of the hypothesis", v.sort)
                for t, v in zip(_strings(point, "at"), sequent.vars, strict=False)
            )
            for point in (given.get("at") or ())
        )
        return MeasureInduction(measure, points), ()
    order = [given["on"]] if isinstance(given.get("on"), str) else _strings(given.get("on"), "on")
    variables = {v.name: v for v in sequent.vars}
    unknown = [name for name in order if name not in variables]
    if unknown or not order or len(order) > 3 or len(set(order)) != len(order):
        known = ", ".join(variables) or "none"
        raise BadProposal(f"induction on {', '.join(order) or 'nothing'}: the variables of the goal are {known}")
    on = variables[order[0]]
    if on.sort is INT:
        base = given.get("from")
        start = _term(str(base), problem, sequent.vars, "from", INT) if base not in (None, "") else integer(0)
        width = given.get("width")
        return IntInduction(on.name, start, (), True, width if type(width) is int and 1 <= width <= 6 else 1), ()
    depth = given.get("depth")
    depth = depth if type(depth) is int and 1 <= depth <= 3 else 1
    return StructuralInduction(on.name, general_variables(sequent, on), depth), tuple(order)


def _term(text: Any, problem: Problem, variables: tuple[Term, ...], what: str, sort: Any = None) -> Term:
    if not isinstance(text, str) or not text.strip():
        raise BadProposal(f"{what}: a text was expected")
    try:
        term = parse_term(text, problem.signature, variables, sort)
    except (GoedelsPoetryError, ValueError, RecursionError) as error:
        raise BadProposal(f"{what}: {error}") from error
    if term.size > MAX_TERM:
        raise BadProposal(f"{what}: more than {MAX_TERM} symbols")
    return term


def _object(reply: Any) -> Json:
    if isinstance(reply, str):
        if len(reply) > MAX_TEXT:
            raise BadProposal(f"more than {MAX_TEXT} characters")
        try:
            reply = json.loads(reply)
        except (ValueError, RecursionError) as error:
            raise BadProposal(f"not JSON: {error}") from error
    if not isinstance(reply, dict):
        raise BadProposal("a JSON object was expected")
    if len(json.dumps(reply)) > MAX_TEXT:
        raise BadProposal(f"more than {MAX_TEXT} characters")
    return reply


def _list(proposal: Json, name: str) -> list[Any]:
    value = proposal.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadProposal(f"{name}: a list was expected")
    return value


def _strings(value: Any, what: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadProposal(f"{what}: a list of texts was expected")
    return value


def _lemma_entry(entry: Any, number: int) -> tuple[Any, Sequence[int] | None]:
    """The lemma's text, and which earlier ones its proof may cite; None when it does not say."""
    uses = entry.get("uses") if isinstance(entry, dict) else None
    if uses is None:
        return entry.get("statement") if isinstance(entry, dict) else entry, None
    if not isinstance(uses, list) or any(type(u) is not int or not 0 <= u < number for u in uses):
        raise BadProposal(f"lemma {number + 1}: `uses` lists the 0-based positions of earlier lemmas")
    return entry.get("statement"), uses


def read_instances(problem: Problem, sequent: Sequent, facts: list[Sequent], reply: Any) -> Query:
    """Read a proof attempt: instances of definitions, premises, facts and hypotheses that close the goal.

    Raises:
        BadProposal: see `read_idea`.
    """
    proposal = _object(reply)
    given = _list(proposal, "instances")
    if len(given) > MAX_INSTANCES:
        raise BadProposal(f"{len(given)} instances: at most {MAX_INSTANCES} are read")
    found: list[Instance] = []
    for number, entry in enumerate(given):
        if not isinstance(entry, dict):
            raise BadProposal(f"instance {number + 1}: an object was expected")
        at = tuple(_term(t, problem, sequent.vars, f"instance {number + 1}") for t in _strings(entry.get("at"), "at"))
        found.append(_instance(problem, sequent, facts, entry, at, number))
    ground = proposal.get("ground_only") is True
    if not found and not facts:
        raise BadProposal("no instances: that proof was tried already")
    cites = tuple(dict.fromkeys([i.name for i in found if i.of == "step"])) if ground else tuple(map(key_of, facts))
    return Query(cites, tuple(found), not ground, not ground)


def _instance(
    problem: Problem, sequent: Sequent, facts: list[Sequent], entry: Json, at: tuple[Term, ...], number: int
) -> Instance:
    of, name = str(entry.get("of")), str(entry.get("name"))
    what = f"instance {number + 1}"
    sorts: list[Any]
    match of:
        case "definition":
            definition = problem.signature.definition(name)
            if definition is None:
                raise BadProposal(f"{what}: {name} has no definition")
            sorts, instance = [p.sort for p in definition.params], Instance("def", name, at)
        case "premise":
            premise = next((p for p in problem.premises if p.name == name), None)
            if premise is None:
                raise BadProposal(f"{what}: there is no premise {name}")
            sorts, instance = _outer_sorts(premise.formula), Instance("premise", name, at)
        case "fact":
            position = _numbered(name, "F", len(facts), what)
            sorts = [v.sort for v in facts[position].vars]
            instance = Instance("step", key_of(facts[position]), at)
        case "hypothesis":
            position = _numbered(name, "H", len(sequent.hyps), what)
            sorts, instance = _outer_sorts(sequent.hyps[position]), Instance("hyp", str(position), at)
        case _:
            raise BadProposal(f"{what}: `of` is definition, premise, fact or hypothesis")
    if [t.sort for t in at] != sorts:
        raise BadProposal(f"{what}: {name} takes terms of sorts {' '.join(map(repr, sorts)) or '(none)'}")
    return instance


def _outer_sorts(formula: Term) -> list[Any]:
    return [v.sort for v in formula.binders] if formula.kind is Kind.FORALL else []


def _numbered(name: str, letter: str, count: int, what: str) -> int:
    digits = name.removeprefix(letter)
    if digits.isascii() and digits.isdigit() and 1 <= int(digits) <= count:
        return int(digits) - 1
    raise BadProposal(f"{what}: there is no {name}")


# ---------------------------------------------------------------------------------------------- completing


def complete(bench: Workbench, sequent: Sequent, proposal: Json) -> tuple[Json | None, str]:
    """Find out how a proposal's lemmas give the goal: (sketch with a rule, "") or (None, what is missing).

    A lemma that one induction closes from the earlier ones gets its proof at once; the others become open goals.
    The bench's deadline and number of queries bound the work.
    """
    lemmas = [parse_sequent(child["statement"], bench.signature) for child in proposal["children"]]
    idea = proposal["idea"]
    rule = scheme_from_json(idea["rule"], bench.signature, sequent.vars) if idea["rule"] else None
    library: dict[str, Plan] = {}
    plan = partial = None
    try:
        for lemma in lemmas:
            library[key_of(lemma)] = _at_once(bench, lemma) or Plan(lemma)
            bench.add_lemma(lemma)
        plan, partial = _search(bench, sequent, rule, tuple(idea["order"]))
    except OutOfTime:
        for lemma in lemmas:
            library.setdefault(key_of(lemma), Plan(lemma))
    if plan is None and partial is not None and idea["leave_open"]:
        plan = partial
    if plan is None:
        return None, _missing(partial, bool(lemmas))
    bench.deadline, bench.most_calls = time.monotonic() + FINISHING_SECONDS, None
    uses = {key: child["waits_for"] for key, child in zip(library, proposal["children"], strict=True)}
    return _stored(bench, plan, library, uses, proposal), ""


FINISHING_SECONDS = 60.0


def _at_once(bench: Workbench, lemma: Sequent) -> Plan | None:
    """A proof of a lemma from those before it: by one query, or by one induction."""
    query = bench.direct(lemma)
    return leaf(lemma, query) if query is not None else structural_plans(bench, lemma, full=False)


def _search(
    bench: Workbench, sequent: Sequent, rule: Scheme | None, order: tuple[str, ...]
) -> tuple[Plan | None, Plan | None]:
    """A plan without open cases, and the proposed rule (or the likeliest induction) with the cases that stay open."""
    query = bench.direct(sequent, PATIENT)
    if query is not None:
        return leaf(sequent, query), None
    partial = _by_rule(bench, sequent, rule, order) if rule is not None else None
    if partial is not None and partial.complete:
        return partial, partial
    plan = structural_plans(bench, sequent)
    if plan is None and any(v.sort is INT for v in sequent.vars):
        plan = next((p for p in integer_plans(bench, sequent) if p.complete), None)
    if plan is None and partial is None and (variables := induction_variables(bench, sequent)):
        partial = nested_induction(bench, sequent, (variables[0],), 1, keep=True)
    return plan, partial


def _by_rule(bench: Workbench, sequent: Sequent, rule: Scheme, order: tuple[str, ...]) -> Plan:
    name = _NAMES[scheme_to_json(rule)["kind"]]
    if isinstance(rule, StructuralInduction) and len(order) > 1:
        variables = tuple(v for n in order for v in sequent.vars if v.name == n)
        nested = nested_induction(bench, sequent, variables, rule.depth, keep=True)
        if nested is not None:
            return nested
    first: Plan | None = None
    for scheme in _readings(bench, sequent, rule):
        children = []
        for case in instances(sequent, scheme, bench.signature):
            query = bench.direct(case, PATIENT)
            children.append(leaf(case, query) if query is not None else Plan(case))
        plan = Plan(sequent, scheme, tuple(children), name)
        if plan.complete:
            return plan
        first = first or plan
    assert first is not None
    return first


def _readings(bench: Workbench, sequent: Sequent, rule: Scheme) -> Iterator[Scheme]:
    """The rule as it was proposed; then with the hypothesis where functions recurse, or for all other values."""
    yield rule
    match rule:
        case MeasureInduction(measure, ()):
            for at in recursive_points(bench, sequent):
                yield MeasureInduction(measure, at)
        case IntInduction(on, base, ()):
            general = tuple(v.name for v in sequent.vars if v.name != on and v not in base.free)
            if general:
                yield replace(rule, general=general)
            if rule.width == 1:
                yield replace(rule, width=2)


def _stored(bench: Workbench, plan: Plan, library: dict[str, Plan], uses: dict[str, list[int]], proposal: Json) -> Json:
    """The completed plan as the machine stores it, under the name and fingerprint of the proposal.

    Only the lemmas that it needs are kept, in their order: each comes after what it may cite.
    """
    keys = list(library)
    library = {key: minimise(bench, lemma) for key, lemma in library.items()}
    named = replace(plan, detail=f"{plan.strategy} {plan.detail}".strip())
    whole = minimise(bench, plan)
    needed = _needed(whole, library, uses) if plan.complete else set(keys)
    lemmas = tuple(library[key] for key in keys if key in needed)
    if lemmas:
        whole = with_lemmas(bench, named, library) if plan.complete else whole
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
    stuck = [child.sequent for child in partial.children if not child.complete]
    shown = "; ".join(show(s.formula) for s in stuck[:MAX_SHOWN_CASES])
    more = f"; and {len(stuck) - MAX_SHOWN_CASES} more" if len(stuck) > MAX_SHOWN_CASES else ""
    return f"{given} does not follow: by {partial.strategy} these cases stay open: {shown}{more}"


def query_candidate(query: Query) -> Json:
    """A proof attempt as the verifier takes it."""
    return {"query": query_to_json(query)}


__all__ = [
    "BadProposal",
    "Idea",
    "complete",
    "idea_to_sketch",
    "is_sketch",
    "query_candidate",
    "read_idea",
    "read_instances",
]
