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


PROP, NAT, INT, BOOL = Type("Prop"), Type("Nat"), Type("Int"), Type("Bool")


@dataclass(frozen=True, slots=True)
class Signature:
    """A function: its type parameters, the types of its explicit arguments, and of its value."""

    name: str
    parameters: tuple[str, ...]
    arguments: tuple[Type, ...]
    result: Type


class NotSimple(Exception):
    """A type that the enumeration has no use for (dependent, or an instance of a structure of the user)."""


class Tokens:
    """A place in a list of tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> str:
        """The next token; "" at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        """The next token, taken; raises :class:`NotSimple` at the end."""
        token = self.peek()
        if not token:
            raise NotSimple("it ends too early")
        self.at += 1
        return token


class _Reader(Tokens):
    def __init__(self, text: str) -> None:
        super().__init__(_TOKEN.findall(text))
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise NotSimple(text)

    def arrow(self) -> Type:
        left = self.product()
        if self.peek() in ("→", "->"):
            self.next()
            return Type("→", (left, self.arrow()))
        return left

    def product(self) -> Type:
        left = self.application()
        if self.peek() == "×":
            self.next()
            return Type("Prod", (left, self.product()))
        return left

    def application(self) -> Type:
        head = self.atom()
        args = []
        while self.peek() not in ("", ")", "→", "->", "×", ":", ",", "]", "}", "⦄"):
            args.append(self.atom())
        return Type(head.head, (*head.args, *args)) if args else head

    def atom(self) -> Type:
        token = self.next()
        if token == "(":
            inner = self.arrow()
            if self.next() != ")":
                raise NotSimple("a bracket stays open")
            return inner
        if token in ("∀", "{", "[", "⦃", "."):
            raise NotSimple(token)
        return Type(token)

    def binder(self) -> tuple[str, list[str], Type] | None:
        """``(a b : T)``, ``{a : T}`` or ``[C a]`` at this place."""
        start, opening = self.at, self.peek()
        if opening not in _CLOSE:
            return None
        self.next()
        names = []
        while re.match(r"[^\s()\[\]{}:,→×]", self.peek() or "("):
            names.append(self.next())
        if self.peek() != ":":
            if opening != "[":
                self.at = start
                return None
            names = []
            self.at = start + 1
        else:
            self.next()
        type_ = self.arrow()
        if self.next() != _CLOSE[opening]:
            self.at = start
            return None
        return opening, names, type_


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
        elif opening == "[":
            pass  # an instance is found by Lean
        elif opening == "(":
            arguments += [type_] * len(names)
        else:
            raise NotSimple(text)
        if reader.next() != "→":
            raise NotSimple(text)
    rest = reader.arrow()
    if reader.peek():
        raise NotSimple(text)
    while rest.head == "→":
        arguments.append(rest.args[0])
        rest = rest.args[1]
    if any(a.head in ("Type", "Sort") for a in arguments) or rest.head in ("Type", "Sort"):
        raise NotSimple(text)
    return Signature(name, tuple(parameters), tuple(arguments), rest)
