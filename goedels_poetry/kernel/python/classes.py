"""Classes of a module: dataclasses, enumerations and exceptions; and what runs when something is defined."""

from __future__ import annotations

import ast
import builtins

from goedels_poetry.kernel.python.faults import OutsideFragment, outside
from goedels_poetry.kernel.python.importing import Importing, dotted, is_foreign
from goedels_poetry.kernel.python.module import FieldInfo, Module, imported, is_constant
from goedels_poetry.kernel.python.types import Type

_QUIET = frozenset(
    {"functools", "typing", "contextlib", "enum", "abc", "dataclasses", "goedels_poetry", "deal", "icontract"}
)
"""Decorators of these modules change nothing but what they decorate."""


_RUNS = (ast.Call, ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)
_CONTRACTS = frozenset({"goedels_poetry", "deal", "icontract", "abc"})
_FOREIGN = frozenset({"click", "hypothesis", "pytest"})
"""Packages of others whose decorators do not call what they are applied to."""
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


def _check_decorator(decorator: ast.expr, importing: Importing) -> None:
    """A decorator runs code of nobody but its own module: what it is given is not called when it is applied."""
    module = importing.module
    arguments = [*decorator.args, *(k.value for k in decorator.keywords)] if isinstance(decorator, ast.Call) else []
    name = imported(decorator, module)
    if name == "deal.chain":
        for part in arguments:
            _check_decorator(part, importing)
    elif not all(map(importing.is_quiet, arguments)):
        outside("a decorator that runs code when the module is imported", decorator, "decorator")
    if name and name not in _KNOWN and name.partition(".")[0] not in _CONTRACTS | _FOREIGN:
        outside("a decorator that runs code when the module is imported", decorator, "decorator")


def _is_harmless(decorator: ast.expr, importing: Importing) -> bool:
    """Whether a decorator of another package, or of this module, only wraps what it is given."""
    bare = decorator.func if isinstance(decorator, ast.Call) else decorator
    if dotted(bare, importing.module).partition(".")[0] in _FOREIGN:
        return True
    known = importing.module.function(bare.id) if isinstance(bare, ast.Name) else None
    return (
        known is not None
        and not known.node.decorator_list
        and _only_wraps(known.node, importing, bare is not decorator)
    )


def _only_wraps(node: ast.FunctionDef, importing: Importing, deep: bool, own: frozenset[str] = frozenset()) -> bool:
    """Whether a call of this function only defines functions and gives one; ``deep``: and that one does, too."""
    inside = [n for n in ast.walk(node) if isinstance(n, ast.arg | ast.FunctionDef)]
    own |= {n.arg if isinstance(n, ast.arg) else n.name for n in inside}
    made = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    for part in node.body:
        match part:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                continue
            case ast.Return(value=ast.Name() as given) if given.id in made or not deep:
                continue
            case ast.Assign(
                targets=[ast.Name() as name], value=ast.Constant() | ast.Dict(keys=[]) | ast.List(elts=[])
            ) if name.id not in made | {"functools", "wraps"}:
                continue
            case ast.FunctionDef() if _is_wrapper(part, importing, own) and (
                not deep or _only_wraps(part, importing, False, own)
            ):
                continue
        return False
    return True


def _is_wrapper(node: ast.FunctionDef, importing: Importing, own: frozenset[str]) -> bool:
    """Whether defining this function calls nothing but ``functools.wraps``, which is no name of ``own``."""
    given = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
    return not any(map(_runs, given)) and all(
        isinstance(d, ast.Call)
        and imported(d, importing.module) == "functools.wraps"
        and not any(n.id in own for n in ast.walk(d.func) if isinstance(n, ast.Name))
        and all(isinstance(a, ast.Name) for a in d.args)
        and not d.keywords
        for d in node.decorator_list
    )


def _evaluates_annotations(node: ast.AST) -> bool:
    """Whether an annotation would run something if its text were evaluated, as packages of others do."""
    for part in ast.walk(node):
        for annotation in (getattr(part, "annotation", None), getattr(part, "returns", None)):
            for inner in ast.walk(annotation) if isinstance(annotation, ast.expr) else ():
                text = inner.value if isinstance(inner, ast.Constant) else None
                if _runs(inner) or (isinstance(text, str) and "(" in text):
                    return True
                if isinstance(text, str) and (":=" in text or "\\" in text):
                    return True
    return False


def check_annotations(tree: ast.Module, importing: Importing) -> None:
    """Annotations are evaluated when the module is imported, unless it says otherwise."""
    late = any(
        isinstance(n, ast.ImportFrom) and n.module == "__future__" and any(a.name == "annotations" for a in n.names)
        for n in tree.body
    )
    for node in () if late else ast.walk(tree):
        for name in ("annotation", "returns"):
            annotation = getattr(node, name, None)
            if isinstance(annotation, ast.expr) and (_runs(annotation) or not importing.is_quiet(annotation)):
                outside("an annotation that runs code when the module is imported", annotation, "annotation")


def check_class_head(node: ast.ClassDef, importing: Importing) -> None:
    """What runs when a class is defined, besides its body."""
    module = importing.module
    for decorator in node.decorator_list:
        if not _from_quiet(imported(decorator, module)):
            outside("this decorator of a class may do anything", decorator, "decorator")
        _check_decorator(decorator, importing)
    if any(_runs(b) or not importing.is_quiet(b) for b in node.bases):
        outside("the bases of this class are computed when the module is imported", node, "class")
    for keyword in node.keywords:
        if not (is_constant(keyword.value) or imported(keyword.value, module) == "abc.ABCMeta"):
            outside("a class with a metaclass, or other keywords", node, "class")
    origins = _origins(node, module, frozenset())
    if origins & {"type", "enum.EnumMeta", "enum.EnumType", "abc.ABCMeta", "?"}:
        outside("a class of classes", node, "class")
    if any(o.startswith("enum.") for o in origins):
        for part in (p for c in _above(node, module) for p in c.body):
            if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if part.name.startswith("_") and part.name not in _ENUM_METHODS:
                outside(f"an enumeration with `{part.name}`, which runs when it is defined", part, "Enum")
    if any(map(is_foreign, origins)):
        plain = all(isinstance(p, ast.Pass | ast.AnnAssign | ast.Expr) for p in node.body)
        if not plain or node.decorator_list or _evaluates_annotations(node):
            outside("a class made of one of another package, which may call what stands in it", node, "class")


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


def _above(node: ast.ClassDef, module: Module) -> list[ast.ClassDef]:
    """The class and the classes of the module that it descends from."""
    found, names = [node], {node.name}
    for one in found:
        bases = {ast.unparse(b.value if isinstance(b, ast.Subscript) else b) for b in one.bases} - names
        found += [c for c in ast.walk(module.program.tree) if isinstance(c, ast.ClassDef) and c.name in bases]
        names |= bases
    return found


def _from_quiet(name: str) -> bool:
    module, dot, _ = name.partition(".")
    return bool(dot) and module in _QUIET


def check_head(
    node: ast.FunctionDef | ast.AsyncFunctionDef, importing: Importing, inside: ast.ClassDef | None = None
) -> None:
    """What runs when a function, or a method of a class, is defined: its decorators and its defaults."""
    module = importing.module
    known = module.program.functions.get(node.name)
    contracts = known is not None and known.node is node
    others = known.decorators if known is not None and contracts else node.decorator_list
    for decorator in node.decorator_list:
        _check_decorator(decorator, importing)
    hidden = _hidden(inside)
    for decorator in others:
        plain = isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod", "property")
        if plain and isinstance(decorator, ast.Name):
            plain = module.is_builtin(decorator.id) and decorator.id not in hidden
        if inside is not None and (plain or _is_of_property(decorator, inside)):
            continue
        if _names(decorator) & hidden:
            outside("a decorator that runs code when the module is imported", decorator, "decorator")
        if _is_harmless(decorator, importing) and not _evaluates_annotations(node):
            continue
        if not _from_quiet(imported(decorator, module)):
            outside("a decorator that is no contract", decorator, "decorator")
    for default in (*node.args.defaults, *node.args.kw_defaults):
        if default is None:
            continue
        if (_runs(default) and _names(default) & hidden) or not importing.is_quiet(default):
            outside("a default that is computed when the module is imported", default, "default argument")


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def _hidden(inside: ast.ClassDef | None) -> frozenset[str]:
    """Names that mean something else inside of a class."""
    return frozenset().union(*map(_bound_by, inside.body)) if inside is not None else frozenset()


def _is_of_property(decorator: ast.expr, inside: ast.ClassDef) -> bool:
    """``@size.setter``, behind a property ``size``."""
    return (
        isinstance(decorator, ast.Attribute)
        and decorator.attr in ("setter", "getter", "deleter")
        and isinstance(decorator.value, ast.Name)
        and all(
            isinstance(part, ast.FunctionDef) and bool(part.decorator_list)
            for part in inside.body
            if decorator.value.id in _bound_by(part)
        )
        and any(
            isinstance(part, ast.FunctionDef)
            and part.name == decorator.value.id
            and any(isinstance(d, ast.Name) and d.id == "property" for d in part.decorator_list)
            for part in inside.body
        )
    )


def _bound_by(node: ast.stmt) -> frozenset[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return frozenset({node.name})
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))


def check_class_body(node: ast.ClassDef, importing: Importing) -> None:
    """Refuse a class that does more than define itself."""
    for part in node.body:
        assigned = isinstance(part, ast.Assign | ast.AnnAssign) and (
            part.value is None
            or (
                _is_plain_value(part.value, importing)
                and not (_runs(part.value) and _names(part.value) & _hidden(node))
            )
        )
        plain = isinstance(part, ast.Pass | ast.FunctionDef | ast.AsyncFunctionDef) or (
            isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
        )
        if not (assigned or plain):
            outside("this class runs code when it is defined", part, "class body")
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            check_head(part, importing, node)
            if part.name.startswith("__init_sub") or part.name == "__class_getitem__":
                outside("a class that changes its subclasses", part, "class body")


def _is_plain_value(node: ast.expr, importing: Importing) -> bool:
    """Whether the value of an attribute of a class is made without running anything of the module's own."""
    made = imported(node, importing.module) if isinstance(node, ast.Call) else ""
    if made == "enum.auto":
        assert isinstance(node, ast.Call)
        return not node.args and not node.keywords
    return is_constant(node) or importing.is_closed(node) or (made == "dataclasses.field" and importing.is_quiet(node))


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


__all__ = [
    "alias_members",
    "check_annotations",
    "check_class_body",
    "check_class_head",
    "check_head",
    "class_kind",
    "read_class",
]
