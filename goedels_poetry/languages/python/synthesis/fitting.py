"""Formulas worked out from the examples instead of searched: linear in the parameters, polynomial in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from goedels_poetry.languages.python.synthesis.specification import Specification
from goedels_poetry.languages.python.synthesis.types import FLOAT, INT

_MAX_DEGREE = 4
_MAX_DENOMINATOR = 1000


def fitted(task: Specification) -> Iterator[str]:
    """Expressions that go through all examples, where these are more than what was chosen to fit them."""
    numbers = (INT, FLOAT)
    if task.gives not in numbers or not task.kinds or any(kind not in numbers for kind in task.kinds):
        return
    rows = [[Fraction(value) for value in point] for point in task.points[: task.asked]]
    if any(value is None for value in task.wanted) or len(task.wanted) < 3:
        return
    results = [Fraction(value).limit_denominator(10**9) for value in task.wanted if value is not None]
    linear = _solve([[*row, Fraction(1)] for row in rows], results)
    if linear is not None and len(rows) > len(linear):
        yield _written(linear, [*task.names, ""], task.gives == FLOAT)
    if len(task.names) == 1:
        for degree in range(2, _MAX_DEGREE + 1):
            powers = [[row[0] ** exponent for exponent in range(degree, -1, -1)] for row in rows]
            solved = _solve(powers, results)
            if solved is not None and len({row[0] for row in rows}) > degree + 1 and solved[0]:
                name = task.names[0]
                names = [*(f"{name} ** {exponent}" for exponent in range(degree, 1, -1)), name, ""]
                yield _written(solved, names, task.gives == FLOAT)
                return


def _solve(rows: Sequence[Sequence[Fraction]], results: Sequence[Fraction]) -> list[Fraction] | None:
    """The one solution of linear equations, by Gauss; None if there is none, or several, or large denominators."""
    table = [[*row, result] for row, result in zip(rows, results, strict=True)]
    width = len(rows[0])
    for column in range(width):
        pivot = next((at for at in range(column, len(table)) if table[at][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        scale = table[column][column]
        table[column] = [value / scale for value in table[column]]
        for at, row in enumerate(table):
            if at != column and row[column]:
                factor = row[column]
                table[at] = [value - factor * other for value, other in zip(row, table[column], strict=True)]
    if any(abs(row[width]) > Fraction(1, 10**6) for row in table[width:]):
        return None
    solution = [table[at][width].limit_denominator(_MAX_DENOMINATOR) for at in range(width)]
    close = all(
        abs(_dot(row, solution) - result) <= Fraction(1, 10**7) * max(Fraction(1), abs(result))
        for row, result in zip(rows, results, strict=True)
    )
    return solution if close else None


def _dot(row: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(row, other, strict=True)), Fraction(0))


def _written(solution: list[Fraction], names: list[str], floats: bool) -> str:
    """``9 * c / 5 + 32`` in floats; ``(n ** 2 + n) // 2`` in integers."""
    if floats:
        parts = [_product(value, name) for value, name in zip(solution, names, strict=True) if value]
        return _sum(parts) or "0.0"
    below = lcm(*(value.denominator for value in solution))
    parts = [_product(value * below, name) for value, name in zip(solution, names, strict=True) if value]
    whole = _sum(parts) or "0"
    return whole if below == 1 else f"({whole}) // {below}"


def _product(value: Fraction, name: str) -> str:
    sign = "-" if value < 0 else ""
    above, below = abs(value.numerator), value.denominator
    factor = "" if above == 1 and name else str(above)
    text = " * ".join(part for part in (factor, name) if part)
    return f"{sign}{text}" + (f" / {below}" if below != 1 else "")


def _sum(parts: list[str]) -> str:
    text = ""
    for part in parts:
        if not text:
            text = part
        else:
            text += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
    return text
