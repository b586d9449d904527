"""Lemma candidates: from a failed step, by generalising the goal, and properties that functions often have.

Candidates are guesses. They are tested on values here and there, and proved before they are used.
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.kernel.schemas import SchemeError, StructuralInduction, instances
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    Kind,
    Term,
    app,
    eq,
    implies,
    is_app,
    not_,
    replace_subterm,
    subterms,
    symbols,
    var,
)
from goedels_poetry.languages.smt.engine.context import Workbench
from goedels_poetry.languages.smt.engine.induction.induct import induction_variables
from goedels_poetry.languages.smt.engine.rewriting.rewrite import match, occurrences, ordered_variables, standard_names

MAX_SIZE = 22


def lemma(formula: Term, hyps: tuple[Term, ...] = ()) -> Sequent:
    """A closed sequent for a formula with free variables."""
    named = standard_names(implies_all(hyps, formula))
    body = named
    conditions: list[Term] = []
    while is_app(body, "=>") and len(conditions) < len(hyps):
        conditions.append(body.args[0])
        body = body.args[1]
    return make_sequent(ordered_variables(named), conditions, body)


def implies_all(hyps: tuple[Term, ...], concl: Term) -> Term:
    """``h1 => (h2 => ... concl)``."""
    result = concl
    for hyp in reversed(hyps):
        result = implies(hyp, result)
    return result


def generalisations(bench: Workbench, sequent: Sequent) -> Iterator[Sequent]:
    """The goal with a repeated subterm replaced by a variable; largest subterms first."""
    counts: dict[Term, int] = {}
    for part in (sequent.concl, *sequent.hyps):
        if part.kind in (Kind.FORALL, Kind.EXISTS):
            return
        for term, number in occurrences(part).items():
            counts[term] = counts.get(term, 0) + number
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=bench.reserved)
    for term, number in sorted(counts.items(), key=lambda item: -item[0].size):
        if number < 2 or term.sort is BOOL or not term.args or bench.signature.definition(term.name) is None:
            continue
        new = names.fresh("g", term.sort)
        concl = replace_subterm(sequent.concl, term, new)
        hyps = [replace_subterm(h, term, new) for h in sequent.hyps]
        yield make_sequent((*sequent.vars, new), hyps, concl)


def from_failed_step(bench: Workbench, sequent: Sequent) -> list[Sequent]:
    """Equations that the step of an induction is stuck on (lemma calculation).

    The step case is unfolded, the induction hypothesis applied as a rewrite rule in either direction, common
    constructors are stripped, and a common subterm is replaced by a variable. In the manner of the proof critics
    of CLAM (Ireland and Bundy, 1996) and of CCLemma (Kurashige et al., 2024).
    """
    concl = sequent.concl
    if not is_app(concl, "=") or len(concl.args) != 2 or (sequent.hyps and len(sequent.hyps) > 2):
        return []
    found: dict[Term, Sequent] = {}
    normal = bench.rewriter.normal
    for on in induction_variables(bench, sequent):
        try:
            cases = instances(sequent, StructuralInduction(on.name, (), 1), bench.signature)
        except SchemeError:
            continue
        for case in cases:
            hyps = [h for h in case.hyps if is_app(h, "=") and h not in sequent.hyps]
            if not hyps or not is_app(case.concl, "="):
                continue
            left, right = normal(case.concl.args[0]), normal(case.concl.args[1])
            rules = [(normal(h.args[0]), normal(h.args[1])) for h in hyps]
            for a, b in _rewritten(left, right, rules):
                for candidate in _generalised(bench, *_stripped(bench, a, b)):
                    if candidate.concl.size <= MAX_SIZE:
                        found.setdefault(candidate.key, candidate)
    return sorted((c for c in found.values() if not _instance(c, sequent)), key=lambda s: s.concl.size)


def _instance(candidate: Sequent, goal: Sequent) -> bool:
    """Whether a candidate only says what the goal says, of particular terms."""
    if goal.hyps or not is_app(candidate.concl, "="):
        return False
    left, right = candidate.concl.args
    return any(match(goal.concl, eq(a, b)) is not None for a, b in ((left, right), (right, left)))


def _rewritten(left: Term, right: Term, rules: list[tuple[Term, Term]]) -> Iterator[tuple[Term, Term]]:
    """The two sides with the hypothesis used, in either direction; as they are where it cannot be used."""
    for a, b in rules:
        yield replace_subterm(left, a, b), right
        yield left, replace_subterm(right, b, a)
        yield replace_subterm(left, a, b), replace_subterm(right, a, b)
        yield replace_subterm(left, b, a), replace_subterm(right, b, a)


def _stripped(bench: Workbench, a: Term, b: Term) -> tuple[Term, Term]:
    while a.kind is Kind.APP and b.kind is Kind.APP and a.name == b.name and bench.signature.constructor(a.name):
        different = [(x, y) for x, y in zip(a.args, b.args, strict=True) if x is not y]
        if len(different) != 1:
            break
        a, b = different[0]
    return a, b


def _generalised(bench: Workbench, a: Term, b: Term) -> Iterator[Sequent]:
    if a is b or a.sort is not b.sort:
        return
    right = set(subterms(b))
    common = [
        t
        for t in subterms(a)
        if t.kind is Kind.APP
        and t.args
        and t.sort is not BOOL
        and t is not a
        and t is not b
        and t in right
        and bench.signature.type_of(t.name)
    ]
    names = Names(a, b, reserved=bench.reserved)
    for term in [*common[:4], None]:
        if term is None:
            yield lemma(eq(a, b))
        else:
            new = names.fresh("g", term.sort)
            yield lemma(eq(replace_subterm(a, term, new), replace_subterm(b, term, new)))


def templates(bench: Workbench, functions: list[str]) -> Iterator[Sequent]:
    """Properties that binary functions and predicates often have (order, algebra, distribution)."""
    signature = bench.signature
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
                yield from map(lemma, _operation(bench, name, x, y, z))
        elif result is args[1]:
            x, y = (var(f"x{i}", args[0]) for i in range(2))
            acc = var("a0", args[1])
            yield lemma(
                eq(
                    _call(bench, name, x, _call(bench, name, y, acc)),
                    _call(bench, name, y, _call(bench, name, x, acc)),
                )
            )
    yield from _homomorphisms(bench, functions)
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
                        _call(bench, f, x, _call(bench, g, y, z)),
                        _call(bench, g, _call(bench, f, x, y), _call(bench, f, x, z)),
                    )
                )
                yield lemma(
                    eq(
                        _call(bench, f, _call(bench, g, y, z), x),
                        _call(bench, g, _call(bench, f, y, x), _call(bench, f, z, x)),
                    )
                )


def _homomorphisms(bench: Workbench, functions: list[str]) -> Iterator[Sequent]:
    """That a predicate of what an operation makes is the disjunction or conjunction of it of the parts."""
    signature = bench.signature
    typed = {f: t for f in functions if f not in bench.closures and (t := signature.type_of(f)) is not None}
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


def _call(bench: Workbench, name: str, *args: Term) -> Term:
    definition = bench.signature.definition(name)
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


def _operation(bench: Workbench, name: str, x: Term, y: Term, z: Term) -> Iterator[Term]:
    def of(a: Term, b: Term) -> Term:
        return app(name, (a, b), x.sort)

    yield eq(of(of(x, y), z), of(x, of(y, z)))
    datatype = bench.signature.datatype(x.sort)
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


def reachable_functions(bench: Workbench, term: Term) -> list[str]:
    """Declared and defined functions in ``term`` and in what defines them, premises included, nearest first."""
    told = {
        name: premise.formula
        for premise in bench.problem.premises
        if premise.name in bench.evaluator.defining
        for name in symbols(premise.formula)
    }
    level: dict[str, int] = {}
    queue: list[str] = []

    def enter(t: Term, depth: int) -> None:
        for s in subterms(t):
            if s.kind is Kind.APP and bench.signature.type_of(s.name) and s.name not in level:
                level[s.name] = depth
                queue.append(s.name)

    enter(term, 0)
    while queue:
        name = queue.pop(0)
        definition = bench.signature.definition(name)
        if definition is not None:
            enter(definition.body, level[name] + 1)
        elif name in told:
            enter(told[name], level[name] + 1)
    return sorted(level, key=lambda f: level[f])
