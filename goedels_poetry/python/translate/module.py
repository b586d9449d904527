"""What names mean in a module: its classes, enumerations, constants, exceptions, and which builtins are still builtins.

Trusted code: it decides that ``len`` is ``len``. A name counts as a builtin only when nothing in the module can bind it
or reach the namespaces; a name of the module only when exactly one statement binds it.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field

from goedels_poetry.python.translate.program import Function, Program
from goedels_poetry.python.translate.types import Annotations, Type

_WITH_ARGUMENTS = frozenset(
    {"UnicodeDecodeError", "UnicodeEncodeError", "UnicodeTranslateError", "BaseExceptionGroup", "ExceptionGroup"}
    | {"SyntaxError", "IndentationError", "TabError", "StopIteration"}
)
"""Exceptions that raise another one when they are made without the right arguments, or inside of a generator."""
_STARRED = ("SWITCH", "ContractViolation", "enabled", "ensures", "raises", "requires")
"""What a star import of our contracts binds; no other star import is translated."""


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """A field of a dataclass; ``default``: a constant, or None."""

    name: str
    kind: Type
    default: ast.expr | None


@dataclass(slots=True)
class Module:
    """The meaning of module-level names. ``fields`` by dataclass, ``members`` by enumeration, ``unions`` by name."""

    program: Program
    counts: dict[str, int]
    annotations: Annotations
    imports: dict[str, str] = field(default_factory=dict)  # local name to module.name
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    fields: dict[str, tuple[FieldInfo, ...]] = field(default_factory=dict)
    members: dict[str, tuple[tuple[str, object], ...]] = field(default_factory=dict)
    unions: dict[str, Type] = field(default_factory=dict)
    constants: dict[str, tuple[ast.expr, ast.expr | None]] = field(default_factory=dict)
    tables: dict[str, ast.expr] = field(default_factory=dict)  # literal lists, sets and dicts
    changed: dict[str, ast.AST | None] = field(default_factory=dict)  # see `tables`, by name
    bases: dict[str, str] = field(default_factory=dict)  # exception classes of the module

    def is_builtin(self, name: str) -> bool:
        """Whether a name that no function binds means the builtin of that name."""
        return name not in self.counts and hasattr(builtins, name)

    def function(self, name: str) -> Function | None:
        """The module's function of that name, if the name means nothing else."""
        return self.program.functions.get(name) if self.counts.get(name) == 1 else None

    def exception(self, name: str) -> str | None:
        """The name of an exception class as it is kept; None when it is none."""
        if name in self.bases:
            return name
        found = getattr(builtins, name, None) if self.is_builtin(name) else None
        if not isinstance(found, type) or not issubclass(found, BaseException):
            return None
        return None if found.__name__ in _WITH_ARGUMENTS else found.__name__

    def is_subclass(self, name: str, other: str) -> bool:
        """Whether exceptions of class ``name`` are of class ``other``."""
        while name in self.bases:
            if name == other:
                return True
            name = self.bases[name]
        above = getattr(builtins, other, None)
        return other not in self.bases and isinstance(above, type) and issubclass(getattr(builtins, name), above)

    def field_types(self) -> dict[str, tuple[Type, ...]]:
        """Types inside of classes and unions, by name."""
        found = {name: tuple(f.kind for f in fields) for name, fields in self.fields.items()}
        return {**found, **{name: union.args for name, union in self.unions.items()}}

    def union_of(self, name: str) -> str | None:
        """The union that a class is a member of."""
        return next((u for u, kind in self.unions.items() if any(m.name == name for m in kind.args)), None)


def is_constant(node: ast.expr) -> bool:
    """Literals that cannot be changed by anybody: numbers, texts, truth values, None, and tuples of them."""
    if isinstance(node, ast.Tuple):
        return all(is_constant(e) for e in node.elts)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and is_constant(node.operand)
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, int | str))


def is_constant_expression(node: ast.expr, module: Module) -> bool:
    """Whether this computes something that cannot be changed, from literals and constants of the module above it."""
    if is_constant(node):
        return True
    match node:
        case ast.Tuple():
            return all(is_constant_expression(e, module) for e in node.elts)
        case ast.Name():
            return node.id in module.constants
        case ast.UnaryOp():
            return is_constant_expression(node.operand, module)
        case ast.BinOp():
            return is_constant_expression(node.left, module) and is_constant_expression(node.right, module)
    return False


def bindings(tree: ast.AST) -> dict[str, int]:
    """How often a name is bound at this level (a module, a function), by whatever form; with ``global`` anywhere."""
    counts: dict[str, int] = {}

    def add(name: str | None) -> None:
        if name:
            counts[name] = counts.get(name, 0) + 1

    def visit(node: ast.AST, comprehension: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                add(child.name)
                for part in (*child.decorator_list, *getattr(child, "bases", ())):
                    visit(part, comprehension)
                continue
            inner = comprehension or isinstance(
                child, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda
            )
            if isinstance(child, ast.NamedExpr) and isinstance(child.target, ast.Name):
                add(child.target.id)
            elif isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Load) and not comprehension:
                add(child.id)
            elif isinstance(child, ast.alias):
                for name in _STARRED if child.name == "*" else (child.asname or child.name.split(".")[0],):
                    add(name)
            elif isinstance(child, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
                add(child.name)
            elif isinstance(child, ast.MatchMapping):
                add(child.rest)
            visit(child, inner)

    visit(tree, False)
    if isinstance(tree, ast.Module):
        for node in ast.walk(tree):
            if isinstance(node, ast.Global):
                for name in node.names:
                    add(name)
                    add(name)  # another place binds it
    return counts


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def imported(node: ast.expr, module: Module) -> str:
    """The dotted name that an expression means by the imports, or ""."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Name):
        return module.imports.get(node.id, "") if module.counts.get(node.id) == 1 else ""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        root = module.imports.get(node.value.id, "") if module.counts.get(node.value.id) == 1 else ""
        return f"{root}.{node.attr}" if root else ""
    return ""
