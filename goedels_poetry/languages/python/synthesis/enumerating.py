"""Terms from small to large, one for each behaviour: bottom-up enumeration with observational equivalence.

The method of Albarghouthi, Gulwani and Kincaid ("Recursive program synthesis", CAV 2013) and of Udupa, Raghavan,
Deshmukh, Mador-Haim, Martin and Alur ("TRANSIT: specifying protocols with concolic snippets", PLDI 2013): terms with
the same values at every point are interchangeable in larger terms, so only the first is kept.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence

from goedels_poetry.languages.enumeration import compositions
from goedels_poetry.languages.python.synthesis.terms import FAULT, Operator, Term, applied
from goedels_poetry.languages.python.synthesis.types import FLOAT, INT, Type

MAX_OF_SIZE = 6_000
"""Terms of one type and size that are kept: what comes later of that size is not built on."""


class Bank:
    """The terms found so far, by type and size; `grow` adds those of one more size."""

    def __init__(self, leaves: Iterable[Term], operators: Sequence[Operator], deadline: float) -> None:
        self._operators, self._deadline = operators, deadline
        self._terms: dict[Type, dict[int, list[Term]]] = {}
        self._seen: set[tuple[Type, tuple[object, ...]]] = set()
        self._waiting: dict[int, list[Term]] = {}
        self._floats = any(FLOAT in (*one.takes, one.gives) for one in operators)
        for leaf in leaves:
            self._waiting.setdefault(leaf.size, []).append(leaf)

    def put(self, terms: Iterable[Term]) -> None:
        """Terms made elsewhere, to be there from their size on."""
        for term in terms:
            self._waiting.setdefault(term.size, []).append(term)

    def of(self, kind: Type, size: int) -> list[Term]:
        """The kept terms of a type and size."""
        return self._terms.get(kind, {}).get(size, [])

    def grow(self, size: int) -> Iterator[Term | None]:
        """The new terms of a size, each as it is found, and None now and then; ends early when the time is over."""
        for leaf in self._waiting.pop(size, []):
            yield from self._kept(leaf)
        for one in self._operators:
            arity = len(one.takes)
            if size - one.cost < arity:
                continue
            for sizes in compositions(size - one.cost, arity):
                if one.commutes and sizes[0] > sizes[1]:
                    continue
                yield from self._products(one, sizes, size)
                yield None
                if time.monotonic() > self._deadline:
                    return

    def _products(self, one: Operator, sizes: tuple[int, ...], size: int) -> Iterator[Term | None]:
        banks = [self.of(kind, part) for kind, part in zip(one.takes, sizes, strict=True)]
        for count, arguments in enumerate(itertools.product(*banks)):
            if count & 127 == 127:
                yield None
                if time.monotonic() > self._deadline:
                    return
            values = _pointwise(one, arguments)
            if values is not None:
                key = (one.gives, values)
                if key not in self._seen:
                    yield from self._kept(Term(one.gives, size, values, one, arguments))

    def _kept(self, term: Term) -> Iterator[Term]:
        key = (term.kind, term.values)
        if key in self._seen:
            return
        self._seen.add(key)
        of_size = self._terms.setdefault(term.kind, {}).setdefault(term.size, [])
        if len(of_size) < MAX_OF_SIZE:
            of_size.append(term)
        yield term
        if self._floats and term.kind == INT:
            values = tuple(value if value is FAULT or abs(value) > 2**53 else float(value) for value in term.values)
            same = Term(
                FLOAT, term.size, values, term.operator, term.arguments, term.written, term.own, term.precedence
            )
            yield from self._kept(same)


def _pointwise(one: Operator, arguments: tuple[Term, ...]) -> tuple[object, ...] | None:
    """The values at every point; None if none is a value."""
    columns = [term.values for term in arguments]
    values = []
    useful = False
    for row in zip(*columns, strict=True):
        if any(value is FAULT for value in row):
            values.append(FAULT)
            continue
        value = applied(one, list(row))
        useful = useful or value is not FAULT
        values.append(value)
    return tuple(values) if useful or not values else None
