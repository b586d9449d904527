"""Terms of the grammar: what they compute at the points of a search, and how they are written in Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

Value = Any


@dataclass(frozen=True, slots=True)
class Type:
    """``int``, ``bool``, ``str``, ``float``, ``list`` of one type, ``tuple`` of several."""

    name: str
    parts: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(map(str, self.parts))}]" if self.parts else self.name


INT, BOOL, STR, FLOAT = Type("int"), Type("bool"), Type("str"), Type("float")
_PLAIN = {"int": INT, "bool": BOOL, "str": STR, "float": FLOAT}
_LISTS = ("list", "List", "Sequence", "Iterable", "Collection", "MutableSequence")


def list_of(element: Type) -> Type:
    """The type of lists of a type."""
    return Type("list", (element,))


def of_annotation(node: ast.expr | None) -> Type | None:
    """The type that an annotation names; None where it names none of ours."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return of_annotation(ast.parse(node.value, mode="eval").body)
        except (SyntaxError, ValueError):
            return None
    if isinstance(node, ast.Name):
        return _PLAIN.get(node.id)
    if isinstance(node, ast.Subscript):
        base = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        parts = [of_annotation(part) for part in inner]
        known = tuple(part for part in parts if part is not None)
        if len(known) != len(parts):
            return None
        if base in _LISTS and len(known) == 1:
            return list_of(known[0])
        if base in ("tuple", "Tuple") and known:
            return Type("tuple", known)
    return None


def of_values(values: list[Any]) -> Type | None:
    """The type that all of some literals have; None where there is none of ours."""
    kinds = {type(value) for value in values}
    if not kinds:
        return None
    if kinds == {bool}:
        return BOOL
    if kinds == {int}:
        return INT
    if kinds == {str}:
        return STR
    if kinds <= {int, float}:
        return FLOAT
    if kinds == {list}:
        elements = [element for value in values for element in value]
        inner = of_values(elements) if elements else INT
        return list_of(inner) if inner else None
    if kinds == {tuple} and len({len(value) for value in values}) == 1 and values[0]:
        parts = [of_values([value[at] for value in values]) for at in range(len(values[0]))]
        known = tuple(part for part in parts if part is not None)
        return Type("tuple", known) if len(known) == len(parts) else None
    return None


def frozen(value: Any, kind: Type) -> Value:
    """A literal as a value of a type.

    Raises:
        ValueError: it is none.
    """
    if kind.name == "list" and isinstance(value, (list, tuple)):
        return tuple(frozen(part, kind.parts[0]) for part in value)
    if kind.name == "tuple" and isinstance(value, tuple) and len(value) == len(kind.parts):
        return tuple(frozen(part, inner) for part, inner in zip(value, kind.parts, strict=True))
    if kind == FLOAT and type(value) in (int, float):
        return float(value)
    if kind in (INT, BOOL, STR) and type(value).__name__ == kind.name:
        return value
    raise ValueError(f"{value!r} is no {kind}")


def literal(value: Value, kind: Type) -> str:
    """A value as Python source."""
    if kind.name == "list":
        return "[" + ", ".join(literal(part, kind.parts[0]) for part in value) + "]"
    if kind.name == "tuple":
        inner = [literal(part, one) for part, one in zip(value, kind.parts, strict=True)]
        return "(" + ", ".join(inner) + ("," if len(inner) == 1 else "") + ")"
    return repr(value)


def alike(one: Value, other: Value, kind: Type) -> bool:
    """Equal values; floats up to rounding."""
    if kind == FLOAT:
        return bool(abs(one - other) <= 1e-9 * max(1.0, abs(one), abs(other)))
    if kind.name == "list":
        inner = kind.parts[0]
        return len(one) == len(other) and all(alike(a, b, inner) for a, b in zip(one, other, strict=True))
    if kind.name == "tuple":
        return all(alike(a, b, part) for a, b, part in zip(one, other, kind.parts, strict=True))
    return bool(one == other)


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

    @property
    def closed(self) -> str:
        """Python source that may be a branch of a conditional, or be followed by ``for``."""
        return f"({self.text})" if self.precedence < 2 else self.text

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
