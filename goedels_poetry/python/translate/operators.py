"""Operators on values: numbers, truth values, texts, lists, tuples, sets and dicts."""

from __future__ import annotations

import ast
from dataclasses import replace

from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.kernel.terms import Kind, and_, app, integer, not_, or_
from goedels_poetry.python.translate import mappings, sets
from goedels_poetry.python.translate.build import C_SIZE, compare, equal, floor_div, floor_mod, minus, plus, times
from goedels_poetry.python.translate.faults import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.library import plain
from goedels_poetry.python.translate.types import BOOL, INT, NEVER, STR, Type

MAX_POWER = 64


def operate(frame: Frame, op: ast.operator, left: Value, right: Value, node: ast.expr | ast.stmt) -> Value:
    """``left op right``."""
    left, right = (v if v.kind.kind != "optional" else frame.present(v, "TypeError") for v in (left, right))
    if NEVER in (left.kind, right.kind):
        return Value(NEVER, integer(0))
    kinds = {left.kind.kind, right.kind.kind}
    if isinstance(op, ast.Add) and kinds == {"str"}:
        return Value(STR, app("str.++", (left.term, right.term), STRINGS))
    if isinstance(op, ast.Add) and kinds == {"list"}:
        return _concatenate(frame, left, right, node)
    if isinstance(op, ast.Add) and kinds == {"tuple"}:
        parts = [frame.registry.item(v.term, v.kind, i) for v in (left, right) for i in range(len(v.kind.args))]
        kind = Type("tuple", left.kind.args + right.kind.args)
        return Value(kind, frame.registry.construct(kind, parts))
    if isinstance(op, ast.Mult) and "list" in kinds and kinds <= {"list", "int", "bool"}:
        xs, n = (left, right) if left.kind.kind == "list" else (right, left)
        xs = frame.known(xs)
        if frame.shares(xs.kind.args[0]):
            outside("the same list several times in a list", node, "aliasing")
        times_n = frame.integral(n, node)
        library = frame.library(xs.kind.args[0])
        frame.exact_within(times_n, C_SIZE[0], None)
        # where there is something to repeat, it is memory that ends first
        frame.exact_where(or_([not_(library.is_nil(xs.term)), compare("<=", times_n.term, integer(C_SIZE[1]))]))
        repeated = library.repeat(xs.term, times_n.term)
        return Value(xs.kind, repeated, owned=True)
    if kinds == {"set"}:
        return sets.combined(frame, op, left, right, node)
    if kinds == {"dict"} and isinstance(op, ast.BitOr):
        return replace(mappings.joined(frame, left, right, node), owned=True)
    if not kinds <= {"int", "bool"}:
        outside(f"this operator between {left.kind} and {right.kind}", node, "types")
    if left.kind == right.kind == BOOL and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        a, b = left.term, right.term
        word = {ast.BitAnd: and_([a, b]), ast.BitOr: or_([a, b])}
        return Value(BOOL, word.get(type(op)) or not_(equal(a, b)))
    result = arithmetic(frame, op, frame.integral(left, node), frame.integral(right, node), node)
    plain = not isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor)  # these give a truth value of two truth values
    return replace(result, exact=plain or left.exact or right.exact)


def arithmetic(frame: Frame, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """``left op right`` of integers."""
    a, b = left.term, right.term
    both = left.natural and right.natural
    positive = b.kind is Kind.LIT and isinstance(b.value, int) and b.value > 0
    match op:
        case ast.Add():
            return Value(INT, plus(a, b), natural=both)
        case ast.Sub():
            return Value(INT, minus(a, b))
        case ast.Mult():
            return Value(INT, times(a, b), natural=both)
        case ast.FloorDiv() | ast.Mod():
            frame.check(not_(equal(b, integer(0))), "ZeroDivisionError")
            is_mod = isinstance(op, ast.Mod)
            if right.natural and not positive:  # then it is not negative where it is not 0
                return Value(INT, app("mod" if is_mod else "div", (a, b), INTS), natural=is_mod or left.natural)
            term = floor_mod(a, b) if is_mod else floor_div(a, b)
            return Value(INT, term, natural=positive and (is_mod or left.natural))
        case ast.Pow():
            return _power(frame, left, right, node)
        case ast.LShift() | ast.RShift():
            if not right.natural:
                frame.check(compare(">=", b, integer(0)), "ValueError")
            two = plain(frame.registry, "power.int", integer(2), b)
            if b.kind is Kind.LIT and isinstance(b.value, int) and 0 <= b.value <= 256:
                two = integer(1 << b.value)
            if isinstance(op, ast.LShift):
                return Value(INT, times(a, two), natural=left.natural)
            return Value(INT, app("div", (a, two), INTS), natural=left.natural)
        case ast.BitAnd():
            for mask, other in ((b, a), (a, b)):
                bits = mask.value if mask.kind is Kind.LIT else None
                if isinstance(bits, int) and bits >= 0 and bits & (bits + 1) == 0:
                    return Value(INT, app("mod", (other, integer(bits + 1)), INTS), natural=True)
            return outside("`&` of other numbers than one and 2 ** k - 1", node, "bit operation")
    return outside("this operator on integers is not covered", node, type(op).__name__)


def _power(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value:
    exponent = right.term
    if exponent.kind is Kind.LIT and isinstance(exponent.value, int):
        if exponent.value < 0:
            outside("a negative power is a float", node, "float")
        if exponent.value <= MAX_POWER:
            base, result = left.term, integer(1)
            if base.kind is Kind.LIT and isinstance(base.value, int) and base.value.bit_length() < 64:
                return Value(INT, integer(base.value**exponent.value), natural=left.natural)
            if exponent.value <= 4:
                for _ in range(exponent.value):
                    result = times(result, base)
                return Value(INT, result, natural=left.natural or exponent.value % 2 == 0)
    if not right.natural:
        frame.exact_where(compare(">=", exponent, integer(0)))  # else it gives a float, or raises
    return Value(INT, plain(frame.registry, "power.int", left.term, exponent), natural=left.natural)


def _concatenate(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value:
    kind = frame.unify(left.kind, right.kind, node)
    a, b = frame.coerce(left, kind, node), frame.coerce(right, kind, node)
    if kind.args[0].kind == "unknown":
        return replace(a, owned=True)
    return Value(kind, frame.library(kind.args[0]).append(a.term, b.term), owned=True)
