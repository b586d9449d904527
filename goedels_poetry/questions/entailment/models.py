"""A logic program as text for solvers, and a solver's model in the program's words. Trusted code, and deterministic.

For people to read; no verdict rests on it. Numbers, truth values and strings are what they are in JSON; an
enumeration's value is its name; an element of a declared sort is called after the first constant that denotes it, else
``Person_1``; a function is an object from arguments to values, ``"else"`` for all that are not listed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from goedels_poetry.kernel.encoding import Encoding, check_closed, safe_symbol, symbol_of
from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.reading.reader import Group, Lexeme, SExpr, Source, read
from goedels_poetry.kernel.refutation.operations import ArrayValue
from goedels_poetry.kernel.refutation.theory import for_models
from goedels_poetry.kernel.terms import Sort, Term, not_
from goedels_poetry.questions.entailment.program import LogicPremise, LogicProgram

# A logic program as text for solvers, in names that no solver can mistake

_NAME = re.compile(r"\bp\.([0-9]+)\b")


class Encoder:
    """What solvers are asked about one program.

    Raises:
        EncodingError: something cannot be handed to a solver faithfully.
    """

    def __init__(self, program: LogicProgram, premises: Sequence[LogicPremise] | None = None) -> None:
        """``premises``: these in place of the program's."""
        self.program = program
        self.premises = tuple(program.premises if premises is None else premises)
        self.encoding = Encoding(program.signature)
        self.declarations = "\n".join(for_models(self.encoding.signature()))
        self._formulas = [self._text(p.formula) for p in self.premises]

    def extended(self, premises: Iterable[LogicPremise]) -> Encoder:
        """The same with more premises; what is known of the others is not worked out again."""
        new = tuple(premises)
        other = object.__new__(Encoder)
        other.program, other.encoding, other.declarations = self.program, self.encoding, self.declarations
        other.premises = (*self.premises, *new)
        other._formulas = [*self._formulas, *[self._text(p.formula) for p in new]]
        return other

    @cached_property
    def guards(self) -> list[str]:
        """Constants ``p.0`` and so on, one for each premise."""
        return [f"p.{i}" for i in range(len(self.premises))]

    @cached_property
    def guarded(self) -> str:
        """Declarations, definitions, and each premise under its guard: who assumes all guards has the premises."""
        pairs = zip(self.guards, self._formulas, strict=True)
        return "\n".join((self.declarations, *[f"(declare-const {g} Bool)(assert (=> {g} {t}))" for g, t in pairs]))

    @cached_property
    def named(self) -> str:
        """Declarations, definitions and the premises, each with the name of its guard."""
        pairs = zip(self.guards, self._formulas, strict=True)
        return "\n".join((self.declarations, *[f"(assert (! {t} :named {g}))" for g, t in pairs]))

    @cached_property
    def plain(self) -> str:
        """Declarations, definitions and the premises."""
        return f"{self.declarations}\n{self.some(None)}"

    def _text(self, formula: Term) -> str:
        check_closed(formula)
        return self.encoding.text(formula)

    def assertion(self, formula: Term) -> str:
        """A closed formula as an assertion."""
        return f"(assert {self._text(formula)})"

    def negation(self, formula: Term) -> str:
        """The negation of a closed formula as an assertion."""
        return self.assertion(not_(formula))

    def script(self, *extras: str, only: Sequence[str] | None = None) -> str:
        """All of it as one script; ``only`` these premises, by name."""
        return "\n".join(("(set-logic ALL)", self.declarations, self.some(only), *extras))

    def some(self, names: Sequence[str] | None) -> str:
        """Premises as assertions, by name; None: all of them."""
        chosen = None if names is None else frozenset(names)
        pairs = zip(self._formulas, self.premises, strict=True)
        return "\n".join([f"(assert {text})" for text, p in pairs if chosen is None or p.name in chosen])

    def names(self, core: str) -> tuple[str, ...]:
        """The premises whose guards a core speaks of, by name and in their order."""
        numbers = {int(n) for n in _NAME.findall(core)}
        return tuple(p.name for i, p in enumerate(self.premises) if i in numbers)


MAX_CHARACTERS = 200_000
"""A longer model is not read."""
MAX_ROWS = 100
"""Of one function."""
MAX_NAMES = 400
_FUEL = 50_000
_DEPTH = 200
Value: TypeAlias = Any
"""As in the evaluator, but an element of a declared sort is ``("!", its name in the model)``."""
Expr: TypeAlias = "str | list[Expr]"
"""An S-expression: an atom as it is written (symbols without bars, strings with their first quote), or a list."""

_NUMERAL = re.compile(r"[0-9]+")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")
_ESCAPE = re.compile(r"\\u\{([0-9a-fA-F]{1,5})\}|\\u([0-9a-fA-F]{4})")


class _Unreadable(Exception):
    """Something in a model that is not understood."""


def read_model(text: str, encoder: Encoder) -> dict[str, Any] | None:
    """What a model says about the declared constants and functions of a program; None when it cannot be read."""
    if not text or len(text) > MAX_CHARACTERS:
        return None
    try:
        return _Model(_parsed(text), encoder.program.signature).described()
    except (_Unreadable, InvalidText, ValueError, IndexError, TypeError, RecursionError):
        return None


def _parsed(text: str) -> list[Expr]:
    """The one list that the text is."""
    (whole,) = read(Source(text))
    return _items(_plain(whole))


def _plain(expr: SExpr) -> Expr:
    if isinstance(expr, Group):
        return [_plain(item) for item in expr.items]
    return f'"{expr.text}' if expr.kind is Lexeme.STRING else expr.text


class _Model:
    """The definitions of a model, evaluated on demand."""

    def __init__(self, commands: list[Expr], signature: Signature) -> None:
        self.signature = signature
        self._definitions: dict[str, tuple[list[str], Expr]] = {}
        self._universe: dict[str, list[Value]] = {}
        self._elements: set[str] = set()
        self._fuel = _FUEL
        for command in commands:
            match command:
                case ["define-fun", str(name), list(bindings), _, body]:
                    self._definitions[name] = ([_name(binding) for binding in bindings], body)
                case ["declare-fun", str(element), [], str(sort)]:
                    self._elements.add(element)
                    self._universe.setdefault(sort, []).append(("!", element))
        self._names: dict[str, str] = {}

    def described(self) -> dict[str, Any]:
        """Constants first, since elements are named after them."""
        functions = [
            (name, args, result)
            for name, (args, result) in self.signature.functions.items()
            if safe_symbol(name) in self._definitions and self.signature.definition(name) is None
        ][:MAX_NAMES]
        values: dict[str, Value] = {}
        for name, args, result in functions:
            if not args:
                values[name] = value = self._value(self._definitions[safe_symbol(name)][1], {}, 0)
                if self._is_element(value):
                    self._names.setdefault(value[1], name)
                    known = self._universe.setdefault(safe_symbol(result.name), [])
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
            elements.sort(key=lambda value: value[1] not in self._names)  # those with names first
            for _, element in elements:
                while element not in self._names:
                    number += 1
                    name = f"{symbol_of(sort)}_{number}"
                    if name not in taken:
                        self._names[element] = name

    def _table(self, name: str, args: tuple[Sort, ...]) -> Any:
        params, body = self._definitions[safe_symbol(name)]
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
            return self._universe.get(safe_symbol(sort.name))
        datatype = self.signature.datatype(sort)
        if datatype is not None and not any(c.fields for c in datatype.constructors):
            return [(c.name,) for c in datatype.constructors]
        return None

    def _cases(self, params: list[str], body: Expr) -> Any:
        """A chain of ``ite`` over equations with values, as a table; anything else as text."""
        table: dict[str, Any] = {}
        while isinstance(body, list) and len(body) == 4 and body[0] == "ite" and len(table) < MAX_ROWS:
            row = self._row(params, body[1])
            if row is None:
                break
            table.setdefault(row, self.shown(self._value(body[2], {}, 0)))
            body = body[3]
        try:
            table["else"] = self.shown(self._value(body, {}, 0))
        except _Unreadable:
            table["else"] = self._text(body, {p: f"_{n}" if len(params) > 1 else "_" for n, p in enumerate(params, 1)})
        return table

    def _row(self, params: list[str], condition: Expr) -> str | None:
        """The arguments that a condition is true of, as a key; None when it is no conjunction of equations."""
        parts = condition[1:] if isinstance(condition, list) and condition[:1] == ["and"] else [condition]
        found: dict[str, str] = {}
        for part in parts:
            if not (isinstance(part, list) and len(part) == 3 and part[0] == "="):
                return None
            left, right = part[1:]
            if not (isinstance(left, str) and left in params):
                left, right = right, left
            if not (isinstance(left, str) and left in params):
                return None
            try:
                found[left] = self._key(self._value(right, {}, 0))
            except _Unreadable:
                return None
        return ", ".join(found.get(p, "any") for p in params)

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
                return self._names.get(value[1], symbol_of(value[1]))
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

    def _text(self, expr: Expr, params: Mapping[str, str]) -> str:
        """What is not understood, in parentheses and as far as possible in the user's names."""
        if isinstance(expr, list):
            return f"({' '.join(self._text(item, params) for item in expr)})"
        if expr.startswith('"'):
            return f'{expr}"'
        return params.get(expr) or self._names.get(expr) or symbol_of(expr)

    # ---------------------------------------------------------------------------------------- evaluating

    def _value(self, expr: Expr, env: Mapping[str, Value], depth: int) -> Value:
        self._fuel -= 1
        if self._fuel < 0 or depth > _DEPTH:
            raise _Unreadable("too much work")
        if isinstance(expr, str):
            return self._atom(expr, env, depth)
        depth += 1
        match expr:
            case ["let", list(bindings), body]:
                inner = {_name(b): self._value(_items(b)[1], env, depth) for b in bindings}
                return self._value(body, {**env, **inner}, depth)
            case ["ite", test, then, other]:
                return self._value(then if self._value(test, env, depth) else other, env, depth)
            case ["as", value, _]:  # (as @a_0 Sort) of cvc5, (as nil (List Int))
                return self._value(value, env, depth)
            case [["as", "const", _], value]:
                return ArrayValue(self._value(value, env, depth), frozenset())
            case [["as", str(name), _], *args]:
                return self._built(name, [self._value(a, env, depth) for a in args])
            case [["_", "is", str(name)], value]:
                return bool(self._value(value, env, depth)[0] == symbol_of(name))
            case [str(name), *args]:
                return self._applied(name, [self._value(a, env, depth) for a in args], depth)
        raise _Unreadable("an expression that is not known")

    def _applied(self, name: str, values: list[Value], depth: int) -> Value:
        if name in _OPERATIONS:
            return _OPERATIONS[name](values)
        if name == "store" and isinstance(values[0], ArrayValue):
            return values[0].store(values[1], values[2])
        if name in self._definitions:
            params, body = self._definitions[name]
            return self._value(body, dict(zip(params, values, strict=True)), depth)
        return self._built(name, values)

    def _atom(self, text: str, env: Mapping[str, Value], depth: int) -> Value:
        if text in env:
            return env[text]
        if text in ("true", "false"):
            return text == "true"
        if text in self._elements or text.startswith("@") or "!val!" in text:
            return ("!", text)
        if _NUMERAL.fullmatch(text):
            return int(text)
        if _DECIMAL.fullmatch(text):
            return Fraction(text)
        if text[0] == '"':
            return _string(text[1:])
        if text[0] == "#":
            return int(text[2:], 16 if text[1] == "x" else 2)
        if text in self._definitions and not self._definitions[text][0]:
            return self._value(self._definitions[text][1], {}, depth + 1)
        return self._built(text, [])

    def _built(self, name: str, values: list[Value]) -> Value:
        found = self.signature.constructor(symbol_of(name))
        if found is None or len(found[1].fields) != len(values):
            raise _Unreadable(name)
        return (found[1].name, *values)


def _name(binding: Expr) -> str:
    if isinstance(binding, list) and binding and isinstance(binding[0], str):
        return binding[0]
    raise _Unreadable("a binding")


def _items(expr: Expr) -> list[Expr]:
    if isinstance(expr, list):
        return expr
    raise _Unreadable("a list was expected")


def _string(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1] or m[2], 16)), text)


def _divided(values: list[Value]) -> Value:
    if len(values) != 2 or values[1] == 0:
        raise _Unreadable("a division")
    return Fraction(values[0]) / Fraction(values[1])


_OPERATIONS: dict[str, Callable[[list[Value]], Value]] = {
    "-": lambda vs: -vs[0] if len(vs) == 1 else vs[0] - sum(vs[1:]),
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
