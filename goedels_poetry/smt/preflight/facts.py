"""Premises that say something of defined functions alone: true by the definitions, or the problem is contradictory.

A counterexample cannot be evaluated against them, as they speak of all values. They are proved instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.obligations import is_quantified
from goedels_poetry.kernel.problem import Premise, Problem, Signature
from goedels_poetry.kernel.reach import reached
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import Kind, Term, and_
from goedels_poetry.smt.context.attempts import direct_query, minimal_query
from goedels_poetry.smt.context.budget import OutOfTime
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sketches import sketch_json, with_lemmas
from goedels_poetry.smt.notation.proof_json import query_to_json, show_sequent
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf
from goedels_poetry.smt.search.search import Sketcher

Json = dict[str, Any]

FUEL = 6_000
CALLS = 300
"""Queries for the proof of all of them."""


def facts_of(problem: Problem) -> tuple[Premise, ...]:
    """The general premises that rest on no declared function, and others with quantifiers that no value decides."""
    signature = problem.signature
    bare = [p for p in problem.premises if reached(signature, [p.formula]).isdisjoint(signature.functions)]
    return tuple(p for p in bare if p.formula.kind is Kind.FORALL or _is_undecided(signature, p.formula))


def _is_undecided(signature: Signature, formula: Term) -> bool:
    if not is_quantified(formula):
        return False
    try:
        Evaluator(signature, fuel=FUEL).value(formula, {})
    except Undecided:
        return True
    return False


def proof_of(problem: Problem, facts: Sequence[Premise], seed: int) -> list[Json] | None:
    """The steps of a proof of ``facts`` from the definitions that they rest on; None when none was found."""
    formulas = [fact.formula for fact in facts]
    names = reached(problem.signature, formulas)
    definitions = tuple(d for d in problem.signature.definitions if d.name in names)
    bare = replace(
        problem, premises=(), goal=and_(formulas), signature=replace(problem.signature, definitions=definitions)
    )
    context = closed_context(bare, seed)
    try:
        sequents = [sequent_of(formula, context.signature.names) for formula in formulas]
        steps = proved_steps(context, sequents)
        whole = Query(tuple(dict.fromkeys(key_of(fact) for fact in sequents)))
        end = {"id": "goal", "statement": "", "proof": {"query": query_to_json(whole)}, "scheme": None}
        return [*steps, end] if steps is not None else None
    except OutOfTime:
        return None
    finally:
        context.close()


def closed_context(problem: Problem, seed: int) -> ProverContext:
    """A context for a few proofs from the definitions of a problem without premises; it has to be closed."""
    context = ProverContext(problem, seed=seed)
    context.budget.limit_calls(CALLS)
    return context


def proved_steps(context: ProverContext, facts: Sequence[Sequent]) -> list[Json] | None:
    """The steps of a proof of ``facts``, one after the other, which are lemmas of the context then; None without one.

    Raises:
        OutOfTime: the queries are used up.
    """
    steps: list[Json] = []
    if any(context.refutes(fact) is not None for fact in facts):
        return None  # what contradicts the definitions
    for fact in facts:
        plan = _plan(context, fact)
        if plan is None:
            return None
        steps += _nodes(show_sequent(fact), sketch_json(plan) if plan.children else None, plan)
        context.add_lemma(fact)
    return steps


def _plan(context: ProverContext, fact: Sequent) -> Plan | None:
    query = direct_query(context, fact)
    if query is not None:
        return leaf(fact, minimal_query(context, fact, query))
    sketcher = Sketcher(context)
    for plan in sketcher.closed_plans(fact):
        if plan.complete:
            return with_lemmas(context, plan, sketcher.library.plans)
    return None


def _nodes(statement: str, sketch: Json | None, plan: Plan | None = None) -> Iterator[Json]:
    """The steps behind a sketch, children first."""
    if sketch is None:
        assert plan is not None and isinstance(plan.by, Query)
        yield {"id": statement, "statement": statement, "proof": {"query": query_to_json(plan.by)}, "scheme": None}
        return
    for child in sketch["children"]:
        if "candidate" in child:
            yield {"id": child["statement"], **child, "proof": child["candidate"], "scheme": None}
        else:
            yield from _nodes(child["statement"], child["sketch"])
    yield {"id": statement, "statement": statement, "proof": None, "scheme": sketch}
