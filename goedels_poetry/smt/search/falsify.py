"""Values that make the premises of a theorem true and its goal false; premises true by the definitions alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.obligations import Context, is_quantified
from goedels_poetry.kernel.problem import Premise, Problem, Signature, reached
from goedels_poetry.kernel.refutation.counterexample import make_evidence, value_from_json, value_to_json
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import small_values
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent, sequent_of
from goedels_poetry.kernel.terms import BOOL, Kind, Sort, Term, and_, is_app, replaced, subterms
from goedels_poetry.smt.context.attempts import direct_query, sketch_json, with_lemmas
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import OutOfTime
from goedels_poetry.smt.notation.text import query_to_json, show_sequent
from goedels_poetry.smt.refutation.models import suggested_values
from goedels_poetry.smt.refutation.narrow import Narrowing
from goedels_poetry.smt.refutation.refute import Refuter, interpretation, show_calls, show_values
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf
from goedels_poetry.smt.search.search import Sketcher

# Premises that say something of defined functions alone

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
    sketcher = Sketcher(context)  # one for all: what it has proved for a fact, later ones may cite
    for fact in facts:
        plan = _plan(context, sketcher, fact)
        if plan is None:
            return None
        steps += _nodes(show_sequent(fact), sketch_json(plan) if plan.children else None, plan)
        context.add_lemma(fact)
    return steps


def _plan(context: ProverContext, sketcher: Sketcher, fact: Sequent) -> Plan | None:
    query = direct_query(context, fact)
    plans = sketcher.closed_plans(fact) if query is None else (leaf(fact, query),)
    plan = next((plan for plan in plans if plan.complete), None)
    return None if plan is None else with_lemmas(context, plan, sketcher.library.plans)


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


Interpret = Callable[[str, tuple[Any, ...]], Any]
Table = Mapping[tuple[str, tuple[Any, ...]], Any]

TESTS = 400
PATIENT_FUEL = 200_000
QUICK = 150_000
"""Evaluations for narrowing: half a second. An equation of data that held in all tests gets a fifth of that."""
MODEL = 600_000
"""Resource units of z3 for a model: at most half a second or so."""


@dataclass(frozen=True)
class Counterexample:
    """Values of the goal's outer variables by name, and of declared constants; others are pseudo-random by ``seed``."""

    values: Mapping[str, Any]
    constants: Mapping[str, Any]
    sorts: Mapping[str, Sort]
    table: Table
    """What declared functions were asked for, and said."""
    facts: Json
    """``names`` of premises that were proved from the definitions rather than evaluated, and the ``steps``."""

    def evidence(self) -> Json:
        """The values as JSON, for the certificate."""
        return {
            "values": {name: value_to_json(value) for name, value in self.values.items()},
            "constants": {name: value_to_json(value) for name, value in self.constants.items()},
            "facts": self.facts,
        }

    def shown(self, problem: Problem, besides: Mapping[str, str] = MappingProxyType({})) -> Json:
        """``{"values": {name: text}, "text": ...}`` in the problem's own terms; ``besides``: texts of other things."""
        everything = {**self.constants, **self.values}
        named = {name: (self.sorts[name], value) for name, value in everything.items()}
        return show_values(problem.signature, named, {**show_calls(problem.signature, self.table), **besides})


def counterexample(problem: Problem, seed: int, work: int = QUICK, rlimit: int = MODEL) -> Counterexample | None:
    """Values for the goal's variables and the declared constants that make every premise true and the goal false.

    Declared functions are given one fixed interpretation; a premise that it does not make true by construction must
    evaluate to true or be proved, so a premise that is not decided means that nothing is claimed. Small values first,
    then random ones, then narrowing (``work`` evaluations), then a model of z3's (``rlimit`` resource units; 0: none).
    """
    signature = problem.signature
    rules = _rules(problem)
    evaluator = Evaluator(signature, rules, interpret=interpretation(problem, seed), fuel=FUEL)
    facts = facts_of(problem)
    hyps = [p.formula for p in problem.premises if p.name not in evaluator.defining and p not in facts]
    goal = sequent_of(problem.goal, signature.names)
    constants = _constants(signature, evaluator, [*hyps, problem.goal])
    if any(_uses(d.body, constants) for d in signature.definitions):
        constants = []
    names = Names(
        *goal.vars,
        *hyps,
        *goal.hyps,
        goal.concl,
        reserved=signature.names - {c.name for c in constants},
    )
    variables = {constant: names.fresh(constant.name, constant.sort) for constant in constants}
    sequent = make_sequent(
        (*variables.values(), *goal.vars),
        [replaced(h, variables) for h in (*hyps, *goal.hyps)],
        replaced(goal.concl, variables),
    )
    patient = Evaluator(signature, rules, interpret=interpretation(problem, seed), fuel=PATIENT_FUEL)
    refuters = Refuter(signature, evaluator, seed), Refuter(signature, patient, seed)
    assignment = _values(Context(problem), sequent, *refuters, work, rlimit)
    proof = proof_of(problem, facts, seed) if assignment is not None and facts else None
    if assignment is None or (facts and proof is None):
        return None
    values = {v.name: assignment.get(v, _any_value(signature, v.sort)) for v in goal.vars}
    chosen = {c.name: assignment[v] for c, v in variables.items() if v in assignment}
    return Counterexample(
        values,
        chosen,
        {t.name: t.sort for t in (*goal.vars, *constants)},
        asked(problem, values, with_constants(chosen, interpretation(problem, seed)), [p.name for p in facts]),
        {"names": [p.name for p in facts], "steps": proof} if proof else {},
    )


def asked(problem: Problem, values: Mapping[str, Any], interpret: Interpret, proved: Sequence[str]) -> Table:
    """What declared functions that take arguments are asked for, and say, when the goal is evaluated."""
    try:
        rows = make_evidence(problem, values, interpret, proved)["table"]
    except BadProof:  # the checker will say why
        return {}
    told = {(row["function"], tuple(map(value_from_json, row["args"]))): row["value"] for row in rows if row["args"]}
    return {call: value_from_json(value) for call, value in told.items()}


def _values(
    context: Context, sequent: Sequent, quick: Refuter, patient: Refuter, work: int, rlimit: int
) -> Mapping[Term, Any] | None:
    """Values under which a sequent is false, as simple as they become by shrinking."""
    assignment = quick.counterexample(sequent, TESTS)
    if assignment is not None:
        return assignment
    telling = not sequent.hyps and is_app(sequent.concl, "=") and sequent.concl.args[0].sort is not BOOL
    suggestion: Mapping[Term, Any] | None = Narrowing(sequent, patient).run(work // 5 if telling else work)
    if suggestion is None and rlimit:
        suggestion = suggested_values(context, sequent, rlimit)
    return patient.shrunk(sequent, suggestion) if suggestion is not None else None


def interpreted(problem: Problem, seed: int, evidence: Json) -> tuple[Json, Interpret]:
    """The values and the interpretation of declared functions behind `Counterexample.evidence`."""
    values = {name: value_from_json(value) for name, value in evidence["values"].items()}
    constants = {name: value_from_json(value) for name, value in evidence["constants"].items()}
    return values, with_constants(constants, interpretation(problem, seed))


def with_constants(constants: Mapping[str, Any], interpret: Interpret) -> Interpret:
    """An interpretation with these values of constants."""

    def of(name: str, args: tuple[Any, ...]) -> Any:
        return constants[name] if not args and name in constants else interpret(name, args)

    return of


def _rules(problem: Problem) -> list[Premise]:
    """The premises that may define functions: general ones that speak of no constant whose value is looked for."""
    general = [p for p in problem.premises if p.formula.kind is Kind.FORALL]
    reader = Evaluator(problem.signature, general)
    return [p for p in general if not _constants(problem.signature, reader, [p.formula])]


def _any_value(signature: Signature, sort: Sort) -> Any:
    """A value for a variable that does not matter."""
    return small_values(signature, sort, 1)[0]


def _constants(signature: Signature, evaluator: Evaluator, formulas: list[Term]) -> list[Term]:
    constants: dict[Term, None] = {}
    for formula in formulas:
        for t in subterms(formula):
            if t.kind is Kind.APP and not t.args and t.name in signature.functions and t.name not in evaluator.closures:
                constants.setdefault(t)
    return list(constants)


def _uses(term: Term, constants: list[Term]) -> bool:
    return any(t in constants for t in subterms(term))
