"""What a value is: its forms, and whether it is of a sort. Trusted code for refutations.

A value is a bool, an int (Int and BitVec), a Fraction (Real), a str, an `ArrayValue`, a tuple ``(constructor,
*fields)`` of a datatype, or of a declared sort an `Element` or what a declared function `Built`. The last two are
classes of their own: a sort and a function may have the same name, and their values must not be mistaken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.refutation.operations import Value
from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Sort

LAST_CHARACTER = 0x2FFFF
"""Of the alphabet of SMT-LIB strings."""


@dataclass(frozen=True)
class ArrayValue:
    """A total array: ``items`` differ from ``default``."""

    default: Value
    items: frozenset[tuple[Value, Value]]

    def select(self, index: Value) -> Value:
        """The element at ``index``."""
        for key, value in self.items:
            if key == index:
                return value
        return self.default

    def store(self, index: Value, value: Value) -> ArrayValue:
        """A copy with ``value`` at ``index``."""
        kept = {(k, v) for k, v in self.items if k != index}
        if value != self.default:
            kept.add((index, value))
        return ArrayValue(self.default, frozenset(kept))


@dataclass(frozen=True)
class Element:
    """Element ``number`` of a declared sort; it differs from all others and from all that functions build."""

    sort: Sort
    number: int


@dataclass(frozen=True)
class Built:
    """What a declared function makes of its arguments, where it is taken to be injective."""

    function: str
    args: tuple[Value, ...]


def has_sort(signature: Signature, value: Value, sort: Sort) -> bool:
    """Whether ``value`` is a value of ``sort``."""
    if sort is BOOL:
        return isinstance(value, bool)
    if sort is INT:
        return isinstance(value, int) and not isinstance(value, bool)
    if sort is REAL:
        return isinstance(value, Fraction)
    if sort is STRING:
        return isinstance(value, str) and all(ord(c) <= LAST_CHARACTER for c in value)
    if sort.name == "BitVec":
        return type(value) is int and 0 <= value < 1 << sort.indices[0]
    if sort.name == "Array":
        return isinstance(value, ArrayValue) and all(
            has_sort(signature, part, s)
            for part, s in (
                (value.default, sort.args[1]),
                *((k, sort.args[0]) for k, _ in value.items),
                *((v, sort.args[1]) for _, v in value.items),
            )
        )
    datatype = signature.datatype(sort)
    if datatype is None:
        return sort in signature.sorts and _is_element(signature, value, sort)
    if not isinstance(value, tuple) or not value:
        return False
    fields = {c.name: [s for _, s in c.fields] for c in datatype.constructors}.get(value[0])
    return fields is not None and have_sorts(signature, value[1:], fields)


def have_sorts(signature: Signature, values: tuple[Value, ...], sorts: Sequence[Sort]) -> bool:
    """Whether these are as many values as sorts, each of its sort."""
    return len(values) == len(sorts) and all(has_sort(signature, v, s) for v, s in zip(values, sorts, strict=True))


def _is_element(signature: Signature, value: Value, sort: Sort) -> bool:
    """Whether this is an element of a declared sort, or what a declared function built from arguments of its sorts."""
    if isinstance(value, Element):
        return value.sort is sort and type(value.number) is int and value.number >= 0
    if not isinstance(value, Built) or signature.definition(value.function) is not None:
        return False
    params, result = signature.functions.get(value.function, ((), None))
    return result is sort and have_sorts(signature, value.args, params)
