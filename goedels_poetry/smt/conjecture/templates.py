"""Properties that functions often have: those of orders and of algebra, distribution, homomorphisms.

Candidates are guesses. They are tested on values here and there, and proved before they are used.

Schemes instantiated with the functions at hand, as in Montano-Rivas, McCasland, Dixon and Bundy, "Scheme-based Theorem
Discovery and Concept Invention", 2012.
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import BOOL, Term, app, eq, implies, not_, var
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma


def templates(context: ProverContext, functions: list[str]) -> Iterator[Sequent]:
    """Properties that binary functions and predicates often have (order, algebra, distribution)."""
    signature = context.signature
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
