"""What runs in a worker process when language models are in the loop; JSON in, JSON out, as in `symbolic`.

What a model says when it holds a goal for false: values, and the meaning of what the theorem leaves open. Read only.

Whether the goal is false there is found out in `confirming`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from goedels_poetry.errors import OUT_OF_TIME
from goedels_poetry.kernel.faults import InvalidText, SchemeError
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Measures, Problem
from goedels_poetry.kernel.reading.reader import Atom, Group, Source, read
from goedels_poetry.kernel.schemas import Conjuncts
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Sort, var
from goedels_poetry.protocol.trials import HINT, Status
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.context.attempts import sketch_json, with_lemmas
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import OutOfTime
from goedels_poetry.smt.jobs.guided import complete
from goedels_poetry.smt.jobs.payloads import (
    EXHAUSTED,
    brought_along,
    context_of,
    goal_sequent,
    problem_in,
    problem_of,
    refuted_child,
    refuted_children,
    result,
    rule_fault,
    scope_of,
)
from goedels_poetry.smt.jobs.proposals import idea_to_sketch, is_sketch, query_candidate, read_idea, read_instances
from goedels_poetry.smt.jobs.reading import (
    BadProposal,
    Json,
    named_values,
    object_of,
    respelled,
    term_of,
    unbarred,
    with_reply_functions,
)
from goedels_poetry.smt.notation.reply_forms import (
    describe_definitions,
    describe_goal,
    describe_guards,
    describe_problem,
)
from goedels_poetry.smt.notation.text import MARK, bringing, parse_sequent
from goedels_poetry.smt.rewriting.plan import Plan, key_of
from goedels_poetry.smt.search.search import Sketcher
from goedels_poetry.smt.termination.measured import with_measures

COMPLETING_CALLS = 600
COMPLETING_SECONDS, HINT_SECONDS = 120.0, 40.0
"""Most queries, and seconds, for finding out how a proposal's lemmas give the goal; how a person's hint does."""


def describe(payload: Json) -> dict[str, str]:
    """See `ModelGuided.describe`."""
    problem = problem_in(payload)
    facts = [goal_sequent(problem, statement) for _, statement in payload["scope"]]
    sequent = goal_sequent(problem, payload["statement"])
    formulas = [sequent.formula, *[p.formula for p in problem.premises], *[fact.formula for fact in facts]]
    text = payload["theorem"]
    definitions = describe_definitions(problem, formulas, text)
    definitions += describe_guards(_measures(text, int(payload.get("seed", 0))))
    return _described(text) | {"definitions": definitions} | describe_goal(sequent, facts)


@lru_cache(maxsize=128)
def _described(theorem: str) -> dict[str, str]:
    """Printing the premises takes longer than all else that a prompt needs; they are the same for every goal."""
    return describe_problem(problem_of(theorem))


@lru_cache(maxsize=128)
def _measures(theorem: str, seed: int) -> Measures:
    """Those with which the search uses the theorem's definitions, see `context_of`."""
    return with_measures(problem_of(theorem), seed).measures


def read_sketch(payload: Json) -> Json:
    """A model's sketch as the machine stores it, or its word that the goal is false; needs no solver."""
    return _reply(payload, sketches_only=True)


def read_candidate(payload: Json) -> Json:
    """A model's proof attempt as the verifier takes it, or the sketch that it is instead; needs no solver."""
    return _reply(payload, sketches_only=False)


def _reply(payload: Json, *, sketches_only: bool) -> Json:
    problem = problem_in(payload)
    sequent = goal_sequent(problem, payload["statement"])
    facts = [parse_sequent(text, problem.signature) for _, text in payload.get("scope", ())]
    try:
        problem, reply, own = with_reply_functions(problem, payload["reply"])
        brought = tuple(dict.fromkeys((*brought_along(payload), *own)))
        if says_refuted(reply):
            said = read_refutation(problem, sequent, reply)
            return _read({"refutation": said, "key": f"refuted:{json.dumps(said, sort_keys=True)}"})
        if sketches_only or is_sketch(reply):
            return _read({"sketch": bringing(idea_to_sketch(read_idea(problem, sequent, facts, reply)), brought)})
        return _read({"candidate": query_candidate(read_instances(problem, sequent, facts, reply))})
    except (BadProposal, SchemeError) as fault:
        return _read({}, str(fault))


def _read(value: Json, reason: str = "") -> Json:
    return {"ok": not reason, "value": value, "reason": reason, "cost": {}}


def verify_idea(payload: Json) -> Json:
    """Test the lemmas of a model's sketch, then find out how they give the goal; the sketch gets its rule."""
    payload = {**payload, "scope": _usable(payload, payload["sketch"])}
    context, sequent, began = context_of(payload)
    try:
        return _verified_idea(payload, context, sequent, began)
    except OutOfTime:
        reason = f"{OUT_OF_TIME} before it was known whether these lemmas give the goal"
        return result(context, began, {"report": reason}, reason)


def _verified_idea(payload: Json, context: ProverContext, sequent: Sequent, began: float) -> Json:
    proposal = payload["sketch"]
    if endless := _endless(context):
        return result(context, began, {"report": endless}, endless)
    false = list(refuted_children(context, proposal, "lemma"))
    if false:
        said = "; ".join(text for _, text in false)
        return result(context, began, {**false[0][0], "report": said}, said)
    if proposal["strategy"] == HINT:
        Library(context)  # lets the context rewrite by the lemmas
    context.budget.set_deadline(HINT_SECONDS if proposal["strategy"] == HINT else COMPLETING_SECONDS)
    context.budget.limit_calls(COMPLETING_CALLS)
    scope = scope_of(payload, context)
    stored, line, report = complete(context, sequent, proposal)
    if stored is None:
        return result(context, began, {"report": report}, line)
    children = [parse_sequent(child["statement"], context.signature) for child in stored["children"]]
    fault = rule_fault(context, sequent, stored, children, scope)
    if fault:
        return result(context, began, {"report": fault}, fault)
    refuted = refuted_child(context, stored)
    return result(context, began, *refuted) if refuted else result(context, began, {"sketch": stored})


def _endless(context: ProverContext) -> str:
    """Which auxiliary function was not shown to end; "" where all were."""
    names = {d.name for d in context.signature.definitions if MARK.search(d.name)} - context.problem.measures.keys()
    open_ = [t for t in context.terminations if not t.ok and not names.isdisjoint(t.group)]
    said = [f"{', '.join(t.group)} was not shown to end for all arguments: {t.reason}" for t in open_]
    return f"{'; '.join(said)}; define it otherwise, or name a measure that falls" if said else ""


def _usable(payload: Json, proposal: Json) -> list[list[str]]:
    """The facts that the proof of a sketch may use: those that a hint names, else all."""
    scope, using = list(payload.get("scope", ())), proposal.get("using")
    if using is None:
        return scope
    signature = problem_in(payload).signature
    return [fact for fact in scope if key_of(parse_sequent(fact[1], signature)) in using]


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


AT = "at"
"""The key of the values."""
MAX_REASON = 2_000


def says_refuted(reply: Any) -> bool:
    """Whether a reply says that its goal is false. Raises BadProposal: it is not an object."""
    return bool(object_of(reply).get("refuted"))


def read_refutation(problem: Problem, sequent: Sequent, reply: Any) -> Json:
    """``{"values", "elements", "functions", "because"}``: terms as text, elements of declared sorts by number.

    Raises:
        BadProposal: a name that the goal does not have, a term of another sort or with variables.
    """
    whole = object_of(reply)
    said = whole["refuted"]
    if isinstance(said, str | bool):  # values next to the word that the goal is false
        said = {AT: whole.get(AT), "because": str(whole.get("because") or said)}
    names = {v.name for v in sequent.vars} | set(problem.signature.functions)
    given, because = _parts(said, names)
    found: Json = {"values": {}, "elements": {}, "functions": {}, "because": because[:MAX_REASON]}
    elements: dict[tuple[Sort, str], int] = {}
    variables = {v.name: v for v in sequent.vars}
    for name, text in named_values(given, list(variables), "refuted.at").items():
        where = f"refuted.at.{name}"
        variable = variables.get(name)
        text = json.dumps(text) if isinstance(text, list) else text  # a list as JSON writes it
        if variable is None:
            function, meaning = _meaning(problem, name, text, where)
            found["functions"][function] = meaning
        elif (number := _element(problem, variable.sort, text, elements)) is not None:
            found["elements"][name] = number
        else:
            found["values"][name] = show(term_of(text, problem, (), where, variable.sort))
    return found


def _parts(said: Any, names: set[str]) -> tuple[Any, str]:
    """Values and reason: of an object with both, or of the values themselves."""
    if not isinstance(said, dict):
        return said, ""
    values = said.get(AT) or {name: value for name, value in said.items() if unbarred(str(name)) in names}
    return values or None, str(said.get("because") or "")


_SYMBOL = re.compile(r"@?[A-Za-z_][A-Za-z0-9_!@.']*")


def _element(problem: Problem, sort: Sort, text: Any, elements: dict[tuple[Sort, str], int]) -> int | None:
    """The number of an element of a declared sort, which has no terms but names that a model makes up."""
    if sort not in problem.signature.sorts or not isinstance(text, str) or not _SYMBOL.fullmatch(text.strip()):
        return None
    if unbarred(respelled(text.strip(), problem)) in problem.signature.names:
        return None  # a constant of the theorem
    return elements.setdefault((sort, text.strip()), sum(s is sort for s, _ in elements))


# ---------------------------------------------------------------------------------------------------------- functions


def _meaning(problem: Problem, name: str, text: Any, where: str) -> tuple[str, Json]:
    """The meaning that a model gives a declared function or constant: its name, and ``{"params", "body"}``."""
    function = unbarred(respelled(name, problem))
    if problem.signature.definition(function) is not None:
        raise BadProposal(f"{where}: {function} is defined: it has no other meaning")
    typed = problem.signature.type_of(function)
    if typed is None:
        raise BadProposal(f"{where}: there is no such variable and no such function of the problem")
    sorts, result = typed
    params, body = _lambda(text, where)
    if len(params) != len(sorts) or len(set(params)) != len(sorts):
        raise BadProposal(f'{where}: it takes {len(sorts)} arguments; write "(lambda ((x Int)) 0)" with that many')
    term = term_of(body, problem, tuple(var(p, s) for p, s in zip(params, sorts, strict=True)), where, result)
    return function, {"params": list(params), "body": show(term)}


def _lambda(text: Any, where: str) -> tuple[tuple[str, ...], Any]:
    """Parameters and body of ``(lambda ((x S)) body)`` or of a ``define-fun``; of a term none."""
    try:
        exprs = read(Source(text)) if isinstance(text, str) else []
    except (InvalidText, RecursionError) as error:
        raise BadProposal(f"{where}: {error}") from error
    match exprs:
        case [Group(items=[Atom(text="lambda"), Group(items=binders), body])]:
            pass
        case [Group(items=[Atom(text="define-fun" | "define-fun-rec"), Atom(), Group(items=binders), _, body])]:
            pass
        case _:
            return (), text
    bound = [b.items[0].text for b in binders if isinstance(b, Group) and b.items and isinstance(b.items[0], Atom)]
    return tuple(bound), text[body.offset : body.end] if isinstance(body, Group) else body.text
