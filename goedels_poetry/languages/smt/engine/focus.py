"""Proofs that look at few facts: those that speak of no more functions than what is to be proved rests on.

With dozens of lemmas at hand a solver spends its resources on instances that lead away. A fact about a function is an
induction whose cases need the facts about the functions that it calls, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.languages.smt.derivation import Query
from goedels_poetry.languages.smt.engine.induct import general_variables, induction_variables
from goedels_poetry.languages.smt.engine.plan import Plan, key_of, leaf
from goedels_poetry.languages.smt.engine.recursion import recursion_schemes
from goedels_poetry.languages.smt.engine.workbench import CANDIDATE, Workbench
from goedels_poetry.languages.smt.schemas import RecursionInduction, Scheme, SchemeError, StructuralInduction, instances
from goedels_poetry.languages.smt.sequent import Sequent
from goedels_poetry.languages.smt.terms import Term, symbols

MAX_VARIABLES = 3


class Facts:
    """Proven facts with the defined functions that each speaks of; facts about those in ``always`` always matter."""

    def __init__(self, bench: Workbench, always: Iterable[Term]) -> None:
        self._bench = bench
        self._names: dict[str, frozenset[str]] = {}
        self._always = frozenset().union(*[self._defined(t) for t in always])

    def add(self, fact: Sequent) -> None:
        """Remember a fact, which is a lemma of the bench by now."""
        self._names[key_of(fact)] = self._defined(fact.formula)

    def among(self, names: frozenset[str]) -> tuple[str, ...]:
        """The facts that speak of no other functions than these."""
        return tuple(key for key, used in self._names.items() if used <= names | self._always)

    def called(self, term: Term) -> frozenset[str]:
        """The functions in ``term`` and those that they call, through any that are not recursive."""
        found = set(self._defined(term))
        opened: set[str] = set()
        while pending := sorted(found - opened):
            for name in pending:
                opened.add(name)
                definition = self._bench.signature.definition(name)
                if definition is not None and (not definition.recursive or name in self._defined(term)):
                    found |= self._defined(definition.body)
        return frozenset(found)

    def _defined(self, term: Term) -> frozenset[str]:
        return frozenset(n for n in symbols(term) if self._bench.signature.definition(n) is not None)


def prove(
    bench: Workbench, fact: Sequent, cites: tuple[str, ...], *, along: str, rlimit: int = CANDIDATE
) -> Plan | None:
    """A fact by one induction, first along the recursion of the function ``along``, or by a query."""
    recursion = bench.recursions.get(along)
    functional: list[Scheme] = [*recursion_schemes(bench, fact, full=False)]
    structural: list[Scheme] = [
        StructuralInduction(v.name, general_variables(fact, v))
        for v in induction_variables(bench, fact)[:MAX_VARIABLES]
    ]
    first = recursion is not None and not recursion.structural
    for scheme in (*functional, *structural) if first else (*structural, *functional):
        children = _closed(bench, fact, scheme, cites, rlimit)
        if children is not None:
            return Plan(fact, scheme, children, *_named(scheme))
    query = Query(cites)
    return leaf(fact, query) if bench.holds(fact, query, rlimit) else None


def _named(scheme: Scheme) -> tuple[str, str]:
    if isinstance(scheme, RecursionInduction):
        return "recursion-induction", f"{scheme.function} {' '.join(map(repr, scheme.at))} / {' '.join(scheme.general)}"
    return "structural-induction", scheme.on if isinstance(scheme, StructuralInduction) else ""


def _closed(
    bench: Workbench, fact: Sequent, scheme: Scheme, cites: tuple[str, ...], rlimit: int
) -> tuple[Plan, ...] | None:
    try:
        cases = instances(fact, scheme, bench.signature)
    except SchemeError:
        return None
    query = Query(cites)
    if all(bench.holds(case, query, rlimit) for case in reversed(cases)):
        return tuple(leaf(case, query) for case in cases)
    return None


__all__ = ["Facts", "prove"]
