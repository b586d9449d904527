"""Classes of a module: dataclasses, enumerations and exceptions; and what runs when something is defined."""

from __future__ import annotations

import ast

from goedels_poetry.kernel.python.faults import OutsideFragment, outside
from goedels_poetry.kernel.python.module import FieldInfo, Module, imported, is_constant
from goedels_poetry.kernel.python.types import Type

_QUIET = frozenset(
    {"functools", "typing", "contextlib", "enum", "abc", "dataclasses", "goedels_poetry", "deal", "icontract"}
)
"""Decorators of these modules change nothing but what they decorate."""


_RUNS = (ast.Call, ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)
_CONTRACTS = frozenset({"goedels_poetry", "deal", "icontract", "abc"})
_KNOWN = frozenset(
    {f"functools.{n}" for n in ("cache", "lru_cache", "wraps", "total_ordering", "cached_property", "singledispatch")}
    | {f"{m}.{n}" for m in ("typing", "typing_extensions") for n in ("overload", "final", "override", "no_type_check")}
    | {"typing.runtime_checkable", "contextlib.contextmanager", "contextlib.asynccontextmanager"}
    | {"dataclasses.dataclass", "enum.unique", "enum.property", "enum.verify"}
)
"""Decorators that call nothing of the module when they are applied, and bind nothing else in it."""
_ENUM_METHODS = frozenset({"__str__", "__repr__", "__format__", "__bool__", "__lt__", "__le__", "__gt__", "__ge__"})
"""Methods with underscores that no enumeration calls when it is made."""


def _runs(node: ast.AST) -> bool:
    """Whether evaluating an expression may run code; the body of a lambda is not evaluated with it."""
    if isinstance(node, ast.Lambda):
        return any(map(_runs, [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]))
    return isinstance(node, _RUNS) or any(map(_runs, ast.iter_child_nodes(node)))


def _check_decorator(decorator: ast.expr, module: Module) -> None:
    """A decorator runs code of nobody but its own module: what it is given is not called when it is applied."""
    arguments = [*decorator.args, *(k.value for k in decorator.keywords)] if isinstance(decorator, ast.Call) else []
    if imported(decorator, module) == "deal.chain":
        for part in arguments:
            _check_decorator(part, module)
    name = imported(decorator, module)
    if any(map(_runs, arguments)) and name != "deal.chain":
        outside("a decorator that runs code when the module is imported", decorator, "decorator")
    if name and name not in _KNOWN and name.partition(".")[0] not in _CONTRACTS:
        outside("a decorator that runs code when the module is imported", decorator, "decorator")


def check_annotations(tree: ast.Module) -> None:
    """Annotations are evaluated when the module is imported, unless it says otherwise."""
    late = any(
        isinstance(n, ast.ImportFrom) and n.module == "__future__" and any(a.name == "annotations" for a in n.names)
        for n in tree.body
    )
    for node in () if late else ast.walk(tree):
        for name in ("annotation", "returns"):
            annotation = getattr(node, name, None)
            if isinstance(annotation, ast.expr) and _runs(annotation):
                outside("an annotation that runs code when the module is imported", annotation, "annotation")


def check_class_head(node: ast.ClassDef, module: Module) -> None:
    """What runs when a class is defined, besides its body."""
    for decorator in node.decorator_list:
        if not _from_quiet(imported(decorator, module)):
            outside("this decorator of a class may do anything", decorator, "decorator")
        _check_decorator(decorator, module)
    if any(map(_runs, node.bases)) or any(isinstance(b, ast.Starred) for b in node.bases):
        outside("the bases of this class are computed when the module is imported", node, "class")
    for keyword in node.keywords:
        if not (is_constant(keyword.value) or imported(keyword.value, module) == "abc.ABCMeta"):
            outside("a class with a metaclass, or other keywords", node, "class")
    origins = _origins(node, module, frozenset())
    if origins & {"type", "enum.EnumMeta", "enum.EnumType", "abc.ABCMeta", "?"}:
        outside("a class of classes", node, "class")
    if any(o.startswith("enum.") for o in origins):
        for part in node.body:
            if isinstance(part, ast.FunctionDef) and part.name.startswith("_") and part.name not in _ENUM_METHODS:
                outside(f"an enumeration with `{part.name}`, which runs when it is defined", part, "Enum")


def _origins(node: ast.ClassDef, module: Module, seen: frozenset[str]) -> frozenset[str]:
    """What a class descends from: builtins, and classes of other modules by their dotted names."""
    found: set[str] = set()
    for base in node.bases:
        base = base.value if isinstance(base, ast.Subscript) else base
        name = ast.unparse(base)
        above = [c for c in module.program.tree.body if isinstance(c, ast.ClassDef) and c.name == name]
        if above and name not in seen:
            found |= frozenset().union(*(_origins(c, module, seen | {name}) for c in above))
            found |= set() if module.counts.get(name) == 1 else {"?"}
        elif not above:
            found.add(imported(base, module) or (name if module.is_builtin(name) else "?"))
    return frozenset(found)


def _from_quiet(name: str) -> bool:
    module, dot, _ = name.partition(".")
    return bool(dot) and module in _QUIET


def check_head(node: ast.FunctionDef | ast.AsyncFunctionDef, module: Module, method: bool = False) -> None:
    """What runs when a function is defined: its decorators and its defaults."""
    known = module.program.functions.get(node.name)
    contracts = known is not None and known.node is node
    others = known.decorators if known is not None and contracts else node.decorator_list
    for decorator in node.decorator_list:
        _check_decorator(decorator, module)
    for decorator in others:
        plain = isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod", "property")
        if not (_from_quiet(imported(decorator, module)) or (method and plain)):
            outside("a decorator that is no contract", decorator, "decorator")
    for default in (*node.args.defaults, *node.args.kw_defaults):
        if default is not None and any(isinstance(n, ast.Call | ast.Await | ast.NamedExpr) for n in ast.walk(default)):
            outside("a default that is computed when the module is imported", default, "default argument")


def check_class_body(node: ast.ClassDef, module: Module) -> None:
    """Refuse a class that does more than define itself."""
    for part in node.body:
        assigned = isinstance(part, ast.Assign | ast.AnnAssign) and (
            part.value is None
            or is_constant(part.value)
            or (
                isinstance(part.value, ast.Call)
                and not part.value.args
                and not part.value.keywords
                and imported(part.value, module) == "enum.auto"
            )
        )
        plain = isinstance(part, ast.Pass | ast.FunctionDef) or (
            isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
        )
        if not (assigned or plain):
            outside("this class runs code when it is defined", part, "class body")
        if isinstance(part, ast.FunctionDef):
            check_head(part, module, method=True)
        if isinstance(part, ast.FunctionDef) and (
            part.name.startswith("__init_sub") or part.name == "__class_getitem__"
        ):
            outside("a class that changes its subclasses", part, "class body")


def class_kind(node: ast.ClassDef, module: Module) -> str | None:
    """class, enum, or None for one that is not covered; exceptions are entered in ``bases``."""
    if node.keywords:
        return None
    if len(node.bases) == 1 and not node.decorator_list:
        if imported(node.bases[0], module) == "enum.Enum":
            return "enum"
        base = module.exception(ast.unparse(node.bases[0]))
        simple = all(isinstance(p, ast.Pass | ast.Expr) for p in node.body)
        if base is not None and simple:
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
            module.members[node.name] = _members(node)
        else:
            module.fields[node.name] = _fields(node, module)
    except OutsideFragment:
        named = module.annotations.named
        assert isinstance(named, dict)
        named.pop(node.name)  # a class that is not covered: only who uses it is outside


def _members(node: ast.ClassDef) -> tuple[tuple[str, object], ...]:
    found: list[tuple[str, object]] = []
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            outside("an enumeration with methods", part, "Enum")
        if isinstance(part, ast.AnnAssign):
            outside("an enumeration with annotations", part, "Enum")
        if isinstance(part, ast.Assign):
            target = part.targets[0]
            if len(part.targets) != 1 or not isinstance(target, ast.Name) or target.id.startswith("_"):
                outside("this member of an enumeration is not covered", part, "Enum")
            value: object = len(found) + 1
            if not isinstance(part.value, ast.Call):
                value = ast.literal_eval(part.value)
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


__all__ = [
    "alias_members",
    "check_annotations",
    "check_class_body",
    "check_class_head",
    "check_head",
    "class_kind",
    "read_class",
]
