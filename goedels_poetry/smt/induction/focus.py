"""Proofs that look at few facts: those that speak of no more functions than what is to be proved rests on.

With dozens of lemmas at hand a solver spends its resources on instances that lead away. A fact about a function is an
induction whose cases need the facts about the functions that it calls, and nothing else.

A relevance filter of the simplest kind; compare Meng and Paulson, "Lightweight Relevance Filtering for
Machine-Generated Resolution Problems", 2009.
"""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import RecursionInduction, StructuralInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.schemas import Scheme, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Term, is_app, symbols
from goedels_poetry.smt.context.limits import CANDIDATE
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.descent import descent_plans
from goedels_poetry.smt.induction.recursion import recursion_schemes
from goedels_poetry.smt.induction.structural import general_variables, induction_variables
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf

MAX_VARIABLES = 3


class Facts:
    """Proven facts with the defined functions that each speaks of; facts about those in ``always`` always matter."""

    def __init__(self, context: ProverContext, always: Iterable[Term]) -> None:
        self._context = context
        self._names: dict[str, frozenset[str]] = {}
        self._always = frozenset().union(*[self._defined(t) for t in always])

    def add(self, fact: Sequent) -> None:
        """Remember a fact, which is a lemma of the context by now."""
        self._names[key_of(fact)] = self._defined(fact.formula)

    def has(self, fact: Sequent) -> bool:
        """Whether a fact was added."""
        return key_of(fact) in self._names

    def among(self, names: frozenset[str]) -> tuple[str, ...]:
        """The facts that speak of no other functions than these; where measures fall, also the lemmas that say so."""
        measured = not names.isdisjoint(self._context.problem.measures)
        foreign = [key for key in self._context.lemmas if measured and key not in self._names]
        return (*foreign, *[key for key, used in self._names.items() if used <= names | self._always])

    def called(self, term: Term) -> frozenset[str]:
        """The functions in ``term`` and those that they call, through any that are not recursive."""
        names = set(self._defined(term))
        opened: set[str] = set()
        while pending := sorted(names - opened):
            for name in pending:
                opened.add(name)
                definition = self._context.signature.definition(name)
                if definition is not None and (not definition.recursive or name in self._defined(term)):
                    names |= self._defined(definition.body)
        return frozenset(names)

    def _defined(self, term: Term) -> frozenset[str]:
        return frozenset(n for n in symbols(term) if self._context.signature.definition(n) is not None)


def prove(
    context: ProverContext, fact: Sequent, cites: tuple[str, ...], *, along: str, rlimit: int = CANDIDATE
) -> Plan | None:
    """A fact by one induction, first along the recursion of the function ``along``, or by a query."""
    recursion = context.recursions.get(along)
    functional: list[Scheme] = [*sorted(recursion_schemes(context, fact), key=lambda scheme: len(scheme.general))]
    structural: list[Scheme] = [
        StructuralInduction(v.name, general_variables(fact, v))
        for v in induction_variables(context, fact)[:MAX_VARIABLES]
    ]
    first = recursion is not None and not recursion.structural
    if along in context.problem.measures:
        plan = next(descent_plans(context, fact, close=lambda case: closing(context, case, cites, 2 * rlimit)), None)
        if plan is not None:
            return plan
    for scheme in (*functional, *structural) if first else (*structural, *functional):
        children = _closed(context, fact, scheme, cites, rlimit)
        if children is not None:
            return Plan(fact, scheme, children, *_named(scheme))
    query = closing(context, fact, cites, rlimit)
    return leaf(fact, query) if query is not None else None


def closing(context: ProverContext, goal: Sequent, cites: tuple[str, ...], rlimit: int = CANDIDATE) -> Query | None:
    """A query that closes the goal with these facts, by the equations or also by unfolding what it calls."""
    query = Query(cites)
    if context.holds(goal, query, rlimit):
        return query
    for unfoldings in context.unfolder.unfoldings(goal, (1,)) if context.shape.mentions_unfolded(goal) else ():
        query = Query(cites, unfoldings)
        if context.holds(goal, query, 3 * rlimit):
            return query
    for unfoldings in context.unfolder.unfoldings(goal, (1, 2)) if _divides(goal) else ():
        query = Query(cites, unfoldings, equations=False)
        if context.holds(goal, query, rlimit):
            return query
    return None


def _divides(goal: Sequent) -> bool:
    """Whether sizes are compared: what is unfolded for ever, half by half, is better unfolded a little."""
    return any(is_app(h, "<=") and all(a.args for a in h.args) for h in goal.hyps)


def _named(scheme: Scheme) -> tuple[str, str]:
    if isinstance(scheme, RecursionInduction):
        return "recursion-induction", f"{scheme.function} {' '.join(map(show, scheme.at))} / {' '.join(scheme.general)}"
    return "structural-induction", scheme.on if isinstance(scheme, StructuralInduction) else ""


def _closed(
    context: ProverContext, fact: Sequent, scheme: Scheme, cites: tuple[str, ...], rlimit: int
) -> tuple[Plan, ...] | None:
    try:
        cases = instances(fact, scheme, context.signature)
    except SchemeError:
        return None
    children: list[Plan] = []
    for case in reversed(cases):
        query = closing(context, case, cites, rlimit)
        if query is None:
            return None
        children.insert(0, leaf(case, query))
    return tuple(children)
