"""Types as Lean prints them (``pp.notation false``): read into trees, as far as terms are enumerated over them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_TOKEN = re.compile(r"\s*(→|->|×|[()\[\]{}⦃⦄:,.]|∀|«[^»]*»(?:\.\w+)*|[^\s()\[\]{}⦃⦄:,→×]+)")
_CLOSE = {"(": ")", "{": "}", "[": "]", "⦃": "⦄"}


@dataclass(frozen=True, slots=True)
class Type:
    """A constant or parameter applied to types; a function type has the head "→" and two arguments."""

    head: str
    args: tuple[Type, ...] = ()

    def text(self, inner: bool = False) -> str:
        """As Lean reads it; in parentheses when it is an argument and needs them."""
        if self.head == "→":
            shown = f"{self.args[0].text(True)} → {self.args[1].text()}"
        else:
            shown = " ".join((self.head, *(a.text(True) for a in self.args)))
        return f"({shown})" if inner and self.args else shown

    def put(self, values: Mapping[str, Type]) -> Type:
        """With types for the parameters."""
        if not self.args and self.head in values:
            return values[self.head]
        return Type(self.head, tuple(a.put(values) for a in self.args))


NAT = Type("Nat")


@dataclass(frozen=True, slots=True)
class Signature:
    """A function: its type parameters, the types of its explicit arguments, and of its value."""

    name: str
    parameters: tuple[str, ...]
    arguments: tuple[Type, ...]
    result: Type


class NotSimple(Exception):
    """A type that the enumeration has no use for (dependent, or an instance of a structure of the user)."""


class _Reader:
    """Reads types from tokens, by descent."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise NotSimple(text)
        self.at = 0

    def peek(self) -> str:
        """The next token; "" at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> bool:
        """Whether the next token is one of these; it is taken then."""
        found = self.peek() in wanted
        self.at += found
        return found

    def arrow(self) -> Type:
        left = self.product()
        return Type("→", (left, self.arrow())) if self.take("→", "->") else left

    def product(self) -> Type:
        left = self.application()
        return Type("Prod", (left, self.product())) if self.take("×") else left

    def application(self) -> Type:
        head, args = self.atom(), []
        while self.peek() not in ("", ")", "→", "->", "×", ":", ",", "]", "}", "⦄"):
            args.append(self.atom())
        return Type(head.head, (*head.args, *args)) if args else head

    def atom(self) -> Type:
        if self.take("("):
            inner = self.arrow()
            if not self.take(")"):
                raise NotSimple("a bracket stays open")
            return inner
        if self.peek() in ("", "∀", "{", "[", "⦃", "."):
            raise NotSimple(self.peek() or "it ends too early")
        self.at += 1
        return Type(self.tokens[self.at - 1])

    def binder(self) -> tuple[str, list[str], Type] | None:
        """``(a b : T)``, ``{a : T}`` or ``[C a]`` at this place; None for what is none."""
        start, opening = self.at, self.peek()
        if not self.take(*_CLOSE):
            return None
        names = []
        while re.match(r"[^\s()\[\]{}:,→×]", self.peek() or "("):
            names.append(self.peek())
            self.at += 1
        if not self.take(":"):
            names, self.at = [], start + 1
        if names or opening == "[":
            type_ = self.arrow()
            if self.take(_CLOSE[opening]):
                return opening, names, type_
        self.at = start
        return None


def read_type(text: str) -> Type:
    """A closed type; raises :class:`NotSimple`."""
    reader = _Reader(text)
    found = reader.arrow()
    if reader.peek():
        raise NotSimple(text)
    return found


def read_signature(name: str, text: str) -> Signature:
    """The type of a function as ``#check @name`` shows it; raises :class:`NotSimple` when a type depends on a value."""
    reader = _Reader(text)
    parameters: list[str] = []
    arguments: list[Type] = []
    while (binder := reader.binder()) is not None:
        opening, names, type_ = binder
        if type_.head in ("Type", "Sort"):
            parameters += names
        elif opening == "(":
            arguments += [type_] * len(names)
        elif opening != "[":  # an instance is found by Lean
            raise NotSimple(text)
        if not reader.take("→"):
            raise NotSimple(text)
    rest = reader.arrow()
    while rest.head == "→":
        arguments.append(rest.args[0])
        rest = rest.args[1]
    if reader.peek() or any(a.head in ("Type", "Sort") for a in (*arguments, rest)):
        raise NotSimple(text)
    return Signature(name, tuple(parameters), tuple(arguments), rest)
