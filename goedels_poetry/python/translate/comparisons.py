"""Comparisons: equality, order, identity, membership, and chains of them."""

from __future__ import annotations

import ast

from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Term, and_, app, integer, not_, or_
from goedels_poetry.python.translate import mappings, sets
from goedels_poetry.python.translate.build import compare, equal
from goedels_poetry.python.translate.faults import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.library import less, not_less
from goedels_poetry.python.translate.types import BOOL, INT, NONE, STR, list_of


def comparison(frame: Frame, node: ast.Compare) -> Value:
    """A chain of comparisons: each operand is evaluated once, and only as long as the chain holds."""
    if all(sets.is_set(frame, part) for part in (node.left, *node.comparators)):
        return Value(BOOL, _of_sets(frame, node))
    left = frame.value(node.left)
    result = TRUE
    current = frame
    chain: list[tuple[Term, Frame]] = []
    for i, (op, part) in enumerate(zip(node.ops, node.comparators, strict=True)):
        made = isinstance(op, ast.In | ast.NotIn) and sets.is_made(current, part)
        if made and not sets.is_hashed(left.kind):
            outside(f"whether {left.kind} is in a set", part, "a set")
        if _is_range(part):
            right = None
        else:
            right = _right(current, part, made) if isinstance(op, ast.In | ast.NotIn) else current.value(part)
        if made and i < len(node.ops) - 1:
            outside("a set in the middle of a comparison", part, "a set")
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


def _of_sets(frame: Frame, node: ast.Compare) -> Term:
    if len(node.ops) > 1:
        outside("more than two sets are compared", node, "a set")
    op = node.ops[0]
    if isinstance(op, ast.LtE | ast.GtE):
        return sets.same(frame, node.left, node.comparators[0], "within" if isinstance(op, ast.LtE) else "around")
    if not isinstance(op, ast.Eq | ast.NotEq):
        outside("sets are compared otherwise than by ==, !=, <= and >=", node, "a set")
    equal_sets = sets.same(frame, node.left, node.comparators[0])
    return equal_sets if isinstance(op, ast.Eq) else not_less(equal_sets)


def _right(frame: Frame, node: ast.expr, made: bool) -> Value:
    if made:
        return sets.elements(frame, node)
    view = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in mappings.VIEWS
    return frame.rules.listed(frame, node) if view else frame.value(node)


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
        return sets.equal_values(frame, left, right, node)
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
        return sets.has(frame, right, left, node)
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
