"""Recursions along a list, by the index of what they look at.

``indexed!f a xs i`` is ``f a`` of what ``xs`` holds from its ``i``-th element on. Where a problem has a function that
gives the element at an index, its loops over elements are compared with functions of indices, and neither is defined
by the other's recursion; with ``f a xs = indexed!f a xs 0``, proved like any lemma, all of them recur on numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from goedels_poetry.kernel.problem import Constructor, Datatype, Definition, Problem
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided, Value
from goedels_poetry.kernel.refutation.values import small_values
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, app, integer, is_app, rebuild, tester

INDEXED = "indexed!"
SAMPLES = 8


@dataclass(frozen=True)
class Lists:
    """A datatype of lists, with the functions of a problem that give its length and the element at an index."""

    datatype: Datatype
    empty: Constructor
    more: Constructor
    head: str
    tail: str
    length: str
    element: str

    def depth(self, term: Term, whole: Term) -> int | None:
        """How many tails of ``whole`` a term is, or None."""
        taken = 0
        while is_app(term, self.tail):
            term, taken = term.args[0], taken + 1
        return taken if term is whole else None


def indexed(problem: Problem, group: int) -> list[Definition]:
    """The definitions by index of recursions along lists, numbered from ``group`` on."""
    found: list[Definition] = []
    for lists in _lists(problem):
        for definition in problem.signature.definitions:
            alone = sum(d.group == definition.group for d in problem.signature.definitions) == 1
            along = [p for p in definition.params if p.sort is lists.datatype.sort]
            if not definition.recursive or not alone or definition.name in (lists.length, lists.element):
                continue
            names = Names(definition.body, *definition.params, reserved=problem.signature.names)
            index = names.fresh("i", INT)
            for whole in along:
                body = _by_index(definition, definition.body, whole, index, lists)
                if body is not None:
                    params = (*definition.params, index)
                    name = INDEXED + definition.name
                    found.append(Definition(name, params, definition.sort, body, group + len(found), recursive=True))
                    break
    return found


def _by_index(definition: Definition, term: Term, whole: Term, index: Term, lists: Lists) -> Term | None:
    """A body with the index in the place of tails; None where it looks at ``whole`` in another way."""

    def at(taken: int) -> Term:
        return index if not taken else app("+", (index, integer(taken)), INT)

    if term is whole or term.binders:
        return None
    if term.kind is not Kind.APP or whole not in term.free:
        return term
    itself = term.name == definition.name
    if not itself and len(term.args) == 1 and (taken := lists.depth(term.args[0], whole)) is not None:
        for constructor, order in ((lists.empty, ">="), (lists.more, "<")):
            if term is tester(constructor.name, term.args[0]):
                return app(order, (at(taken), app(lists.length, (whole,), INT)), BOOL)
        return app(lists.element, (whole, at(taken)), term.sort) if term.name == lists.head else None
    position = definition.params.index(whole)
    steps = lists.depth(term.args[position], whole) if itself else None
    args = [
        whole if steps and place == position else _by_index(definition, part, whole, index, lists)
        for place, part in enumerate(term.args)
    ]
    parts = [part for part in args if part is not None]
    if len(parts) < len(args):
        return None
    return app(INDEXED + definition.name, (*parts, at(steps)), term.sort) if steps else rebuild(term, tuple(parts))


def _lists(problem: Problem) -> Iterator[Lists]:
    """The lists of a problem of which functions give length and element, as their values say."""
    signature = problem.signature
    evaluator = Evaluator(signature, problem.premises, fuel=3_000)
    for datatype in signature.datatypes:
        pair = sorted(datatype.constructors, key=lambda c: len(c.fields))
        if [len(c.fields) for c in pair] != [0, 2] or pair[1].fields[1][1] is not datatype.sort:
            continue
        (head, sort), (tail, _) = pair[1].fields
        values = [(value, _elements(value)) for value in small_values(signature, datatype.sort, SAMPLES)]
        lengths = [((v,), len(items)) for v, items in values]
        elements = [((v, i), item) for v, items in values for i, item in enumerate(items)]

        def like(params: list[object], result: object, table: list[tuple[tuple[Value, ...], Value]]) -> str | None:
            named = (d for d in signature.definitions if [p.sort for p in d.params] == params and d.sort is result)
            return next((d.name for d in named if _agrees(evaluator, d.name, table)), None)

        length, element = like([datatype.sort], INT, lengths), like([datatype.sort, INT], sort, elements)
        if sort is not datatype.sort and length and element:
            yield Lists(datatype, pair[0], pair[1], head, tail, length, element)


def _elements(value: Value) -> list[Value]:
    found = []
    while len(value) > 1:
        found.append(value[1])
        value = value[2]
    return found


def _agrees(evaluator: Evaluator, name: str, table: list[tuple[tuple[Value, ...], Value]]) -> bool:
    try:
        return all(evaluator.call(name, args) == result for args, result in table)
    except Undecided:
        return False
