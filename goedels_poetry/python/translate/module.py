"""What names mean in a module: types, classes, enumerations, constants, exceptions, and builtins.

Trusted code: it decides that ``len`` is ``len``. A name counts as a builtin only when nothing in the module can bind it
or reach the namespaces; a name of the module only when exactly one statement binds it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from goedels_poetry.python.translate.contracts import ContractNames, OutsideFragment, outside
from goedels_poetry.python.translate.objects import Class, is_changed
from goedels_poetry.python.translate.program import Function, Program


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
        self.above: frozenset[str] = frozenset()  # classes that others of the file are made from

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
            if {found.name, *(m.name for m in found.args)} & self.above:
                outside(f"`{found}` has subclasses, and which one is meant is not known", at, "subclass")
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


_WITH_ARGUMENTS = frozenset(
    {"UnicodeDecodeError", "UnicodeEncodeError", "UnicodeTranslateError", "BaseExceptionGroup", "ExceptionGroup"}
    | {"SyntaxError", "IndentationError", "TabError", "StopIteration"}
)
"""Exceptions that raise another one when they are made without the right arguments, or inside of a generator."""
_STARRED = ("SWITCH", "ContractViolation", "decreases", "enabled", "ensures", "invariant", "old", "raises", "requires",
            "uses")  # fmt: skip
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
    contracts: ContractNames
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
    objects: dict[str, Class] = field(default_factory=dict)  # classes whose methods are followed
    unread: dict[str, OutsideFragment] = field(default_factory=dict)  # why others are not

    def is_builtin(self, name: str) -> bool:
        """Whether a name that no function binds means the builtin of that name."""
        return name not in self.counts and hasattr(builtins, name)

    def function(self, name: str) -> Function | None:
        """The module's function of that name, if the name means nothing else."""
        found = self.program.functions.get(name)
        return found if found is not None and (found.owner or self.counts.get(name) == 1) else None

    def inside(self, kind: Type) -> set[Type]:
        """The type and those that its values are made of."""
        found: set[Type] = set()
        parts = [kind]
        while parts:
            part = parts.pop()
            if part not in found:
                found.add(part)
                parts += [*part.args, *(f.kind for f in self.fields.get(part.name, ()) if part.kind == "class")]
        return found

    def is_incomparable(self, kind: Type) -> bool:
        """Whether ``==`` of such values is not that of what they are made of."""
        for part in self.inside(kind) if self.objects else ():
            own = self.objects.get(part.name) if part.kind == "class" else None
            mapped = own is not None and any(f.kind.kind in ("dict", "set") for f in self.fields[own.name])
            if own is not None and (mapped or not own.equal):
                return True
        return False

    def holds_changing(self, kind: Type) -> Type | None:
        """A class of the file whose objects change after they were made, and that a value of the type may hold."""
        known = self.program.classes
        classes = [t for t in self.inside(kind) if t.kind == "class" and t.name in known]
        return next((t for t in classes if is_changed(known[t.name])), None)

    def refuse_aliases(self, owner: str, parameters: Iterable[tuple[ast.arg, Type]]) -> None:
        """Refuse a parameter of a method that changes ``self`` which may be ``self``, or what it holds.

        Raises:
            OutsideFragment: there is one.
        """
        above, known = set(self.objects[owner].above), self.program.classes
        for argument, kind in parameters:
            inside = self.inside(kind)
            if any(t.kind == "class" and t.name in known and above & set(known[t.name].above) for t in inside):
                outside(f"`{argument.arg}` may be the object that is changed", argument, "aliasing")
            held = {t.kind for t in inside} & CHANGEABLE
            for f in self.fields[owner]:
                if held & {t.kind for t in self.inside(f.kind)} and not f.name.startswith("_"):
                    hint = f"call the field `_{f.name}`, which callers leave alone"
                    outside(f"`{argument.arg}` may be `self.{f.name}`: {hint}", argument, "aliasing")

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
