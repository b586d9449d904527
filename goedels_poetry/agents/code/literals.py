"""Values that a model writes for arguments: literals, and the arithmetic that people write for long or large ones."""

from __future__ import annotations

import ast
from typing import Any

MAX_LENGTH = 200_000
MAX_BITS = 100_000
"""Elements of a sequence, and bits of a number, that are built."""


class NotAValue(ValueError):
    """It is no literal, or a larger one than is built here."""


def value_of(node: ast.expr) -> Any:
    """The value of an expression made of literals, ``[0] * 1000``, ``10 ** 18``, ``-1``, ``list(range(5))``.

    Raises:
        NotAValue.
    """
    try:
        return _value(node)
    except (TypeError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        raise NotAValue(str(error)) from None


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.List(elts=parts):
            return [_value(part) for part in parts]
        case ast.Tuple(elts=parts):
            return tuple(_value(part) for part in parts)
        case ast.Set(elts=parts):
            return {_value(part) for part in parts}
        case ast.Dict(keys=keys, values=values) if all(key is not None for key in keys):
            return {_value(k): _value(v) for k, v in zip(keys, values, strict=True) if k is not None}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return +_value(operand)
        case ast.BinOp(left=left, op=op, right=right):
            return _combined(op, _value(left), _value(right))
        case ast.Call(func=ast.Name(id="range"), args=args, keywords=[]):
            return _bounded(range(*(_value(arg) for arg in args)))
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="inf" | "-inf" | "nan")], keywords=[]):
            raise NotAValue("a float without a literal")
        case ast.Call(func=ast.Name(id="list" | "tuple" | "set" as kind), args=args, keywords=[]) if len(args) < 2:
            items = list(_bounded(_value(args[0]))) if args else []
            return {"list": list, "tuple": tuple, "set": set}[kind](items)
    raise NotAValue(f"{ast.unparse(node)[:60]} is no literal")


def _combined(op: ast.operator, left: Any, right: Any) -> Any:
    match op:
        case ast.Add():
            return _bounded(left + right)
        case ast.Sub():
            return left - right
        case ast.Mult():
            if isinstance(left, int) and isinstance(right, int):
                return _small(left * right) if left.bit_length() + right.bit_length() < MAX_BITS else _too_large()
            sequence, times = (right, left) if isinstance(left, int) else (left, right)
            return sequence * times if len(sequence) * times <= MAX_LENGTH else _too_large()
        case ast.Pow() if isinstance(left, int) and isinstance(right, int) and right >= 0:
            return left**right if left.bit_length() * right < MAX_BITS else _too_large()
        case ast.FloorDiv():
            return left // right
    raise NotAValue("an operation that is not built here")


def _bounded(value: Any) -> Any:
    if isinstance(value, int | float):
        return _small(value)
    return value if len(value) <= MAX_LENGTH else _too_large()


def _small(value: Any) -> Any:
    return value if not isinstance(value, int) or value.bit_length() < MAX_BITS else _too_large()


def _too_large() -> Any:
    raise NotAValue("larger than is built here")
