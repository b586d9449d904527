"""What the functions of a problem do to the elements of containers: candidates in terms of `auxiliary.folds`.

For each function, at fresh arguments: how often its result holds an element, what bounds its result, whether the
result is sorted; for predicates and counts of the problem, which fold they are. Each candidate is a guess that values
do not contradict; of several that exclude each other the first such is given.

The calls that facts are looked for about: each function that a goal rests on, at fresh arguments.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from goedels_poetry.kernel.problem import Datatype, components
from goedels_poetry.kernel.sequent import Names, Sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    Kind,
    Sort,
    Term,
    and_,
    app,
    eq,
    forall,
    implies,
    integer,
    ite,
    not_,
    or_,
    rebuild,
    subterms,
    symbols,
    var,
)
from goedels_poetry.smt.auxiliary.folds import (
    APART,
    BELOW,
    INVERSIONS,
    KINDS,
    SEARCH,
    SORTED,
    Containers,
    list_shape,
    sum_of,
)
from goedels_poetry.smt.auxiliary.standard import SIZE
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma

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


KINDS_OF_ORDER = (SORTED, SEARCH)
TESTS = 60
MAX_ITEMS = 4


@dataclass(frozen=True)
class Law:
    """A candidate, the call it is about, along which an induction is likely to prove it, and what may do instead."""

    sequent: Sequent
    call: Term
    weaker: Sequent | None = None


class Laws:
    """The candidates for one problem."""

    def __init__(self, context: ProverContext, containers: Containers) -> None:
        self._context = context
        self.containers = self._in = containers
        self._order = containers.order
        self.element = containers.order.sort
        self._x = var("x", containers.order.sort)
        self._y = var("y", containers.order.sort)
        self._kept: dict[Term, tuple[Term, ...]] = {}
        """For calls whose result holds just what some of the arguments hold: those arguments."""

    # ---------------------------------------------------------------------------------------- basics

    def of_the_order(self, goal: Term) -> Iterator[Law]:
        """That a defined order is one, and what other comparisons are in terms of it, or of equality."""
        x, y, z = self._x, self._y, var("z", self._x.sort)
        at_most, name = self._order.holds, self._order.name
        meanings = [eq(x, y), not_(eq(x, y))]
        if self._order.total:
            meanings += [at_most(x, y), at_most(y, x), not_(at_most(y, x)), not_(at_most(x, y))]
        if self._context.signature.definition(name) is not None:
            yield self._law(at_most(x, x), x)
            yield self._law(or_([at_most(x, y), at_most(y, x)]), x)
            yield self._law(implies(at_most(x, y), implies(at_most(y, x), eq(x, y))), x)
            yield self._law(implies(at_most(x, y), implies(at_most(y, z), at_most(x, z))), x)
        for other in reached(self._context, goal):
            definition = self._context.signature.definition(other)
            if definition and definition.sort is BOOL and [p.sort for p in definition.params] == [x.sort, x.sort]:
                call = app(other, (x, y), BOOL)
                if other != name:
                    yield from self.first(call, (eq(call, m) for m in meanings))

    def of_containers(self, occurrences: bool, order: bool) -> Iterator[Law]:
        """How the folds of a container hang together."""
        x, y = self._x, self._y
        for datatype, d in self._holders():
            if order:
                bound = implies(self._order.holds(x, y), implies(self._in.low(y, d), self._in.low(x, d)))
                yield self._law(bound, d)
            if occurrences:
                often = self._in.occurrences(x, d)
                yield self._law(app(">=", (often, integer(0)), BOOL), d)
                shape = list_shape(datatype, self._order.sort)
                if shape is not None:
                    longer = self._context.signature.constructor(shape[1])
                    assert longer is not None
                    values = [d if s is d.sort else x for _, s in longer[1].fields]
                    whole = self._in.occurrences(x, app(shape[1], values, d.sort))
                    yield self._law(app(">=", (whole, integer(1)), BOOL), d)
                if order:
                    below = and_([self._in.low(x, d), not_(self._order.holds(x, y))])
                    yield self._law(implies(below, eq(self._in.occurrences(y, d), integer(0))), d)

    def upper_bounds(self) -> Iterator[Law]:
        """What bounds all that a container holds bounds it all the more when it is larger."""
        for _, d in self._holders():
            bound = implies(
                self._order.holds(self._x, self._y), implies(self._in.high(self._x, d), self._in.high(self._y, d))
            )
            yield self._law(bound, d)

    def apart(self, sort: Sort) -> list[Law]:
        """When two values are equal (the last law): sorted lists that hold the same elements as often, of which one
        element decides (see `auxiliary.folds`); numbers of the same size. Empty where there is nothing like that."""
        k, m = var("k", sort), var("m", sort)
        size, other = self._size(k), self._size(m)
        if size is not None and other is not None:
            bound = app(">=", (size, integer(0)), BOOL)
            return [self._law(bound, k), self._law(implies(eq(size, other), eq(k, m)), k)]
        if not self._has(APART, sort):
            return []
        element = app(APART + sort.name, (k, m), self._order.sort)
        same = eq(self._in.occurrences(element, k), self._in.occurrences(element, m))
        return [self._law(implies(self.sorted(k), implies(self.sorted(m), implies(same, eq(k, m)))), k)]

    def sorted(self, holder: Term) -> Term:
        """``holder`` is sorted."""
        return self._in.ordered(SORTED, holder)

    # ------------------------------------------------------------------------------------- observations

    def of_observations(self, call: Term) -> Iterator[Law]:
        """Predicates and counts of the problem as folds."""
        items = [a for a in call.args if a.kind is Kind.VAR and self._in.holds(a.sort)]
        held = [a for a in items if self._in.contains(a.sort)]
        elements = [a for a in items if a not in held]
        if len(held) == 1 and len(elements) == 1:
            (d,), (e,) = held, elements
            often = self._in.occurrences(e, d)
            if call.sort is INT:
                yield from self.first(call, (eq(call, often),))
            elif call.sort is BOOL:
                yield from self.first(call, (eq(call, app(">", (often, integer(0)), BOOL)),))
            elif (size := self._size(call)) is not None:
                yield from self.first(call, (eq(size, often),))
        elif len(held) == 1 and not elements and call.sort is BOOL:
            folds = (self._in.ordered(k, held[0]) for k in KINDS_OF_ORDER if self._has(k, held[0].sort))
            yield from self.first(call, (eq(call, f) for f in folds))
        elif len(held) == 2 and not elements and call.sort is BOOL:
            k, m = held
            same = forall((self._x,), eq(self._in.occurrences(self._x, k), self._in.occurrences(self._x, m)))
            if k.sort is m.sort and not self._refuted(lemma(call_at(call, m, k))):
                yield self._law(implies(same, call), call)
                yield from self.first(call, (implies(call, same.body),))

    def numbers(self, calls: Iterable[Term]) -> Iterator[Law]:
        """Sizes of what numbers are computed by, where counts are built of them."""
        for call in calls:
            size = self._size(call)
            parts = [s for a in call.args if (s := self._size(a)) is not None]
            if size is not None and len(parts) == len(call.args) == 2:
                yield from self.first(call, (eq(size, app("+", parts, INT)),))

    def _size(self, term: Term) -> Term | None:
        name = SIZE + term.sort.name
        datatype = self._context.signature.datatype(term.sort)
        if datatype is None or self._context.signature.definition(name) is None:
            return None
        if any(s is not term.sort for c in datatype.constructors for _, s in c.fields):
            return None
        return app(name, (term,), INT)

    # ----------------------------------------------------------------------------------------- results

    def of_occurrences(self, call: Term) -> Iterator[Law]:
        """The result holds what some arguments hold, as often; or that less one element."""
        items, x = self._items(call), self._x
        result = self._in.occurrences(x, call)

        def candidates() -> Iterator[Term]:
            for number in range(len(items), -1, -1):
                for kept in itertools.combinations(items, number):
                    self._kept[call] = kept
                    yield eq(result, sum_of(self._in.occurrences(x, a) for a in kept))
            self._kept.pop(call)
            for e, d in itertools.product(items, items):
                if e.sort is x.sort and d.sort is call.sort:
                    there = app(">", (self._in.occurrences(e, d), integer(0)), BOOL)
                    less = ite(and_([eq(x, e), there]), integer(1), integer(0))
                    yield eq(result, app("-", (self._in.occurrences(x, d), less), INT))

        yield from self.first(call, candidates())

    def of_pairs(self, call: Term, others: Iterable[Term]) -> Iterator[Law]:
        """Two calls whose results hold together what an argument holds: the parts that it is divided into.

        Said of one part, since a solver would divide every value where it is said of the whole.
        """
        for other in others:
            for whole in (a for a in call.args if a in other.args and self._in.contains(a.sort)):
                one, rest, all_of = (self._in.occurrences(self._x, t) for t in (call, other, whole))
                yield from self.first(call, (eq(one, app("-", (all_of, rest), INT)),))

    def of_bounds(self, call: Term, *, upper: bool) -> Iterator[Law]:
        """What bounds the arguments bounds the result; what bounds the result whatever it holds."""
        fold = self._in.high if upper else self._in.low
        result = fold(self._x, call)
        kept = self._kept.get(call)
        if kept is not None:
            bounded = and_([fold(self._x, a) for a in kept])
            for law in self.first(call, (eq(result, bounded),)):
                yield replace(law, weaker=lemma_of(implies(bounded, result)))
            return
        bounded = and_([fold(self._x, a) for a in self._items(call)])
        yield from self.first(call, (implies(bounded, result),))
        inner = [v for a in call.args for v in subterms(a) if v.kind is Kind.VAR and v.sort is self._x.sort]
        for element in dict.fromkeys(inner):
            yield from self.first(call, (fold(element, call),))

    def of_sortedness(self, call: Term, *, deep: bool) -> Iterator[Law]:
        """The result is sorted, always or if the arguments are; ``deep``: if they are also apart by an element."""
        held = [a for a in self._items(call) if self._in.contains(a.sort)]
        kinds = [k for k in KINDS_OF_ORDER if self._has(k, call.sort)]
        options = [[self._in.ordered(k, a) for k in KINDS_OF_ORDER if self._has(k, a.sort)] for a in held]
        laws: list[Law] = []
        for kind in kinds:
            result = self._in.ordered(kind, call)
            given = [implies(and_(facts), result) for facts in itertools.product(*options)]
            laws += self.first(call, (result, *given))
        yield from laws
        if deep and not laws and call.sort in [a.sort for a in held]:
            yield from self._divided(call, held)

    def _divided(self, call: Term, held: list[Term]) -> Iterator[Law]:
        """A list argument behind an element that is at least all the other arguments hold, or without elements."""
        datatype = self._context.signature.datatype(call.sort)
        shape = list_shape(datatype, self._order.sort) if datatype else None
        if shape is None:
            return
        entry = self._context.signature.constructor(shape[1])
        assert entry is not None
        for last in (a for a in held if a.sort is call.sort):
            fields = [last if s is last.sort else self._x for _, s in entry[1].fields]
            longer, empty = app(shape[1], fields, last.sort), app(shape[0], (), last.sort)
            before = [a for a in held if a is not last]
            for kinds in itertools.product((SEARCH, SORTED), repeat=len(before)):
                if not all(self._has(k, a.sort) for k, a in zip(kinds, before, strict=True)):
                    continue
                inner = [self._in.ordered(k, a) for k, a in zip(kinds, before, strict=True)]
                apart = [self._in.high(self._x, a) for a in before]
                whole = self.sorted(call_at(call, last, longer))
                candidate = implies(and_([*inner, *apart, self.sorted(longer)]), whole)
                law = next(self.first(call, (candidate,)), None)
                if law is not None:
                    yield law
                    yield from self.first(call, (implies(and_(inner), self.sorted(call_at(call, last, empty))),))
                    break

    def of_elements(self, call: Term, *, occurrences: bool, order: bool) -> Iterator[Law]:
        """An element chosen among the arguments: it is one of them, what bounds them bounds it, it bounds some."""
        items = self._items(call)
        held = [a for a in items if self._in.contains(a.sort)]
        if not held or call.sort is not self._order.sort:
            return
        if occurrences:
            among = [
                eq(call, a) if a.sort is call.sort else app(">", (self._in.occurrences(call, a), integer(0)), BOOL)
                for a in items
            ]
            yield from self.first(call, (or_(among),))
        for fold in (self._in.low, self._in.high) if order else ():
            bounded = and_([fold(self._x, a) for a in items])
            yield from self.first(call, (implies(bounded, fold(self._x, call)),))
            for a in items:
                yield from self.first(call, (fold(call, a),))

    def of_inversions(self, call: Term) -> Iterator[Law]:
        """The result has no more pairs in the wrong order than its argument, and fewer if it says so."""
        kept = self._kept.get(call, ())
        if not kept or not self._has(INVERSIONS, call.sort):
            return
        counted = eq(self._in.below(self._x, call), sum_of(self._in.below(self._x, a) for a in kept))
        yield from self.first(call, (counted,))
        for a in kept if len(kept) == 1 and self._in.contains(kept[0].sort) else ():
            after, before = self._in.inversions(call), self._in.inversions(a)
            yield from self.first(call, (app("<=", (after, before), BOOL),))
            for flag in self._flags(call):
                yield from self.first(call, (implies(flag, app("<", (after, before), BOOL)),))

    def no_fewer_than_none(self) -> Iterator[Law]:
        """Numbers of elements and pairs are not negative."""
        for _, d in self._holders():
            for number in (self._in.below(self._x, d), self._in.inversions(d)) if self._has(BELOW, d.sort) else ():
                yield self._law(app(">=", (number, integer(0)), BOOL), d)

    def _flags(self, call: Term) -> list[Term]:
        """The truth values in a result of a datatype with one constructor."""
        datatype = self._context.signature.datatype(call.sort)
        fields = datatype.constructors[0].fields if datatype and len(datatype.constructors) == 1 else ()
        return [app(selector, (call,), BOOL) for selector, sort in fields if sort is BOOL]

    def of_flags(self, call: Term) -> Iterator[Law]:
        """A truth value inside a result that says whether an argument is sorted."""
        for flag in self._flags(call):
            for fact in (self.sorted(a) for a in self._items(call) if self._in.contains(a.sort)):
                yield from self.first(call, (eq(flag, fact), eq(flag, not_(fact))))

    # ----------------------------------------------------------------------------------------- helpers

    def _items(self, call: Term) -> list[Term]:
        return [a for a in call.args if a.kind is Kind.VAR and self._in.holds(a.sort)][:MAX_ITEMS]

    def _holders(self) -> Iterator[tuple[Datatype, Term]]:
        """The containers that folds are defined for, each with a variable."""
        for datatype in self._in.datatypes:
            d = var("d", datatype.sort)
            if self._in.parts(d) is None:
                yield datatype, d

    def _has(self, kind: str, sort: Sort) -> bool:
        parts = self._in.parts(var("d", sort))
        if parts is not None:
            return all(self._has(kind, p.sort) for p in parts if self._in.contains(p.sort))
        return self._context.signature.definition(kind + sort.name) is not None

    def _law(self, formula: Term, call: Term) -> Law:
        return Law(lemma_of(formula), call)

    def first(self, call: Term, formulas: Iterable[Term]) -> Iterator[Law]:
        """The first formula that values do not contradict."""
        for formula in formulas:
            law = self._law(formula, call)
            if not self._refuted(law.sequent):
                yield law
                return

    def _refuted(self, sequent: Sequent) -> bool:
        return self._context.refutes(sequent, TESTS) is not None


def lemma_of(formula: Term) -> Sequent:
    """A closed sequent for a formula with free variables, its premises as hypotheses."""
    hyps: list[Term] = []
    while formula.kind is Kind.APP and formula.name == "=>":
        hyps.append(formula.args[0])
        formula = formula.args[1]
    return lemma(formula, tuple(hyps))


def call_at(call: Term, old: Term, new: Term) -> Term:
    """``call`` with an argument replaced."""
    return rebuild(call, tuple([new if a is old else a for a in call.args]))
