"""Whether a result is of the type that the signature declares, as far as its annotation says so plainly.

Types have the meaning that type checkers give them (PEP 484: an int will do for a float, a bool is an int). What cannot
be decided by looking at a value (a protocol, a type variable, an iterator's items) admits every value, and so does a
name that the module itself has bound.
"""

from __future__ import annotations

import ast

from .types_of import arguments_of, last_name, parsed
from .values import Opaque, Record

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

_ATOMS: dict[str, tuple[type, ...]] = {
    "int": (int,), "bool": (bool,), "str": (str,), "float": (float, int), "complex": (complex, float, int),
    "bytes": (bytes, bytearray), "None": (type(None),), "list": (list,), "List": (list,), "tuple": (tuple,),
    "Tuple": (tuple,), "set": (set,), "Set": (set,), "frozenset": (frozenset,), "FrozenSet": (frozenset,),
    "dict": (dict,), "Dict": (dict,),
}  # fmt: skip
_ITEMS = 1000  # of a container that are looked at
_DEEPEST = 12


class ResultType:
    """The declared type of a result. ``own``: names that the module binds."""

    def __init__(self, annotation: str, own: frozenset[str]) -> None:
        self.annotation, self.own = annotation, own
        self.node = parsed(annotation) if annotation else None

    def admits(self, value: Any) -> bool:
        """Whether the value may be of the declared type."""
        return self.node is None or self._fits(self.node, value, 0)

    def _fits(self, node: ast.expr, value: Any, depth: int) -> bool:
        if depth > _DEEPEST or isinstance(value, Opaque | Record):
            return True
        if isinstance(node, ast.Constant):
            return self._constant(node, value, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._fits(node.left, value, depth + 1) or self._fits(node.right, value, depth + 1)
        if isinstance(node, ast.Subscript):
            return self._generic(last_name(node.value), arguments_of(node), value, depth)
        return self._named(last_name(node), value)

    def _constant(self, node: ast.Constant, value: Any, depth: int) -> bool:
        if node.value is None:
            return value is None
        inside = parsed(node.value) if isinstance(node.value, str) else None  # a name in quotation marks
        return inside is None or self._fits(inside, value, depth + 1)

    def _named(self, name: str, value: Any) -> bool:
        return name in self.own or name not in _ATOMS or isinstance(value, _ATOMS[name])

    def _generic(self, name: str, inner: list[ast.expr], value: Any, depth: int) -> bool:
        if name in self.own:
            return True
        if name == "Optional":
            return value is None or self._fits(inner[0], value, depth + 1)
        if name == "Union":
            return any(self._fits(part, value, depth + 1) for part in inner)
        if name in ("Final", "Annotated"):
            return self._fits(inner[0], value, depth + 1)
        if name == "Literal":
            constants = [part.value for part in inner if isinstance(part, ast.Constant)]
            return len(constants) < len(inner) or any(type(c) is type(value) and c == value for c in constants)
        if not self._named(name, value):
            return False
        if isinstance(value, dict):
            pairs = list(value.items())[:_ITEMS]
            return len(inner) != 2 or all(
                self._fits(inner[0], k, depth + 1) and self._fits(inner[1], v, depth + 1) for k, v in pairs
            )
        if isinstance(value, tuple) and name in ("tuple", "Tuple"):
            return self._tuple(inner, value, depth)
        if isinstance(value, list | set | frozenset) and len(inner) == 1 and name in _ATOMS:
            return all(self._fits(inner[0], item, depth + 1) for item in list(value)[:_ITEMS])
        return True

    def _tuple(self, inner: list[ast.expr], value: tuple[Any, ...], depth: int) -> bool:
        if len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is ...:
            return all(self._fits(inner[0], item, depth + 1) for item in value[:_ITEMS])
        parts = [] if len(inner) == 1 and isinstance(inner[0], ast.Tuple) else inner  # tuple[()]
        return len(parts) == len(value) and all(map(self._fits, parts, value, [depth + 1] * len(parts)))
