"""A `match` of Lean as nested tests: rows of patterns, the first that fits counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from goedels_poetry.lean.goals.expressions import Expr


class Unreadable(Exception):
    """What cannot be said in SMT-LIB; the message says what."""


@dataclass(frozen=True, slots=True)
class Row:
    """One alternative: a pattern for each value, what its variables have been found to be, its result."""

    patterns: tuple[Expr, ...]
    found: tuple[tuple[str, str], ...]
    """Variables with terms."""
    result: Expr


@dataclass(frozen=True, slots=True)
class Case:
    """A constructor as a test on a value."""

    key: str
    test: str
    """Whether the value is built by it; "" where nothing else is left."""
    fields: tuple[tuple[str, Expr], ...]
    """Terms for its fields, with their types."""


class Shapes(Protocol):
    """How values of types are taken apart."""

    def cases(self, value: str, type_: Expr) -> tuple[Case, ...]:
        """The constructors of a type, applied to a value."""

    def pattern(self, pattern: Expr) -> tuple[str, tuple[Expr, ...]] | None:
        """The constructor of a pattern and the patterns below; None for a variable. A number is the key of itself."""

    def equals(self, value: str, key: str) -> str:
        """A test whether a value is the number of a key."""


def compiled(
    shapes: Shapes, values: Sequence[tuple[str, Expr]], rows: Sequence[Row], leaf: Callable[[Row], str]
) -> str:
    """The term for the match of ``values`` (terms with types) by ``rows``.

    Raises:
        Unreadable: nothing fits, or a pattern is of no form that is known here.
    """
    if not rows:
        raise Unreadable("a match without an alternative")
    first = rows[0]
    column = next((i for i, p in enumerate(first.patterns) if shapes.pattern(p) is not None), None)
    if column is None:
        bound = [(p.name, v) for p, (v, _) in zip(first.patterns, values, strict=True) if p.kind == "free"]
        return leaf(Row((), (*first.found, *bound), first.result))
    value, type_ = values[column]
    shape = shapes.pattern(first.patterns[column])
    assert shape is not None
    if shape[0].startswith("="):
        return _number(shapes, values, rows, leaf, column, shape[0])
    before, after = values[:column], values[column + 1 :]
    made: list[tuple[str, str]] = []
    for case in shapes.cases(value, type_):
        kept = [row for r in rows if (row := _with(shapes, r, column, value, case)) is not None]
        if kept:
            made.append((case.test, compiled(shapes, (*before, *case.fields, *after), kept, leaf)))
    if not made:
        raise Unreadable("a match that nothing fits")
    result = made[-1][1]
    for test, text in reversed(made[:-1]):
        result = f"(ite {test} {text} {result})"
    return result


def _number(
    shapes: Shapes,
    values: Sequence[tuple[str, Expr]],
    rows: Sequence[Row],
    leaf: Callable[[Row], str],
    column: int,
    key: str,
) -> str:
    """The value is that number, or it is not."""
    value = values[column][0]
    rest = (*values[:column], *values[column + 1 :])
    here, other = [], []
    for row in rows:
        pattern = row.patterns[column]
        shape = shapes.pattern(pattern)
        without = (*row.patterns[:column], *row.patterns[column + 1 :])
        if shape is None:
            here.append(Row(without, (*row.found, (pattern.name, value)), row.result))
            other.append(row)
        elif shape[0] == key:
            here.append(Row(without, row.found, row.result))
        elif shape[0].startswith("="):
            other.append(row)
        else:
            raise Unreadable("numbers and constructors in one match")
    then = compiled(shapes, rest, here, leaf)
    return f"(ite {shapes.equals(value, key)} {then} {compiled(shapes, values, other, leaf)})" if other else then


def _with(shapes: Shapes, row: Row, column: int, value: str, case: Case) -> Row | None:
    """The row when the value in its column is of this case; None when it does not fit."""
    pattern = row.patterns[column]
    shape = shapes.pattern(pattern)
    before, after = row.patterns[:column], row.patterns[column + 1 :]
    if shape is None:
        found = (*row.found, (pattern.name, value))
        return Row((*before, *(_ANY for _ in case.fields), *after), found, row.result)
    if shape[0].startswith("="):
        raise Unreadable("numbers and constructors in one match")
    if shape[0] != case.key:
        return None
    return Row((*before, *shape[1], *after), row.found, row.result)


_ANY = Expr("free", "_")
