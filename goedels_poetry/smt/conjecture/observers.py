"""What is seen of a container that a function makes: ``len (join x y)``, ``at (put x i v) k``, ``at (join x y) k``.

An observer is a function of a container that gives a number, a truth or an element. What it gives of a container that
another function makes is read off values: a linear equation among what it gives of the parts, lengths and numbers, or
one of these terms where a condition holds and another one where it does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Kind,
    Term,
    and_,
    app,
    eq,
    integer,
    is_app,
    not_,
    or_,
    subterms,
    var,
)
from goedels_poetry.smt.conjecture.data import FEWEST, SAMPLES, Samples, equations
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma, replace_subterm

MOST_NUMBERS = 8


def observations(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """What the observers of a goal give of what its functions make, as guesses that hold for all samples."""
    functions = [d for d in reached(context, sequent) if d.recursive][::-1]  # what others call comes first
    definitions = [d for d in functions if d.name not in context.shape.unfolded]
    for definition in definitions:
        if definition.sort is INT:  # what lengths and counts have to say about indices
            yield lemma(app("<=", (integer(0), app(definition.name, definition.params, INT)), BOOL))
    for made, body in _makers(context, functions):
        for observer in definitions:
            for hole, parameter in enumerate(observer.params):
                inside = body is None and context.shape.recurses_on(observer.name, hole)
                if parameter.sort is made.sort and observer.sort is not made.sort and not inside:
                    yield from _Seen(context, sequent, made, body, observer, hole).laws()
    for definition in definitions:
        if definition.sort is BOOL and len(definition.params) == 2 and len({p.sort for p in definition.params}) == 1:
            same = definition.params[0]
            yield lemma(app(definition.name, (same, same), BOOL))


def changed_arrays(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """Laws of functions of arrays where one is changed at a place: they see nothing of it, or another summand."""
    for function in context.shape.reachable_functions(sequent.formula):
        if function in context.shape.unfolded:
            params, result = context.signature.type_of(function) or ((), BOOL)
            yield from _frames(context, app(function, [var(f"x{i}", s) for i, s in enumerate(params)], result))


def _frames(context: ProverContext, call: Term) -> Iterator[Sequent]:
    """That a call sees no change beyond one of its other arguments, or sees it as a sum does."""
    for position, array in enumerate(call.args):
        if array.sort.name != "Array" or array.sort.args[0] is not INT:
            continue
        at, new = var("i", INT), var("e", array.sort.args[1])
        changed = _at(call, position, app("store", (array, at, new), array.sort))
        for bound in call.args:
            if bound.sort is INT:
                for relation in (">=", ">", "<=", "<"):
                    candidate = lemma(eq(changed, call), (app(relation, (at, bound), BOOL),))
                    if context.refutes(candidate, 150) is None:
                        yield candidate
                        break
        if call.sort is new.sort and call.sort is INT:
            added = app("+", (call, app("-", (new, app("select", (array, at), INT)), INT)), INT)
            ends = [a for a in call.args if a.sort is INT]
            for low, high in [*itertools.permutations(ends, 2), *[(integer(0), end) for end in ends]]:
                inside = (app("<=", (low, at), BOOL), app("<", (at, high), BOOL))
                candidate = lemma(eq(changed, added), inside)
                if context.refutes(candidate, 150) is None:
                    yield candidate


def _at(call: Term, position: int, argument: Term) -> Term:
    return app(call.name, (*call.args[:position], argument, *call.args[position + 1 :]), call.sort)


def truths(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """Calls that are true for all samples, or false: as functions of a goal make them, and with each truth value."""
    bodies = [*[d.body for d in reached(context, sequent)][::-1], *sequent.hyps, sequent.concl]
    calls: dict[Term, None] = {}
    for call in dict.fromkeys(t for body in bodies for t in subterms(body) if t.kind is Kind.APP and t.sort is BOOL):
        definition = context.signature.definition(call.name)
        if definition is not None and definition.recursive:
            params = definition.params
            flags = [{p: value} for p in params if p.sort is BOOL for value in (TRUE, FALSE)]
            constants = {p: a for a, p in zip(call.args, params, strict=True) if a.kind is Kind.LIT}
            calls |= dict.fromkeys(app(call.name, [at.get(p, p) for p in params], BOOL) for at in (constants, *flags))
    for call in calls:
        samples = Samples(context, tuple(a for a in call.args if a.kind is Kind.VAR))
        for claim in (call, not_(call)):
            if len(samples.where([claim])) == SAMPLES:
                yield lemma(claim)


def related(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """Equations among numbers that recursive functions give in a goal, and those that are never negative."""
    variables, calls = sequent.vars, dict.fromkeys(t for p in (*sequent.hyps, sequent.concl) for t in subterms(p))
    numbers = [
        t
        for t in calls
        if t.sort is INT
        and t.kind is Kind.APP
        and t.free <= frozenset(variables)
        and t.name in context.recursions
        and not any(part.binders for part in subterms(t))
    ]
    if not 1 < len(numbers) <= MOST_NUMBERS:
        return
    samples = Samples(context, variables)
    given = samples.where(h for h in sequent.hyps if not any(t in subterms(h) for t in numbers))
    for call in numbers:
        if samples.where([app("<=", (integer(0), call), BOOL)], given) == given:
            yield lemma(app("<=", (integer(0), call), BOOL))
    points = [samples.points[i] for i in given]
    for equation in equations(
        context, [integer(1), *sorted(numbers, key=lambda t: t.size)], variables, points
    ).values():
        yield lemma(equation)


def _makers(context: ProverContext, functions: Iterable[Definition]) -> Iterator[tuple[Term, Term | None]]:
    """Calls of functions and constructors that make a container, with the functions' bodies; not those of loops."""
    for definition in functions:
        given = [var(f"x{i}", p.sort) for i, p in enumerate(definition.params)]
        loop = definition.name in context.shape.unfolded and any(v.sort is definition.sort for v in given)
        if context.signature.datatype(definition.sort) and not loop:
            body = definition.at(given)
            yield app(definition.name, given, definition.sort), body
    for datatype in context.signature.datatypes:
        for constructor in datatype.constructors:
            given = [var(f"x{i}", sort) for i, (_, sort) in enumerate(constructor.fields)]
            if any(v.sort is datatype.sort for v in given):
                yield app(constructor.name, given, datatype.sort), None


def reached(context: ProverContext, sequent: Sequent) -> Iterator[Definition]:
    """The definitions that a goal leads to."""
    for name in context.shape.reachable_functions(sequent.formula):
        definition = context.signature.definition(name)
        if definition is not None:
            yield definition


def measures(context: ProverContext, sequent: Sequent, container: Term) -> Iterator[Term]:
    """Numbers that functions of the goal give of a container alone, such as its length."""
    for definition in reached(context, sequent):
        if definition.recursive and definition.sort is INT and [p.sort for p in definition.params] == [container.sort]:
            yield app(definition.name, (container,), INT)


class _Seen:
    """One observer of what one function makes, at sample values of the arguments of both."""

    def __init__(
        self, context: ProverContext, sequent: Sequent, made: Term, body: Term | None, observer: Definition, hole: int
    ) -> None:
        self._context = context
        self._observer = observer
        self._hole = hole
        self._body = body
        self._others = [var(f"y{i}", p.sort) for i, p in enumerate(observer.params) if i != hole]
        self._variables = (*made.args, *self._others)
        self._containers = [v for v in made.args if v.sort is made.sort]
        self._numbers = [v for v in self._variables if v.sort is INT]
        self._lengths = {c: list(measures(context, sequent, c)) for c in self._containers}
        self._measured = [m for ms in self._lengths.values() for m in ms]
        self._whole = self._of(made)
        self._counted = [n for call in (made, self._whole) for n in _counted(context, call)]
        self._samples = Samples(context, self._variables)

    def laws(self) -> Iterator[Sequent]:
        """The laws under the weakest conditions under which there are any."""
        natural = [app("<=", (integer(0), n), BOOL) for n in self._counted]
        inside = [app("<", (n, m), BOOL) for n in self._counted for m in self._measured]
        for hyps in dict.fromkeys([(), tuple(natural), (*natural, *inside)]):
            found = list(self._laws(self._samples.where(hyps)))
            if found:
                yield from (lemma(law, (*hyps, *conditions)) for conditions, law in found)
                return

    def _laws(self, at: Sequence[int]) -> Iterator[tuple[tuple[Term, ...], Term]]:
        """Laws that hold at some of the samples, with their conditions."""
        whole, sort = self._whole, self._whole.sort
        seen = [self._of(c) for c in self._containers]
        if sort is INT:
            columns = list(dict.fromkeys([integer(1), *self._numbers, *self._measured, *seen, whole]))
            law = equations(self._context, columns, self._variables, [self._samples.points[i] for i in at]).get(whole)
            if law is not None:
                yield (), law
                return
        joined = [and_(seen), or_(seen)] if sort is BOOL and len(seen) > 1 else []
        terms = [*seen, *joined, *self._moved(), *(v for v in self._variables if v.sort is sort)]
        for condition in self._conditions():
            guards = (condition,) if condition is TRUE else (condition, not_(condition))
            sides = [(guard, self._samples.where((guard,), at)) for guard in guards]
            if any(len(kept) < FEWEST for _, kept in sides):
                continue
            equal = [[t for t in terms if self._samples.where((eq(whole, t),), kept) == kept][:1] for _, kept in sides]
            if all(equal):
                for (guard, _), (term,) in zip(sides, equal, strict=True):
                    yield () if guard is TRUE else (guard,), eq(whole, term)
                return
        if sort is INT and seen:
            total = seen[0] if len(seen) == 1 else app("+", seen, INT)
            for bound in (app("<=", (whole, total), BOOL), *(app("<=", (one, whole), BOOL) for one in seen)):
                if len(at) >= FEWEST and self._samples.where((bound,), at) == at:
                    yield (), bound
        if sort is BOOL:
            for premise, conclusion in [(whole, one) for one in seen] + [(one, whole) for one in (*seen, *joined)]:
                kept = self._samples.where((premise,), at)
                if len(kept) >= FEWEST and self._samples.where((conclusion,), kept) == kept:
                    yield (premise,), conclusion

    def _of(self, container: Term, others: Sequence[Term] | None = None) -> Term:
        given = self._others if others is None else others
        return app(self._observer.name, (*given[: self._hole], container, *given[self._hole :]), self._observer.sort)

    def _moved(self) -> Iterator[Term]:
        """What is seen of a part where an index is less by the length of another part."""
        for at in (o for o in self._others if o.sort is INT):
            for other, lengths in self._lengths.items():
                for part in (c for c in self._containers if c is not other):
                    for length in lengths:
                        yield self._of(part, [app("-", (o, length), INT) if o is at else o for o in self._others])

    def _conditions(self) -> Iterator[Term]:
        yield TRUE
        yield from self._tests()
        for n in self._numbers:
            yield from (app("<", (n, m), BOOL) for m in (*self._measured, *self._counted) if m is not n)
        for i, v in enumerate(self._variables):
            if self._context.signature.datatype(v.sort) is None:
                yield from (eq(w, v) for w in self._variables[:i] if w.sort is v.sort)

    def _tests(self) -> Iterator[Term]:
        """What the function asks of an element, asked of an element that the observer is given."""
        selectors = {s for d in self._context.signature.datatypes for c in d.constructors for s, _ in c.fields}
        for term in dict.fromkeys(subterms(self._body)) if self._body is not None else ():
            parts = {t for t in subterms(term) if t.kind is Kind.APP and t.name in selectors}
            if term.sort is BOOL and len(parts) == 1 and not any(is_app(term, c) for c in ("and", "or", "not", "=>")):
                (part,) = parts
                for v in self._variables:
                    if v.sort is part.sort and term.free <= part.free:
                        yield replace_subterm(term, part, v)


def _counted(context: ProverContext, call: Term) -> Iterator[Term]:
    """The numbers along which a function recurs."""
    recursion = context.recursions.get(call.name)
    if recursion is not None:
        yield from (call.args[i] for i in sorted(recursion.changed) if call.args[i].sort is INT)
