"""The tree of an expression as written: frozen data, each node with the offset where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


class ExpressionError(ValueError):
    """An expression that is refused: why, at which offset, and what to write instead."""

    def __init__(self, message: str, at: int, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.at, self.hint = message, at, hint


@dataclass(frozen=True, slots=True)
class Number:
    """A numeral (int) or a decimal (Fraction)."""

    at: int
    value: int | Fraction


@dataclass(frozen=True, slots=True)
class String:
    """A string."""

    at: int
    value: str


@dataclass(frozen=True, slots=True)
class Truth:
    """``True`` or ``False``."""

    at: int
    value: bool


@dataclass(frozen=True, slots=True)
class Name:
    """A symbol, a variable, or a sort."""

    at: int
    name: str


@dataclass(frozen=True, slots=True)
class Unary:
    """``-x``, ``+x``, ``~x``, ``not x``."""

    at: int
    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Sum:
    """``a + b - c``: terms, each with whether it is taken away."""

    at: int
    terms: tuple[tuple[bool, Expression], ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """``a and b and c``, and the like for ``or``, ``*``, ``&``, ``|``, ``^``: two or more operands."""

    at: int
    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Binary:
    """``a / b``, and the like for ``//``, ``%``, ``**``, ``<<``, ``>>``."""

    at: int
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Comparison:
    """``a < b <= c``: one operator fewer than operands."""

    at: int
    operands: tuple[Expression, ...]
    operators: tuple[str, ...]
    enclosed: bool = False
    """Whether it stands in parentheses of its own."""


@dataclass(frozen=True, slots=True)
class Conditional:
    """``then if condition else otherwise``."""

    at: int
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """``function(arguments)``."""

    at: int
    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """``array[index]``."""

    at: int
    array: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Field:
    """``record.name``."""

    at: int
    record: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Listing:
    """``[a, b]``, ``(a, b)`` or ``{a, b}``."""

    at: int
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """``for name in source if condition``."""

    name: str
    source: Expression
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comprehension:
    """``element for x in ... for y in ...``, with or without brackets."""

    at: int
    element: Expression
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Typing:
    """``x: Person``, in the list of variables of a quantifier."""

    at: int
    name: str
    sort: Expression


Expression: TypeAlias = (
    Number
    | String
    | Truth
    | Name
    | Unary
    | Sum
    | Chain
    | Binary
    | Comparison
    | Conditional
    | Call
    | Index
    | Field
    | Listing
    | Comprehension
    | Typing
)
