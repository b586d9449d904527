"""Terms of the grammar: what they compute at the points of a search, and how they are written in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from goedels_poetry.languages.python.synthesis.types import Type, Value, literal

ATOM: Final = 20
UNARY: Final = 12
MAX_INT = 10**60
MAX_LENGTH = 400


class _Fault:
    """What a term has for a value where Python would raise."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "FAULT"


FAULT: Final = _Fault()
_RAISED = (ArithmeticError, LookupError, ValueError, TypeError)


@dataclass(frozen=True, slots=True)
class Operator:
    """One production of the grammar.

    Attributes:
        takes: the types of the arguments.
        apply: what it computes; may raise.
        template: Python with ``{0}``, ``{1}``, ...
        precedence: how tight it binds; ``needs``: how tight each argument must bind to stand without parentheses.
        cost: what it adds to the size of a term.
    """

    takes: tuple[Type, ...]
    gives: Type
    apply: Callable[..., Value]
    template: str
    precedence: int = ATOM
    needs: tuple[int, ...] = ()
    commutes: bool = False
    cost: int = 1


class Term:
    """A term with its values, one a point. Made by the hundred thousand: a plain class with slots."""

    __slots__ = ("arguments", "kind", "operator", "own", "precedence", "size", "values", "written")

    def __init__(
        self,
        kind: Type,
        size: int,
        values: tuple[Value, ...],
        operator: Operator | None = None,
        arguments: tuple[Term, ...] = (),
        written: str = "",
        own: Any = None,
        precedence: int = ATOM,
    ) -> None:
        self.kind, self.size, self.values = kind, size, values
        self.operator, self.arguments, self.written, self.own = operator, arguments, written, own
        self.precedence = operator.precedence if operator else precedence

    @property
    def text(self) -> str:
        """Python source."""
        if self.operator is None:
            return self.written
        needs = self.operator.needs or (0,) * len(self.arguments)
        parts = [
            f"({part.text})" if part.precedence < need else part.text
            for part, need in zip(self.arguments, needs, strict=True)
        ]
        return self.operator.template.format(*parts)

    def run(self, names: Mapping[str, Value]) -> Value:
        """The value where names have these values; FAULT where Python would raise.

        ``own`` of a leaf is a function of the names.
        """
        if self.operator is None:
            return self.own(names)
        arguments = []
        for part in self.arguments:
            value = part.run(names)
            if value is FAULT:
                return FAULT
            arguments.append(value)
        return applied(self.operator, arguments)

    def mentions(self, name: str) -> bool:
        """Whether a name stands in it."""
        if self.operator is None:
            return self.written == name
        return any(part.mentions(name) for part in self.arguments)


def applied(operator: Operator, arguments: list[Value]) -> Value:
    """The operator's value; FAULT where it raises or the value is too large to go on with."""
    try:
        value = operator.apply(*arguments)
    except _RAISED:
        return FAULT
    if isinstance(value, int):
        return FAULT if not -MAX_INT < value < MAX_INT else value
    if isinstance(value, (str, tuple)) and len(value) > MAX_LENGTH:
        return FAULT
    return FAULT if isinstance(value, complex) or value != value else value


def variable(name: str, kind: Type, values: tuple[Value, ...]) -> Term:
    """A name with its value at each point."""
    return Term(kind, 1, values, written=name, own=lambda names: names[name])


def constant(value: Value, kind: Type, points: int, size: int = 1) -> Term:
    """A literal."""
    text = literal(value, kind)
    bound = UNARY if text.startswith("-") else ATOM
    return Term(kind, size, (value,) * points, written=text, own=lambda _: value, precedence=bound)
