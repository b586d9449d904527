"""What runs in a worker process: plain functions from JSON to JSON, one for each thing an agent asks for.

A goal as data, for strategies; JSON in, JSON out, as in `symbolic`.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.printer import declarations, show, show_sort
from goedels_poetry.kernel.problem import Problem, Signature, reached
from goedels_poetry.kernel.reading.certificate import query_from_json
from goedels_poetry.kernel.refutation.theory import definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, TRUE, Kind, Sort, Term, is_app, symbols
from goedels_poetry.protocol.trials import Status
from goedels_poetry.smt.context.attempts import direct_query, minimal_query, sketch_json, with_lemmas
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import DIRECT, OutOfTime
from goedels_poetry.smt.jobs.chains import as_given
from goedels_poetry.smt.jobs.hint_lemmas import by_hints
from goedels_poetry.smt.jobs.payloads import (
    EXHAUSTED,
    NO_HINT,
    context_of,
    goal_sequent,
    problem_of,
    refuted_child,
    result,
    root_sequent,
    rule_fault,
    scope_of,
)
from goedels_poetry.smt.notation.goals import excerpt, excerpts, preceded_by
from goedels_poetry.smt.notation.infix import render
from goedels_poetry.smt.notation.reply_forms import describe_goal
from goedels_poetry.smt.notation.text import name_premises, parse_sequent, query_to_json, show_sequent
from goedels_poetry.smt.preflight.checks import check_problem
from goedels_poetry.smt.refutation.refute import show_assignment
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.smt.search.search import Sketcher

Json = dict[str, Any]

MAX_RETRIEVED = 20
_ANNOTATED = re.compile(r"\(\s*(?:prove|assert-not)\s*\(\s*!")


def prove(payload: Json) -> Json:
    """A direct proof by one query, or a counterexample. Asking again would only bring the same answer."""
    context, sequent, began = context_of(payload)
    counterexample = context.refutes(sequent, 60) if payload["statement"] else None
    context.trials.begin("direct proof")
    if counterexample is not None:
        return result(context, began, {"refuted": show_assignment(context.signature, counterexample)})
    alone = not payload["statement"] and context.closes_alone(sequent)  # preflight has asked the same
    query = Query() if alone else direct_query(context, sequent)
    if query is None and not any(d.recursive for d in context.signature.definitions):
        # Nothing to induct over: the solver itself, in every configuration that the checker knows, is the best prover.
        query = Query() if context.confirms(sequent, Query(), {}).status == "unsat" else None
    if query is None:
        context.trials.end(Status.FAILED, "no solver closes it without an induction or a lemma")
        return result(context, began, {EXHAUSTED: True}, "the solver does not close the goal directly")
    return result(context, began, {"candidate": {"query": query_to_json(minimal_query(context, sequent, query))}})


def correct(payload: Json) -> Json:
    """Another query for a goal whose first did not stand: plain instances, more resources, quantifiers on or off."""
    context, sequent, began = context_of(payload)
    for plain in as_given(context, sequent):
        if context.holds(sequent, plain, DIRECT):
            return result(context, began, {"candidate": {"query": query_to_json(plain)}})
    for rlimit in (4 * DIRECT, 16 * DIRECT):
        query = direct_query(context, sequent, rlimit)
        if query is not None:
            candidate = {"query": query_to_json(minimal_query(context, sequent, query, rlimit))}
            if candidate != payload.get("candidate"):
                return result(context, began, {"candidate": candidate})
    context.trials.tried("", Status.FAILED, "no other query closes it", strategy="correction")
    return result(context, began, {}, EXHAUSTED)


def verify(payload: Json) -> Json:
    """Pose a candidate's query to a fresh context."""
    context, sequent, began = context_of(payload)
    query = query_from_json(payload["candidate"]["query"], context.signature, sequent.vars)
    verdict = context.confirms(sequent, query, {key_of(s): s for s in scope_of(payload, context)})
    if verdict.status == "unsat":
        return result(context, began, {"proof": {"query": query_to_json(query)}, "cites": list(query.cites)})
    return result(
        context, began, {"report": f"{verdict.status}: {verdict.reason}"}, f"not confirmed ({verdict.status})"
    )


def sketch(payload: Json) -> Json:
    """The next plan whose fingerprint is not banned; hints before it, if a person stated one."""
    context, sequent, began = context_of(payload)
    sketcher = Sketcher(context, payload.get("without", ()))
    banned = set(payload.get("banned", ()))
    hints = () if "hints" in banned else payload.get("hints", ())
    found = None
    try:
        if hints and not any(hint.get("stated") for hint in hints):
            with suppress(OutOfTime), context.budget.part(BEFORE_CONTRACTS):
                found = _planned(context, sketcher, sequent, banned)
        if found is None and hints:
            found = by_hints(context, sketcher, sequent, hints)
        if found is None:
            found = _planned(context, sketcher, sequent, banned)
    except OutOfTime:
        context.trials.end(Status.TIMEOUT, "the time was used up")
        return result(context, began, {}, "out of time")
    return result(context, began, {"sketch": found}) if found else result(context, began, {}, EXHAUSTED)


BEFORE_CONTRACTS = 0.5
"""Of the time that is left, for plans before the contracts of functions that are called are tried as lemmas."""


def _planned(context: ProverContext, sketcher: Sketcher, sequent: Sequent, banned: Collection[str]) -> Json | None:
    for plan in sketcher.plans(sequent):
        if plan.fingerprint not in banned:
            return sketch_json(with_lemmas(context, plan, sketcher.library.plans))
        context.trials.tried(plan.detail, Status.REJECTED, "banned here", strategy=plan.strategy)
    return None


def verify_sketch(payload: Json) -> Json:
    """That the children give the parent, and that no open child is false."""
    context, sequent, began = context_of(payload)
    proposal = payload["sketch"]
    children = [parse_sequent(c["statement"], context.signature) for c in proposal["children"]]
    fault = rule_fault(context, sequent, proposal, children, scope_of(payload, context))
    if fault:
        return result(context, began, {"report": fault}, fault)
    refuted = None if "refutation" in payload.get("without", ()) else refuted_child(context, proposal)
    return result(context, began, *refuted) if refuted else result(context, began, {})


def retrieve(payload: Json) -> Json:
    """Lemmas that speak of nothing but the functions the goal reaches, most used first."""
    context, sequent, began = context_of(payload)
    reach = set(context.shape.reachable_functions(sequent.formula))
    usable = []
    for entry in payload["lemmas"]:
        fact = parse_sequent(entry["statement"], context.signature)
        used = symbols(fact.formula) & context.signature.names
        if used <= reach and fact.key is not sequent.key:
            usable.append((-int(entry.get("uses", 0)), entry["id"]))
    return result(context, began, {"lemmas": [name for _, name in sorted(usable)[:MAX_RETRIEVED]]})


def read(payload: Json) -> Json:
    """Parse and type-check; the error with its place when the text is not a theorem.

    With all that is wanted of the text where it is not parsed: ``theory`` and ``key`` (see `Language.canonical`),
    whether the goal is ``empty`` (see `says_nothing`), the ``text`` for the search, which has further ``lemmas``, and
    the ``hint`` (see `read_hint`).
    """
    began = time.monotonic()
    try:
        text, name = payload["theorem"], payload.get("name", "")
        problem = problem_of(text)
        if len(problem.goals) > 1 and name != problem.goals[-1].name:
            excerpt(text, name)  # which says what there is
            raise InvalidInput(f"the text goes on after the goal `{name}`")
        searched = preceded_by(text, payload.get("lemmas", ""))
        hint = _hint(searched)
    except InvalidInput as error:
        return {
            "ok": False,
            "message": error.message,
            "line": error.line,
            "column": error.column,
            "hint": error.hint,
        }
    return {
        "ok": True,
        "statement": show(problem.goal),
        "warnings": list(problem.warnings),
        "theory": theory_of(problem),
        "key": key_of(root_sequent(problem)),
        "empty": says_nothing(problem.goal),
        "text": searched,
        "hint": hint,
        "seconds": time.monotonic() - began,
    }


def _hint(text: str) -> Json:
    """See `read_hint`."""
    if _ANNOTATED.search(text) is None:
        return NO_HINT
    from goedels_poetry.smt.jobs.hints import read_hint  # with the reader of replies, which few theorems need

    return read_hint(text, problem_of(text))


def goals(payload: Json) -> Json:
    """The goals of a text up to the one that is meant, with ``lemmas`` of another file before them, in order.

    ``name``: None for all. ``text``: of the goal meant, without lemmas; ``goals``: see `Stated`.
    """
    try:
        text, found = payload["theorem"], []
        if payload["name"] is not None:
            text = excerpt(text, payload["name"])
        for name, part in excerpts(preceded_by(text, payload["lemmas"])):
            problem = problem_of(part)
            sequent = root_sequent(problem)
            try:
                hint = _hint(part)
            except InvalidInput:  # its own run says so
                hint = NO_HINT
            said = {"name": name, "text": part, "statement": show_sequent(sequent), "key": key_of(sequent)}
            lists = {"hide": hint["hide"], "named": hint["named"], "symbols": sorted(problem.signature.names)}
            found.append({**said, **lists})
    except InvalidInput as error:
        return {"ok": False, **error.location, "message": error.message}
    return {"ok": True, "text": text, "goals": found}


def theory_of(problem: Problem) -> str:
    """A hash of all that a statement rests on: signature, definitions, premises."""
    lines = [*declarations(problem.signature), *definitions(problem.signature)]
    lines += [show(p.formula) for p in problem.premises]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:20]


def canonical(payload: Json) -> Json:
    """The key of one statement."""
    return {"key": key_of(goal_sequent(problem_of(payload["theorem"]), payload["statement"]))}


def judge(payload: Json) -> Json:
    """See `Language.judge`: what is to be known before any search."""
    context, _, began = context_of({**payload, "statement": ""}, as_written=True)
    text: str = payload["theorem"]
    report = check_problem(context, bool(payload.get("assume_definitions")), text)
    value = {
        "verdict": report.verdict,
        "reason": report.reason,
        "core": name_premises([p.name for p in context.problem.premises if p.name in report.core], context.problem),
        "counterexample": dict(report.counterexample),
        "refuted_by": report.refuted_by,
        "assumptions": list(report.assumptions),
        "evidence": dict(report.evidence),
        "doubts": _doubts(context) if report.verdict == "open" else [],
    }
    return {**result(context, began, value), "ok": True}


def _doubts(context: ProverContext) -> list[str]:
    """The functions that the theorem rests on and that were not shown to end, with the consequence for proofs."""
    problem, found = context.problem, []
    rests_on = reached(context.signature, [problem.goal, *[premise.formula for premise in problem.premises]])
    for name in (name for group in context.terminations if not group.ok for name in group.group if name in rests_on):
        measures = ", ".join(render(show(m)) for m in problem.measures.get(name, ()))
        where = f" where each of its calls makes {measures} smaller" if measures else ""
        found.append(
            f"{name} was not shown to end for all arguments; perhaps its definition does not determine it"
            f" everywhere, and proofs may use its equation only{where or ' where it does'}"
        )
    return found


def sequent(payload: Json) -> Json:
    """See `Readable.sequent`."""
    problem = problem_of(payload["theorem"])
    goal, signature = goal_sequent(problem, payload["statement"]), problem.signature
    used = symbols(goal.formula) & signature.names
    return {
        "statement": show_sequent(goal),
        "text": describe_goal(goal, ())["statement"],
        "variables": [[show(v), show_sort(v.sort), _is_inductive(v.sort, signature)] for v in goal.vars],
        "hypotheses": [show(hypothesis) for hypothesis in goal.hyps],
        "conclusion": show(goal.concl),
        "functions": sorted(name for name in used if signature.definition(name) is not None),
    }


def _is_inductive(sort: Sort, signature: Signature) -> bool:
    datatype = signature.datatype(sort)
    if datatype is None:
        return sort is INT
    return any(field == sort for constructor in datatype.constructors for _, field in constructor.fields)


def says_nothing(goal: Term) -> bool:
    """Whether the conclusion, below quantifiers and hypotheses, is ``true`` or ``(= t t)``."""
    known: dict[Term, bool] = {}

    def empty(term: Term) -> bool:
        while term.kind is Kind.FORALL or is_app(term, "=>"):
            term = term.args[-1]
        if term not in known:
            if is_app(term, "and"):
                known[term] = all(map(empty, term.args))
            elif is_app(term, "or"):
                known[term] = any(map(empty, term.args))
            else:
                known[term] = term is TRUE or (is_app(term, "=") and len(set(term.args)) == 1)
        return known[term]

    return empty(goal)
