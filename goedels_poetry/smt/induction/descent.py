"""Induction on the measure of a function: the hypothesis where the function calls itself.

For functions whose termination is a lemma (see `kernel.termination`), which induction along a function does not serve.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from goedels_poetry.kernel.calls import TooLarge, calls_of
from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import MeasureInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.schemas import ConstructorSplit, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Sort, Term, substitute, subterms
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import DIRECT
from goedels_poetry.smt.induction.saturate import MAX_INSTANCES, ground_proof
from goedels_poetry.smt.induction.structural import by_cases, induction_variables
from goedels_poetry.smt.rewriting.plan import Plan, detail_of, leaf

Close = Callable[[Sequent], Query | None]

MANY = 400
"""Instances in a query without quantifiers, where calls of a whole group of functions are unfolded."""

DEPTH = 2
"""Constructors peeled off to get at the recursive calls."""


def descents(context: ProverContext, sequent: Sequent) -> Iterator[MeasureInduction]:
    """Inductions along the measured functions that the goal calls."""
    for part in (sequent.concl, *sequent.hyps):
        if part.binders:
            continue
        for call in subterms(part):
            terms = context.problem.measures.get(call.name, ()) if call.kind is Kind.APP else ()
            definition = context.signature.definition(call.name)
            if not terms or definition is None or not call.free <= frozenset(sequent.vars):
                continue
            at = dict(zip(definition.params, call.args, strict=True))
            if len(terms) > 1:  # calls of others of its group come in between
                yield MeasureInduction(substitute(terms[0], at), ())
            elif points := _points(context, sequent, call):
                yield MeasureInduction(substitute(terms[0], at), points)


def _points(context: ProverContext, sequent: Sequent, call: Term) -> tuple[tuple[Term, ...], ...]:
    """What the variables of the goal become at the calls that ``call`` makes; none when one cannot be told."""
    definition = context.signature.definition(call.name)
    if definition is None:
        return ()
    reserved = context.reserved
    try:
        calls = calls_of(definition, frozenset((call.name,)), simplify(definition.body, context.signature), reserved)
    except TooLarge:
        return ()
    here = dict(zip(definition.params, call.args, strict=True))
    points: dict[tuple[Term, ...], None] = {}
    for made in calls:
        there: dict[Term, Term] = {}
        for parameter, argument, value in zip(definition.params, call.args, made.args, strict=True):
            if value is parameter:
                continue
            if argument.kind is not Kind.VAR or argument in there or not value.free <= frozenset(definition.params):
                return ()
            there[argument] = substitute(value, here)
        points[tuple(there.get(v, v) for v in sequent.vars)] = None
    return tuple(points)


def descent_plans(context: ProverContext, sequent: Sequent, close: Close | None = None) -> Iterator[Plan]:
    """Plans by induction on a measure, with the cases that the function tells apart all closed by the solver.

    ``close`` gives the query that closes a case, if there is one: all lemmas unless given. Without quantifiers is tried
    in any case.
    """

    def directly(case: Sequent) -> Query | None:
        query = Query(cites=tuple(context.lemmas))
        return query if context.holds(case, query, DIRECT, known=True) else None

    for scheme in dict.fromkeys(descents(context, sequent)):
        try:
            (step,) = instances(sequent, scheme, context.signature)
        except SchemeError:
            continue
        general = not scheme.at
        facts = tuple(context.lemmas.values()) if general or close is None else ()
        sorts = {v.sort for v in scheme.measure.free}
        limit = MANY if general else MAX_INSTANCES
        inner = _split(context, step, DEPTH + general, close or directly, facts, limit, sorts)
        if inner is not None:
            detail = f"{show(scheme.measure)} at {len(scheme.at)}: {detail_of(scheme.at)}"
            yield Plan(sequent, scheme, (inner,), "measure-induction", detail)


def _split(
    context: ProverContext,
    goal: Sequent,
    depth: int,
    close: Close,
    facts: tuple[Sequent, ...],
    most: int,
    sorts: Container[Sort],
) -> Plan | None:
    """The goal by a query, or by cases of variables of the sorts that the measure speaks of."""
    query = close(goal)
    if query is None and facts:
        query = ground_proof(context, goal, facts, most=most)
    if query is not None:
        return leaf(goal, query)
    variables = [v for v in induction_variables(context, goal) if v.sort in sorts]
    for on in variables[:2] if depth else ():
        plan = by_cases(
            context,
            goal,
            ConstructorSplit(on.name),
            lambda case: _split(context, case, depth - 1, close, facts, most, sorts),
            "case-split",
            on.name,
        )
        if plan is not None:
            return plan
    return None
