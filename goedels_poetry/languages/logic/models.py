"""A solver's model in the words of the program: what each constant and function is in that world.

For people to read; no verdict rests on it. Numbers, truth values and strings are what they are in JSON; an
enumeration's value is its name; an element of a declared sort is called after the first constant that denotes it, else
``Person_1``; a function is an object from arguments to values, ``"else"`` for all that are not listed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.logic.posing import Posing
from goedels_poetry.languages.smt.evaluate import ArrayValue
from goedels_poetry.languages.smt.problem import Signature
from goedels_poetry.languages.smt.reader import Atom, Group, Lexeme, SExpr, Source, read
from goedels_poetry.languages.smt.terms import Sort

MAX_CHARACTERS = 200_000
"""A longer model is not read."""
MAX_ROWS = 100
"""Of one function."""
MAX_NAMES = 400
_FUEL = 50_000
_DEPTH = 200
Value: TypeAlias = Any
"""As in the evaluator; an element of a declared sort is ``("!", its name in the model)``."""


class _Unreadable(Exception):
    """Something in a model that is not understood."""


def read_model(text: str, posing: Posing) -> dict[str, Any] | None:
    """What a model says about the declared constants and functions of a program; None when it cannot be read."""
    if not text or len(text) > MAX_CHARACTERS:
        return None
    try:
        (commands,) = read(Source(text))
        return _Model(commands, posing.program.signature).described()
    except (InvalidInput, _Unreadable, ValueError, RecursionError):
        return None


class _Model:
    """The definitions of a model, evaluated on demand."""

    def __init__(self, commands: SExpr, signature: Signature) -> None:
        self.signature = signature
        self._definitions: dict[str, tuple[list[str], SExpr]] = {}
        self._universe: dict[str, list[Value]] = {}
        self._elements: set[str] = set()
        self._fuel = _FUEL
        for command in _items(commands):
            items = _items(command)
            head, rest = items[0], items[1:]
            if _is(head, "define-fun") and len(rest) >= 4 and isinstance(rest[0], Atom):
                names = [_items(binding)[0].text for binding in _items(rest[1])]
                self._definitions[rest[0].text] = (names, rest[3])
            elif (
                _is(head, "declare-fun") and len(rest) == 3 and isinstance(rest[0], Atom) and isinstance(rest[2], Atom)
            ):
                self._elements.add(rest[0].text)
                self._universe.setdefault(rest[2].text, []).append(("!", rest[0].text))
        self._names: dict[str, str] = {}

    def described(self) -> dict[str, Any]:
        """Constants first, since elements are named after them."""
        functions = [
            (name, args, result)
            for name, (args, result) in self.signature.functions.items()
            if f"u.{name}" in self._definitions and self.signature.definition(name) is None
        ][:MAX_NAMES]
        values: dict[str, Value] = {}
        for name, args, result in functions:
            if not args:
                values[name] = value = self._value(self._definitions[f"u.{name}"][1], {}, 0)
                if self._is_element(value):
                    self._names.setdefault(value[1], name)
                    known = self._universe.setdefault(f"u.{result.name}", [])
                    if value not in known:
                        known.append(value)
        self._name_others()
        described = {name: self.shown(value) for name, value in values.items()}
        described.update({name: self._table(name, args) for name, args, _ in functions if args})
        return described

    def _is_element(self, value: Value) -> bool:
        return isinstance(value, tuple) and value[0] == "!"

    def _name_others(self) -> None:
        taken = {*self.signature.names, *self._names.values()}
        for sort, elements in self._universe.items():
            number = 0
            for _, element in elements:
                while element not in self._names:
                    number += 1
                    name = f"{sort.removeprefix('u.')}_{number}"
                    if name not in taken:
                        self._names[element] = name

    def _table(self, name: str, args: tuple[Sort, ...]) -> Any:
        params, body = self._definitions[f"u.{name}"]
        domains = [self._domain(sort) for sort in args]
        rows = 1
        for domain in domains:
            rows *= MAX_ROWS + 1 if domain is None else len(domain)
        if rows <= MAX_ROWS:
            table = {}
            for choice in itertools.product(*[domain or [] for domain in domains]):
                key = ", ".join(self._key(v) for v in choice)
                table[key] = self.shown(self._value(body, dict(zip(params, choice, strict=True)), 0))
            return table
        return self._cases(params, body)

    def _domain(self, sort: Sort) -> list[Value] | None:
        """All values of a sort, None when they are too many."""
        if sort.name == "Bool":
            return [True, False]
        if sort in self.signature.sorts:
            return self._universe.get(f"u.{sort.name}")
        datatype = self.signature.datatype(sort)
        if datatype is not None and not any(c.fields for c in datatype.constructors):
            return [(c.name,) for c in datatype.constructors]
        return None

    def _cases(self, params: list[str], body: SExpr) -> Any:
        """A chain of ``ite`` over equations with values, as a table; anything else as text."""
        table: dict[str, Any] = {}
        while True:
            items = _items(body) if isinstance(body, Group) else []
            if not (items and _is(items[0], "ite") and len(items) == 4) or len(table) >= MAX_ROWS:
                break
            row = self._row(params, items[1])
            if row is None:
                break
            table.setdefault(row, self.shown(self._value(items[2], {}, 0)))
            body = items[3]
        try:
            table["else"] = self.shown(self._value(body, {}, 0))
        except _Unreadable:
            table["else"] = self._text(body, {p: f"_{n}" if len(params) > 1 else "_" for n, p in enumerate(params, 1)})
        return table

    def _row(self, params: list[str], condition: SExpr) -> str | None:
        items = _items(condition) if isinstance(condition, Group) else []
        parts = items[1:] if items and _is(items[0], "and") else [condition]
        found: dict[str, str] = {}
        for part in parts:
            sides = _items(part) if isinstance(part, Group) else []
            if len(sides) != 3 or not _is(sides[0], "="):
                return None
            left, right = sides[1:]
            if not (isinstance(left, Atom) and left.text in params):
                left, right = right, left
            if not (isinstance(left, Atom) and left.text in params):
                return None
            try:
                found[left.text] = self._key(self._value(right, {}, 0))
            except _Unreadable:
                return None
        return ", ".join(found.get(p, "any") for p in params) if found else None

    # ------------------------------------------------------------------------------------------- showing

    def shown(self, value: Value) -> Any:
        """A value as JSON, in the user's names."""
        if isinstance(value, Fraction):
            return int(value) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
        if isinstance(value, ArrayValue):
            table = {self._key(k): self.shown(v) for k, v in sorted(value.items, key=repr)}
            return {**table, "else": self.shown(value.default)}
        if isinstance(value, tuple):
            if value[0] == "!":
                return self._names.get(value[1], value[1].removeprefix("u."))
            fields = ", ".join(self._key(v) for v in value[1:])
            return f"{value[0]}({fields})" if fields else value[0]
        return value

    def _key(self, value: Value) -> str:
        shown = self.shown(value)
        if isinstance(shown, bool):
            return "true" if shown else "false"
        if isinstance(value, str):
            return f'"{value}"'
        return str(shown)

    def _text(self, expr: SExpr, params: Mapping[str, str]) -> str:
        """What is not understood, in parentheses and as far as possible in the user's names."""
        if isinstance(expr, Group):
            return f"({' '.join(self._text(item, params) for item in expr.items)})"
        if expr.kind is Lexeme.STRING:
            return f'"{expr.text}"'
        if expr.text in params:
            return params[expr.text]
        return self._names.get(expr.text, expr.text.removeprefix("u."))

    # ---------------------------------------------------------------------------------------- evaluating

    def _value(self, expr: SExpr, env: Mapping[str, Value], depth: int) -> Value:
        self._fuel -= 1
        if self._fuel < 0 or depth > _DEPTH:
            raise _Unreadable("too much work")
        if isinstance(expr, Atom):
            return self._atom(expr, env, depth)
        items = _items(expr)
        if not items:
            raise _Unreadable("()")
        head, *rest = items
        if isinstance(head, Group):
            return self._qualified(head, rest, env, depth)
        name = head.text
        if name == "let" and len(rest) == 2:
            inner = {b[0].text: self._value(b[1], env, depth + 1) for b in map(_items, _items(rest[0]))}
            return self._value(rest[1], {**env, **inner}, depth + 1)
        if name == "ite" and len(rest) == 3:
            return self._value(rest[1 if self._value(rest[0], env, depth + 1) else 2], env, depth + 1)
        if name == "as" and len(rest) == 2:  # (as @a_0 Sort) of cvc5, (as nil (List Int))
            return self._value(rest[0], env, depth + 1)
        if name == "_":
            raise _Unreadable("an indexed symbol")
        values = [self._value(r, env, depth + 1) for r in rest]
        if name == "-":
            return -values[0] if len(values) == 1 else values[0] - sum(values[1:])
        if name == "store" and isinstance(values[0], ArrayValue):
            return values[0].store(values[1], values[2])
        if name in _OPERATIONS:
            return _OPERATIONS[name](values)
        if name in self._definitions:
            params, body = self._definitions[name]
            return self._value(body, dict(zip(params, values, strict=True)), depth + 1)
        return self._built(name, values)

    def _qualified(self, head: Group, rest: list[Any], env: Mapping[str, Value], depth: int) -> Value:
        words = head.items
        if len(words) == 3 and _is(words[0], "as") and _is(words[1], "const") and len(rest) == 1:
            return ArrayValue(self._value(rest[0], env, depth + 1), frozenset())
        if len(words) == 3 and _is(words[0], "as") and isinstance(words[1], Atom):
            return self._built(words[1].text, [self._value(r, env, depth + 1) for r in rest])
        if len(words) == 3 and _is(words[0], "_") and _is(words[1], "is") and isinstance(words[2], Atom):
            return bool(self._value(rest[0], env, depth + 1)[0] == words[2].text.removeprefix("u."))
        raise _Unreadable("an operator that is not known")

    def _atom(self, atom: Atom, env: Mapping[str, Value], depth: int) -> Value:
        text = atom.text
        if atom.kind is Lexeme.STRING:
            return text
        if atom.kind is Lexeme.NUMERAL:
            return int(text)
        if atom.kind is Lexeme.DECIMAL:
            return Fraction(text)
        if atom.kind is Lexeme.BITS:
            return int(text[2:], 16 if text[1] == "x" else 2)
        if text in env:
            return env[text]
        if text in ("true", "false"):
            return text == "true"
        if text in self._elements or text.startswith("@") or "!val!" in text:
            return ("!", text)
        if text in self._definitions and not self._definitions[text][0]:
            return self._value(self._definitions[text][1], {}, depth + 1)
        return self._built(text, [])

    def _built(self, name: str, values: list[Value]) -> Value:
        found = self.signature.constructor(name.removeprefix("u."))
        if found is None or len(found[1].fields) != len(values):
            raise _Unreadable(name)
        return (found[1].name, *values)


def _items(expr: Any) -> list[Any]:
    if not isinstance(expr, Group):
        raise _Unreadable("a list was expected")
    return list(expr.items)


def _is(expr: Any, word: str) -> bool:
    return isinstance(expr, Atom) and expr.text == word


def _divided(values: list[Value]) -> Value:
    if len(values) != 2 or values[1] == 0:
        raise _Unreadable("a division")
    return Fraction(values[0]) / Fraction(values[1])


_OPERATIONS: dict[str, Any] = {
    "=": lambda vs: all(v == vs[0] for v in vs[1:]),
    "distinct": lambda vs: len(set(vs)) == len(vs),
    "and": all,
    "or": any,
    "not": lambda vs: not vs[0],
    "=>": lambda vs: not all(vs[:-1]) or vs[-1],
    "+": sum,
    "*": lambda vs: vs[0] * vs[1] if len(vs) == 2 else vs[0],
    "/": _divided,
    "<=": lambda vs: vs[0] <= vs[1],
    "<": lambda vs: vs[0] < vs[1],
    ">=": lambda vs: vs[0] >= vs[1],
    ">": lambda vs: vs[0] > vs[1],
}


__all__ = ["read_model"]
