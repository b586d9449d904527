"""Loops over indices that are used for elements alone: ``xs[i] for i in range(len(xs))`` goes over ``xs``.

Where these are neighbours (``xs[i] <= xs[i + 1] for i in range(len(xs) - 1)``) it goes over ``zip(xs, xs[1:])``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import TypeVar

from goedels_poetry.kernel.terms import TRUE, Kind
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.liveness import assigned, bound_names

Node = TypeVar("Node", bound=ast.AST)
MAX_FIRST = 3


def by_elements(
    frame: Frame, target: ast.expr, over: ast.expr, parts: Sequence[Node], changed: frozenset[str]
) -> tuple[ast.expr, ast.expr, list[Node]] | None:
    """Target, iterable and ``parts`` (all that the index is visible in) of the same loop over elements.

    None where the index is used for something else, or the list is among what is ``changed``.
    """
    if not isinstance(target, ast.Name) or target.id in changed or not _is_call(frame, over, "range"):
        return None
    assert isinstance(over, ast.Call)
    first, last = (ast.Constant(0), over.args[0]) if len(over.args) == 1 else (over.args[0], over.args[-1])
    if len(over.args) > 2 or not isinstance(first, ast.Constant) or type(first.value) is not int:
        return None
    short = isinstance(last, ast.BinOp) and isinstance(last.op, ast.Sub) and _is_one(last.right)
    last = last.left if short and isinstance(last, ast.BinOp) else last  # up to the last but one
    if not 0 <= first.value <= MAX_FIRST or not _is_call(frame, last, "len"):
        return None
    assert isinstance(last, ast.Call)
    xs = last.args[0]
    if not isinstance(xs, ast.Name) or xs.id in changed or xs.id == target.id:
        return None
    value = frame.env.get(xs.id)
    if value is None or value.kind.kind != "list" or value.kind.args[0].kind == "unknown":
        return None
    if any(_binds(part, (xs.id, target.id)) for part in parts):
        return None
    name = f"{xs.id}@{target.id}"
    plain = not short and _replaced(parts, xs.id, target.id, {0: name})
    if plain:
        new: ast.expr = ast.Name(xs.id, ast.Load())
        if first.value:
            new = ast.Subscript(new, ast.Slice(ast.Constant(first.value), None, None), ast.Load())
        new = ast.fix_missing_locations(ast.copy_location(new, over))
        return ast.copy_location(ast.Name(name, ast.Store()), target), new, plain
    if first.value != (0 if short else 1):
        return None
    both = [name, f"{name}@next"]
    near = _replaced(parts, xs.id, target.id, dict(enumerate(both, first.value * -1)))
    if not near:
        return None
    following = ast.Subscript(ast.Name(xs.id, ast.Load()), ast.Slice(ast.Constant(1)), ast.Load())
    pairs = ast.Call(ast.Name("zip@", ast.Load()), [ast.Name(xs.id, ast.Load()), following], [])
    goal = ast.Tuple([ast.Name(n, ast.Store()) for n in both], ast.Store())
    made = ast.copy_location(goal, target), ast.copy_location(pairs, over)
    return ast.fix_missing_locations(made[0]), ast.fix_missing_locations(made[1]), near


def _replaced(parts: Sequence[Node], xs: str, index: str, names: Mapping[int, str]) -> list[Node] | None:
    """``parts`` with a name for ``xs[index + k]`` for each ``k`` of ``names``; None where the index is seen besides."""
    made = [copy.deepcopy(p) for p in parts]
    for offset, name in names.items():
        rule = _Elements(xs, index, ast.Name(name, ast.Load()), offset)
        made = [rule.visit(p) for p in made]
    return None if any(isinstance(n, ast.Name) and n.id == index for p in made for n in ast.walk(p)) else made


def over_elements(frame: Frame, node: ast.For) -> ast.For | None:
    """A loop over indices that are used for elements alone as one over elements; None for others."""
    changed = assigned(node.body)
    for body, left in ((node.body, {}), beside(frame, node, changed)):
        made = by_elements(frame, node.target, node.iter, body, changed)
        if made is not None:
            for name, (xs, first) in left.items():
                frame.check(frame.env[xs].bound, "UnboundLocalError")
                begin = ast.Subscript(ast.Name(xs, ast.Load()), ast.Slice(ast.Constant(first)), ast.Load())
                frame.env[name] = frame.value(ast.fix_missing_locations(ast.copy_location(begin, node)))
            target, over, inner = made
            return ast.copy_location(ast.For(target, over, inner, node.orelse), node)
    return None


def beside(frame: Frame, node: ast.For, changed: frozenset[str]) -> tuple[list[ast.stmt], dict[str, tuple[str, int]]]:
    """The body of a loop over the indices of a list, where these are used for elements of other lists as well.

    ``ys[i]`` becomes the first element of what is left of ``ys``, which is cut at the beginning of each round. Gives
    the body and, for each variable of what is left, the list and how many of its elements are left out at first.
    """
    body: list[ast.stmt] = copy.deepcopy(node.body)
    over = node.iter
    if not isinstance(node.target, ast.Name) or not _is_call(frame, over, "range") or not isinstance(over, ast.Call):
        return body, {}
    index, last = node.target.id, over.args[-1]
    first = over.args[0] if len(over.args) == 2 else ast.Constant(0)
    known = isinstance(first, ast.Constant) and type(first.value) is int and 0 <= first.value <= MAX_FIRST
    own = last.args[0] if isinstance(last, ast.Call) and _is_call(frame, last, "len") else None
    if not known or len(over.args) > 2 or not isinstance(own, ast.Name):
        return body, {}
    assert isinstance(first, ast.Constant) and isinstance(first.value, int)
    left: dict[str, tuple[str, int]] = {}
    for name in sorted({n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name)} - {own.id, index}):
        value = frame.env.get(name)
        is_list = value is not None and value.bound is TRUE and _is_known_list(value)
        if not is_list or name in changed or any(_binds(part, (name, index)) for part in body):
            continue
        cut, rest = f"{name}@{index}", f"left@{name}@{index}"
        element = ast.Subscript(ast.Name(cut, ast.Load()), ast.Constant(0), ast.Load())
        made = [_Elements(name, index, element).visit(part) for part in body]
        if any(isinstance(n, ast.Name) and n.id == cut for part in made for n in ast.walk(part)):
            following = ast.Subscript(ast.Name(rest, ast.Load()), ast.Slice(ast.Constant(1)), ast.Load())
            body = [
                ast.Assign([ast.Name(cut, ast.Store())], ast.Name(rest, ast.Load())),
                ast.Assign([ast.Name(rest, ast.Store())], following),
                *made,
            ]
            left[rest] = name, first.value
    for made_statement in body:
        ast.fix_missing_locations(ast.copy_location(made_statement, node.body[0]) if left else made_statement)
    return body, left


def counted(frame: Frame, node: ast.While) -> ast.For | None:
    """``while i < len(xs): ...; i = i + 1`` as a loop over indices, where ``i`` begins at a small number."""
    test = _below(node.test)
    if test is None or not node.body[:-1] or node.orelse:
        return None
    index, end, strict = test
    begin, body = frame.env.get(index), node.body[:-1]
    if not _is_call(frame, end, "len") or not _counts(node.body[-1], index):
        return None
    if begin is None or begin.kind.kind != "int" or begin.bound is not TRUE or begin.term.kind is not Kind.LIT:
        return None
    first = begin.term.value
    names = (index, *(n.id for n in ast.walk(end) if isinstance(n, ast.Name)))
    changes = any(_binds(part, names) for part in body) or any(
        isinstance(p, ast.Continue) for part in body for p in ast.walk(part)
    )
    if changes or not isinstance(first, int) or (not strict and first != 0):
        return None
    over = ast.Call(ast.Name("range", ast.Load()), [ast.Constant(first), end], [])
    made = ast.For(ast.Name(index, ast.Store()), over, body, [])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def _below(test: ast.expr) -> tuple[str, ast.expr, bool] | None:
    """``i`` and ``n`` of a test that goes on while ``i < n``, and whether it says no less (``i != n`` does)."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = test.operand
        denied = _DENIED.get(type(inner.ops[0])) if isinstance(inner, ast.Compare) and len(inner.ops) == 1 else None
        if denied is None or not isinstance(inner, ast.Compare):
            return None
        test = ast.Compare(inner.left, [denied()], inner.comparators)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, operator, right = test.left, type(test.ops[0]), test.comparators[0]
    if operator in (ast.Gt, ast.GtE) or (operator is ast.NotEq and not isinstance(left, ast.Name)):
        left, operator, right = right, {ast.Gt: ast.Lt, ast.GtE: ast.LtE}.get(operator, operator), left
    if operator is ast.LtE and isinstance(right, ast.BinOp) and isinstance(right.op, ast.Sub) and _is_one(right.right):
        operator, right = ast.Lt, right.left
    elif operator is ast.LtE and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add) and _is_one(left.right):
        operator, left = ast.Lt, left.left
    if operator not in (ast.Lt, ast.NotEq) or not isinstance(left, ast.Name):
        return None
    return left.id, right, operator is ast.Lt


_DENIED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
}


def _counts(last: ast.stmt, index: str) -> bool:
    """``i += 1``, ``i = i + 1`` or ``i = 1 + i``."""
    if isinstance(last, ast.AugAssign) and isinstance(last.target, ast.Name):
        return last.target.id == index and isinstance(last.op, ast.Add) and _is_one(last.value)
    if not isinstance(last, ast.Assign) or ast.unparse(last.targets[0]) != index or len(last.targets) > 1:
        return False
    return ast.unparse(last.value) in (f"{index} + 1", f"1 + {index}")


def _is_call(frame: Frame, node: ast.expr, name: str) -> bool:
    """Whether a node calls the builtin ``name`` with plain arguments."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == name
        and name not in frame.local
        and name not in frame.env
        and frame.registry.module.is_builtin(name)
        and not node.keywords
        and bool(node.args)
        and not any(isinstance(a, ast.Starred) for a in node.args)
        and (name != "len" or len(node.args) == 1)
    )


def _is_known_list(value: Value) -> bool:
    return value.kind.kind == "list" and value.kind.args[0].kind != "unknown"


def _binds(node: ast.AST, names: tuple[str, ...]) -> bool:
    """Whether one of these names is bound anywhere in a node, by a lambda or a comprehension, too."""
    return not set(names).isdisjoint(bound_names(node))


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1


class _Elements(ast.NodeTransformer):
    """``xs[i]`` becomes another expression; with an ``offset`` ``xs[i + 1]`` or ``xs[i - 1]`` does."""

    def __init__(self, xs: str, index: str, element: ast.expr, offset: int = 0) -> None:
        self.xs, self.index, self.element, self.offset = xs, index, element, offset

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        at: ast.expr = node.slice
        offset = 0
        if isinstance(at, ast.BinOp) and isinstance(at.op, ast.Add | ast.Sub) and _is_one(at.right):
            offset = 1 if isinstance(at.op, ast.Add) else -1
            at = at.left
        plain = isinstance(node.value, ast.Name) and isinstance(at, ast.Name) and isinstance(node.ctx, ast.Load)
        here = plain and offset == self.offset
        if here and node.value.id == self.xs and at.id == self.index:  # type: ignore[attr-defined]
            return ast.fix_missing_locations(ast.copy_location(copy.deepcopy(self.element), node))
        self.generic_visit(node)
        return node
