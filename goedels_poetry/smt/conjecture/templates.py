"""Properties that functions often have: those of orders and of algebra, distribution, homomorphisms.

Candidates are guesses. They are tested on values here and there, and proved before they are used.

Schemes instantiated with the functions at hand, as in Montano-Rivas, McCasland, Dixon and Bundy, "Scheme-based Theorem
Discovery and Concept Invention", 2012.

Functions as values: what constants of a sort of functions do, as lemmas.

First order problems speak of ``nub (==) xs`` as ``nubBy lam xs`` with a constant ``lam`` that premises describe. The
same function often has several names, which no rewriting identifies; and exploration has no such constants, since what
it finds is to hold for all functions.

What a function makes of what it is given: ``f (cons x y) = g (h x) (f y)``, ``f a (g b x) = f (h a b) x``.

Merging a list of lists pairwise is merging them one by one; flattening a tree by turning it round is flattening its
parts. No step of an induction brings such an equation up, since the function goes another way about it. Nor does one
say that what ``g`` does to all elements may as well be done to what ``f`` holds against them.

These are the universal property of folds and their fusion law (Hutton, "A Tutorial on the Universality and
Expressiveness of Fold", 1999), as guesses.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, permutations

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Sort, Term, app, eq, implies, not_, substitute, subterms, var
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma


def templates(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """Properties that binary functions and predicates often have (order, algebra, distribution)."""
    signature, functions = context.signature, context.shape.reachable_functions(sequent.formula)
    binary = []
    for name in functions:
        definition = signature.definition(name)
        if definition is None or len(definition.params) != 2:
            continue
        args, result = tuple(p.sort for p in definition.params), definition.sort
        binary.append(name)
        if args[0] is args[1]:
            x, y, z = (var(f"x{i}", args[0]) for i in range(3))
            if result is BOOL:
                yield from map(lemma, _relation(name, x, y, z))
            elif result is args[0]:
                yield from map(lemma, _operation(context, name, x, y, z))
        elif result is args[1]:
            x, y = (var(f"x{i}", args[0]) for i in range(2))
            acc = var("a0", args[1])
            yield lemma(
                eq(
                    _call(context, name, x, _call(context, name, y, acc)),
                    _call(context, name, y, _call(context, name, x, acc)),
                )
            )
    yield from _homomorphisms(context, functions)
    for f in binary:
        for g in binary:
            typed = signature.type_of(f)
            if f == g or typed is None or typed != signature.type_of(g):
                continue
            result = typed[1]
            if set(typed[0]) == {result} and result is not BOOL:
                x, y, z = (var(f"x{i}", result) for i in range(3))
                yield lemma(
                    eq(
                        _call(context, f, x, _call(context, g, y, z)),
                        _call(context, g, _call(context, f, x, y), _call(context, f, x, z)),
                    )
                )
                yield lemma(
                    eq(
                        _call(context, f, _call(context, g, y, z), x),
                        _call(context, g, _call(context, f, y, x), _call(context, f, z, x)),
                    )
                )


def _homomorphisms(context: ProverContext, functions: list[str]) -> Iterator[Sequent]:
    """That a predicate of what an operation makes is the disjunction or conjunction of it of the parts."""
    signature = context.signature
    typed = {f: t for f in functions if f not in context.closures and (t := signature.type_of(f)) is not None}
    builders = {**typed}
    for datatype in signature.datatypes:
        builders.update({c.name: (tuple(s for _, s in c.fields), datatype.sort) for c in datatype.constructors})
    for predicate, (args, result) in typed.items():
        if result is not BOOL or signature.definition(predicate) is None:
            continue
        given = [var(f"x{i}", s) for i, s in enumerate(args)]
        for position, sort in enumerate(args):
            for builder, (parts, made) in builders.items():
                if made is not sort or parts.count(sort) != 2 or len(parts) > 3:
                    continue
                fields = [var(f"y{i}", s) for i, s in enumerate(parts)]

                def holds(term: Term, at: int = position, f: str = predicate, xs: list[Term] = given) -> Term:
                    return app(f, (*xs[:at], term, *xs[at + 1 :]), BOOL)

                first, second = (holds(v) for v in fields if v.sort is sort)
                for connective in ("or", "and"):
                    yield lemma(eq(holds(app(builder, fields, sort)), app(connective, (first, second), BOOL)))


def _call(context: ProverContext, name: str, *args: Term) -> Term:
    definition = context.signature.definition(name)
    assert definition is not None
    return app(name, args, definition.sort)


def _relation(name: str, x: Term, y: Term, z: Term) -> Iterator[Term]:
    def holds(a: Term, b: Term) -> Term:
        return app(name, (a, b), BOOL)

    yield holds(x, x)
    yield not_(holds(x, x))
    yield eq(holds(x, y), eq(x, y))
    yield eq(holds(x, y), holds(y, x))
    yield app("or", (holds(x, y), holds(y, x)), BOOL)
    yield implies(holds(x, y), not_(holds(y, x)))
    yield implies(holds(x, y), implies(holds(y, x), eq(x, y)))
    yield implies(holds(x, y), implies(holds(y, z), holds(x, z)))


def _operation(context: ProverContext, name: str, x: Term, y: Term, z: Term) -> Iterator[Term]:
    def of(a: Term, b: Term) -> Term:
        return app(name, (a, b), x.sort)

    yield eq(of(of(x, y), z), of(x, of(y, z)))
    datatype = context.signature.datatype(x.sort)
    for constructor in datatype.constructors if datatype else ():
        for position, (_, sort) in enumerate(constructor.fields):
            if sort is x.sort:
                fields = [var(f"w{i}", s) for i, (_, s) in enumerate(constructor.fields)]
                inner = [*fields[:position], y, *fields[position + 1 :]]
                outer = [*fields[:position], of(x, y), *fields[position + 1 :]]
                yield eq(of(x, app(constructor.name, inner, x.sort)), app(constructor.name, outer, x.sort))
        if not constructor.fields:
            yield eq(of(x, app(constructor.name, (), x.sort)), x)
    yield eq(of(x, y), of(y, x))
    yield eq(of(x, of(y, z)), of(y, of(x, z)))


MAX_SECTIONS = 6


def closure_lemmas(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """That two names of functions make no difference; how calls with such names commute and absorb each other.

    Guesses, most of them false: whoever proves them tests them first.
    """
    constants = [
        t for t in subterms(sequent.formula) if t.kind is Kind.APP and not t.args and t.name in context.closures
    ]
    if not constants:
        return
    functions = [
        f for f in context.shape.reachable_functions(sequent.formula) if context.signature.definition(f) is not None
    ]
    for one, other in combinations(constants, 2):
        if one.sort is other.sort:
            for name in functions:
                left, right = (
                    _closures_call(context, name, {one.sort: one}),
                    _closures_call(context, name, {one.sort: other}),
                )
                if left is not right:
                    yield lemma(eq(left, right))
    first = {t.sort: t for t in reversed(constants)}
    sections = [s for name in functions for s in _sections(context, name, first)][:MAX_SECTIONS]
    for term, hole in sections:
        if any(c in subterms(term) for c in constants):
            yield lemma(eq(_into(term, hole, term), term))
    for (outer, a), (inner, b) in permutations(sections, 2):
        if a.sort is b.sort and any(c in subterms(t) for t in (outer, inner) for c in constants):
            together = _into(outer, a, inner)
            if show(outer) < show(inner):
                yield lemma(eq(together, _into(inner, b, _into(outer, a, b))))
            yield lemma(eq(together, inner))


def _closures_call(context: ProverContext, name: str, given: dict[Sort, Term]) -> Term:
    """A call of ``name`` with variables, but for the sorts that are given."""
    definition = context.signature.definition(name)
    assert definition is not None
    args = [given.get(p.sort) or var(f"y{i}", p.sort) for i, p in enumerate(definition.params)]
    return app(name, args, definition.sort)


def _sections(context: ProverContext, name: str, given: dict[Sort, Term]) -> Iterator[tuple[Term, Term]]:
    """Calls of ``name`` as functions of one argument of the sort of their result, which is a variable."""
    call = _closures_call(context, name, given)
    holes = [a for a in call.args if a.sort is call.sort]
    if len(holes) == 1 and holes[0].kind is Kind.VAR:
        renaming = {v: var(f"{v.name}_{name}", v.sort) for v in call.args if v.kind is Kind.VAR}
        yield substitute(call, renaming), renaming[holes[0]]


def _into(outer: Term, hole: Term, inner: Term) -> Term:
    return substitute(outer, {hole: inner})


MAX_CANDIDATES = 60


def folds(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """What functions make of a constructor where they recur on other things than fields, and fusions of two of them."""
    functions = context.shape.reachable_functions(sequent.formula)
    built = (pair for name in functions for pair in _of(context, name, functions))
    fused = (pair for f in functions for g in functions if f != g for pair in _fused(context, f, g, functions))
    for pairs in (built, fused):
        yield from (lemma(eq(left, right)) for left, right in islice(pairs, MAX_CANDIDATES))


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
