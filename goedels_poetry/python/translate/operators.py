"""Operators on values, and comparisons: equality, order, identity, membership, and chains of them."""

from __future__ import annotations

import ast
from dataclasses import replace

from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Term, and_, app, integer, not_, or_
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.python.translate import mappings, sets
from goedels_poetry.python.translate.build import C_SIZE, compare, equal, floor_div, floor_mod, minus, plus, times
from goedels_poetry.python.translate.faults import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.library import less, not_less, plain
from goedels_poetry.python.translate.module import BOOL, INT, NEVER, NONE, STR, Type, list_of

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


def comparison(frame: Frame, node: ast.Compare) -> Value:
    """A chain of comparisons: each operand is evaluated once, and only as long as the chain holds."""
    left = sets.operand(frame, node.left)
    result = TRUE
    current = frame
    chain: list[tuple[Term, Frame]] = []
    for i, (op, part) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if _is_range(part):
            right = None
        else:
            right = _right(current, part) if isinstance(op, ast.In | ast.NotIn) else sets.operand(current, part)
        truth = compared(current, op, left, right, part if right is None else node)
        result = and_([result, truth])
        if i == len(node.ops) - 1:
            break
        if right is None:
            outside("this in the middle of a comparison", node, "range")
        left = right
        inner = current.part("it may not be evaluated")
        chain.append((truth, current))
        current = inner
    for truth, outer in reversed(chain):
        outer.join(truth, current)
        current = outer
    return Value(BOOL, result)


def _right(frame: Frame, node: ast.expr) -> Value:
    view = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in mappings.VIEWS
    return frame.rules.listed(frame, node) if view else sets.operand(frame, node)


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def compared(frame: Frame, op: ast.cmpop, left: Value, right: Value | None, node: ast.expr) -> Term:
    """``left op right``; ``right`` None: ``node`` is a range."""
    if isinstance(op, ast.In | ast.NotIn):
        found = _contains(frame, left, right, node)
        return found if isinstance(op, ast.In) else not_less(found)
    if right is None:
        return outside("a range is compared", node, "range")
    if isinstance(op, ast.Is | ast.IsNot):
        return _identity(frame, isinstance(op, ast.Is), left, right, node)
    if isinstance(op, ast.Eq | ast.NotEq):
        same = equals(frame, left, right, node)
        return same if isinstance(op, ast.Eq) else not_(same)
    left, right = frame.present(left, "TypeError"), frame.present(right, "TypeError")
    if left.kind.kind == right.kind.kind == "set" and isinstance(op, ast.LtE | ast.GtE):
        return sets.within(frame, *((left, right) if isinstance(op, ast.LtE) else (right, left)), node)
    kind = frame.unify(left.kind, right.kind, node, "this")
    if kind.kind == "list":
        frame.known(Value(kind, left.term))
    a, b = frame.coerce(left, kind, node).term, frame.coerce(right, kind, node).term
    word = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}[type(op)]
    if kind in (INT, BOOL):
        if kind == BOOL:
            a, b = (frame.coerce(Value(BOOL, t), INT, node).term for t in (a, b))
        return compare(word, a, b)
    if word in (">", ">="):
        a, b = b, a
    return less(frame.registry, kind, a, b, or_equal=word in ("<=", ">="))


def equals(frame: Frame, left: Value, right: Value, node: ast.AST) -> Term:
    """``left == right``."""
    if NONE in (left.kind, right.kind):
        return _identity(frame, True, left, right, node)
    if left.kind.kind == right.kind.kind == "dict":
        return mappings.same(frame, left, right, node)
    if left.kind.kind == right.kind.kind == "set":
        return and_([sets.within(frame, left, right, node), sets.within(frame, right, left, node)])
    if is_open(left) and is_open(right):
        return TRUE
    for one, other in ((left, right), (right, left)):
        if is_open(one) and other.kind.kind == "list":
            return frame.registry.is_nil(other.kind.args[0], other.term)
    kind = frame.unify(left.kind, right.kind, node, "this comparison")
    a, b = frame.coerce(left, kind, node).term, frame.coerce(right, kind, node).term
    for term, against in ((a, b), (b, a)):
        if kind.kind == "list" and term.kind is Kind.APP and term.name.startswith("nil."):
            return frame.registry.is_nil(kind.args[0], against)
    return equal(a, b)


def is_open(value: Value) -> bool:
    """Whether it is an empty list of which nothing is known."""
    return value.kind.kind == "list" and value.kind.args[0].kind == "unknown"


def _identity(frame: Frame, positive: bool, left: Value, right: Value, node: ast.AST) -> Term:
    if left.kind == NONE:
        left, right = right, left
    same = TRUE if left.kind == NONE else FALSE
    if right.kind != NONE:
        if not (left.kind.kind == right.kind.kind == "enum" and left.kind == right.kind):
            outside("`is` of other things than None and members of enumerations", node, "is")
        same = equal(left.term, right.term)
    elif left.kind.kind == "optional":
        same = frame.registry.is_none(left.kind.args[0], left.term)
    return same if positive else not_(same)


def _contains(frame: Frame, left: Value, right: Value | None, node: ast.expr) -> Term:
    if right is None:
        return _in_range(frame, left, node)
    if right.kind.kind == "str" and left.kind == STR:
        return app("str.contains", (right.term, left.term), BOOLS)
    if right.kind.kind == "tuple":
        parts = [Value(k, frame.registry.item(right.term, right.kind, i)) for i, k in enumerate(right.kind.args)]
        return or_([equals(frame, left, p, node) for p in parts])
    if right.kind.kind == "dict":
        return mappings.has(frame, right, left, node)
    if right.kind.kind == "set":
        if not sets.is_hashed(left.kind):
            outside(f"whether {left.kind} is in a set", node, "a set")
        right = sets.as_list(right)
    if right.kind.kind != "list":
        return outside(f"`in` {right.kind}", node, "in")
    if is_open(right):
        return FALSE
    kind = frame.unify(left.kind, right.kind.args[0], node)
    xs = frame.coerce(right, list_of(kind), node).term
    return frame.library(kind).member(frame.coerce(left, kind, node).term, xs)


def _in_range(frame: Frame, left: Value, node: ast.expr) -> Term:
    assert isinstance(node, ast.Call)
    if "range" in frame.local or "range" in frame.env or not frame.registry.module.is_builtin("range") or node.keywords:
        outside("this is not followed", node)
    args = [frame.integral(a, node).term for a in [frame.value(a) for a in node.args]]
    if not 1 <= len(args) <= 2:
        outside("`in` a range with a step", node, "range")
    low, high = (integer(0), args[0]) if len(args) == 1 else args
    if left.kind.kind == "optional":
        outside("`in` a range of what may be None", node, "in")
    value = frame.integral(left, node).term
    return and_([compare("<=", low, value), compare("<", value, high)])
