"""Formulas of arithmetic as Lean prints them, read as trees and computed.

Only a guide to what is worth trying: whatever comes of it is proved by Lean.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

MOST_BITS, MOST_TOKENS, MOST_DIGITS, MOST_NESTED = 4_096, 400, 1_000, 4
MOST_DEEP = {3: 24, 4: 12}
"""How far a quantifier is followed that has others inside it, by how many there are."""
_TOKEN = re.compile(r"\s*(\d+|\.gcd|\.lcm|\.natAbs|[^\W\d][\w.'₀-₉!?]*|[()⟨⟩,:¬↑∃∀∣≤≥≠<>=+\-*/%^∧∨→↔!])")
_INFIX = {
    "↔": (20, 21, 21),
    "→": (25, 26, 25),
    "∨": (30, 31, 30),
    "∧": (35, 36, 35),
    **dict.fromkeys("=≠<≤>≥∣", (50, 51, 51)),
    **dict.fromkeys("+-", (65, 65, 66)),
    **dict.fromkeys("*/%", (70, 70, 71)),
    "^": (75, 76, 75),
}
_FUNCTIONS = {
    "Nat.gcd": "gcd",
    "Int.gcd": "gcd",
    "gcd": "gcd",
    "Nat.lcm": "lcm",
    "lcm": "lcm",
    "min": "min",
    "max": "max",
}
RELATIONS = frozenset("=≠<≤>≥∣")


class NotArithmetic(Exception):
    """The text is no formula of arithmetic, or has no value within the limits."""


@dataclass(frozen=True, slots=True)
class Expr:
    """An operation (an infix sign, ``neg``, ``¬``, ``∃``, ``∀``, ``gcd``, ...), a variable or a numeral; ``app`` is an
    application of something that is not known here, which has no value."""

    op: str
    args: tuple[Expr, ...] = ()
    name: str = ""
    """Of a variable (op ``var``), a function (``app``), a quantifier's variable, or the type of a cast."""
    value: int = 0
    """Of a numeral (op ``num``)."""

    def variables(self) -> set[str]:
        """Free names."""
        if self.op == "var":
            return {self.name}
        inner = {name for a in self.args for name in a.variables()}
        return inner - {self.name} if self.op in ("∃", "∀") else inner

    def parts(self) -> list[Expr]:
        """The expression and everything inside it."""
        return [self, *(p for a in self.args for p in a.parts())]


def read(text: str) -> Expr:
    """The tree of a formula or term. Raises :class:`NotArithmetic`."""
    tokens, at = [], 0
    text = text.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise NotArithmetic(text)
        tokens.append(found[1])
        at = found.end()
    if len(tokens) > MOST_TOKENS:
        raise NotArithmetic("too long")
    reader = _Reader(tokens)
    try:
        whole = reader.expression(0)
    except RecursionError as error:
        raise NotArithmetic("too deep") from error
    if reader.tokens[reader.at :]:
        raise NotArithmetic(text)
    return whole


class _Reader:
    """A reader by binding powers."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = tokens, 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise NotArithmetic(token)
        self.at += 1
        return token

    def expression(self, least: int) -> Expr:
        left = self.prefix()
        while self.peek() in _INFIX and _INFIX[self.peek()][0] >= least:
            op = self.take()
            left = Expr(op, (left, self.expression(_INFIX[op][2])))
        return left

    def prefix(self) -> Expr:
        token = self.peek()
        if token in ("∃", "∀"):
            return self.quantified(self.take())
        if token == "¬":
            self.take()
            return Expr("¬", (self.expression(40),))
        if token == "-":
            self.take()
            return Expr("neg", (self.expression(75),))
        head = self.atom()
        if self.peek() in (".gcd", ".lcm"):
            return Expr(self.take()[1:], (head, self.atom()))
        if self.peek() == ".natAbs":
            self.take()
            return Expr("natAbs", (head,))
        if head.op == "var" and self._starts_atom():
            return self.applied(head.name)
        return head

    def applied(self, name: str) -> Expr:
        args = []
        while self._starts_atom():
            args.append(self.atom())
        own, dot, method = name.rpartition(".")
        if name not in _FUNCTIONS and dot and method in _FUNCTIONS:
            args.insert(0, Expr("var", (), own))
            name = method
        if name not in _FUNCTIONS:
            return Expr("app", tuple(args), name)
        if len(args) != 2:
            raise NotArithmetic(name)
        return Expr(_FUNCTIONS[name], tuple(args))

    def _starts_atom(self) -> bool:
        token = self.peek()
        return bool(token) and (token[0].isalnum() or token[0] == "_" or token in ("(", "↑"))

    def atom(self) -> Expr:
        token = self.take()
        if token == "↑":
            return Expr("cast", (self.atom(),), "Int")
        if token == "(":
            inner = self.expression(0)
            if self.peek() == ":":
                self.take()
                inner = Expr("cast", (inner,), self.take())
            self.take(")")
            return inner
        if token.isdecimal() and len(token) <= MOST_DIGITS:
            return Expr("num", (), "", int(token))
        if token[0].isalpha() or token[0] == "_":
            return Expr("var", (), token)
        raise NotArithmetic(token)

    def quantified(self, op: str) -> Expr:
        names: list[tuple[str, str]] = []
        while self.peek() not in (",", ""):
            bracket = self.peek() == "("
            if bracket:
                self.take()
            fresh = []
            while self.peek() not in (":", ",", ")", "(", ""):
                fresh.append(self.take())
            type_ = ""
            if self.peek() == ":":
                self.take()
                type_ = self.take()
            names += [(n, type_) for n in fresh]
            if bracket:
                self.take(")")
        self.take(",")
        if not names or not all(n[0].isalpha() for n, _ in names):
            raise NotArithmetic("binder")
        body = self.expression(0)
        for name, type_ in reversed(names):
            body = Expr(op, (body, Expr("num", (), type_)), name)
        return body


def numeral(value: int) -> Expr:
    """A number as a term."""
    return Expr("num", (), "", value) if value >= 0 else Expr("neg", (Expr("num", (), "", -value),))


def is_int(expr: Expr, types: Mapping[str, str]) -> bool:
    """Whether a term is of type Int, as far as its variables tell."""
    if expr.op == "var":
        return types.get(expr.name) in ("Int", "ℤ")
    if expr.op == "cast":
        return expr.name in ("Int", "ℤ")
    if expr.op == "^":
        return is_int(expr.args[0], types)
    if expr.op == "natAbs":
        return False
    return expr.op == "neg" or any(is_int(a, types) for a in expr.args)


def compute(expr: Expr, values: Mapping[str, int], types: Mapping[str, str], int_: bool = False) -> int:
    """The value of a term. Raises :class:`NotArithmetic`."""
    if expr.op == "num":
        return expr.value
    if expr.op == "var":
        if expr.name not in values:
            raise NotArithmetic(expr.name)
        return values[expr.name]
    if expr.op == "cast":
        return compute(expr.args[0], values, types, expr.name in ("Int", "ℤ") and is_int(expr.args[0], types))
    if expr.op == "neg":
        return -compute(expr.args[0], values, types, True)
    if expr.op == "natAbs":
        return abs(compute(expr.args[0], values, types, True))
    if len(expr.args) != 2 or expr.op in RELATIONS:
        raise NotArithmetic(expr.op)
    int_ = int_ or is_int(expr, types)
    a = compute(expr.args[0], values, types, int_)
    b = compute(expr.args[1], values, types, int_ and expr.op != "^")
    return _operation(expr.op, a, b, int_)


def _operation(op: str, a: int, b: int, int_: bool) -> int:
    if op == "^":
        if b < 0 or a.bit_length() * b > MOST_BITS:
            raise NotArithmetic("too large")
        return int(a**b)
    if op == "-":
        return a - b if int_ else max(0, a - b)
    if op == "/":
        return 0 if b == 0 else a // b if b > 0 else -(a // -b)
    if op == "%":
        return a if b == 0 else a % abs(b)
    simple = {"+": a + b, "*": a * b, "gcd": math.gcd(a, b), "lcm": math.lcm(a, b), "min": min(a, b), "max": max(a, b)}
    if op not in simple:
        raise NotArithmetic(op)
    return simple[op]


def holds(expr: Expr, values: Mapping[str, int], types: Mapping[str, str], bound: int = 12) -> bool:
    """Whether a formula is true; quantified variables are looked for up to ``bound``. Raises :class:`NotArithmetic`."""
    op = expr.op
    if op == "var" and expr.name in ("True", "False"):
        return expr.name == "True"
    if op == "¬":
        return not holds(expr.args[0], values, types, bound)
    if op == "∧":
        return all(holds(a, values, types, bound) for a in sorted(conjuncts(expr), key=_depth))
    if op == "∨":
        return any(holds(a, values, types, bound) for a in expr.args)
    if op in ("→", "↔"):
        first, second = (holds(x, values, types, bound) for x in expr.args)
        return first == second if op == "↔" else not first or second
    if op in ("∃", "∀"):
        nested = _depth(expr)
        if nested > MOST_NESTED:
            raise NotArithmetic("too many quantifiers")
        bound = min(bound, MOST_DEEP.get(nested, bound))
        type_ = expr.args[1].name or _guessed(expr, types)
        inner = {**types, expr.name: type_}
        some = range(-bound if type_ == "Int" else 0, bound + 1)
        tried = (holds(expr.args[0], {**values, expr.name: v}, inner, bound) for v in some)
        return any(tried) if op == "∃" else all(tried)
    if op not in RELATIONS:
        raise NotArithmetic(op)
    int_ = any(is_int(a, types) for a in expr.args)
    a, b = (compute(x, values, types, int_) for x in expr.args)
    if op == "∣":
        return b == 0 if a == 0 else b % a == 0
    return {"=": a == b, "≠": a != b, "<": a < b, "≤": a <= b, ">": a > b, "≥": a >= b}[op]


def _depth(expr: Expr) -> int:
    """How many quantifiers are inside each other."""
    return (expr.op in ("∃", "∀")) + max(map(_depth, expr.args), default=0)


def _guessed(expr: Expr, types: Mapping[str, str]) -> str:
    """The type of a bound variable that Lean prints without one."""
    return "Int" if "Int" in types.values() and any(p.op in ("neg", "cast") for p in expr.parts()) else "Nat"


def conjuncts(expr: Expr) -> list[Expr]:
    """The parts of a conjunction."""
    return [c for a in expr.args for c in conjuncts(a)] if expr.op == "∧" else [expr]


def disjuncts(expr: Expr) -> list[Expr]:
    """The parts of a disjunction."""
    return [c for a in expr.args for c in disjuncts(a)] if expr.op == "∨" else [expr]
