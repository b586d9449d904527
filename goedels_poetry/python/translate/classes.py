"""Classes of a module, and its literal lists, dicts and sets that are constants.

Such a literal is a constant when the whole file only reads it: the name is bound once, and wherever it is mentioned,
something is read from it that cannot be changed. It is never given away, so nothing else gets hold of it.
"""

from __future__ import annotations

import ast
import builtins

from goedels_poetry.python.translate.contracts import OutsideFragment, outside
from goedels_poetry.python.translate.frame import Frame
from goedels_poetry.python.translate.importing import may_be_imported
from goedels_poetry.python.translate.liveness import bound_names
from goedels_poetry.python.translate.module import FieldInfo, Module, Type, holds_list, imported, is_constant, words


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


def read_objects(module: Module, named: dict[str, Type | ast.expr]) -> None:
    """Enter the fields of classes with methods; one with a field that is not covered is forgotten."""
    annotations = module.annotations
    annotations.above = frozenset(above for c in module.objects.values() for above in c.above[1:])
    for name, one in list(module.objects.items()):
        try:
            fields = [FieldInfo(n, annotations.read(a, a), one.defaults.get(n)) for n, a in one.fields.items()]
            module.fields[name] = tuple(fields)
        except OutsideFragment as why:
            module.unread[name] = why
            del module.objects[name], named[name]
    types = module.field_types()
    for name, one in module.objects.items():
        for info in module.fields[name]:
            other = module.holds_changing(info.kind)
            text = f"`self.{info.name}` holds objects of `{other}`, which may be changed elsewhere" if other else ""
            if any(holds_list(a, types) for a in info.kind.args):
                text = f"`self.{info.name}` holds lists in something else"
            if text:
                module.unread[name] = OutsideFragment(text, one.fields[info.name].lineno, 1, "aliasing")


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


MAX_ENTRIES = 200
_READERS = words(
    """
    all any dict enumerate frozenset len list max min print repr reversed set sorted str sum tuple zip
    """
)
"""Builtins that give away nothing but elements."""
_METHODS = frozenset({"copy", "count", "get", "index", "items", "keys", "values"})
_REFLECTION = words(
    """
    modules __dict__ vars locals getattr getattr_static attrgetter methodcaller _getframe f_globals f_locals f_back
    tb_frame gi_frame cr_frame ag_frame gi_yieldfrom __reduce__ __reduce_ex__ __getattribute__ __spec__ __loader__
    __closure__ get_objects get_referrers currentframe settrace setprofile mapping
    """
)
"""Names by which a function gets hold of what others see; with one of these in the file no list is constant."""


def is_table(node: ast.expr) -> bool:
    """Whether this is a literal list, set or dict of things that cannot be changed."""
    if isinstance(node, ast.List | ast.Set):
        return 0 < len(node.elts) <= MAX_ENTRIES and all(map(is_constant, node.elts))
    return isinstance(node, ast.Dict) and _has_plain_keys(node) and all(map(is_constant, node.values))


def _has_plain_keys(node: ast.Dict) -> bool:
    kinds = {type(k.value) if isinstance(k, ast.Constant) else None for k in node.keys}
    return 0 < len(node.keys) <= MAX_ENTRIES and kinds in ({int}, {str})


def table(frame: Frame, node: ast.Name) -> ast.expr | None:
    """The literal that a name of the module stands for; None for anything else.

    Raises:
        OutsideFragment: the name stands for one that may be changed.
    """
    if node.id in frame.env or node.id in frame.local:
        return None
    module = frame.registry.module
    if node.id not in module.tables:
        return None
    if node.id not in module.changed:
        module.changed[node.id] = may_change(module, node.id)
    why = module.changed[node.id]
    if why is not None:
        outside(f"`{node.id}` is a list, set or dict of the module that may be changed or given away", why, "constant")
    return module.tables[node.id]


# ------------------------------------------------------------------------------------- who may change it


def may_change(module: Module, name: str) -> ast.AST | None:
    """The place where what a name of the module stands for may be changed or given away, or None."""
    tree = module.program.tree
    above = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    bound = frozenset(bound_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name and not _is_read(node, above, bound):
            return node
        word = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if word in _REFLECTION or (isinstance(node, ast.Attribute) and node.attr == name):
            return node
        if isinstance(node, ast.MatchClass) and not {name, *_REFLECTION}.isdisjoint(node.kwd_attrs):
            return node
        if isinstance(node, ast.alias) and (node.name.split(".")[-1] in _REFLECTION or node.name == name):
            return node
        if isinstance(node, ast.Import) and not all(may_be_imported(a.name) for a in node.names):
            return node
        if isinstance(node, ast.ImportFrom) and (node.level or not may_be_imported(node.module or "")):
            return node
    return None


def _is_read(node: ast.Name, above: dict[ast.AST, ast.AST], bound: frozenset[str]) -> bool:
    """Whether the expression around a name only reads what cannot be changed; or binds it, for the first time."""
    parent = above[node]
    if not isinstance(node.ctx, ast.Load):
        return isinstance(parent, ast.Assign | ast.AnnAssign) and isinstance(above[parent], ast.Module)
    match parent:
        case ast.Subscript():
            return parent.value is node and isinstance(parent.ctx, ast.Load)
        case ast.Compare():
            places = [i for i, c in enumerate(parent.comparators) if c is node]
            return bool(places) and all(isinstance(parent.ops[i], ast.In | ast.NotIn) for i in places)
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            return parent.iter is node
        case ast.Call():
            return node in parent.args and _reads(parent, node, above, bound)
        case ast.Attribute():
            call = above[parent]
            return parent.attr in _METHODS and isinstance(call, ast.Call) and call.func is parent
        case ast.Starred():
            return isinstance(above[parent], ast.List | ast.Tuple | ast.Set)
    return isinstance(parent, ast.FormattedValue)


def _reads(call: ast.Call, given: ast.AST, above: dict[ast.AST, ast.AST], bound: frozenset[str]) -> bool:
    """Whether a call of a builtin gives away nothing but elements of what it is given."""
    func = call.func
    if not isinstance(func, ast.Name) or func.id not in _READERS - bound:
        return False
    if func.id in ("max", "min"):  # of several, one of them
        return len(call.args) == 1
    if func.id == "sum":  # the other one is what the sum of nothing is
        return call.args[0] is given
    if func.id not in ("enumerate", "reversed", "zip"):
        return True
    user = above[call]  # a copy of such an object has what it goes over, so nobody may get hold of it
    if isinstance(user, ast.For | ast.AsyncFor | ast.comprehension):
        return True
    return isinstance(user, ast.Call) and call in user.args and _reads(user, call, above, bound)
