"""What is seen of a container that a function makes: ``len (join x y)``, ``at (put x i v) k``, ``at (join x y) k``.

An observer is a function of a container that gives a number, a truth or an element. What it gives of a container that
another function makes is read off values: a linear equation among what it gives of the parts, lengths and numbers, or
one of these terms where a condition holds and another one where it does not.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import random_value
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    TRUE,
    Kind,
    Sort,
    Term,
    and_,
    app,
    eq,
    integer,
    is_app,
    not_,
    or_,
    substitute,
    subterms,
    var,
)
from goedels_poetry.smt.conjecture.data import equations
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma, replace_subterm

SAMPLES = 150
FEWEST = 12
"""Values under a condition from which anything is concluded."""
SIZES = 6


def observations(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """What the observers of a goal give of what its functions make, as guesses that hold for all samples."""
    functions = [d for d in reached(context, sequent) if d.recursive and d.name not in context.shape.unfolded]
    definitions = functions[::-1]  # what others call comes first
    for definition in definitions:
        if definition.sort is INT:  # what lengths and counts have to say about indices
            yield lemma(app("<=", (integer(0), app(definition.name, definition.params, INT)), BOOL))
        elif definition.sort is BOOL:
            yield lemma(app(definition.name, definition.params, BOOL))
    for made, body in _makers(context, definitions):
        for observer in definitions:
            for hole, parameter in enumerate(observer.params):
                inside = body is None and context.shape.recurses_on(observer.name, hole)
                if parameter.sort is made.sort and observer.sort is not made.sort and not inside:
                    yield from _Seen(context, sequent, made, body, observer, hole).laws()
    for definition in definitions:
        if definition.sort is BOOL and len(definition.params) == 2 and len({p.sort for p in definition.params}) == 1:
            same = definition.params[0]
            yield lemma(app(definition.name, (same, same), BOOL))


def _makers(context: ProverContext, definitions: Iterable[Definition]) -> Iterator[tuple[Term, Term | None]]:
    """Calls of functions and constructors that make a container of one or more, with the functions' bodies."""
    for definition in definitions:
        given = [var(f"x{i}", p.sort) for i, p in enumerate(definition.params)]
        if context.signature.datatype(definition.sort) and any(v.sort is definition.sort for v in given):
            body = substitute(definition.body, dict(zip(definition.params, given, strict=True)))
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


@dataclass(frozen=True)
class _Seen:
    """One observer of what one function makes."""

    context: ProverContext
    sequent: Sequent
    made: Term
    body: Term | None
    observer: Definition
    hole: int

    def laws(self) -> Iterator[Sequent]:
        """The laws under the weakest conditions under which there are any."""
        others = [var(f"y{i}", p.sort) for i, p in enumerate(self.observer.params) if i != self.hole]
        variables = (*self.made.args, *others)
        containers = [v for v in self.made.args if v.sort is self.made.sort]
        numbers = [v for v in variables if v.sort is INT]
        lengths = {c: list(measures(self.context, self.sequent, c)) for c in containers}
        whole = self._of(self.made, others)
        points = list(self._points(variables))
        natural = [app("<=", (integer(0), n), BOOL) for n in numbers]
        inside = [app("<", (n, m), BOOL) for n in numbers for ms in lengths.values() for m in ms]
        for hyps in dict.fromkeys([(), tuple(natural), (*natural, *inside)]):
            kept = self._where(points, variables, hyps)
            found = list(self._laws(whole, variables, numbers, lengths, others, kept))
            if found:
                for conditions, law in found:
                    yield lemma(law, (*hyps, *conditions))
                return

    def _of(self, container: Term, others: Sequence[Term]) -> Term:
        return app(self.observer.name, (*others[: self.hole], container, *others[self.hole :]), self.observer.sort)

    def _laws(
        self,
        whole: Term,
        variables: tuple[Term, ...],
        numbers: list[Term],
        lengths: dict[Term, list[Term]],
        others: list[Term],
        points: list[list[Any]],
    ) -> Iterator[tuple[tuple[Term, ...], Term]]:
        sort = whole.sort
        seen = [self._of(c, others) for c in lengths]
        measured = [m for ms in lengths.values() for m in ms]
        if sort is INT:
            columns = list(dict.fromkeys([integer(1), *numbers, *measured, *seen, whole]))
            law = equations(self.context, columns, variables, points).get(whole)
            if law is not None:
                yield (), law
                return
            total = seen[0] if len(seen) == 1 else app("+", seen, INT)
            for bound in (app("<=", (whole, total), BOOL), *(app("<=", (one, whole), BOOL) for one in seen)):
                if not self._where(points, variables, (not_(bound),)):
                    yield (), bound
        moved = [
            self._of(c, [app("-", (o, m), INT) if o is at else o for o in others])
            for c in lengths
            for at in others
            if at.sort is INT
            for other, ms in lengths.items()
            if other is not c
            for m in ms
        ]
        joined = [and_(seen), or_(seen)] if sort is BOOL and len(seen) > 1 else []
        terms = [*seen, *joined, *moved, *(v for v in variables if v.sort is sort)]
        for condition in self._conditions(numbers, measured, variables):
            guards = (condition,) if condition is TRUE else (condition, not_(condition))
            sides = [(guard, self._where(points, variables, (guard,))) for guard in guards]
            if any(len(kept) < FEWEST for _, kept in sides):
                continue
            pairs = [
                (guard, next((t for t in terms if self._where(kept, variables, (not_(eq(whole, t)),)) == []), None))
                for guard, kept in sides
            ]
            if all(term is not None for _, term in pairs):
                for guard, term in pairs:
                    assert term is not None
                    yield () if guard is TRUE else (guard,), eq(whole, term)
                return
        if sort is BOOL:
            for premise, conclusion in [(whole, one) for one in seen] + [(one, whole) for one in (*seen, *joined)]:
                if not self._where(points, variables, (premise, not_(conclusion))):
                    yield (premise,), conclusion

    def _conditions(self, numbers: list[Term], measured: list[Term], variables: tuple[Term, ...]) -> Iterator[Term]:
        yield TRUE
        yield from self._tests(variables)
        for n in numbers:
            yield from (app("<", (n, m), BOOL) for m in measured)
        by_sort: dict[Sort, list[Term]] = {}
        for v in variables:
            for w in by_sort.setdefault(v.sort, []):
                if self.context.signature.datatype(v.sort) is None:
                    yield eq(w, v)
            by_sort[v.sort].append(v)

    def _tests(self, variables: tuple[Term, ...]) -> Iterator[Term]:
        """What the function asks of an element, asked of an element that the observer is given."""
        selectors = {s for d in self.context.signature.datatypes for c in d.constructors for s, _ in c.fields}
        for term in dict.fromkeys(subterms(self.body)) if self.body is not None else ():
            parts = {t for t in subterms(term) if t.kind is Kind.APP and t.name in selectors}
            if term.sort is BOOL and len(parts) == 1 and not any(is_app(term, c) for c in ("and", "or", "not", "=>")):
                (part,) = parts
                for v in variables:
                    if v.sort is part.sort and term.free <= part.free:
                        yield replace_subterm(term, part, v)

    def _points(self, variables: tuple[Term, ...]) -> Iterator[list[Any]]:
        source = random.Random(self.context.seed + 11)
        for number in range(SAMPLES):
            yield [
                source.randrange(-1, SIZES)
                if v.sort is INT
                else random_value(self.context.signature, v.sort, number % SIZES, source)
                for v in variables
            ]

    def _where(
        self, points: list[list[Any]], variables: tuple[Term, ...], conditions: Sequence[Term]
    ) -> list[list[Any]]:
        """The points at which all conditions hold; none where a value stays open."""
        codes = [self.context.evaluator.compile(c, variables) for c in conditions]
        try:
            return [p for p in points if all(self.context.evaluator.run(code, list(p)) for code in codes)]
        except Undecided:
            return []
