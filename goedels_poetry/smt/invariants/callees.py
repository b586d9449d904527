"""The calls that facts are looked for about: each function that a goal rests on, at fresh arguments."""

from __future__ import annotations

import itertools

from goedels_poetry.kernel.components import components
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Sort, Term, and_, app, rebuild, subterms, symbols
from goedels_poetry.smt.auxiliary.folds import KINDS
from goedels_poetry.smt.context.prover import ProverContext

MAX_SHAPES = 4
"""Calls of one function that differ in the closures they are given."""


def calls(context: ProverContext, element: Sort, goal: Term) -> list[Term]:
    """The functions that the goal rests on, at fresh variables, those that others rest on first.

    Of those that are not recursive the ones that tell cases apart: the others are unfolded wherever they stand.

    Functions in the place of arguments are taken from where they stand in the problem.
    """
    signature = context.signature
    definitions = {
        name: definition
        for name in reached(context, goal)
        if (definition := signature.definition(name)) is not None and not name.startswith(KINDS)
    }
    callees = {n: [m for m in sorted(symbols(d.body)) if m in definitions] for n, d in definitions.items()}
    texts = [goal, *[d.body for d in definitions.values()], *closing_premises(context)]
    patterned = {e.function for e in context.equations if any(a.kind is not Kind.VAR for a in e.lhs.args)}
    return [
        call
        for group in components(definitions, callees.__getitem__)
        for name in group
        if definitions[name].recursive or name in patterned
        for call in _shapes(context, element, name, texts)
    ]


def _shapes(context: ProverContext, element: Sort, name: str, texts: list[Term]) -> list[Term]:
    definition = context.signature.definition(name)
    assert definition is not None
    options: list[list[Term | None]] = []
    for i, p in enumerate(definition.params):
        closed = context.signature.datatype(p.sort) is None and p.sort not in (INT, BOOL, element)
        seen = [t.args[i] for text in texts for t in subterms(text) if t.kind is Kind.APP and t.name == name]
        closures = [t for t in seen if t.kind is Kind.APP and t.name in context.signature.functions]
        distinct = {t.name: t for t in closures}.values()
        options.append([*distinct] if closed and distinct else [None])
    calls = []
    for choice in itertools.islice(itertools.product(*options), MAX_SHAPES):
        fresh = _Fresh(context)
        args = [
            fresh.variable(p.sort) if c is None else fresh.shape(c)
            for p, c in zip(definition.params, choice, strict=True)
        ]
        calls.append(app(name, args, definition.sort))
    return calls


class _Fresh:
    """Variables that are numbered sort by sort, so that calls of different functions share them."""

    def __init__(self, context: ProverContext) -> None:
        self._context = context
        self._counts: dict[Sort, int] = {}

    def variable(self, sort: Sort) -> Term:
        number = self._counts[sort] = self._counts.get(sort, 0) + 1
        stem = "".join(c for c in sort.name.lower() if c.isalpha()) or "v"
        return Names(reserved=self._context.reserved).fresh(f"{stem}_{number}", sort)

    def shape(self, closure: Term) -> Term:
        """The closure with fresh variables for what it holds."""
        return rebuild(closure, tuple([self.variable(a.sort) for a in closure.args]))


def reached(context: ProverContext, goal: Term) -> list[str]:
    """The functions that the goal rests on, also by what the closures in the place of functions do."""
    return context.shape.reachable_functions(and_([goal, *closing_premises(context)]))


def closing_premises(context: ProverContext) -> list[Term]:
    """The premises that say what closures do."""
    return [p.formula for p in context.problem.premises if p.name in context.evaluator.defining]
