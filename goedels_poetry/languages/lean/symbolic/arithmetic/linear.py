"""Linear programming in exact fractions: numbers, none negative, that combine columns to a given one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

MOST_PIVOTS = 300


def combination(columns: Sequence[Sequence[int]], wanted: Sequence[int]) -> list[Fraction] | None:
    """Numbers ``x ≥ 0`` with ``Σ x[k]·columns[k] = wanted``; None when there are none, or none within the limit.

    The first phase of the simplex method with Bland's rule, so that it ends.
    """
    rows, count = len(wanted), len(columns)
    table = []
    for r in range(rows):
        sign = -1 if wanted[r] < 0 else 1
        unit = [Fraction(int(k == r)) for k in range(rows)]
        table.append([*(Fraction(sign * column[r]) for column in columns), *unit, Fraction(sign * wanted[r])])
    basis = [count + r for r in range(rows)]
    cost = [sum((row[k] for row in table), Fraction(0)) for k in range(count + rows + 1)]
    for r in range(rows):
        cost[count + r] = Fraction(0)
    for _ in range(MOST_PIVOTS):
        entering = next((k for k in range(count) if cost[k] > 0), None)
        if entering is None:
            break
        ratios = [(row[-1] / row[entering], basis[r], r) for r, row in enumerate(table) if row[entering] > 0]
        if not ratios:
            return None
        leaving = min(ratios)[2]
        pivot = table[leaving][entering]
        table[leaving] = [x / pivot for x in table[leaving]]
        for row in [*(t for r, t in enumerate(table) if r != leaving), cost]:
            factor = row[entering]
            if factor:
                row[:] = [x - factor * y for x, y in zip(row, table[leaving], strict=True)]
        basis[leaving] = entering
    if cost[-1] != 0:
        return None
    found = [Fraction(0)] * count
    for r, k in enumerate(basis):
        if k < count:
            found[k] = table[r][-1]
    return found
