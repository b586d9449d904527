"""Values of terms in fixed environments, each value known by a number: cheap to hash and to compare."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeAlias

from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import OPERATIONS, Undecided
from goedels_poetry.kernel.refutation.values import random_value
from goedels_poetry.kernel.terms import Kind, Term
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.refutation.functions import interpretation

Vector: TypeAlias = tuple[int, ...]
"""The number of a term's value in each environment."""

ENVIRONMENTS = 48
SIZES = (0, 1, 2, 3, 4, 5)
FUEL = 1_000
"""Calls for one value: terms that need more are left out."""


class Table:
    """Value vectors of terms over ``variables``; environments are drawn from ``source``."""

    def __init__(self, context: ProverContext, variables: Sequence[Term], source: random.Random) -> None:
        signature = context.signature
        self._evaluator = Evaluator(
            signature, context.problem.premises, interpretation(context.problem, context.seed), FUEL, circular=True
        )
        self._values: list[Any] = []
        self._numbers: dict[tuple[bool, Any], int] = {}
        self._calls: dict[str, dict[Vector, int | None]] = {}
        self._vectors: dict[Term, Vector | None] = {}
        self.true, self.false = self._number(True), self._number(False)
        for v in variables:
            drawn = [random_value(signature, v.sort, source.choice(SIZES), source) for _ in range(ENVIRONMENTS)]
            self._vectors[v] = tuple(map(self._number, drawn))

    def vector(self, term: Term) -> Vector | None:
        """The values of ``term``, or None where one is undecided."""
        if term in self._vectors:
            return self._vectors[term]
        values: Vector | None
        if term.kind is Kind.LIT:
            values = (self._number(term.value),) * ENVIRONMENTS
        else:
            vectors = [self.vector(a) for a in term.args]
            given = [v for v in vectors if v is not None]
            values = self._apply(term, given) if len(given) == len(vectors) else None
        self._vectors[term] = values
        return values

    def _apply(self, term: Term, vectors: list[Vector]) -> Vector | None:
        rows = zip(*vectors, strict=True) if vectors else [()] * ENVIRONMENTS
        if term.name == "=":
            return tuple([self.true if a == b else self.false for a, b in rows])
        known = self._calls.setdefault(term.name, {})
        numbers: list[int] = []
        for row in rows:
            number = known[row] if row in known else known.setdefault(row, self._call(term.name, row))
            if number is None:
                return None
            numbers.append(number)
        return tuple(numbers)

    def _call(self, name: str, row: Vector) -> int | None:
        args = tuple([self._values[n] for n in row])
        operation = OPERATIONS.get(name) if name not in self._evaluator.signature.names else None
        try:
            value = operation(*args) if operation else self._evaluator.call(name, args)
        except Undecided:
            return None
        return self._number(value)

    def _number(self, value: Any) -> int:
        key = (isinstance(value, bool), value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._values)
            self._values.append(value)
        return number
