"""A goal as arithmetic: its numbers with their types, what is assumed, what is to be shown."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from goedels_poetry.lean.tactics.theory import Goal

# -- Terms as Lean text ----------------------------------------------------------------------------------------

_FORMS = {
    **{f: f"(Nat.{f} {{}} {{}})" for f in ("gcd", "lcm")},
    **{f: f"({f} {{}} {{}})" for f in ("min", "max")},
    **{"natAbs": "(Int.natAbs {})", "neg": "(-{})", "¬": "(¬ {})"},
}


def lean(expr: Expr) -> str:
    """A term as Lean text."""
    args = [lean(a) for a in expr.args]
    match expr.op:
        case "num":
            return str(expr.value)
        case "var":
            return expr.name
        case "cast":
            return f"({args[0]} : {expr.name})"
        case "app":
            return f"({expr.name} {' '.join(args)})"
        case "∃" | "∀":
            typed = f" : {expr.args[1].name}" if expr.args[1].name else ""
            return f"({expr.op} {expr.name}{typed}, {args[0]})"
    return _FORMS.get(expr.op, f"({{}} {expr.op} {{}})").format(*args)


def as_int(expr: Expr, types: Mapping[str, str]) -> str:
    """A polynomial as Lean text of type Int, casts at its variables. Raises :class:`NotArithmetic` for other terms."""
    match expr.op:
        case "var":
            return expr.name if types.get(expr.name) == "Int" else f"({expr.name} : Int)"
        case "num":
            return f"({expr.value} : Int)"
        case "cast":
            return as_int(expr.args[0], types)
        case "neg":
            return f"(-{as_int(expr.args[0], types)})"
        case "^":
            return f"({as_int(expr.args[0], types)} ^ {lean(expr.args[1])})"
        case "+" | "-" | "*":
            return f"({as_int(expr.args[0], types)} {expr.op} {as_int(expr.args[1], types)})"
    raise NotArithmetic(expr.op)


# -- A goal as arithmetic ------------------------------------------------------------------------------------------


MOST_BITS, MOST_TOKENS, MOST_DIGITS, MOST_NESTED = 4_096, 400, 1_000, 4
MOST_DEEP = {3: 24, 4: 12}
"""How far a quantifier is followed that has others inside it, by how many there are."""
_TOKEN = re.compile(r"\s*(\d+|\.gcd|\.lcm|\.natAbs|[^\W\d][\w.'₀-₉!?]*|[()⟨⟩,:¬↑∃∀∣≤≥≠<>=+\-*/%^∧∨→↔!])")
_INFIX = {
    **{"↔": (20, 21), "→": (25, 25), "∨": (30, 30), "∧": (35, 35), "^": (75, 75)},
    **dict.fromkeys("=≠<≤>≥∣", (50, 51)),
    **dict.fromkeys("+-", (65, 66)),
    **dict.fromkeys("*/%", (70, 71)),
}
"""Binding power of each sign, and of what stands on its right."""
_FUNCTIONS = {f"{space}{f}": f for space in ("", "Nat.", "Int.") for f in ("gcd", "lcm")} | {"min": "min", "max": "max"}
_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    **{"=": operator.eq, "≠": operator.ne, "<": operator.lt, "≤": operator.le, ">": operator.gt, "≥": operator.ge},
    "∣": lambda a, b: b == 0 if a == 0 else b % a == 0,
}
RELATIONS = frozenset(_RELATIONS)


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
    text = text.strip()
    found = list(_TOKEN.finditer(text))
    if sum(len(m[0]) for m in found) != len(text) or len(found) > MOST_TOKENS:
        raise NotArithmetic(text)
    reader = _Reader([m[1] for m in found])
    try:
        whole = reader.expression(0)
    except RecursionError as error:
        raise NotArithmetic("too deep") from error
    if reader.peek():
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
            left = Expr(op, (left, self.expression(_INFIX[op][1])))
        return left

    def prefix(self) -> Expr:
        token = self.peek()
        if token in ("∃", "∀"):
            return self.quantified(self.take())
        if token in ("¬", "-"):
            op, power = {"¬": ("¬", 40), "-": ("neg", 75)}[self.take()]
            return Expr(op, (self.expression(power),))
        head = self.atom()
        if self.peek() in (".gcd", ".lcm"):
            return Expr(self.take()[1:], (head, self.atom()))
        if self.peek() == ".natAbs":
            self.take()
            return Expr("natAbs", (head,))
        return self.applied(head.name) if head.op == "var" and self._starts_atom() else head

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
            bracket = self.peek() == "(" and bool(self.take())
            fresh = []
            while self.peek() not in (":", ",", ")", "(", ""):
                fresh.append(self.take())
            type_ = self.take() if self.peek() == ":" and self.take() else ""
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
    if expr.op in ("var", "cast"):
        return (types.get(expr.name) if expr.op == "var" else expr.name) in ("Int", "ℤ")
    if expr.op == "^":
        return is_int(expr.args[0], types)
    return expr.op != "natAbs" and (expr.op == "neg" or any(is_int(a, types) for a in expr.args))


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


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    **{"+": operator.add, "*": operator.mul, "gcd": math.gcd, "lcm": math.lcm, "min": min, "max": max},
    "/": lambda a, b: 0 if b == 0 else a // b if b > 0 else -(a // -b),
    "%": lambda a, b: a if b == 0 else a % abs(b),
}


def _operation(op: str, a: int, b: int, int_: bool) -> int:
    if op == "-":
        return a - b if int_ else max(0, a - b)
    if op == "^" and b >= 0 and a.bit_length() * b <= MOST_BITS:
        return int(a**b)
    if op not in _OPERATIONS:
        raise NotArithmetic(op)
    return _OPERATIONS[op](a, b)


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
    return _RELATIONS[op](a, b)


def _depth(expr: Expr) -> int:
    """How many quantifiers are inside each other."""
    return (expr.op in ("∃", "∀")) + max(map(_depth, expr.args), default=0)


def _guessed(expr: Expr, types: Mapping[str, str]) -> str:
    """The type of a bound variable that Lean prints without one."""
    return "Int" if "Int" in types.values() and any(p.op in ("neg", "cast") for p in expr.parts()) else "Nat"


def conjuncts(expr: Expr) -> list[Expr]:
    """The parts of a conjunction."""
    return [c for a in expr.args for c in conjuncts(a)] if expr.op == "∧" else [expr]


# -- A goal as arithmetic ------------------------------------------------------------------------------------------


NUMBERS = {"Nat": "Nat", "ℕ": "Nat", "Int": "Int", "ℤ": "Int"}


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What of a goal is arithmetic."""

    types: dict[str, str]
    """`Nat` or `Int` of each number."""
    hypotheses: tuple[tuple[str, Expr], ...]
    """Name and formula; a conjunction has a name for each of its parts, such as ``h.1``."""
    target: Expr
    functions: dict[str, str] = field(default_factory=dict)
    """The types of the functions of numbers, such as ``Nat → Int``."""

    def about(self, name: str) -> list[Expr]:
        """The hypotheses about one number alone."""
        return [h for _, h in self.hypotheses if h.variables() == {name}]

    @property
    def names(self) -> list[str]:
        """The numbers."""
        return list(self.types)

    @property
    def formulas(self) -> list[Expr]:
        """The hypotheses, and what is to be shown."""
        return [*(h for _, h in self.hypotheses), self.target]

    def given(self, *more: tuple[str, Expr]) -> Arithmetic:
        """With further hypotheses."""
        return replace(self, hypotheses=(*self.hypotheses, *more))

    def at(self, name: str, value: Expr) -> Arithmetic:
        """With a term for a number. Raises :class:`NotArithmetic` where a quantifier would bind its names."""
        return replace(
            self,
            types={n: t for n, t in self.types.items() if n != name},
            hypotheses=tuple((n, put_in(h, name, value)) for n, h in self.hypotheses),
            target=put_in(self.target, name, value),
        )


def arithmetic_of(goal: Goal) -> Arithmetic | None:
    """None when the target is no arithmetic or no variable is needed for it that is a number."""
    types: dict[str, str] = {}
    hypotheses: list[tuple[str, Expr]] = []
    functions = {v.name: v.type for v in goal.context if _function(v.type)}
    for variable in goal.context:
        if variable.type in NUMBERS:
            types[variable.name] = NUMBERS[variable.type]
            continue
        try:
            parts = conjuncts(read(variable.type))
        except NotArithmetic:
            continue
        names = parts_of(variable.name, len(parts))
        hypotheses += zip(names, parts, strict=True)
    try:
        target = read(goal.target)
    except NotArithmetic:
        return None
    known = set(types) | {"False", "True"}
    if not target.variables() <= known:
        return None
    sound = tuple((n, h) for n, h in hypotheses if h.variables() <= known and h.op not in ("var", "num"))
    return Arithmetic(types, sound, target, functions)


def _function(type_: str) -> bool:
    """Whether a type is that of functions of numbers."""
    first, *rest = type_.split(" → ")
    return bool(rest) and all(t in NUMBERS for t in (first, *rest))


def parts_of(name: str, count: int) -> list[str]:
    """How the parts of a conjunction (nested to the right) are called."""
    return [name] if count == 1 else [name + ".2" * k + (".1" if k < count - 1 else "") for k in range(count)]


def negated_into(problem: Arithmetic) -> Arithmetic | None:
    """The problem of a target ``¬ p`` or ``a ≠ b`` after its introduction as ``hn``; None for others."""
    target = problem.target
    if target.op == "≠":
        claim = replace(target, op="=")
    elif target.op == "¬":
        claim = target.args[0]
    else:
        return None
    return replace(problem.given(("hn", claim)), target=Expr("var", (), "False"))


def reduced(problem: Arithmetic) -> tuple[str, Arithmetic] | None:
    """The problem without the numbers that a hypothesis says what they are (``c = a + b``), and the tactic that puts
    those in; None where there are none."""
    steps: list[str] = []
    while True:
        found = next(((n, *d) for n, h in problem.hypotheses if (d := _defined(h, problem)) is not None), None)
        if found is None:
            return ("; ".join(steps), problem) if steps else None
        hypothesis, name, value = found
        steps.append(f"subst {hypothesis}")
        others = tuple((n, h) for n, h in problem.hypotheses if n != hypothesis)
        problem = replace(problem, hypotheses=others).at(name, value)


def unpacked(problem: Arithmetic) -> tuple[str, Arithmetic] | None:
    """The problem with a number for each that a hypothesis says to exist (``∃ k, n = 2 * k + 1``), put in where it says
    what that is, and the tactic for it; None where there are none."""
    steps: list[str] = []
    for name, h in problem.hypotheses:
        names, types, body = [], dict(problem.types), h
        while body.op == "∃" and body.args[1].name in ("", *NUMBERS):
            fresh = next(n for n in (body.name, *(f"{body.name}{k}" for k in range(len(types) + 1))) if n not in types)
            if fresh != body.name:
                body = replace(body, args=(put_in(body.args[0], body.name, Expr("var", (), fresh)), body.args[1]))
            names.append(fresh)
            types[fresh] = NUMBERS.get(body.args[1].name, "Int" if "Int" in problem.types.values() else "Nat")
            body = body.args[0]
        if not names or "." in name or body.op == "∃":
            continue
        steps.append(f"obtain ⟨{', '.join([*names, name])}⟩ := {name}")
        parts = conjuncts(body)
        known = zip(parts_of(name, len(parts)), parts, strict=True)
        others = tuple((n, f) for n, f in problem.hypotheses if n != name)
        problem = replace(problem, types=types, hypotheses=(*others, *known))
    if not steps:
        return None
    more, inner = reduced(problem) or ("", problem)
    return "; ".join([*steps, more] if more else steps), inner


def _defined(h: Expr, problem: Arithmetic) -> tuple[str, Expr] | None:
    if h.op == "=":
        for side, other in (h.args, h.args[::-1]):
            if side.op == "var" and side.name in problem.types and side.name not in other.variables():
                return side.name, other
    return None


def put_in(expr: Expr, name: str, value: Expr) -> Expr:
    """The expression with this for a variable. Raises :class:`NotArithmetic` where a quantifier would bind it."""
    if expr.op == "var":
        return value if expr.name == name else expr
    if expr.op in ("∃", "∀") and (expr.name == name or expr.name in value.variables()):
        raise NotArithmetic("a name that is bound")
    return Expr(expr.op, tuple(put_in(a, name, value) for a in expr.args), expr.name, expr.value)


def at_values(expr: Expr, values: Mapping[str, str]) -> Expr:
    """The formula with these values (Lean text of numbers) for variables."""
    for name, value in values.items():
        if value.lstrip("-").isdecimal() and name in expr.variables():
            expr = put_in(expr, name, numeral(int(value)))
    return expr
