"""Clauses of contracts, evaluated by an interpreter of ours over values that are data; nothing is executed."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from goedels_poetry.languages.python.synthesis.terms import MAX_INT, MAX_LENGTH
from goedels_poetry.languages.python.synthesis.types import Value


class OutsideGrammar(Exception):
    """A clause says something that this interpreter does not know."""


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Div: operator.truediv,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.eq,
    ast.IsNot: operator.ne,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": len,
    "abs": abs,
    "min": min,
    "max": max,
    "sum": sum,
    "all": all,
    "any": any,
    "sorted": lambda xs: tuple(sorted(xs)),
    "list": tuple,
    "tuple": tuple,
    "set": frozenset,
    "reversed": lambda xs: tuple(xs)[::-1],
    "range": range,
    "zip": lambda *several: tuple(zip(*several)),  # noqa: B905  as Python has it
    "enumerate": lambda xs: tuple(enumerate(xs)),
    "int": int,
    "str": str,
    "bool": bool,
    "float": float,
}
_METHODS: dict[str, Callable[..., Any]] = {
    "count": lambda xs, x: xs.count(x),
    "index": lambda xs, x: xs.index(x),
    "upper": str.upper,
    "lower": str.lower,
    "startswith": str.startswith,
    "endswith": str.endswith,
    "isdigit": str.isdigit,
    "isalpha": str.isalpha,
}
_MAX_STEPS = 20_000


def understood(text: str) -> ast.expr | None:
    """The clause as a tree, if every construct in it is one that `evaluate` knows; else None."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if all(isinstance(node, _KNOWN) for node in ast.walk(tree)) else None


_KNOWN = (
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Call, ast.Constant, ast.Name, ast.Subscript,
    ast.Slice, ast.List, ast.Tuple, ast.GeneratorExp, ast.ListComp, ast.comprehension, ast.Attribute, ast.expr_context,
    ast.boolop, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip


def holds(clause: ast.expr, names: Mapping[str, Value]) -> bool:
    """Whether a clause holds for these values; a clause that raises does not.

    Raises:
        OutsideGrammar: it has something that this interpreter does not know.
    """
    try:
        return bool(_Interpreter().value(clause, names))
    except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError):
        return False


class _Interpreter:
    """One evaluation, with a limit on its steps."""

    def __init__(self) -> None:
        self._steps = 0

    def value(self, node: ast.expr, names: Mapping[str, Value]) -> Any:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise ValueError("too many steps")
        value = self._value(node, names)
        if isinstance(value, int) and not -MAX_INT < value < MAX_INT:
            raise ValueError("too large")
        if isinstance(value, (str, tuple, range)) and len(value) > MAX_LENGTH * 10:
            raise ValueError("too long")
        return value

    def _value(self, node: ast.expr, names: Mapping[str, Value]) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in names:
                raise OutsideGrammar(node.id)
            return names[node.id]
        if isinstance(node, ast.BoolOp):
            return self._logic(node, names)
        if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
            return _UNARY[type(node.op)](self.value(node.operand, names))
        if isinstance(node, ast.BinOp):
            return self._binary(node, names)
        if isinstance(node, ast.Compare):
            return self._compare(node, names)
        if isinstance(node, ast.IfExp):
            return self.value(node.body if self.value(node.test, names) else node.orelse, names)
        if isinstance(node, ast.Subscript):
            return self.value(node.value, names)[self._place(node.slice, names)]
        if isinstance(node, (ast.List, ast.Tuple)):
            return tuple(self.value(part, names) for part in node.elts)
        if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
            return tuple(self._elements(node.elt, node.generators, names))
        if isinstance(node, ast.Call) and not node.keywords:
            return self._call(node, names)
        raise OutsideGrammar(type(node).__name__)

    def _logic(self, node: ast.BoolOp, names: Mapping[str, Value]) -> Any:
        decisive = isinstance(node.op, ast.Or)
        value: Any = not decisive
        for part in node.values:
            value = self.value(part, names)
            if bool(value) is decisive:
                return value
        return value

    def _binary(self, node: ast.BinOp, names: Mapping[str, Value]) -> Any:
        left, right = self.value(node.left, names), self.value(node.right, names)
        if isinstance(node.op, ast.Pow):
            if not isinstance(right, int) or not -64 <= right <= 64:
                raise ValueError("too large to try")
            return left**right
        if isinstance(node.op, ast.Mult) and not all(isinstance(side, (int, float)) for side in (left, right)):
            size = max((side for side in (left, right) if isinstance(side, int)), default=0)
            if size > MAX_LENGTH:
                raise ValueError("too long to try")
        if type(node.op) not in _BINARY:
            raise OutsideGrammar(type(node.op).__name__)
        return _BINARY[type(node.op)](left, right)

    def _compare(self, node: ast.Compare, names: Mapping[str, Value]) -> bool:
        left = self.value(node.left, names)
        for sign, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, names)
            if not _COMPARE[type(sign)](left, right):
                return False
            left = right
        return True

    def _place(self, node: ast.expr, names: Mapping[str, Value]) -> Any:
        if not isinstance(node, ast.Slice):
            return self.value(node, names)
        return slice(
            *(None if part is None else self.value(part, names) for part in (node.lower, node.upper, node.step))
        )

    def _elements(self, element: ast.expr, parts: list[ast.comprehension], names: Mapping[str, Value]) -> Iterator[Any]:
        if not parts:
            yield self.value(element, names)
            return
        first, *rest = parts
        for item in self.value(first.iter, names):
            inner = {**names, **_bound(first.target, item)}
            if all(self.value(test, inner) for test in first.ifs):
                yield from self._elements(element, rest, inner)

    def _call(self, node: ast.Call, names: Mapping[str, Value]) -> Any:
        arguments = [self.value(argument, names) for argument in node.args]
        if isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and node.func.id not in names:
            if node.func.id == "range" and len(range(*arguments)) > _MAX_STEPS:
                raise ValueError("too long to try")
            return _FUNCTIONS[node.func.id](*arguments)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            return _METHODS[node.func.attr](self.value(node.func.value, names), *arguments)
        raise OutsideGrammar(ast.unparse(node.func))


def _bound(target: ast.expr, item: Any) -> dict[str, Any]:
    if isinstance(target, ast.Name):
        return {target.id: item}
    if isinstance(target, (ast.Tuple, ast.List)):
        found: dict[str, Any] = {}
        for part, value in zip(target.elts, item, strict=True):
            found |= _bound(part, value)
        return found
    raise OutsideGrammar(type(target).__name__)
