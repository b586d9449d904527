"""Whole proofs: what a script comes to when nobody outside chooses, such as a goal of Lean as a script."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import symbols
from goedels_poetry.smt.auxiliary.standard import is_auxiliary
from goedels_poetry.smt.context.attempts import close_goal, with_lemmas
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import OutOfTime
from goedels_poetry.smt.jobs.payloads import context_of
from goedels_poetry.smt.notation.text import derivation_to_json, step_to_json
from goedels_poetry.smt.rewriting.plan import Plan
from goedels_poetry.smt.search.checks import check_problem
from goedels_poetry.smt.search.search import Sketcher

Json = dict[str, Any]

BRINGING = ("interpretation", "invariants")
"""Ideas whose proofs bring functions of their own along, and are longer in Lean than those of others."""
PLAIN_SECONDS, PART = 8.0, 0.7
"""For proofs without them, and no more than this part of the time: they are mostly found at once."""
LOGICAL = frozenset({"introduction", "skolem", "conjunction"})
MOST_DEPTH = 4


def judge(payload: Json) -> Json:
    """Values under which a script is false: ``{"status": "refuted", "values": ...}``, or ``{"status": "open"}``."""
    context, _, _ = _context(payload)
    try:
        report = check_problem(context, True)
    except OutOfTime:
        return {"status": "open"}
    if report.verdict != "refuted":
        return {"status": "open"}
    return {"status": "refuted", "values": report.counterexample.get("values", {})}


def search(payload: Json) -> Json:
    """A proof of a script within ``seconds``: ``{"status": "proved", "proof": ...}`` or ``{"status": "open"}``.

    The first that is found, or with ``skip`` the one after so many.
    """
    context, sequent, _ = _context(payload)
    began = time.monotonic()
    for without in BRINGING, ():
        left = payload["seconds"] - (time.monotonic() - began)
        context.begin(min(PLAIN_SECONDS, PART * left) if without else left)
        sketcher = Sketcher(context, without)
        try:
            plan = next(islice(_solutions(context, sketcher, sequent, 0), payload.get("skip", 0), None), None)
            if plan is not None:
                steps = tuple(steps_of(with_lemmas(context, plan, sketcher.library.plans)))
                return {"status": "proved", "proof": derivation_to_json(Derivation(steps, _brought(context, steps)))}
            reason = "no strategy is left"
        except OutOfTime:
            reason = "out of time"
    return {"status": "open", "reason": reason}


def _context(payload: Json) -> tuple[ProverContext, Sequent, float]:
    return context_of({"theorem": payload["theorem"], "statement": "", "seed": 0, "seconds": payload["seconds"]})


def _solutions(context: ProverContext, sketcher: Sketcher, sequent: Sequent, depth: int) -> Iterator[Plan]:
    """Complete plans; what a logical step leaves open is solved in turn."""
    closed = close_goal(context, sequent)
    if closed is not None:
        yield closed
    for plan in sketcher.closed_plans(sequent):
        if plan.complete:
            yield plan
        elif plan.strategy in LOGICAL and depth < MOST_DEPTH:
            parts = [p if p.complete else _solved(context, sketcher, p.sequent, depth + 1) for p in plan.children]
            if all(p is not None for p in parts):
                children = tuple(p for p in parts if p is not None)
                yield Plan(plan.sequent, plan.by, children, plan.strategy, plan.detail)


def _solved(context: ProverContext, sketcher: Sketcher, sequent: Sequent, depth: int) -> Plan | None:
    return next(_solutions(context, sketcher, sequent, depth), None)


def _brought(context: ProverContext, steps: Sequence[Step]) -> tuple[Definition, ...]:
    """The auxiliary functions that the steps speak of, and those that these rest on."""
    used: set[str] = set()
    for step in steps:
        used |= {text for part in (*step.sequent.hyps, step.sequent.concl) for text in symbols(part)}
        used |= set(re.findall(r"[^\s()\"|]+", json.dumps(step_to_json(step))))
    found: list[Definition] = []
    for definition in reversed(context.signature.definitions):
        if is_auxiliary(definition.name) and definition.name in used:
            found.append(definition)
            used |= symbols(definition.body)
    return tuple(reversed(found))


def steps_of(plan: Plan) -> list[Step]:
    """The plan as steps, what is cited first."""
    steps: list[Step] = []
    names: dict[str, str] = {}

    def add(part: Plan) -> str:
        if part.key in names:
            return names[part.key]
        if any(child.key == part.key for child in part.children):  # the goal itself, after its lemmas
            return [add(child) for child in part.children][-1]
        below = [add(child) for child in part.children]
        assert part.by is not None
        name = names[part.key] = f"s{len(names)}"
        if isinstance(part.by, Query):
            cites = tuple(dict.fromkeys(names[c] for c in part.by.cites))
            instances = tuple(
                type(i)(i.of, names[i.name] if i.of == "step" else i.name, i.args) for i in part.by.instances
            )
            by: Query | ByScheme = Query(cites, instances, part.by.equations, part.by.quantified)
        else:
            by = ByScheme(part.by, tuple(below))
        steps.append(Step(name, part.sequent, by))
        return name

    add(plan)
    return steps
