"""Values of terms, computed from the defining equations that Lean shows, and small sample values of types.

Only a guide to what is worth proving: whatever comes of it is proved by Lean. Numbers are Python's, other data are
tuples of a constructor and its arguments, functions are callables, propositions are booleans.
"""

from __future__ import annotations

import operator
import random
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.languages.lean.symbolic.terms import Term, opened_forall
from goedels_poetry.languages.lean.symbolic.types import NotSimple, Signature, Type

Value = Any
MOST_STEPS, MOST_BITS, MOST_DEPTH = 4_000, 128, 90
TRUE, FALSE, NIL = ("Bool.true",), ("Bool.false",), ("List.nil",)


class NoValue(Exception):
    """The term has no value that can be computed here, or none within the limits."""


@dataclass(frozen=True, slots=True)
class Equation:
    """``head patterns… = value`` for arguments that match; earlier equations of a function come first."""

    patterns: tuple[Term, ...]
    value: Term
    free: frozenset[str]


def read_equation(statement: Term) -> tuple[str, Equation]:
    """The function and the equation of ``∀ …, Eq (f patterns…) value``. Premises that earlier equations do not apply
    are left out: the order says it."""
    bound, body = opened_forall(statement)
    if body.head != "Eq" or len(body.args) != 2:
        raise NotSimple(body.head)
    left, right = body.args
    return left.head, Equation(
        tuple(_plus_one(a) for a in left.args), right, frozenset(name for name, _, _ in bound if name)
    )


def _plus_one(pattern: Term) -> Term:
    args = tuple(_plus_one(a) for a in pattern.args)
    if pattern.head == "Nat.succ" and args:
        return Term("HAdd.hAdd", (*args, Term("1")))
    return Term(pattern.head, args, pattern.names, pattern.infos)


def _bool(x: bool) -> Value:
    return TRUE if x else FALSE


def _integer(x: Value) -> int:
    if isinstance(x, tuple) and x[0] == "Int":
        return int(x[1])
    if isinstance(x, int) and not isinstance(x, bool):
        return x
    raise NoValue("a number is expected")


def _number(f: Callable[[int, int], int], truncated: bool = False) -> Callable[[Value, Value], Value]:
    def run(a: Value, b: Value) -> Value:
        result = f(_integer(a), _integer(b))
        if result.bit_length() > MOST_BITS:
            raise NoValue("too large")
        if isinstance(a, tuple) or isinstance(b, tuple):
            return ("Int", result)
        return max(0, result) if truncated else result

    return run


def _power(a: int, b: int) -> int:
    if b < 0 or a.bit_length() * b > MOST_BITS:
        raise NoValue("too large")
    return int(a**b)


def equal(a: Value, b: Value) -> bool:
    """Whether two values are the same, a numeral also as an integer; raises :class:`NoValue` for functions."""
    if callable(a) or callable(b):
        raise NoValue("functions are not compared")
    if isinstance(a, int) != isinstance(b, int):
        return _integer(a) == _integer(b)
    return bool(a == b)


def listed(value: Value) -> list[Value]:
    """The elements of a list."""
    found = []
    while value != NIL:
        if not isinstance(value, tuple) or value[0] != "List.cons":
            raise NoValue("a list is expected")
        found.append(value[1])
        value = value[2]
    return found


def list_of(items: Sequence[Value]) -> Value:
    """A list as a value."""
    value: Value = NIL
    for item in reversed(items):
        value = ("List.cons", item, value)
    return value


def _append(a: Value, b: Value) -> Value:
    listed(b)
    return list_of([*listed(a), *listed(b)])


def _compare(f: Callable[[int, int], bool]) -> Callable[[Value, Value], bool]:
    return lambda a, b: f(_integer(a), _integer(b))


_ARITHMETIC: dict[str, Callable[[Value, Value], Value]] = {
    "Add.add": _number(operator.add),
    "Mul.mul": _number(operator.mul),
    "Sub.sub": _number(operator.sub, truncated=True),
    "Div.div": _number(lambda a, b: a // b if b else 0),
    "Mod.mod": _number(lambda a, b: a % b if b else a),
    "Pow.pow": _number(_power),
    "max": _number(max),
    "min": _number(min),
}
NATIVE: dict[str, tuple[int, Callable[..., Value]]] = {
    **{name: (2, f) for name, f in _ARITHMETIC.items()},
    **{f"H{name.split('.')[0]}.h{name.split('.')[0]}": (2, f) for name, f in _ARITHMETIC.items() if "." in name},
    **{f"Nat.{name.split('.')[-1]}": (2, f) for name, f in _ARITHMETIC.items()},
    "Max.max": (2, _ARITHMETIC["max"]),
    "Min.min": (2, _ARITHMETIC["min"]),
    "HAppend.hAppend": (2, _append),
    "Append.append": (2, _append),
    "List.append": (2, _append),
    "List.length": (1, lambda a: len(listed(a))),
    "List.reverse": (1, lambda a: list_of(listed(a)[::-1])),
    "Nat.succ": (1, lambda a: _integer(a) + 1),
    "Nat.pred": (1, lambda a: max(0, _integer(a) - 1)),
    "Nat.zero": (0, lambda: 0),
    "Nat.cast": (1, lambda a: ("Int", _integer(a))),
    "Int.ofNat": (1, lambda a: ("Int", _integer(a))),
    "Neg.neg": (1, lambda a: ("Int", -_integer(a))),
    "LE.le": (2, _compare(operator.le)),
    "LT.lt": (2, _compare(operator.lt)),
    "GE.ge": (2, _compare(operator.ge)),
    "GT.gt": (2, _compare(operator.gt)),
    "Nat.ble": (2, lambda a, b: _bool(_integer(a) <= _integer(b))),
    "Nat.blt": (2, lambda a, b: _bool(_integer(a) < _integer(b))),
    "Nat.beq": (2, lambda a, b: _bool(equal(a, b))),
    "Eq": (2, equal),
    "Ne": (2, lambda a, b: not equal(a, b)),
    "BEq.beq": (2, lambda a, b: _bool(equal(a, b))),
    "bne": (2, lambda a, b: _bool(not equal(a, b))),
    "True": (0, lambda: True),
    "False": (0, lambda: False),
    "Not": (1, lambda a: not a),
    "And": (2, lambda a, b: a and b),
    "Or": (2, lambda a, b: a or b),
    "Iff": (2, lambda a, b: a == b),
    "Decidable.decide": (1, _bool),
    "and": (2, lambda a, b: _bool(a == TRUE and b == TRUE)),
    "or": (2, lambda a, b: _bool(a == TRUE or b == TRUE)),
    "not": (1, lambda a: _bool(a != TRUE)),
    "Bool.and": (2, lambda a, b: _bool(a == TRUE and b == TRUE)),
    "Bool.or": (2, lambda a, b: _bool(a == TRUE or b == TRUE)),
    "Bool.not": (1, lambda a: _bool(a != TRUE)),
    "xor": (2, lambda a, b: _bool(a != b)),
    "Membership.mem": (2, lambda c, x: any(equal(x, y) for y in listed(c))),
    "Prod.fst": (1, lambda a: a[1]),
    "Prod.snd": (1, lambda a: a[2]),
    "id": (1, lambda a: a),
    "Function.comp": (3, lambda f, g, a: f(g(a))),
}
CONSTRUCTORS = {
    "List.nil": 0,
    "List.cons": 2,
    "Bool.true": 0,
    "Bool.false": 0,
    "true": 0,
    "false": 0,
    "Option.none": 0,
    "Option.some": 1,
    "Prod.mk": 2,
    "Sum.inl": 1,
    "Sum.inr": 1,
    "Unit.unit": 0,
    "PUnit.unit": 0,
}
"""Of the library, with the number of explicit arguments."""


class Evaluator:
    """Values of terms over given constructors and defining equations."""

    def __init__(self, constructors: Mapping[str, int], equations: Mapping[str, Sequence[Equation]]) -> None:
        self.constructors = {**CONSTRUCTORS, **constructors}
        self.equations = equations
        self._steps = 0
        self._depth = 0
        self._known: dict[tuple[Any, ...], Value] = {}

    def value(self, term: Term, env: Mapping[str, Value]) -> Value:
        """Raises :class:`NoValue`."""
        self._steps = self._depth = 0
        try:
            return self._value(term, env)
        except (RecursionError, TypeError, IndexError, KeyError) as error:
            raise NoValue(str(error)) from error

    def apply(self, head: str, args: Sequence[Value]) -> Value:
        """A function or constructor at values; raises :class:`NoValue`."""
        self._steps = self._depth = 0
        try:
            return self._call(head, list(args))
        except (RecursionError, TypeError, IndexError, KeyError) as error:
            raise NoValue(str(error)) from error

    def _value(self, term: Term, env: Mapping[str, Value]) -> Value:
        head, args = term.head, term.args
        if head in env:
            return self._applied(env[head], [self._value(a, env) for a in args])
        if head == "fun":
            return self._closure(term, 0, env)
        if head == "@":
            return self._applied(self._value(args[0], env), [self._value(a, env) for a in args[1:]])
        if head == "ite":
            return self._value(args[1 if self._value(args[0], env) else 2], env)
        if head == "cond":
            return self._value(args[1 if self._value(args[0], env) == TRUE else 2], env)
        if head == "→":
            return not self._value(args[0], env) or self._value(args[1], env)
        if head == "∀":
            return self._bounded(term, env)
        if head == "And":
            return self._value(args[0], env) and self._value(args[1], env)
        if head.isdecimal():
            return int(head)
        return self._call(head, [self._value(a, env) for a in args])

    def _bounded(self, term: Term, env: Mapping[str, Value]) -> bool:
        name, body = term.names[0], term.args[1]
        if body.head != "→" or body.args[0].head != "Membership.mem" or body.args[0].args[1] != Term(name):
            raise NoValue("an unbounded quantifier")
        items = listed(self._value(body.args[0].args[0], env))
        return all(self._value(body.args[1], {**env, name: item}) for item in items)

    def _closure(self, term: Term, at: int, env: Mapping[str, Value]) -> Value:
        if at == len(term.names):
            return self._value(term.args[-1], env)
        return lambda x: self._closure(term, at + 1, {**env, term.names[at]: x})

    def _applied(self, f: Value, args: Sequence[Value]) -> Value:
        for a in args:
            f = f(a)
        return f

    def _call(self, head: str, args: list[Value]) -> Value:
        if head in self.constructors:
            arity = self.constructors[head]
            if head in ("true", "false"):
                head = f"Bool.{head}"
            if len(args) < arity:
                return lambda x: self._call(head, [*args, x])
            return (head, *args)
        if head in NATIVE:
            arity, native = NATIVE[head]
            if len(args) < arity:
                return lambda x: self._call(head, [*args, x])
            return self._applied(native(*args[:arity]), args[arity:])
        if head not in self.equations:
            raise NoValue(head)
        arity = len(self.equations[head][0].patterns)
        if len(args) < arity:
            return lambda x: self._call(head, [*args, x])
        key = (head, *args[:arity])
        if key not in self._known:
            self._known[key] = self._defined(head, args[:arity])
        return self._applied(self._known[key], args[arity:])

    def _defined(self, head: str, args: Sequence[Value]) -> Value:
        self._steps += 1
        if self._steps > MOST_STEPS or self._depth > MOST_DEPTH:
            raise NoValue("too long")
        for equation in self.equations[head]:
            env: dict[str, Value] = {}
            if all(self._fits(p, a, equation.free, env) for p, a in zip(equation.patterns, args, strict=True)):
                self._depth += 1
                try:
                    return self._value(equation.value, env)
                finally:
                    self._depth -= 1
        raise NoValue(f"no equation of {head} applies")

    def _fits(self, pattern: Term, value: Value, free: frozenset[str], env: dict[str, Value]) -> bool:
        head = pattern.head
        if head in free and not pattern.args:
            if head in env:
                return bool(equal(env[head], value))
            env[head] = value
            return True
        if head.isdecimal():
            return isinstance(value, int) and value == int(head)
        if head == "Nat.zero":
            return bool(value == 0)
        if head == "Nat.succ":
            return isinstance(value, int) and value > 0 and self._fits(pattern.args[0], value - 1, free, env)
        if head == "HAdd.hAdd" and pattern.args[1].head.isdecimal():
            least = int(pattern.args[1].head)
            return isinstance(value, int) and value >= least and self._fits(pattern.args[0], value - least, free, env)
        if head not in self.constructors:
            raise NoValue(f"{head} in a pattern")
        name = f"Bool.{head}" if head in ("true", "false") else head
        if not isinstance(value, tuple) or value[0] != name or len(value) != len(pattern.args) + 1:
            return False
        return all(self._fits(p, v, free, env) for p, v in zip(pattern.args, value[1:], strict=True))


class Samples:
    """Small values of types, the same ones every time. Types that are parameters stand for numbers."""

    def __init__(self, constructors: Mapping[str, Sequence[Signature]]) -> None:
        self.constructors = {**LIBRARY, **constructors}

    def draw(self, type_: Type, chance: random.Random, size: int) -> Value:
        """A value of at most about ``size`` constructors on top of each other; raises :class:`NoValue`."""
        head = type_.head
        if head == "Nat" or (not type_.args and head not in self.constructors and head != "Int"):
            if head in ("String", "Char", "Float", "Prop", "Type", "Sort"):
                raise NoValue(head)
            return chance.randint(0, max(1, min(size + 1, 5)))
        if head == "Int":
            return ("Int", chance.randint(-size - 1, size + 1))
        if head == "→":
            return self._function(type_.args[1], chance.randint(0, 999), size)
        if head not in self.constructors or not self.constructors[head]:
            raise NoValue(head)
        every = self.constructors[head]
        flat = [c for c in every if not any(_mentions(a, head) for a in c.arguments)]
        grown = [c for c in every if c not in flat]
        constructor = chance.choice(
            flat if (size <= 0 and flat) or not grown else grown if chance.random() < 0.75 else every
        )
        values = dict(zip(constructor.result.args, type_.args, strict=False))
        given = {p.head: t for p, t in values.items()}
        return (constructor.name, *(self.draw(a.put(given), chance, size - 1) for a in constructor.arguments))

    def _function(self, result: Type, seed: int, size: int) -> Value:
        def run(x: Value) -> Value:
            return self.draw(result, random.Random(zlib.crc32(f"{seed} {x}".encode())), max(1, size))

        return run


def _mentions(type_: Type, head: str) -> bool:
    return type_.head == head or any(_mentions(a, head) for a in type_.args)


_A, _B = Type("α"), Type("β")
LIBRARY: dict[str, tuple[Signature, ...]] = {
    "List": (
        Signature("List.nil", ("α",), (), Type("List", (_A,))),
        Signature("List.cons", ("α",), (_A, Type("List", (_A,))), Type("List", (_A,))),
    ),
    "Bool": (Signature("Bool.false", (), (), Type("Bool")), Signature("Bool.true", (), (), Type("Bool"))),
    "Option": (
        Signature("Option.none", ("α",), (), Type("Option", (_A,))),
        Signature("Option.some", ("α",), (_A,), Type("Option", (_A,))),
    ),
    "Prod": (Signature("Prod.mk", ("α", "β"), (_A, _B), Type("Prod", (_A, _B))),),
    "Unit": (Signature("Unit.unit", (), (), Type("Unit")),),
}
