"""What runs in a worker process when language models are in the loop; JSON in, JSON out, as in `symbolic`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.reach import reached
from goedels_poetry.kernel.schemas import Conjuncts
from goedels_poetry.protocol.trials import Status
from goedels_poetry.smt.context.budget import OutOfTime
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sketches import sketch_json, with_lemmas
from goedels_poetry.smt.jobs.guided import complete
from goedels_poetry.smt.jobs.payloads import EXHAUSTED, context_of, goal_sequent, problem_of, result, scope_of
from goedels_poetry.smt.jobs.placed_instances import query_candidate, read_instances
from goedels_poetry.smt.jobs.proposals import idea_to_sketch, is_sketch, read_idea
from goedels_poetry.smt.jobs.reading import BadProposal
from goedels_poetry.smt.jobs.refutations import read_refutation, says_refuted
from goedels_poetry.smt.jobs.sketch_checks import refuted_child, refuted_children, rule_fault
from goedels_poetry.smt.jobs.undetermined import doubts
from goedels_poetry.smt.notation.describe import describe_definitions, describe_goal, describe_problem
from goedels_poetry.smt.notation.readable import show_definitions
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent
from goedels_poetry.smt.rewriting.plan import Plan, key_of
from goedels_poetry.smt.search.search import Sketcher

Json = dict[str, Any]

COMPLETING_CALLS = 600
COMPLETING_SECONDS = 120.0
"""Most queries, and seconds, for finding out how a proposal's lemmas give the goal."""
FEWER_CALLS = 150
"""Where some of the lemmas are false, so that the others will hardly do."""


def describe(payload: Json) -> dict[str, str]:
    """See `ModelGuided.describe`."""
    problem = problem_of(payload["theorem"])
    facts = [goal_sequent(problem, statement) for _, statement in payload["scope"]]
    sequent = goal_sequent(problem, payload["statement"])
    formulas = [sequent.formula, *[p.formula for p in problem.premises], *[fact.formula for fact in facts]]
    definitions = describe_definitions(problem, formulas, _own_definitions(payload["theorem"]))
    return (
        _described(payload["theorem"]) | {"definitions": definitions} | describe_goal(sequent, facts, problem.signature)
    )


def doubtful_definitions(payload: Json) -> dict[str, list[str]]:
    """Functions that are perhaps not determined everywhere, each with lines for prompts; it takes a solver to know.

    A warning, and the definitions of our own functions of which it speaks.
    """
    context, _, _ = context_of({**payload, "statement": "", "scope": (), "log": ""})
    signature, own = context.signature, _own_definitions(payload["theorem"])
    lines = {}
    for name, words in doubts(context).items():
        spoken_of = [d for d in signature.definitions[own:] if d.name in words]
        measures = reached(signature, [d.body for d in spoken_of]) | {d.name for d in spoken_of}
        helpers = [d for d in signature.definitions[own:] if d.name in measures]
        lines[name] = [f"; {words}", *show_definitions(signature, helpers)]
    return lines


@lru_cache(maxsize=128)
def _own_definitions(theorem: str) -> int:
    """How many definitions stand in the text itself."""
    return len(parse_problem(theorem).signature.definitions)


@lru_cache(maxsize=128)
def _described(theorem: str) -> dict[str, str]:
    """Printing the premises takes longer than all else that a prompt needs; they are the same for every goal."""
    return describe_problem(problem_of(theorem))


def read_sketch(payload: Json) -> Json:
    """A model's sketch as the machine stores it, or its word that the goal is false; needs no solver."""
    return _reply(payload, sketches_only=True)


def read_candidate(payload: Json) -> Json:
    """A model's proof attempt as the verifier takes it, or the sketch that it is instead; needs no solver."""
    return _reply(payload, sketches_only=False)


def _reply(payload: Json, *, sketches_only: bool) -> Json:
    problem = problem_of(payload["theorem"])
    sequent = goal_sequent(problem, payload["statement"])
    facts = [parse_sequent(text, problem.signature) for _, text in payload.get("scope", ())]
    reply = payload["reply"]
    try:
        if says_refuted(reply):
            said = read_refutation(problem, sequent, reply)
            return _read({"refutation": said, "key": f"refuted:{json.dumps(said, sort_keys=True)}"})
        if sketches_only or is_sketch(reply):
            return _read({"sketch": idea_to_sketch(read_idea(problem, sequent, facts, reply))})
        return _read({"candidate": query_candidate(read_instances(problem, sequent, facts, reply))})
    except (BadProposal, SchemeError) as fault:
        return _read({}, str(fault))


def _read(value: Json, reason: str = "") -> Json:
    return {"ok": not reason, "value": value, "reason": reason, "cost": {}}


def verify_idea(payload: Json) -> Json:
    """Test the lemmas of a model's sketch, then find out how they give the goal; the sketch gets its rule.

    Lemmas that are false are left out where the others are enough.
    """
    context, sequent, began = context_of(payload)
    proposal = payload["sketch"]
    false = list(refuted_children(context, proposal, "lemma"))
    proposal = _without(proposal, [int(value["refuted_child"]) for value, _ in false], context)
    if false and not proposal["children"] and not proposal["idea"]["rule"]:
        return result(context, began, {**false[0][0], "report": _said(false)}, _said(false))
    context.budget.set_deadline(COMPLETING_SECONDS)
    context.budget.limit_calls(FEWER_CALLS if false else COMPLETING_CALLS)
    scope = scope_of(payload, context)
    stored, line, report = complete(context, sequent, proposal)
    if stored is None and false:
        return result(context, began, {**false[0][0], "report": f"{_said(false)}\nWithout: {report}"}, _said(false))
    if stored is None:
        return result(context, began, {"report": report}, line)
    children = [parse_sequent(child["statement"], context.signature) for child in stored["children"]]
    fault = rule_fault(context, sequent, stored, children, scope)
    if fault:
        return result(context, began, {"report": fault}, fault)
    if false:
        stored["notes"] = [*stored.get("notes", ()), *(f"left out: {words}" for _, words in false)]
    refuted = refuted_child(context, stored)
    return result(context, began, *refuted) if refuted else result(context, began, {"sketch": stored})


def _said(false: list[tuple[Json, str]]) -> str:
    return "; ".join(words for _, words in false)


def _without(proposal: Json, positions: list[int], context: ProverContext) -> Json:
    """A proposal without some of its lemmas."""
    if not positions:
        return proposal
    kept = [i for i in range(len(proposal["children"])) if i not in positions]
    place = {old: new for new, old in enumerate(kept)}
    children = [
        {**child, "waits_for": [place[u] for u in child["waits_for"] if u in place]}
        for child in (proposal["children"][i] for i in kept)
    ]
    lost = {key_of(parse_sequent(proposal["children"][i]["statement"], context.signature)) for i in positions}
    instances = [i for i in proposal["idea"].get("instances", ()) if i["of"] != "step" or i["name"] not in lost]
    return {**proposal, "children": children, "idea": {**proposal["idea"], "instances": instances}}


def sketch_within(payload: Json) -> Json:
    """The next plan that is not banned and found with a given number of queries.

    ``calls``: most queries; ``open``: whether plans with open cases are wanted when no other is found.
    """
    context, sequent, began = context_of(payload)
    context.budget.limit_calls(int(payload["calls"]))
    sketcher = Sketcher(context, payload.get("without", ()))
    banned = set(payload.get("banned", ()))
    plan = _first(context, sketcher.closed_plans(sequent, halves=bool(payload.get("open"))), banned)
    if plan is None and payload.get("open"):
        context.budget.limit_calls(int(payload["calls"]))
        plan = _first(context, sketcher.open_plans(sequent), banned)
    if plan is not None and not payload.get("open") and isinstance(plan.by, Conjuncts):
        plan = _with_parts(context, sketcher, plan, int(payload["calls"]))
    if plan is None:
        return result(context, began, {}, EXHAUSTED)
    context.budget.limit_calls(None)
    return result(context, began, {"sketch": sketch_json(with_lemmas(context, plan, sketcher.library.plans))})


def _with_parts(context: ProverContext, sketcher: Sketcher, plan: Plan, calls: int) -> Plan | None:
    """A conjunction taken apart with at most one part that stays open; None where more do.

    Whoever is asked about one of several such parts would be asked about each, and has to see the others to say how
    one helps another: so the question is about the whole.
    """
    parts: list[Plan] = []
    for part in plan.children:
        closed = None
        if not part.complete:
            context.budget.limit_calls(calls)
            with suppress(OutOfTime):
                closed = next((p for p in sketcher.closed_plans(part.sequent, halves=False) if p.complete), None)
        parts.append(closed or part)
        if sum(not p.complete for p in parts) > 1:
            return None
    return replace(plan, children=tuple(parts))


def _first(context: ProverContext, plans: Iterator[Plan], banned: set[str]) -> Plan | None:
    try:
        return next((plan for plan in plans if plan.fingerprint not in banned), None)
    except OutOfTime:
        context.trials.end(Status.TIMEOUT, "the queries allowed for it were used up")
        return None
