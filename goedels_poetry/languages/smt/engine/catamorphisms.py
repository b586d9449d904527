"""What a function makes of a constructor, when it does not recurse on the fields: ``f (cons x y) = g (h x) (f y)``.

Merging a list of lists pairwise is merging them one by one; flattening a tree by turning it round is flattening its
parts. No step of an induction brings such an equation up, since the function goes another way about it.
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.languages.smt.engine.lemmas import lemma
from goedels_poetry.languages.smt.engine.workbench import Workbench
from goedels_poetry.languages.smt.sequent import Sequent
from goedels_poetry.languages.smt.terms import BOOL, INT, Sort, Term, app, eq, var

MAX_CANDIDATES = 60


def catamorphisms(bench: Workbench, functions: list[str]) -> Iterator[Sequent]:
    """Guesses, for those of ``functions`` that recurse on other things than fields; tests come first."""
    found = (eq(left, right) for name in functions for left, right in _of(bench, name, functions))
    for _, equation in zip(range(MAX_CANDIDATES), found, strict=False):
        yield lemma(equation)


def _of(bench: Workbench, name: str, functions: list[str]) -> Iterator[tuple[Term, Term]]:
    definition, recursion = bench.signature.definition(name), bench.recursions.get(name)
    if definition is None or recursion is None or recursion.structural:
        return
    for position in sorted(recursion.changed):
        datatype = bench.signature.datatype(definition.params[position].sort)
        for constructor in datatype.constructors if datatype else ():
            fields = [var(f"c{i}", sort) for i, (_, sort) in enumerate(constructor.fields)]
            rest = [f for f in fields if f.sort is definition.params[position].sort]
            others = [f for f in fields if f.sort is not definition.params[position].sort]
            if len(rest) != 1 or len(others) != 1:
                continue
            around = [var(f"y{i}", p.sort) for i, p in enumerate(definition.params)]

            def call(at: Term, around: list[Term] = around, position: int = position) -> Term:
                return app(name, [*around[:position], at, *around[position + 1 :]], definition.sort)

            whole = call(app(constructor.name, fields, rest[0].sort))
            for first in [others[0], *_images(bench, others[0], definition.sort, functions)]:
                for both in _joined(bench, first, call(rest[0]), functions):
                    yield whole, both


def _images(bench: Workbench, term: Term, sort: Sort, functions: list[str]) -> Iterator[Term]:
    """What functions of one argument make of a term, of a given sort."""
    for name in functions:
        if bench.signature.type_of(name) == ((term.sort,), sort):
            yield app(name, (term,), sort)


def _joined(bench: Workbench, first: Term, second: Term, functions: list[str]) -> Iterator[Term]:
    """What operations make of two terms, of the sort of the second."""
    for name in functions:
        if bench.signature.type_of(name) == ((first.sort, second.sort), second.sort):
            yield app(name, (first, second), second.sort)
    if first.sort is second.sort:
        names = {INT: ("+",), BOOL: ("and", "or")}.get(second.sort, ())
        yield from (app(name, (first, second), second.sort) for name in names)
