"""From a finished plan to a sketch: find out which lemmas it needs, put them in front, say it in JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.smt.context.attempts import minimal_query
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.notation.proof_json import query_to_json, scheme_to_json, show_sequent
from goedels_poetry.smt.rewriting.plan import Plan

Json = dict[str, Any]


def minimise(context: ProverContext, plan: Plan) -> Plan:
    """The plan with every query citing just what it needs."""
    children = tuple(minimise(context, child) for child in plan.children)
    by = plan.by
    if isinstance(by, Query) and not plan.children:
        by = minimal_query(context, plan.sequent, by)
    return replace(plan, by=by, children=children)


def with_lemmas(context: ProverContext, plan: Plan, library: dict[str, Plan]) -> Plan:
    """The plan, preceded by the lemmas that it cites (and those that these cite); unused ones are left out.

    The result is a query on the lemmas, or on the goal itself proved after them; or the plan when it needs none.
    Lemmas that cite each other in a circle come in some order, and the verifier refuses the one that cites ahead.
    """
    plan = minimise(context, plan)
    needed: dict[str, Plan] = {}
    met: set[str] = set()

    def visit(part: Plan) -> None:
        for key in cited(part):
            if key in library and key not in met:
                met.add(key)
                lemma = minimise(context, library[key])
                visit(lemma)
                needed[key] = lemma

    visit(plan)
    if not needed:
        return plan
    lemmas = tuple(needed.values())
    if isinstance(plan.by, Query) and not plan.children:
        return replace(plan, children=lemmas)
    idea, _, detail = plan.detail.partition(" ")
    main = replace(plan, strategy=idea or plan.strategy, detail=detail)
    whole = Query(cites=(plan.key,))
    return Plan(plan.sequent, whole, (*lemmas, main), plan.strategy, plan.detail)


def cited(plan: Plan) -> list[str]:
    """Keys that the queries of a plan cite from outside of it, in order."""
    own = {child.key for child in plan.children}
    keys: dict[str, None] = {}
    if isinstance(plan.by, Query):
        keys.update(dict.fromkeys(c for c in plan.by.cites if c not in own))
    for child in plan.children:
        keys.update(dict.fromkeys(c for c in cited(child) if c not in own))
    return list(keys)


def sketch_json(plan: Plan) -> Json:
    """The plan as the machine stores it; nested plans of children become their sketches."""
    if plan.by is None:
        raise ValueError("an open goal is not a sketch")
    is_query = isinstance(plan.by, Query)
    rule = {"query": query_to_json(plan.by)} if isinstance(plan.by, Query) else {"scheme": scheme_to_json(plan.by)}
    names = [child.key for child in plan.children]
    children: list[Json] = []
    for position, child in enumerate(plan.children):
        entry: Json = {"statement": show_sequent(child.sequent)}
        if isinstance(child.by, Query) and not child.children:
            entry["candidate"] = {"query": query_to_json(child.by)}
        elif child.by is not None:
            entry["sketch"] = sketch_json(child)
        if is_query:
            uses = set(cited(child))
            entry["waits_for"] = [i for i in range(position) if names[i] in uses]
        children.append(entry)
    return {
        "strategy": plan.strategy,
        "fingerprint": plan.fingerprint,
        "deterministic": True,
        **rule,
        "children": children,
    }
