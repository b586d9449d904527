"""The types of the fragment: what annotations say, and what two types have in common."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from goedels_poetry.python.translate.faults import outside


@dataclass(frozen=True, slots=True)
class Type:
    """``kind``: int, bool, str, none, list, tuple, dict, set, optional, class, enum, union, or unknown (what an
    empty list, dict or set is made of).

    ``name`` is that of a class, an enumeration or a union; of an unknown type the place that it stands for.
    """

    kind: str
    args: tuple[Type, ...] = ()
    name: str = ""

    def __str__(self) -> str:
        """As Python writes it."""
        if self.kind == "none":
            return "None"
        if self.kind == "optional":
            return f"{self.args[0]} | None"
        if self.args:
            return f"{self.kind}[{', '.join(map(str, self.args))}]"
        return self.name or (f"{self.kind}[()]" if self.kind == "tuple" else self.kind)


INT, BOOL, STR, NONE = Type("int"), Type("bool"), Type("str"), Type("none")
CHANGEABLE = frozenset({"list", "dict", "set"})
NEVER = Type("never")
"""Of what is never evaluated: an exception comes before."""


def list_of(element: Type) -> Type:
    """``list[element]``."""
    return Type("list", (element,))


def optional(inner: Type) -> Type:
    """``inner | None``."""
    return inner if inner.kind in ("optional", "none") else Type("optional", (inner,))


def holds_list(kind: Type, classes: Mapping[str, tuple[Type, ...]], seen: frozenset[str] = frozenset()) -> bool:
    """Whether a value of this type is or holds a list, a dict or a set, which may be changed.

    ``classes``: types of fields by name of class or union.
    """
    if kind.kind in CHANGEABLE:
        return True
    if kind.name in classes and kind.name not in seen and kind.kind in ("class", "union"):
        return any(holds_list(t, classes, seen | {kind.name}) for t in classes[kind.name])
    return any(holds_list(t, classes, seen) for t in kind.args)


def is_unknown(kind: Type) -> bool:
    """Whether something about the type is still to be found out."""
    return kind.kind == "unknown" or any(is_unknown(a) for a in kind.args)


_LISTS = {"list", "List"}
_TUPLES = {"tuple", "Tuple"}
_DICTS = {"dict", "Dict"}
_SETS = {"set", "Set"}
_BUILTINS = frozenset({"int", "bool", "str", "list", "tuple", "dict", "set"})


class Annotations:
    """Annotations to types. ``named``: the classes, enumerations, unions and aliases of the module.

    ``typing``: what the module imports from ``typing``, local name to name there. A name of a builtin counts only when
    ``builtin`` says that the module leaves it alone.
    """

    def __init__(
        self, named: Mapping[str, Type | ast.expr], typing: Mapping[str, str], rebound: frozenset[str]
    ) -> None:
        self.named, self.typing, self.rebound = named, typing, rebound

    def read(self, node: ast.expr | None, at: ast.AST, depth: int = 0) -> Type:
        """The type that an annotation means.

        Raises:
            OutsideFragment: it is missing, or means something that is not covered.
        """
        if node is None:
            outside("this needs an annotation, such as int or list[int]", at, "annotation")
        if depth > 20:
            outside("this type is defined by itself", at, "annotation")
        if isinstance(node, ast.Constant) and node.value is None:
            return NONE
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return self.read(ast.parse(node.value.strip(), mode="eval").body, at, depth + 1)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                outside("this annotation cannot be read", at, "annotation")
        if isinstance(node, ast.Name | ast.Attribute):
            return self._name(node, at, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._union([self.read(node.left, at, depth + 1), self.read(node.right, at, depth + 1)], at)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, at, depth)
        return outside("this annotation is not covered", at, "annotation")

    def _known(self, node: ast.expr) -> str:
        """The name of a builtin or of ``typing`` that an expression means, or ""."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return node.attr if self.typing.get(node.value.id) == "" else ""
        if not isinstance(node, ast.Name):
            return ""
        if node.id in self.typing:
            return self.typing[node.id]
        return node.id if node.id in _BUILTINS and node.id not in self.rebound else ""

    def _name(self, node: ast.Name | ast.Attribute, at: ast.AST, depth: int) -> Type:
        found = self.named.get(node.id) if isinstance(node, ast.Name) else None
        if isinstance(found, Type):
            return found
        if found is not None:
            return self.read(found, at, depth + 1)
        known = self._known(node)
        if known in ("int", "bool", "str"):
            return Type(known)
        text = ast.unparse(node)
        made_of = known in _LISTS | _TUPLES | _DICTS | _SETS
        reason = "say of what, such as list[int]" if made_of else "the type is not covered"
        return outside(f"`{text}`: {reason}", at, f"type {text}")

    def _subscript(self, node: ast.Subscript, at: ast.AST, depth: int) -> Type:
        known = self._known(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if known in _TUPLES and len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis:
            outside("a tuple of any length is not covered", at, "tuple[T, ...]")
        if known in ("Final", "Annotated"):  # what else stands there is for others
            return self.read(parts[0], at, depth + 1)
        types = [self.read(p, at, depth + 1) for p in parts]
        if known in _LISTS and len(types) == 1:
            return list_of(types[0])
        if known in _TUPLES:
            return Type("tuple", tuple(types))
        if known in _DICTS and len(types) == 2:
            return Type("dict", tuple(types))
        if known in _SETS and len(types) == 1:
            return Type("set", tuple(types))
        if known == "Optional" and len(types) == 1:
            return self._union([types[0], NONE], at)
        if known == "Union":
            return self._union(types, at)
        return outside(f"the type `{ast.unparse(node)}` is not covered", at, "annotation")

    def _union(self, types: list[Type], at: ast.AST) -> Type:
        flat: dict[Type, None] = {}
        for t in types:
            flat.update(dict.fromkeys((*t.args, NONE) if t.kind == "optional" else (t,)))
        rest = [t for t in flat if t != NONE]
        if len(rest) == 1:
            return optional(rest[0]) if NONE in flat else rest[0]
        members = {m for t in rest for m in (t.args if t.kind == "union" else (t,))}
        for found in self.named.values():
            if isinstance(found, Type) and found.kind == "union" and set(found.args) == members:
                return optional(found) if NONE in flat else found
        return outside("a union of types other than one and None needs a name in the module", at, "union")
