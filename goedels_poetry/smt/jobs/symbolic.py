"""What runs in a worker process: plain functions from JSON to JSON, one for each thing an agent asks for.

A goal as data, for strategies; JSON in, JSON out, as in `symbolic`.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.faults import InvalidText, SchemeError
from goedels_poetry.kernel.inductions import MeasureInduction, RecursionInduction, StructuralInduction
from goedels_poetry.kernel.printer import declarations, show, show_sort
from goedels_poetry.kernel.problem import Problem, Signature, reached
from goedels_poetry.kernel.reading.certificate import query_from_json
from goedels_poetry.kernel.reading.parser import parse_term
from goedels_poetry.kernel.refutation.counterexample import goal_of
from goedels_poetry.kernel.refutation.theory import definitions
from goedels_poetry.kernel.schemas import Scheme
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import BOOL, INT, TRUE, Kind, Sort, Term, is_app, symbols
from goedels_poetry.protocol.trials import HINT, Status
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.context.attempts import close_goal, direct_query, minimal_query, sketch_json, with_lemmas
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import DIRECT, GROUND, MODEL_SECONDS, PATIENT, OutOfTime
from goedels_poetry.smt.induction.descent import descents
from goedels_poetry.smt.induction.recursion import recursion_schemes
from goedels_poetry.smt.induction.structural import by_cases
from goedels_poetry.smt.jobs.chains import as_given
from goedels_poetry.smt.jobs.guided import at_once, closed_by_query
from goedels_poetry.smt.jobs.payloads import (
    EXHAUSTED,
    NO_HINT,
    context_of,
    goal_sequent,
    problem_in,
    problem_of,
    refuted_child,
    result,
    rule_fault,
    scope_of,
)
from goedels_poetry.smt.jobs.proposals import RULE_NAMES
from goedels_poetry.smt.jobs.reading import BadProposal
from goedels_poetry.smt.jobs.rules import read_rule
from goedels_poetry.smt.notation.goals import excerpt, excerpts, preceded_by
from goedels_poetry.smt.notation.infix import render
from goedels_poetry.smt.notation.reply_forms import describe_goal
from goedels_poetry.smt.notation.text import (
    brought_by,
    name_premises,
    parse_sequent,
    query_to_json,
    scheme_to_json,
    show_sequent,
)
from goedels_poetry.smt.refutation.refute import show_assignment
from goedels_poetry.smt.rewriting.plan import Plan, detail_of, key_of, leaf
from goedels_poetry.smt.rewriting.statements import apart
from goedels_poetry.smt.search.checks import check_problem
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
        if not {*brought_by(entry["statement"])} <= {*context.brought}:
            continue
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
        "key": key_of(goal_of(problem)),
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
            sequent = goal_of(problem)
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
    return {"key": key_of(goal_sequent(problem_in(payload), payload["statement"]))}


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
    problem = problem_in(payload)
    goal, signature = goal_sequent(problem, payload["statement"]), problem.signature
    used = symbols(goal.formula) & signature.names
    return {
        "statement": payload["statement"] or show_sequent(goal),
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
