"""Classes of a module: dataclasses, enumerations and exceptions."""

from __future__ import annotations

import ast
import builtins

from goedels_poetry.python.translate.faults import OutsideFragment, outside
from goedels_poetry.python.translate.module import FieldInfo, Module, imported, is_constant
from goedels_poetry.python.translate.types import Type


def class_kind(node: ast.ClassDef, module: Module) -> str | None:
    """class, enum, or None for one that is not covered; exceptions are entered in ``bases``."""
    if node.keywords:
        return None
    if len(node.bases) == 1 and not node.decorator_list:
        if imported(node.bases[0], module) == "enum.Enum":
            return "enum"
        base = module.exception(ast.unparse(node.bases[0]))
        simple = all(isinstance(p, ast.Pass | ast.Expr) for p in node.body)
        if base is not None and simple and not hasattr(builtins, node.name):  # they are told apart by their names
            module.bases[node.name] = base
        return None
    is_data = len(node.decorator_list) == 1 and imported(node.decorator_list[0], module) == "dataclasses.dataclass"
    return "class" if is_data and not node.bases else None


def alias_members(
    value: ast.expr, named: dict[str, Type | ast.expr], typing: dict[str, str]
) -> tuple[Type, ...] | None:
    """The dataclasses that ``A | B`` or ``Union[A, B]`` names, or None."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        try:
            value = ast.parse(value.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    parts: list[ast.expr] = []
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr):
            stack += [part.right, part.left]
        elif (
            isinstance(part, ast.Subscript)
            and isinstance(part.value, ast.Name)
            and typing.get(part.value.id) == "Union"
        ):
            stack += reversed(part.slice.elts) if isinstance(part.slice, ast.Tuple) else [part.slice]
        else:
            parts.append(part)
    names = [p.id if isinstance(p, ast.Name) else p.value if isinstance(p, ast.Constant) else "" for p in parts]
    kinds = [named.get(n) if isinstance(n, str) else None for n in names]
    if len(parts) < 2 or not all(isinstance(k, Type) and k.kind == "class" for k in kinds):
        return None
    return tuple(k for k in kinds if isinstance(k, Type))


def read_class(node: ast.ClassDef, module: Module) -> None:
    """Enter the fields or the members of a class; one that is not covered is forgotten."""
    try:
        if class_kind(node, module) == "enum":
            module.members[node.name] = _members(node, module)
        else:
            module.fields[node.name] = _fields(node, module)
    except OutsideFragment:
        named = module.annotations.named
        assert isinstance(named, dict)
        named.pop(node.name)  # a class that is not covered: only who uses it is outside


def _members(node: ast.ClassDef, module: Module) -> tuple[tuple[str, object], ...]:
    found: list[tuple[str, object]] = []
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            outside("an enumeration with methods", part, "Enum")
        if isinstance(part, ast.AnnAssign):
            outside("an enumeration with annotations", part, "Enum")
        if isinstance(part, ast.Assign):
            target = part.targets[0]
            if len(part.targets) != 1 or not isinstance(target, ast.Name) or target.id.startswith("_"):
                outside("this member of an enumeration is not covered", part, "Enum")
            value: object = len(found) + 1
            if is_constant(part.value):
                value = ast.literal_eval(part.value)
            elif not isinstance(part.value, ast.Call) or imported(part.value, module) != "enum.auto":
                outside("a member of an enumeration whose value is computed", part, "Enum")
            elif any(not isinstance(p.value, ast.Call) for p in node.body if isinstance(p, ast.Assign)):
                outside("auto() beside other values", part, "Enum")
            if any(v == value for _, v in found):
                outside("two members of an enumeration with the same value are one", part, "Enum")
            found.append((target.id, value))
    if not found:
        outside("an enumeration without members", node, "Enum")
    return tuple(found)


def _fields(node: ast.ClassDef, module: Module) -> tuple[FieldInfo, ...]:
    decorator = node.decorator_list[0]
    if isinstance(decorator, ast.Call) and decorator.args:
        outside("a dataclass that is made of another class", node, "dataclass")
    for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
        if keyword.arg not in ("frozen", "slots", "unsafe_hash", "order", "repr") or not isinstance(
            keyword.value, ast.Constant
        ):
            outside(f"a dataclass with `{keyword.arg}`", node, "dataclass")
    found: list[FieldInfo] = []
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            if part.value is not None and not is_constant(part.value):
                outside("a default that is no constant", part, "dataclass")
            if ast.unparse(part.annotation).endswith("]") and "ClassVar" in ast.unparse(part.annotation):
                outside("a class variable", part, "dataclass")
            found.append(FieldInfo(part.target.id, module.annotations.read(part.annotation, part), part.value))
        elif isinstance(part, ast.FunctionDef):
            if part.name.startswith("__"):
                outside(f"a dataclass with `{part.name}`", part, "dataclass")
        elif not isinstance(part, ast.Pass | ast.Expr):
            outside("a dataclass with attributes that are no fields", part, "dataclass")
    methods = {p.name for p in node.body if isinstance(p, ast.FunctionDef)}
    if (
        methods & {f.name for f in found}
        or len({f.name for f in found}) != len(found)
        or any(f.name.startswith("__") for f in found)
    ):
        outside("these fields are not covered", node, "dataclass")
    return tuple(found)
