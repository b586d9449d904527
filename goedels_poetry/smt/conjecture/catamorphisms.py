"""What a function makes of what it is given: ``f (cons x y) = g (h x) (f y)``, ``f a (g b x) = f (h a b) x``.

Merging a list of lists pairwise is merging them one by one; flattening a tree by turning it round is flattening its
parts. No step of an induction brings such an equation up, since the function goes another way about it. Nor does one
say that what ``g`` does to all elements may as well be done to what ``f`` holds against them.

These are the universal property of folds and their fusion law (Hutton, "A Tutorial on the Universality and
Expressiveness of Fold", 1999), as guesses.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import BOOL, INT, Sort, Term, app, eq, var
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma

MAX_CANDIDATES = 60


def catamorphisms(context: ProverContext, functions: list[str]) -> Iterator[Sequent]:
    """Guesses, for those of ``functions`` that recurse on other things than fields; tests come first."""
    equations = (eq(left, right) for name in functions for left, right in _of(context, name, functions))
    yield from map(lemma, islice(equations, MAX_CANDIDATES))


def fusions(context: ProverContext, functions: list[str]) -> Iterator[Sequent]:
    """Guesses that an operation on what a function recurses on is one on another argument of it."""
    equations = (
        eq(left, right)
        for f in functions
        for g in functions
        if f != g
        for left, right in _fused(context, f, g, functions)
    )
    yield from map(lemma, islice(equations, MAX_CANDIDATES))


def _fused(context: ProverContext, outer: str, inner: str, functions: list[str]) -> Iterator[tuple[Term, Term]]:
    function, operation = context.signature.definition(outer), context.signature.definition(inner)
    if function is None or operation is None or not function.recursive or not operation.recursive:
        return
    given = [var(f"y{i}", p.sort) for i, p in enumerate(operation.params)]
    held = [var(f"x{i}", p.sort) for i, p in enumerate(function.params)]
    through = [v for v in given if v.sort is operation.sort]
    at = [i for i, v in enumerate(held) if v.sort is operation.sort and context.shape.recurses_on(outer, i)]
    if len(through) != 1 or len(at) != 1:
        return
    whole = [app(inner, given, operation.sort) if i == at[0] else v for i, v in enumerate(held)]
    for i, v in enumerate(held):
        for w in given if i != at[0] else ():
            for name in functions:
                if w is not through[0] and context.signature.type_of(name) == ((v.sort, w.sort), v.sort):
                    args = [*held[:i], app(name, (v, w), v.sort), *held[i + 1 :]]
                    args[at[0]] = through[0]
                    yield app(outer, whole, function.sort), app(outer, args, function.sort)


def _of(context: ProverContext, name: str, functions: list[str]) -> Iterator[tuple[Term, Term]]:
    definition, recursion = context.signature.definition(name), context.recursions.get(name)
    if definition is None or recursion is None or recursion.structural:
        return
    for position in sorted(recursion.changed):
        datatype = context.signature.datatype(definition.params[position].sort)
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
            for first in [others[0], *_images(context, others[0], definition.sort, functions)]:
                for both in _joined(context, first, call(rest[0]), functions):
                    yield whole, both


def _images(context: ProverContext, term: Term, sort: Sort, functions: list[str]) -> Iterator[Term]:
    """What functions of one argument make of a term, of a given sort."""
    for name in functions:
        if context.signature.type_of(name) == ((term.sort,), sort):
            yield app(name, (term,), sort)


def _joined(context: ProverContext, first: Term, second: Term, functions: list[str]) -> Iterator[Term]:
    """What operations make of two terms, of the sort of the second."""
    for name in functions:
        if context.signature.type_of(name) == ((first.sort, second.sort), second.sort):
            yield app(name, (first, second), second.sort)
    if first.sort is second.sort:
        names = {INT: ("+",), BOOL: ("and", "or")}.get(second.sort, ())
        yield from (app(name, (first, second), second.sort) for name in names)
