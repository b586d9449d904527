"""Dicts that are literals: a choice between their keys, and what a loop over them goes over."""

from __future__ import annotations

import ast

from goedels_poetry.kernel.terms import Term, or_
from goedels_poetry.python.translate import mappings
from goedels_poetry.python.translate.build import cond
from goedels_poetry.python.translate.comparisons import equals
from goedels_poetry.python.translate.faults import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.tables import entries, table
from goedels_poetry.python.translate.types import Type, list_of


def has_key(frame: Frame, pairs: list[tuple[Value, Value]], key: Value, node: ast.AST) -> Term:
    """Whether a dict has a key."""
    return or_([equals(frame, key, k, node) for k, _ in pairs])


def chosen(frame: Frame, pairs: list[tuple[Value, Value]], key: Value, node: ast.AST) -> Value:
    """The value of a key that is there."""
    result = pairs[-1][1].term
    for k, value in reversed(pairs[:-1]):
        result = cond(equals(frame, key, k, node), value.term, result)
    return Value(pairs[0][1].kind, result, natural=all(v.natural for _, v in pairs))


def element(frame: Frame, node: ast.Dict, index: ast.expr, at: ast.AST) -> Value:
    """``{...}[index]``."""
    pairs = entries(frame, node)
    key = _key(frame, index, pairs)
    frame.check(has_key(frame, pairs, key, at), "KeyError")
    return chosen(frame, pairs, key, at)


def get(frame: Frame, node: ast.Dict, call: ast.Call) -> Value:
    """``{...}.get(key)`` and ``{...}.get(key, default)``."""
    if call.keywords or not 1 <= len(call.args) <= 2:
        outside("`get` with these arguments", call, "method get")
    pairs = entries(frame, node)
    key = _key(frame, call.args[0], pairs)
    default = frame.value(call.args[1] if len(call.args) == 2 else ast.copy_location(ast.Constant(None), call))
    there = has_key(frame, pairs, key, call)
    return frame.merge(there, chosen(frame, pairs, key, call), default, call, "the default")


def _key(frame: Frame, node: ast.expr, pairs: list[tuple[Value, Value]]) -> Value:
    key = frame.value(node)
    if key.kind.kind not in ("int", "bool", "str"):
        outside(f"a key that is {key.kind}", node, "a dict")
    frame.unify(key.kind, pairs[0][0].kind, node, "the key")
    return key


def gone_over(frame: Frame, node: ast.expr) -> Value | None:
    """The list of what a loop over a dict, or over its keys, values or items, goes over; None for anything else."""
    method, view = "keys", False
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
        method, node, view = node.func.attr, node.func.value, True
    found = table(frame, node) if method in mappings.VIEWS else None
    if not isinstance(found, ast.Dict):
        return _view(frame, node, method) if view and method in mappings.VIEWS else None
    pairs = entries(frame, found)
    key, value = pairs[0][0].kind, pairs[0][1].kind
    if method == "items":
        kind = Type("tuple", (key, value))
        items = [frame.registry.construct(kind, [k.term, v.term]) for k, v in pairs]
    else:
        kind = key if method == "keys" else value
        items = [(k if method == "keys" else v).term for k, v in pairs]
    return Value(list_of(kind), frame.library(kind).display(items), owned=True)


def _view(frame: Frame, node: ast.expr, method: str) -> Value:
    value = frame.present(frame.value(node), "AttributeError")
    if value.kind.kind != "dict":
        outside(f"the method `{method}` of {value.kind}", node, f"method {method}")
    return mappings.listed(frame, value, method)
