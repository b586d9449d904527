"""Facts that hold when one container is at least as long as another: merging parts of a row that was split in two.

``occurrences x (f a b) = occurrences x a + occurrences x b`` may fail for lists of any length and hold for those that
the function is called with. Then the sizes of results matter as well: sums of sizes, halves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, app, eq, implies, integer, var
from goedels_poetry.smt.auxiliary.folds import Containers, sum_of
from goedels_poetry.smt.auxiliary.standard import SIZE
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.invariants.laws import Law

First = Callable[[Term, Iterable[Term]], Iterator[Law]]


class Lengths:
    """Candidates about the sizes of containers; ``first`` gives the first of some that values do not contradict."""

    def __init__(self, context: ProverContext, containers: Containers, first: First) -> None:
        self._context = context
        self._in = containers
        self._first = first

    def of(self, call: Term) -> Iterator[Law]:
        """The size of a result: the sum of those of some arguments, or half of one."""
        size = self._size(call)
        if size is None:
            return
        held = self._held(call)
        sizes = [s for a in held if (s := self._size(a)) is not None]
        elements = sum(a.sort is self._in.order.sort for a in call.args)
        candidates = [
            eq(size, sum_of([*summands, *([integer(more)] if more else [])]))
            for number in range(len(sizes), 0, -1)
            for summands in itertools.combinations(sizes, number)
            for more in dict.fromkeys((elements, 0))
        ]
        for one in sizes:
            for rest in (1, 0):
                whole = app("+", (one, integer(1)), INT) if rest else one
                candidates.append(eq(size, app("div", (whole, integer(2)), INT)))
        candidates += [implies(at_most, eq(size, sum_of(sizes))) for at_most in self._balances(held)]
        yield from self._first(call, candidates)

    def balanced(self, call: Term) -> Iterator[Law]:
        """The result holds what both arguments hold if one of them is at least as long as the other."""
        held, x = self._held(call), var("x", self._in.order.sort)
        both = eq(self._in.occurrences(x, call), sum_of(self._in.occurrences(x, a) for a in held))
        yield from self._first(call, (implies(at_most, both) for at_most in self._balances(held)))

    def none_negative(self) -> Iterator[Law]:
        """Sizes are not negative."""
        for datatype in self._in.datatypes:
            d = var("d", datatype.sort)
            size = self._size(d)
            if size is not None:
                yield from self._first(d, (app(">=", (size, integer(0)), BOOL),))

    def _balances(self, held: list[Term]) -> Iterator[Term]:
        sizes = [self._size(a) for a in held]
        if len(held) == 2 and held[0].sort is held[1].sort:
            for one, other in (sizes, sizes[::-1]):
                if one is not None and other is not None:
                    yield app("<=", (other, one), BOOL)

    def _held(self, call: Term) -> list[Term]:
        return [a for a in call.args if a.kind is Kind.VAR and self._in.contains(a.sort)]

    def _size(self, term: Term) -> Term | None:
        name = SIZE + term.sort.name
        return app(name, (term,), INT) if self._context.signature.definition(name) is not None else None
