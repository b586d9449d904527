"""Equations from data: the linear equations that terms satisfy at all values that were tried.

The values of terms are the rows of a matrix, and its null space is all that they have in common: Sharma, Gupta,
Hariharan, Aiken and Nori, "A Data Driven Approach for Algebraic Loop Invariants", 2013. What is found is a guess.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from math import isqrt, lcm
from typing import Any

from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import random_value
from goedels_poetry.kernel.terms import INT, Term, app, eq, integer, is_app
from goedels_poetry.smt.context.prover import ProverContext

SAMPLES, SIZES = 300, 6
FEWEST = 6
"""Values under a condition from which anything is concluded."""
SPARE = 8
"""Values beyond as many as there are terms: an equation that holds there, too, is hardly by chance."""
LARGEST = 10**6
"""Coefficient of an equation that anybody would believe."""
MOST_BITS = 6_000
PRIME = 2**127 - 1


def equations(
    context: ProverContext, columns: Sequence[Term], variables: tuple[Term, ...], points: Iterable[Sequence[Any]]
) -> dict[Term, Term]:
    """The equations among ``columns`` that hold at all points, each by the term that those before it determine.

    Args:
        columns: terms of integers, the simplest ones first.
        variables: the free ones of the columns; each point has a value for each of them. Those that come after a point
            where a value is open or too large are left out.
    """
    rows: list[list[int]] = []
    try:
        codes = [context.evaluator.compile(column, variables) for column in columns]
        for point in points:
            row = [context.evaluator.run(code, list(point)) for code in codes]
            if any(n.bit_length() > MOST_BITS for n in row):
                break
            rows.append(row)
    except Undecided:
        pass
    if len(rows) < len(columns) + SPARE // 2:
        return {}
    found = ((columns[at], solution) for at, solution in null_space(rows) if max(map(abs, solution)) <= LARGEST)
    return {term: _equation(term, columns, solution) for term, solution in found}


def sample(
    context: ProverContext, variables: Iterable[Term], numbers: range, size: int, source: random.Random
) -> list[Any]:
    """A random value for each variable: integers from ``numbers``, all others of about a ``size``."""
    return [
        source.randrange(numbers.start, numbers.stop)
        if v.sort is INT
        else random_value(context.signature, v.sort, size, source)
        for v in variables
    ]


class Samples:
    """Random values of variables, and which of them make formulas true."""

    def __init__(self, context: ProverContext, variables: tuple[Term, ...]) -> None:
        source = random.Random(context.seed + 11)
        sizes = (number % SIZES for number in range(SAMPLES))
        self.points = [sample(context, variables, range(-1, SIZES), size, source) for size in sizes]
        self._context = context
        self._variables = variables
        self._values: dict[Term, list[Any]] = {}

    def where(self, conditions: Iterable[Term], at: Iterable[int] | None = None) -> list[int]:
        """The points, of those ``at`` if given, at which all conditions hold; one whose value stays open does not."""
        columns = [self.values(condition) for condition in conditions]
        return [i for i in (range(len(self.points)) if at is None else at) if all(c[i] is True for c in columns)]

    def values(self, term: Term) -> list[Any]:
        """The values at all points, None where one stays open."""
        if term not in self._values:
            if is_app(term, "="):
                sides = zip(*map(self.values, term.args), strict=True)
                self._values[term] = [None if left is None or right is None else left == right for left, right in sides]
            else:
                code = self._context.evaluator.compile(term, self._variables)
                self._values[term] = [self._run(code, point) for point in self.points]
        return self._values[term]

    def _run(self, code: Any, point: list[Any]) -> Any:
        try:
            return self._context.evaluator.run(code, list(point))
        except Undecided:
            return None


def null_space(rows: Sequence[Sequence[int]]) -> Iterator[tuple[int, list[int]]]:
    """A basis of the integer vectors that are orthogonal to all rows, each with the column that it determines.

    Computed modulo a prime, lifted to fractions, and kept where it is right.
    """
    matrix = [[n % PRIME for n in row] for row in rows]
    width = len(rows[0])
    pivots: list[int] = []
    for column in range(width):
        at = len(pivots)
        pivot = next((i for i in range(at, len(matrix)) if matrix[i][column]), None)
        if pivot is None:
            continue
        matrix[at], matrix[pivot] = matrix[pivot], matrix[at]
        inverse = pow(matrix[at][column], -1, PRIME)
        matrix[at] = [n * inverse % PRIME for n in matrix[at]]
        for i, row in enumerate(matrix):
            if i != at and (factor := row[column]):
                matrix[i] = [(n - factor * m) % PRIME for n, m in zip(row, matrix[at], strict=True)]
        pivots.append(column)
    for column in range(width):
        if column not in pivots:
            fractions = {p: _fraction(-matrix[i][column] % PRIME) for i, p in enumerate(pivots)} | {column: (1, 1)}
            scale = lcm(*(below for _, below in fractions.values()))
            solution = [0] * width
            for place, (above, below) in fractions.items():
                solution[place] = above * scale // below
            if all(sum(a * b for a, b in zip(solution, row, strict=True)) == 0 for row in rows):
                yield column, solution


def _fraction(residue: int) -> tuple[int, int]:
    """The fraction of small numbers that a residue is (Wang, "A p-adic algorithm for univariate fractions", 1981)."""
    bound = isqrt(PRIME // 2)
    (r, s), (t, u) = (PRIME, 0), (residue, 1)
    while t > bound:
        quotient = r // t
        (r, s), (t, u) = (t, u), (r - quotient * t, s - quotient * u)
    return (t, u) if u > 0 else (-t, -u)


def _equation(term: Term, columns: Sequence[Term], solution: Sequence[int]) -> Term:
    """``2 * f x = x + 3 * g x``: positive coefficients, the given term on the left."""
    sign = solution[list(columns).index(term)]
    sides: tuple[list[Term], list[Term]] = ([], [])
    for column, factor in zip(columns, solution, strict=True):
        if factor:
            sides[factor * sign < 0].append(_multiple(abs(factor), column))
    return eq(*map(_sum, sides))


def _multiple(factor: int, term: Term) -> Term:
    if factor == 1:
        return term
    return integer(factor) if term is integer(1) else app("*", (integer(factor), term), INT)


def _sum(terms: Sequence[Term]) -> Term:
    return integer(0) if not terms else terms[0] if len(terms) == 1 else app("+", terms, INT)
