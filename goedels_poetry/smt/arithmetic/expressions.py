"""Arithmetic expressions that give what a table of integers gives."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from goedels_poetry.kernel.terms import BOOL, INT, Term, app, eq, integer

Row: TypeAlias = tuple[int, ...]
"""The integers of the arguments."""

_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {"<=": operator.le, "<": operator.lt, "=": operator.eq}


def comparison(table: list[tuple[Row, Any]], arguments: list[Term]) -> Term | None:
    """A comparison of the arguments (or a test of one) that decides as the table does."""
    if len({result for _, result in table}) == 1:
        return None
    zero = integer(0)
    for (i, a), (j, b) in itertools.permutations(enumerate(arguments), 2):
        for symbol, holds in _COMPARISONS.items():
            if all(holds(row[i], row[j]) == result for row, result in table):
                return app(symbol, (a, b), BOOL)
    for i, a in enumerate(arguments):
        for rest in (0, 1):
            if all((row[i] % 2 == rest) == result for row, result in table):
                return eq(app("mod", (a, integer(2)), INT), integer(rest))
        if all((row[i] == 0) == result for row, result in table):
            return eq(a, zero)
        if all((row[i] > 0) == result for row, result in table):
            return app(">", (a, zero), BOOL)
    return None


def expression(table: list[tuple[Row, Any]], arguments: list[Term]) -> Term | None:
    """An arithmetic expression in the arguments that gives what the table gives: simple ones first."""
    polynomial = _polynomial(table, len(arguments))
    if polynomial is not None:
        return _sum_of(polynomial, arguments)
    zero = integer(0)
    for (i, a), (j, b) in itertools.permutations(enumerate(arguments), 2):
        if all(max(row[i] - row[j], 0) == result for row, result in table):
            return app("ite", (app("<=", (a, b), BOOL), zero, app("-", (a, b), INT)), INT)
        if i < j:
            for pick, symbol in ((min, "<="), (max, ">=")):
                if all(pick(row[i], row[j]) == result for row, result in table):
                    return app("ite", (app(symbol, (a, b), BOOL), a, b), INT)
    for i, a in enumerate(arguments):
        if all(max(row[i] - 1, 0) == result for row, result in table):
            return app("ite", (app("<=", (a, zero), BOOL), zero, app("-", (a, integer(1)), INT)), INT)
        for divisor, factor, more in itertools.product((2, 3), (1, 2), (0, 1, 2)):
            if all(row[i] >= 0 and (factor * row[i] + more) // divisor == result for row, result in table):
                return app("div", (_sum_of({(0,): factor, (): more}, [a]), integer(divisor)), INT)
    return None


def _polynomial(table: list[tuple[Row, Any]], width: int) -> dict[tuple[int, ...], int] | None:
    """Integer coefficients of a polynomial, of degree 1 in each argument, through all rows; None when there is none.

    Solved exactly by elimination; where rows leave a coefficient open it is 0, and more rows than coefficients are
    asked for.
    """
    for degree in range(min(width, 3) + 1):
        monomials = [m for d in range(degree + 1) for m in itertools.combinations(range(width), d)]
        if len(table) < len(monomials) + 2:
            return None
        coefficients = _solve(
            [[_product(row, m) for m in monomials] for row, _ in table], [result for _, result in table]
        )
        if coefficients is not None and all(c.denominator == 1 for c in coefficients):
            return {m: int(c) for m, c in zip(monomials, coefficients, strict=True) if c}
    return None


def _product(row: Row, monomial: tuple[int, ...]) -> int:
    value = 1
    for i in monomial:
        value *= row[i]
    return value


def _solve(matrix: list[list[int]], right: list[Any]) -> list[Fraction] | None:
    """One solution of a linear system, by Gaussian elimination over the rationals, or None."""
    rows = [[Fraction(x) for x in (*row, r)] for row, r in zip(matrix, right, strict=True)]
    width = len(matrix[0])
    pivots: list[int] = []
    for column in range(width):
        pivot = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        place = len(pivots)
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [x / rows[place][column] for x in rows[place]]
        for i, row in enumerate(rows):
            if i != place and row[column]:
                rows[i] = [x - row[column] * y for x, y in zip(row, rows[place], strict=True)]
        pivots.append(column)
    if any(row[width] for row in rows[len(pivots) :]):
        return None
    solution = [Fraction(0)] * width
    for place, column in enumerate(pivots):
        solution[column] = rows[place][width]
    return solution


def _sum_of(polynomial: dict[tuple[int, ...], int], arguments: list[Term]) -> Term:
    summands = []
    for monomial, coefficient in polynomial.items():
        if not coefficient:
            continue
        factors = [arguments[i] for i in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, integer(coefficient))
        summands.append(factors[0] if len(factors) == 1 else app("*", factors, INT))
    return integer(0) if not summands else summands[0] if len(summands) == 1 else app("+", summands, INT)
