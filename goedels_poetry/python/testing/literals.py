"""Inputs as Python literals, for people and reports, and as the JSON that the harness reads; nothing is evaluated."""

from __future__ import annotations

import ast
import math
from typing import Any

from goedels_poetry.errors import InvalidInput

_EXACT = 1 << 53  # ints beyond are hexadecimal text in JSON


def to_literal(data: Any) -> str:
    """The Python text of a value as the harness writes it: literals, constructors, members of enums."""
    if data is None or isinstance(data, bool | int):
        return repr(data)
    if isinstance(data, str):
        return repr(data)
    kind, inner = next(iter(data.items()))
    match kind:
        case "i":
            return _decimal(int(inner, 16))
        case "f":
            number = float.fromhex(inner)
            return repr(number) if math.isfinite(number) else f"float({str(number)!r})"
        case "c":
            return repr(complex(*(float.fromhex(part) for part in inner)))
        case "b":
            return repr(bytes.fromhex(inner))
        case "ba":
            return f"bytearray({bytes.fromhex(inner)!r})"
        case "l":
            return f"[{_commas(inner)}]"
        case "t":
            return f"({_commas(inner)},)" if len(inner) == 1 else f"({_commas(inner)})"
        case "s":
            return f"{{{_commas(inner)}}}" if inner else "set()"
        case "fs":
            return f"frozenset({{{_commas(inner)}}})" if inner else "frozenset()"
        case "d":
            return "{" + ", ".join(f"{to_literal(key)}: {to_literal(value)}" for key, value in inner) + "}"
        case "r":
            return f"range({_commas(inner)})"
        case "e":
            return f"{inner[0]}.{inner[1]}"
        case "new" | "x":
            return f"{inner[0]}({', '.join(f'{name}={to_literal(value)}' for name, value in inner[1])})"
        case "dt":
            return f"{inner[0]}({_commas(inner[1])})"
        case "n":
            given = ", ".join(f"{name}={to_literal(value)}" for name, value in zip(inner[1], inner[2], strict=True))
            return f"{inner[0]}({given})"
        case _:
            return "..."


def _commas(items: list[Any]) -> str:
    return ", ".join(to_literal(item) for item in items)


def _decimal(number: int) -> str:
    """A number of any length: Python itself refuses to write those of more than some thousand digits."""
    return repr(number) if number.bit_length() < 10_000 else hex(number)


_TIMES = ("date", "datetime", "time", "timedelta")


class _Reader:
    def __init__(self) -> None:
        self.shared = 0

    def number(self) -> int:
        self.shared += 1
        return self.shared - 1

    def read(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return self.constant(value)
            case ast.UnaryOp(
                op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() | complex() as n)
            ):
                return self.constant(-n if isinstance(sign, ast.USub) else n)
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return self.constant(ast.literal_eval(node))
            case ast.List(elts=items):
                return {"l": self.all(items), "id": self.number()}
            case ast.Tuple(elts=items):
                return {"t": self.all(items)}
            case ast.Set(elts=items):
                return {"s": self.all(items), "id": self.number()}
            case ast.Dict(keys=keys, values=values):
                pairs = [[self.read(k), self.read(v)] for k, v in zip(keys, values, strict=True) if k is not None]
                return {"d": pairs, "id": self.number()}
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                return {"e": [name, member]}
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                return self.call(name, args, keywords)
        raise InvalidInput(f"{ast.unparse(node)} is no literal"[:200])

    def all(self, items: list[ast.expr]) -> list[Any]:
        return [self.read(item) for item in items]

    def constant(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int):
            return value if abs(value) < _EXACT else {"i": hex(value)}
        if isinstance(value, float):
            return {"f": value.hex()}
        if isinstance(value, complex):
            return {"c": [value.real.hex(), value.imag.hex()]}
        if isinstance(value, bytes):
            return {"b": value.hex()}
        raise InvalidInput(f"{value!r} is no literal")

    def call(self, name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        if name in ("set", "frozenset") and not keywords and len(args) <= 1:
            inner = self.items(args[0]) if args else []
            return {"fs": inner} if name == "frozenset" else {"s": inner, "id": self.number()}
        if name == "range" and not keywords:
            whole = range(*(ast.literal_eval(part) for part in args))
            return {"r": [whole.start, whole.stop, whole.step]}
        if name == "float" and len(args) == 1 and isinstance(args[0], ast.Constant):
            return {"f": float(args[0].value).hex()}  # type: ignore[arg-type]  # a ValueError is caught by the caller
        if name == "bytearray" and len(args) == 1 and isinstance(args[0], ast.Constant):
            return {"ba": bytes(args[0].value).hex(), "id": self.number()}  # type: ignore[arg-type]  # likewise
        if name in _TIMES and args and not keywords:
            return {"dt": [name, [ast.literal_eval(part) for part in args]], "id": self.number()}
        if args or any(k.arg is None for k in keywords):
            raise InvalidInput(f"write {name} with the names of its fields", hint=f"{name}(field=...)")
        return {"new": [name, [[k.arg, self.read(k.value)] for k in keywords]], "id": self.number()}

    def items(self, node: ast.expr) -> list[Any]:
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return self.all(node.elts)
        raise InvalidInput(f"{ast.unparse(node)} is no literal"[:200])


def from_literal(text: str) -> Any:
    """The harness's form of a Python literal, a constructor with named fields, a member of an enum.

    Raises:
        InvalidInput: it is none of those.
    """
    try:
        return _Reader().read(ast.parse(text.strip(), mode="eval").body)
    except InvalidInput:
        raise
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise InvalidInput(f"{text[:100]!r} is no literal: {error}") from error
