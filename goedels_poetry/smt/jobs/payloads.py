"""What all jobs do with a payload, and whether a sketch holds before it is stored."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem, Signature
from goedels_poetry.kernel.reading.certificate import query_from_json, scheme_from_json
from goedels_poetry.kernel.refutation.counterexample import goal_of
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.protocol.trials import HINT, Status, TrialLog
from goedels_poetry.smt.auxiliary.standard import with_standard_auxiliaries
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.notation.text import bringing, brought_by, parse_problem, parse_sequent, with_brought
from goedels_poetry.smt.refutation.refute import show_assignment
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.smt.termination.measured import with_definitions, with_measures
from goedels_poetry.smt.termination.search import structural_sizes

Json = dict[str, Any]

_PROBLEMS: OrderedDict[tuple[str, bool, tuple[str, ...]], Problem] = OrderedDict()
KEPT_PROBLEMS = 128
_CONTEXTS: OrderedDict[tuple[str, int, tuple[str, ...], bool, tuple[str, ...]], ProverContext] = OrderedDict()
KEPT_CONTEXTS = 4
"""A context has solver processes, a parsed problem is small."""
EXHAUSTED = "exhausted"
NO_HINT: Json = {"hide": [], "using": None, "named": [], "sketch": None}
EXPECTED_SECONDS = 300.0
"""What strategies share out in a run without a limit."""


def problem_of(text: str, brought: tuple[str, ...] = (), *, as_written: bool = False) -> Problem:
    """The parsed problem with the auxiliary functions that its proofs may use; the last few are kept.

    Declared functions that premises define have definitions, unless it is wanted ``as_written``. ``brought``: further
    definitions, see `brought_by`.
    """
    problem = _PROBLEMS.get((text, as_written, brought))
    if problem is None:
        if brought:
            problem = with_brought(problem_of(text, as_written=as_written), brought)
        else:
            parsed = parse_problem(text)
            problem = with_standard_auxiliaries(parsed if as_written else with_definitions(parsed))
        while len(_PROBLEMS) >= KEPT_PROBLEMS:
            _PROBLEMS.popitem(last=False)
        _PROBLEMS[text, as_written, brought] = problem
    return problem


def problem_in(payload: Json) -> Problem:
    """The problem of a payload, with the definitions that its statements bring along."""
    return problem_of(payload["theorem"], brought_along(payload))


def brought_along(payload: Json) -> tuple[str, ...]:
    """The definitions behind its statements."""
    return brought_by([payload.get(part) for part in ("statement", "scope", "sketch")])


def goal_sequent(problem: Problem, statement: str) -> Sequent:
    """The statement of a node; the root's is empty."""
    return parse_sequent(statement, problem.signature) if statement else goal_of(problem)


def context_of(payload: Json, *, as_written: bool = False) -> tuple[ProverContext, Sequent, float]:
    """What a job works with: a context with just the lemmas that it may use, the goal, the processor time so far.

    The contexts of the last few problems are kept, with their solver processes.
    """
    brought = brought_along(payload)
    problem = problem_of(payload["theorem"], brought, as_written=as_written)
    seed, hidden = int(payload.get("seed", 0)), tuple(payload.get("hide", ()))
    if hidden:
        problem = replace(problem, premises=tuple(p for p in problem.premises if p.name not in hidden))
    name = (problem.source_sha256, seed, hidden, bool(problem.defined), brought)
    context = _CONTEXTS.pop(name, None) or ProverContext(with_measures(problem, seed), seed=seed, brought=brought)
    _CONTEXTS[name] = context
    while len(_CONTEXTS) > KEPT_CONTEXTS:
        _CONTEXTS.popitem(last=False)[1].close()
    in_units = bool(payload.get("in_units"))
    context.begin(payload["left"] if in_units else payload.get("seconds") or None, in_units=in_units)
    context.budget.expect(EXPECTED_SECONDS if payload.get("left") is None else payload["left"])
    for _, statement in payload.get("scope", ()):
        context.add_lemma(parse_sequent(statement, problem.signature))
    goal = goal_sequent(problem, payload["statement"])
    context.log_trials(goal, TrialLog(Path(payload["log"]) if payload.get("log") else None))
    return context, goal, time.process_time()


def scope_of(payload: Json, context: ProverContext) -> list[Sequent]:
    """The proven facts that the goal may cite."""
    return [parse_sequent(text, context.signature) for _, text in payload.get("scope", ())]


def result(context: ProverContext, began: float, value: Json, reason: str = "") -> Json:
    """What a job gives back: ok when there is no ``reason`` to say otherwise, and what it has cost.

    With a sketch come the ``keys`` of its statements: they are not read again where the answer goes. With what leaves
    anything open, or a hint unproved, comes what was tried.
    """
    if open_cases := _leaves_open(value):
        context.trials.end(
            Status.OPEN, f"leaves {open_cases} cases as goals" if open_cases > 1 else "leaves a case as goal"
        )
    if "sketch" in value:
        value = {**value, "sketch": bringing(value["sketch"], context.brought)}
    missed = any(t.strategy == HINT and t.status is not Status.PROVED for t in context.trials.trials)
    trials = context.trials.to_json() if reason or open_cases or missed else {}
    context.trials.close()
    return {
        "ok": not reason,
        "keys": keys_of(value["sketch"], context.signature) if "sketch" in value else {},
        "value": value,
        "reason": reason,
        "trials": trials,
        "cost": {
            "solver_calls": context.budget.calls,
            "solver_seconds": round(context.budget.seconds, 4),
            "resource_units": context.budget.units,
            "cpu_seconds": round(time.process_time() - began, 4),
        },
    }


def _leaves_open(value: Json) -> int:
    children = value["sketch"]["children"] if "sketch" in value else ()
    return sum("candidate" not in child and "sketch" not in child for child in children)


def keys_of(proposal: Json, signature: Signature) -> dict[str, str]:
    """The key of every statement in a sketch, by its text."""
    keys: dict[str, str] = {}
    for child in proposal["children"]:
        keys[child["statement"]] = key_of(parse_sequent(child["statement"], signature))
        keys |= keys_of(child["sketch"], signature) if child.get("sketch") else {}
    return keys


# Whether a sketch holds before it is stored


def rule_fault(
    context: ProverContext, sequent: Sequent, proposal: Json, children: list[Sequent], scope: list[Sequent]
) -> str:
    """Why the children do not give the parent, or nothing."""
    if "scheme" in proposal:
        try:
            scheme = scheme_from_json(proposal["scheme"], context.signature, sequent.vars)
            wanted = instances(sequent, scheme, context.signature, structural_sizes(context.signature))
        except SchemeError as error:
            return str(error)
        if [s.key for s in wanted] != [c.key for c in children]:
            return "the children are not the instances of the scheme"
        return ""
    query = query_from_json(proposal["query"], context.signature, sequent.vars)
    facts = {key_of(s): s for s in (*scope, *children)}
    if query.cites and set(query.cites) <= {c for c, s in facts.items() if s.key is sequent.key}:
        return ""
    verdict = context.confirms(sequent, query, facts)
    return "" if verdict.status == "unsat" else f"the lemmas do not give the goal ({verdict.status})"


def refuted_child(context: ProverContext, proposal: Json) -> tuple[Json, str] | None:
    """The first open child that is false, with its counterexample, and the reason in words; None when there is none."""
    return next(refuted_children(context, proposal), None)


def refuted_children(context: ProverContext, proposal: Json, what: str = "subgoal") -> Iterator[tuple[Json, str]]:
    """All open children that are false, as of `refuted_child`; ``what`` the words call a child."""
    for position, entry in enumerate(proposal["children"]):
        if "candidate" in entry or "sketch" in entry:
            continue
        child = parse_sequent(entry["statement"], context.signature)
        counterexample = context.refutes(child, 150)
        if counterexample is not None:
            shown = show_assignment(context.signature, counterexample)
            value = {"refuted_child": position, "counterexample": shown}
            where = f" for {shown['text']}" if counterexample else ""
            called = entry.get("name") or position + 1
            text = show(child.formula)
            yield value, f"{what} {called} is false{where}: {text}"
