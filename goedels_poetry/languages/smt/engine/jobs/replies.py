"""What runs in a worker process when language models are in the loop; JSON in, JSON out, as in `symbolic`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.languages.smt.describe import describe_goal, describe_problem
from goedels_poetry.languages.smt.engine.context import OutOfTime, ProverContext
from goedels_poetry.languages.smt.engine.jobs.guided import complete
from goedels_poetry.languages.smt.engine.jobs.payloads import (
    EXHAUSTED,
    context_of,
    goal_sequent,
    problem_of,
    result,
    scope_of,
)
from goedels_poetry.languages.smt.engine.jobs.proposals import (
    BadProposal,
    idea_to_sketch,
    is_sketch,
    query_candidate,
    read_idea,
    read_instances,
)
from goedels_poetry.languages.smt.engine.jobs.sketch_checks import refuted_child, rule_fault
from goedels_poetry.languages.smt.engine.plan import Plan, key_of
from goedels_poetry.languages.smt.engine.search import Sketcher
from goedels_poetry.languages.smt.engine.sketches import sketch_json, with_lemmas
from goedels_poetry.languages.smt.text import parse_sequent
from goedels_poetry.languages.trials import Status

Json = dict[str, Any]

COMPLETING_CALLS = 600
COMPLETING_SECONDS = 120.0
"""Most queries, and seconds, for finding out how a proposal's lemmas give the goal."""


def describe(payload: Json) -> dict[str, str]:
    """See `ModelGuided.describe`."""
    problem = problem_of(payload["theorem"])
    facts = [goal_sequent(problem, statement) for _, statement in payload["scope"]]
    return _described(payload["theorem"]) | describe_goal(goal_sequent(problem, payload["statement"]), facts)


@lru_cache(maxsize=128)
def _described(theorem: str) -> dict[str, str]:
    """Printing the premises takes longer than all else that a prompt needs; they are the same for every goal."""
    return describe_problem(problem_of(theorem))


def read_sketch(payload: Json) -> Json:
    """A model's sketch as the machine stores it; needs no solver."""
    problem = problem_of(payload["theorem"])
    sequent = goal_sequent(problem, payload["statement"])
    facts = [parse_sequent(text, problem.signature) for _, text in payload.get("scope", ())]
    try:
        idea = read_idea(problem, sequent, {key_of(fact) for fact in facts}, payload["reply"])
    except (BadProposal, SchemeError) as fault:
        return _read({}, str(fault))
    return _read({"sketch": idea_to_sketch(idea)})


def read_candidate(payload: Json) -> Json:
    """A model's proof attempt as the verifier takes it, or the sketch that it is instead; needs no solver."""
    problem = problem_of(payload["theorem"])
    sequent = goal_sequent(problem, payload["statement"])
    facts = [parse_sequent(text, problem.signature) for _, text in payload.get("scope", ())]
    try:
        if is_sketch(payload["reply"]):
            return read_sketch(payload)
        query = read_instances(problem, sequent, facts, payload["reply"])
    except BadProposal as fault:
        return _read({}, str(fault))
    return _read({"candidate": query_candidate(query)})


def _read(value: Json, reason: str = "") -> Json:
    return {"ok": not reason, "value": value, "reason": reason, "cost": {}}


def verify_idea(payload: Json) -> Json:
    """Test the lemmas of a model's sketch, then find out how they give the goal; the sketch gets its rule."""
    context, sequent, began = context_of(payload)
    proposal = payload["sketch"]
    refuted = refuted_child(context, proposal, "lemma")
    if refuted:
        return result(context, began, *refuted)
    context.budget.set_deadline(COMPLETING_SECONDS)
    context.budget.limit_calls(COMPLETING_CALLS)
    scope = scope_of(payload, context)
    stored, missing = complete(context, sequent, proposal)
    if stored is None:
        return result(context, began, {"report": missing}, missing)
    children = [parse_sequent(child["statement"], context.signature) for child in stored["children"]]
    fault = rule_fault(context, sequent, stored, children, scope)
    if fault:
        return result(context, began, {"report": fault}, fault)
    refuted = refuted_child(context, stored)
    return result(context, began, *refuted) if refuted else result(context, began, {"sketch": stored})


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
    if plan is None:
        return result(context, began, {}, EXHAUSTED)
    context.budget.limit_calls(None)
    return result(context, began, {"sketch": sketch_json(with_lemmas(context, plan, sketcher.library.plans))})


def _first(context: ProverContext, plans: Iterator[Plan], banned: set[str]) -> Plan | None:
    try:
        return next((plan for plan in plans if plan.fingerprint not in banned), None)
    except OutOfTime:
        context.trials.end(Status.TIMEOUT, "the queries allowed for it were used up")
        return None


__all__ = ["describe", "read_candidate", "read_sketch", "sketch_within", "verify_idea"]
