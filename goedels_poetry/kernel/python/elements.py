"""Loops over indices that are used for nothing but elements: ``xs[i] for i in range(len(xs))`` goes over ``xs``."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import TypeVar

from goedels_poetry.kernel.python.frame import Frame

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
    if not 0 <= first.value <= MAX_FIRST or not _is_call(frame, last, "len"):
        return None
    assert isinstance(last, ast.Call)
    xs = last.args[0]
    if not isinstance(xs, ast.Name) or xs.id in changed or xs.id == target.id:
        return None
    value = frame.env.get(xs.id)
    if value is None or value.kind.kind != "list" or value.kind.args[0].kind == "unknown":
        return None
    if any(_binds(p, (xs.id, target.id)) for part in parts for p in ast.walk(part)):
        return None
    name = f"{xs.id}@{target.id}"
    made = [_Elements(xs.id, target.id, name).visit(copy.deepcopy(p)) for p in parts]
    if any(isinstance(n, ast.Name) and n.id == target.id for p in made for n in ast.walk(p)):
        return None
    new: ast.expr = ast.Name(xs.id, ast.Load())
    if first.value:
        new = ast.Subscript(new, ast.Slice(ast.Constant(first.value), None, None), ast.Load())
    new = ast.fix_missing_locations(ast.copy_location(new, over))
    return ast.copy_location(ast.Name(name, ast.Store()), target), new, made


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
    if isinstance(node, ast.Name):
        return not isinstance(node.ctx, ast.Load) and node.id in names
    return isinstance(node, ast.MatchAs | ast.MatchStar) and node.name in names


class _Elements(ast.NodeTransformer):
    """``xs[i]`` becomes a name."""

    def __init__(self, xs: str, index: str, name: str) -> None:
        self.xs, self.index, self.name = xs, index, name

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        plain = isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Name) and isinstance(node.ctx, ast.Load)
        if plain and node.value.id == self.xs and node.slice.id == self.index:  # type: ignore[attr-defined]
            return ast.copy_location(ast.Name(self.name, ast.Load()), node)
        self.generic_visit(node)
        return node


__all__ = ["by_elements"]
