"""Comprehensions over indices that are used for elements alone: ``xs[i] for i in range(len(xs))`` goes over ``xs``.

Where these are neighbours (``xs[i] <= xs[i + 1] for i in range(len(xs) - 1)``) it goes over ``zip(xs, xs[1:])``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import TypeVar

from goedels_poetry.python.translate.frame import Frame
from goedels_poetry.python.translate.liveness import bound_names

Node = TypeVar("Node", bound=ast.AST)
MAX_FIRST = 3


def by_elements(
    frame: Frame, target: ast.expr, over: ast.expr, parts: Sequence[Node]
) -> tuple[ast.expr, ast.expr, list[Node]] | None:
    """Target, iterable and ``parts`` (all that the index is visible in) of the same comprehension over elements.

    None where the index is used for something else.
    """
    if not isinstance(target, ast.Name) or not _is_call(frame, over, "range"):
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
    if not isinstance(xs, ast.Name) or xs.id == target.id:
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
