"""What runs in a worker process: plain functions from JSON to JSON, one for each thing an agent asks for."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, ClassVar

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.codec import query_from_json, query_to_json, scheme_from_json
from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.printer import declarations, definitions, show
from goedels_poetry.kernel.problem import Premise, Problem, Signature
from goedels_poetry.kernel.reading.parser import parse_problem, parse_sequent
from goedels_poetry.kernel.refutation.evaluator import Undecided
from goedels_poetry.kernel.schemas import SchemeError, instances
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import Term, is_app, symbols
from goedels_poetry.languages.smt.engine.conjecture.auxiliary import with_standard_auxiliaries
from goedels_poetry.languages.smt.engine.conjecture.lemmas import reachable_functions
from goedels_poetry.languages.smt.engine.context import DIRECT, OutOfTime, Workbench
from goedels_poetry.languages.smt.engine.finish import sketch_json, with_lemmas
from goedels_poetry.languages.smt.engine.induction.measured import with_measures
from goedels_poetry.languages.smt.engine.plan import key_of
from goedels_poetry.languages.smt.engine.refutation import preflight
from goedels_poetry.languages.smt.engine.refutation.counterexample import show_assignment, show_value
from goedels_poetry.languages.smt.engine.search import Sketcher
from goedels_poetry.languages.smt.sanity_tests import says_nothing

Json = dict[str, Any]

_PROBLEMS: OrderedDict[str, Problem] = OrderedDict()
KEPT_PROBLEMS = 128
KEPT_BENCHES = 4
"""A workbench has solver processes, a parsed problem is small."""
MAX_RETRIEVED = 20
EXHAUSTED = "exhausted"


def problem_of(text: str) -> Problem:
    """The parsed problem with the auxiliary functions that its proofs may use; the last few are kept."""
    found = _PROBLEMS.get(text)
    if found is None:
        found = with_standard_auxiliaries(parse_problem(text))
        while len(_PROBLEMS) >= KEPT_PROBLEMS:
            _PROBLEMS.popitem(last=False)
        _PROBLEMS[text] = found
    return found


def root_sequent(problem: Problem) -> Sequent:
    """The goal as a sequent."""
    return sequent_of(problem.goal, problem.signature.names)


def goal_sequent(problem: Problem, statement: str) -> Sequent:
    """The statement of a node; the root's is empty."""
    return parse_sequent(statement, problem.signature) if statement else root_sequent(problem)


class Bench:
    """The workbenches of this worker, one a problem; a job gets one with just the lemmas it may use."""

    _kept: ClassVar[OrderedDict[tuple[str, int], Workbench]] = OrderedDict()

    @classmethod
    def of(cls, payload: Json) -> tuple[Workbench, Sequent, float]:
        """Workbench, goal and time of beginning for a job."""
        problem = problem_of(payload["theorem"])
        seed = int(payload.get("seed", 0))
        name = (problem.source_sha256, seed)
        bench = cls._kept.pop(name, None) or Workbench(with_measures(problem, seed), seed=seed)
        cls._kept[name] = bench
        while len(cls._kept) > KEPT_BENCHES:
            cls._kept.popitem(last=False)[1].close()
        seconds = payload.get("seconds")
        bench.begin(time.monotonic() + seconds if seconds else None)
        for _, statement in payload.get("scope", ()):
            bench.add_lemma(parse_sequent(statement, problem.signature))
        return bench, goal_sequent(problem, payload["statement"]), time.process_time()


def prove(payload: Json) -> Json:
    """A direct proof by one query, or a counterexample. Asking again would only bring the same answer."""
    bench, sequent, began = Bench.of(payload)
    counterexample = bench.refutes(sequent, 60) if payload["statement"] else None
    if counterexample is not None:
        return result(bench, began, {"refuted": show_assignment(bench.signature, counterexample)})
    query = bench.direct(sequent)
    if query is None and not any(d.recursive for d in bench.signature.definitions):
        # Nothing to induct over: the solver itself, in every configuration that the checker knows, is the best prover.
        query = Query() if bench.confirms(sequent, Query(), {}).status == "unsat" else None
    if query is None:
        return result(bench, began, {EXHAUSTED: True}, "the solver does not close the goal directly")
    return result(bench, began, {"candidate": {"query": query_to_json(bench.minimal(sequent, query))}})


def correct(payload: Json) -> Json:
    """Another query for a goal whose first one did not stand: more resources, quantifiers on or off."""
    bench, sequent, began = Bench.of(payload)
    for rlimit in (4 * DIRECT, 16 * DIRECT):
        query = bench.direct(sequent, rlimit)
        if query is not None:
            candidate = {"query": query_to_json(bench.minimal(sequent, query, rlimit))}
            if candidate != payload.get("candidate"):
                return result(bench, began, {"candidate": candidate})
    return result(bench, began, {}, EXHAUSTED)


def verify(payload: Json) -> Json:
    """Pose a candidate's query to a fresh context."""
    bench, sequent, began = Bench.of(payload)
    query = query_from_json(payload["candidate"]["query"], bench.signature, sequent.vars)
    verdict = bench.confirms(sequent, query, {key_of(s): s for s in scope_of(payload, bench)})
    if verdict.status == "unsat":
        return result(bench, began, {"proof": {"query": query_to_json(query)}, "cites": list(query.cites)})
    return result(bench, began, {"report": f"{verdict.status}: {verdict.reason}"}, f"not confirmed ({verdict.status})")


def sketch(payload: Json) -> Json:
    """The next plan whose fingerprint is not banned."""
    bench, sequent, began = Bench.of(payload)
    sketcher = Sketcher(bench, payload.get("without", ()))
    banned = set(payload.get("banned", ()))
    try:
        for plan in sketcher.plans(sequent):
            if plan.fingerprint not in banned:
                ready = with_lemmas(bench, plan, sketcher.library.plans)
                return result(bench, began, {"sketch": sketch_json(ready)})
    except OutOfTime:
        return result(bench, began, {}, "out of time")
    return result(bench, began, {}, EXHAUSTED)


def verify_sketch(payload: Json) -> Json:
    """That the children give the parent, and that no open child is false."""
    bench, sequent, began = Bench.of(payload)
    proposal = payload["sketch"]
    children = [parse_sequent(c["statement"], bench.signature) for c in proposal["children"]]
    fault = rule_fault(bench, sequent, proposal, children, scope_of(payload, bench))
    if fault:
        return result(bench, began, {"report": fault}, fault)
    refuted = refuted_child(bench, proposal)
    return result(bench, began, *refuted) if refuted else result(bench, began, {})


def refuted_child(bench: Workbench, proposal: Json, what: str = "subgoal") -> tuple[Json, str] | None:
    """The first open child that is false, with its counterexample, and the reason in words; None when there is none.

    ``what``: what the words call a child.
    """
    for position, entry in enumerate(proposal["children"]):
        if "candidate" in entry or "sketch" in entry:
            continue
        child = parse_sequent(entry["statement"], bench.signature)
        counterexample = bench.refutes(child, 150)
        if counterexample is not None:
            shown = show_assignment(bench.signature, counterexample)
            value = {"refuted_child": position, "counterexample": shown}
            sides = show_sides(bench, child, counterexample)
            return value, f"{what} {position + 1} is false for {shown['text']}{sides}: {show(child.formula)}"
    return None


def show_sides(bench: Workbench, sequent: Sequent, values: Mapping[Term, Any]) -> str:
    """What the two sides of an equation come to at a counterexample, in words; nothing for other conclusions."""
    if not is_app(sequent.concl, "=") or len(sequent.concl.args) != 2:
        return ""
    told = []
    for side in sequent.concl.args:
        try:
            value = bench.evaluator.value(side, values)
        except Undecided:
            return ""
        told.append(show_value(bench.signature, side.sort, value))
    return f" ({' against '.join(told)})"


def rule_fault(
    bench: Workbench, sequent: Sequent, proposal: Json, children: list[Sequent], scope: list[Sequent]
) -> str:
    """Why the children do not give the parent, or nothing."""
    if "scheme" in proposal:
        try:
            wanted = instances(
                sequent, scheme_from_json(proposal["scheme"], bench.signature, sequent.vars), bench.signature
            )
        except SchemeError as error:
            return str(error)
        if [s.key for s in wanted] != [c.key for c in children]:
            return "the children are not the instances of the scheme"
        return ""
    query = query_from_json(proposal["query"], bench.signature, sequent.vars)
    facts = {key_of(s): s for s in (*scope, *children)}
    if query.cites and set(query.cites) <= {c for c, s in facts.items() if s.key is sequent.key}:
        return ""
    verdict = bench.confirms(sequent, query, facts)
    return "" if verdict.status == "unsat" else f"the lemmas do not give the goal ({verdict.status})"


def scope_of(payload: Json, bench: Workbench) -> list[Sequent]:
    """The proven facts that the goal may cite."""
    return [parse_sequent(text, bench.signature) for _, text in payload.get("scope", ())]


def retrieve(payload: Json) -> Json:
    """Lemmas that speak of nothing but the functions the goal reaches, most used first."""
    bench, sequent, began = Bench.of(payload)
    reach = set(reachable_functions(bench, sequent.formula))
    chosen = []
    for entry in payload["lemmas"]:
        fact = parse_sequent(entry["statement"], bench.signature)
        used = symbols(fact.formula) & bench.signature.names
        if used <= reach and fact.key is not sequent.key:
            chosen.append((-int(entry.get("uses", 0)), entry["id"]))
    return result(bench, began, {"lemmas": [name for _, name in sorted(chosen)[:MAX_RETRIEVED]]})


def result(bench: Workbench, began: float, value: Json, reason: str = "") -> Json:
    """What a job gives back: ok when there is no ``reason`` to say otherwise, and what it has cost.

    With a sketch come the ``keys`` of its statements: they are not read again where the answer goes.
    """
    return {
        "ok": not reason,
        "keys": keys_of(value["sketch"], bench.signature) if "sketch" in value else {},
        "value": value,
        "reason": reason,
        "cost": {
            "solver_calls": bench.spent.calls,
            "solver_seconds": round(bench.spent.seconds, 4),
            "cpu_seconds": round(time.process_time() - began, 4),
        },
    }


def read(payload: Json) -> Json:
    """Parse and type-check; the error with its place when the text is not a theorem.

    With all that is wanted of the text where it is not parsed: ``theory`` and ``key`` (see `Language.canonical`), and
    whether the goal is ``empty`` (see `says_nothing`).
    """
    began = time.monotonic()
    try:
        problem = problem_of(payload["theorem"])
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
        "seconds": time.monotonic() - began,
    }


def theory_of(problem: Problem) -> str:
    """A hash of all that a statement rests on: signature, definitions, premises."""
    lines = [*declarations(problem.signature), *definitions(problem.signature)]
    lines += [show(p.formula) for p in problem.premises]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:20]


def keys_of(proposal: Json, signature: Signature) -> dict[str, str]:
    """The key of every statement in a sketch, by its text."""
    keys: dict[str, str] = {}
    for child in proposal["children"]:
        keys[child["statement"]] = key_of(parse_sequent(child["statement"], signature))
        keys |= keys_of(child["sketch"], signature) if child.get("sketch") else {}
    return keys


def canonical(payload: Json) -> Json:
    """The key of one statement."""
    return {"key": key_of(goal_sequent(problem_of(payload["theorem"]), payload["statement"]))}


def _premise(premise: Premise) -> str:
    return f"{premise.name} (line {premise.line}): {show(premise.formula)}"


def judge(payload: Json) -> Json:
    """See `engine.judge`."""
    bench, _, began = Bench.of({**payload, "statement": ""})
    found = preflight.judge(bench, bool(payload.get("assume_definitions")))
    value = {
        "verdict": found.verdict,
        "reason": found.reason,
        "core": [_premise(p) for p in bench.problem.premises if p.name in found.core],
        "counterexample": dict(found.counterexample),
        "refuted_by": found.refuted_by,
        "assumptions": list(found.assumptions),
        "evidence": dict(found.evidence),
    }
    return {**result(bench, began, value), "ok": True}
