"""What a module may do when it is imported: define, import and compute with literals. Trusted code.

A name means what it seems to mean only as long as nothing that runs on import can change it. So nothing of the file may
run then: each statement of the module and of its classes is of a form that is listed here, and each expression that is
evaluated with it is a `value`:

- *closed*: made of literals, of what other modules have, of operators on these, and of the calls in `_CONSTRUCTORS`. No
  function, class or object of the file can be reached from it, so no operator on it is one of the file's;
- a name, a lambda, a display of values, a type (``list[int]``, ``A | None``), a member of a plain enumeration. To read
  these calls nothing, since no class of the file may define the methods that would be called (`_INERT`).

A decorator is one of `_DECORATORS`, with arguments of the form that stands there, or of a contract.

Assumed: modules that are imported are those that go by these names, and do not patch builtins or other modules.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from goedels_poetry.python.translate.contracts import outside
from goedels_poetry.python.translate.module import Module, imported, words

_PACKAGES = words(
    """
    aiohttp annotated_types attr attrs bs4 cachetools click cv2 dateutil django dotenv fastapi flask httpx hypothesis
    jinja2 loguru lxml markdown matplotlib more_itertools msgpack mypy_extensions networkx numpy orjson packaging pandas
    PIL polars psutil psycopg psycopg2 pyarrow pydantic pydantic_settings pygments pytest pytz redis regex requests rich
    scipy seaborn simplejson sklearn sortedcontainers sqlalchemy starlette structlog sympy tabulate termcolor toml tomli
    toolz torch tqdm typer ujson uvicorn yaml
    """
)
"""Packages of others that leave names alone when they are imported. None of these patches builtins."""
_OURS = frozenset({"goedels_poetry", "deal", "icontract", "typing_extensions"})
DANGEROUS = frozenset({"builtins", "importlib", "ctypes", "gc", "inspect", "code", "codeop", "runpy"})
_INERT = words(
    """
    __abs__ __add__ __aenter__ __aexit__ __aiter__ __all__ __and__ __anext__ __author__ __await__ __bool__ __bytes__
    __call__ __complex__ __contains__ __copyright__ __date__ __deepcopy__ __delitem__ __divmod__ __doc__ __enter__
    __eq__ __exit__ __float__ __floordiv__ __format__ __ge__ __getitem__ __gt__ __hash__ __iadd__ __index__ __init__
    __int__ __invert__ __iter__ __le__ __len__ __license__ __lshift__ __lt__ __matmul__ __missing__ __mod__ __mul__
    __name__ __ne__ __neg__ __new__ __next__ __or__ __pos__ __post_init__ __pow__ __qualname__ __radd__ __repr__
    __reversed__ __rmul__ __round__ __rshift__ __rsub__ __setitem__ __slots__ __str__ __sub__ __truediv__ __version__
    __xor__ __class__ __main__ __file__ __debug__
    """
)
"""Names with two underscores on each side that a file may mention: what they define is called for instances alone, and
what they give reaches no other name's meaning."""
_REACHES = words("compile delattr eval exec globals setattr vars __builtins__ __import__")
"""Builtins by which a file can change what names mean."""
_ENUM_METHODS = frozenset({"__str__", "__repr__", "__format__", "__bool__", "__lt__", "__le__", "__gt__", "__ge__"})
"""Methods with underscores that no enumeration calls when it is made."""


def may_be_imported(name: str) -> bool:
    """Whether importing a module of that name leaves the names of others alone."""
    root = name.split(".")[0]
    return root not in DANGEROUS and (root in sys.stdlib_module_names or root in _PACKAGES or root in _OURS)


def refuse_reaching(tree: ast.Module) -> None:
    """Refuse a file that mentions what changes the meaning of names, wherever it stands.

    Raises:
        OutsideFragment: it does.
    """
    for node in ast.walk(tree):
        names = [getattr(node, "id", ""), getattr(node, "attr", ""), *getattr(node, "kwd_attrs", ())]
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value] if node.value.startswith("__") and node.value.isidentifier() else []
        for name in names:
            if _is_special(name) and name not in _INERT:
                outside(f"the file mentions `{name}`, by which names can get another meaning", node, name)
        if isinstance(node, ast.Name) and node.id in _REACHES:
            outside(f"the file mentions `{node.id}`, by which names can get another meaning", node, node.id)
        if _reaches_modules(node):
            outside("the file mentions `sys.modules`, by which names can get another meaning", node, "sys.modules")
        if isinstance(node, ast.Import | ast.ImportFrom):
            _refuse_dangerous(node)


def check_import(node: ast.Import | ast.ImportFrom) -> None:
    """Refuse an import that may change other modules, or bind names that are not known.

    Raises:
        OutsideFragment: it may.
    """
    modules = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    if isinstance(node, ast.ImportFrom) and node.level:
        outside("a relative import: what that module does is not known", node, "import")
    for name in modules:
        if not may_be_imported(name):
            outside(f"the module `{name}` is imported, and may change anything", node, "import")
    starred = isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names)
    if starred and modules[0] != "goedels_poetry.contracts":
        outside("a star import binds names that are not known", node, "import *")


def _refuse_dangerous(node: ast.Import | ast.ImportFrom) -> None:
    """A module by which names can get another meaning, wherever it is imported."""
    for name in [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]:
        if name.split(".")[0] in DANGEROUS and not getattr(node, "level", 0):
            outside(f"the module `{name}` is imported, and may change anything", node, "import")


def _reaches_modules(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "sys" and any(a.name == "modules" for a in node.names)
    return isinstance(node, ast.Attribute) and node.attr == "modules"


def _is_special(name: str) -> bool:
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


class Importing:
    """The forms of what runs when a module is imported. ``hidden``: names that a class binds around an expression."""

    def __init__(self, module: Module) -> None:
        tree = module.program.tree
        self.module, self.contracts = module, module.contracts
        self.closed: set[str] = set()
        self.foreign: set[str] = set()  # names of values that something of a package of others is in
        self.enums: set[str] = set()
        self.hidden: frozenset[str] = frozenset()
        self.late = any(
            isinstance(n, ast.ImportFrom) and n.module == "__future__" and any(a.name == "annotations" for a in n.names)
            for n in tree.body
        )

    # --------------------------------------------------------------------------------------- statements

    def block(self, body: Iterable[ast.stmt]) -> None:
        """Statements at the level of the module, or in a branch there.

        Raises:
            OutsideFragment: one runs code of the file.
        """
        for node in body:
            match node:
                case ast.Pass() | ast.Global() | ast.Expr(value=ast.Constant()):
                    continue
                case ast.Import() | ast.ImportFrom():
                    check_import(node)
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self.function(node)
                case ast.ClassDef():
                    self.class_(node)
                case ast.Assign() | ast.AnnAssign():
                    self._assignment(node)
                case ast.AugAssign(target=ast.Name(id="__all__")):
                    self._require(self.is_closed(node.value), node)
                case ast.Delete() if all(isinstance(t, ast.Name) for t in node.targets):
                    continue
                case ast.If() if ast.unparse(node.test) == "__name__ == '__main__'" and not node.orelse:
                    continue  # is not run on import, and its bindings have been counted
                case ast.If() if is_type_checking(node.test, self.module):
                    self.block(node.orelse)  # the rest is never run
                case ast.If():
                    self._require(self.is_closed(node.test), node)
                    self.block([*node.body, *node.orelse])
                case ast.Try():
                    handled = [part for h in node.handlers for part in h.body]
                    self._require(all(h.type is None or self.is_value(h.type) for h in node.handlers), node)
                    self.block([*node.body, *handled, *node.orelse, *node.finalbody])
                case _:
                    self._require(False, node)

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [t.id for t in targets if isinstance(t, ast.Name)]
        if len(names) < len(targets):
            outside("a module-level assignment to something else than a name", node, "module-level code")
        self._require(node.value is None or self.is_value(node.value), node)
        if isinstance(node, ast.AnnAssign):
            self._annotation(node.annotation)
        if node.value is not None and self._is_foreign(node.value):
            self.foreign.update(names)
        if node.value is not None and self.module.counts.get(names[0]) == 1 and self.is_closed(node.value):
            self.closed.add(names[0])

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, properties: frozenset[str] = frozenset()) -> None:
        """What is evaluated when a function is defined: decorators, defaults, annotations.

        ``properties``: names of its class that `property` alone has bound.
        """
        for decorator in node.decorator_list:
            own = decorator is node.decorator_list[0] and node.name in properties
            if own and ast.unparse(decorator) == f"{node.name}.setter":  # of the property that is there by now
                continue
            if not self._is_decorator(decorator):
                outside("a decorator that may run code when the module is imported", decorator, "decorator")
        bare = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
        others = [d for d in bare if self._meaning(d) not in _OF_FUNCTIONS and self.contracts.kind(d) is None]
        if any(self._meaning(d) == "classmethod" for d in bare) and others:
            outside("a class method of something that computes when it is read", node, "decorator")
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None and not self.is_value(default):
                outside("a default that is computed when the module is imported", default, "default argument")
        for annotation in [n.annotation for n in ast.walk(node.args) if isinstance(n, ast.arg)] + [node.returns]:
            self._annotation(annotation)

    def class_(self, node: ast.ClassDef) -> None:
        """What is evaluated when a class is defined, and what defining it calls."""
        for decorator in node.decorator_list:
            if not self._is_decorator(decorator):
                outside("this decorator of a class may do anything", decorator, "decorator")
        is_enum = len(node.bases) == 1 and dotted(node.bases[0], self.module).startswith("enum.")
        if is_enum:
            self.enums.add(node.name)
        for base in node.bases:
            if not (is_enum and base in node.bases and _is_plain_enum(base, self.module)) and not self._is_base(base):
                outside("what this class is made of may run code when it is defined", node, "class")
        for keyword in node.keywords:
            plain = isinstance(keyword.value, ast.Constant) or imported(keyword.value, self.module) == "abc.ABCMeta"
            if not plain or keyword.arg is None:
                outside("a class with a metaclass, or other keywords", node, "class")
        for part in (p for p in node.body if isinstance(p, ast.FunctionDef | ast.AsyncFunctionDef)):
            if is_enum and part.name.startswith("_") and part.name not in _ENUM_METHODS:
                outside(f"an enumeration with `{part.name}`, which runs when it is defined", part, "Enum")
        self.hidden = frozenset().union(*map(_bound_by, node.body))
        properties = frozenset(n for n in self.hidden if self._is_property(n, node))
        for name in sorted(self.hidden):
            if _is_special(name) and name not in _INERT:
                outside(f"a class with `{name}`, which may run when the module is imported", node, "class body")
        for statement in node.body:
            match statement:
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    continue
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self.function(statement, properties)
                case ast.Assign() | ast.AnnAssign() if statement.value is None or self.is_value(statement.value):
                    if isinstance(statement, ast.AnnAssign):
                        self._annotation(statement.annotation)
                case _:
                    outside("this class runs code when it is defined", statement, "class body")
        self.hidden = frozenset()

    def _is_property(self, name: str, node: ast.ClassDef) -> bool:
        """Whether a name of a class is bound by ``property`` and its setters alone."""
        bound = [p for p in node.body if name in _bound_by(p)]
        outer = [p.decorator_list[0] for p in bound if isinstance(p, ast.FunctionDef) and p.decorator_list]
        rest = [ast.unparse(d) == f"{name}.setter" for d in outer[1:]]
        return len(outer) == len(bound) and self._meaning(outer[0]) == "property" and all(rest)

    def _is_base(self, base: ast.expr) -> bool:
        """Whether being a base calls nothing of the file: classes of the standard library that are no metaclasses and
        no enumerations, and classes of the file, but for enumerations."""
        bare = base.value if isinstance(base, ast.Subscript) else base
        name = dotted(bare.func if isinstance(bare, ast.Call) else bare, self.module)
        if not self.is_value(base):
            return False
        if name:
            root = name.partition(".")[0]
            standard = root in sys.stdlib_module_names or root == "typing_extensions" or name == "icontract.DBC"
            return standard and root != "enum" and name != "abc.ABCMeta"
        if not isinstance(bare, ast.Name) or bare.id in self.enums:
            return False
        own = bare.id in self.module.classes and self.module.counts.get(bare.id) == 1
        return own or (self.module.is_builtin(bare.id) and bare.id != "type")

    def _annotation(self, node: ast.expr | None) -> None:
        """Annotations are evaluated when the module is imported, unless it says otherwise."""
        if node is not None and not self.late and not self.is_value(node):
            outside("an annotation that runs code when the module is imported", node, "annotation")

    def _require(self, holds: bool, node: ast.AST) -> None:
        if not holds:
            outside("the module runs code when it is imported", node, "module-level code")

    # -------------------------------------------------------------------------------------- expressions

    def is_value(self, node: ast.expr) -> bool:
        """Whether evaluating it calls nothing of the file."""
        if self.is_closed(node):
            return True
        match node:
            case ast.Name():
                return True
            case ast.Lambda():
                return all(map(self.is_value, [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]))
            case ast.Tuple() | ast.List():
                return all(map(self.is_value, node.elts))
            case ast.Dict():
                keys = all(k is not None and self._is_key(k) for k in node.keys)
                return keys and all(map(self.is_value, node.values))
            case ast.Set():
                return all(map(self._is_key, node.elts))
            case ast.Subscript():
                is_type = isinstance(node.value, ast.Name) or bool(dotted(node.value, self.module))
                return is_type and not self._is_foreign(node.value) and self.is_value(node.slice)
            case ast.BinOp(op=ast.BitOr()):
                return all(self.is_value(part) and not self._is_foreign(part) for part in (node.left, node.right))
            case ast.Attribute():
                return self._is_member(node)
            case ast.Call():
                return self._is_constructed(node)
        return False

    def is_closed(self, node: ast.expr) -> bool:
        """Whether nothing of the file can be reached from the value."""
        match node:
            case ast.Constant():
                return True
            case ast.Name():
                special = node.id in ("__name__", "__file__") and node.id not in self.module.counts
                return special or node.id in self.closed or bool(dotted(node, self.module))
            case ast.Attribute():
                return bool(dotted(node, self.module))
            case ast.Call():
                arguments = [*node.args, *(k.value for k in node.keywords)]
                return all(map(self.is_closed, arguments)) and self._is_constructed(node)
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
        return isinstance(node, _OPERATIONS) and all(map(self.is_closed, parts))

    def _is_foreign(self, node: ast.expr) -> bool:
        """Whether it mentions something of a package of others, whose operators may call what they are given."""
        names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
        return any(n.id in self.foreign or dotted(n, self.module).partition(".")[0] in _PACKAGES for n in names)

    def _is_key(self, node: ast.expr) -> bool:
        return self.is_closed(node) or (isinstance(node, ast.Attribute) and self._is_member(node))

    def _is_member(self, node: ast.Attribute) -> bool:
        """A member of an enumeration of the file that has no method with underscores."""
        found = self.module.classes.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if found is None or self.module.counts.get(found.name) != 1 or len(found.bases) != 1:
            return False
        special = any(isinstance(p, ast.FunctionDef) and p.name.startswith("_") for p in found.body)
        members = {n for p in found.body if isinstance(p, ast.Assign) for n in _bound_by(p)}
        return not special and node.attr in members and dotted(found.bases[0], self.module).startswith("enum.")

    # ------------------------------------------------------------------------------- calls and decorators

    def _is_constructed(self, node: ast.Call) -> bool:
        return all(k.arg for k in node.keywords) and self._fits(_CONSTRUCTORS.get(self._meaning(node.func), ""), node)

    def _fits(self, rule: str, node: ast.Call) -> bool:
        """Whether the arguments of a call are those that a rule of the tables allows."""
        given = [*node.args, *(k.value for k in node.keywords)]
        match rule:
            case "nothing":
                return not given
            case "constants":
                return all(isinstance(part, ast.Constant) for part in given)
            case "positional":
                return not node.keywords and all(map(self.is_closed, given))
            case "closed":
                return all(map(self.is_closed, given))
        return rule == "values" and all(map(self.is_value, given))

    def _meaning(self, node: ast.expr) -> str:
        """The dotted name of something of another module, or of a builtin; "" where it may be something else."""
        root = next((n for n in ast.walk(node) if isinstance(n, ast.Name)), None)
        if root is None or root.id in self.hidden or not _is_dotted(node):
            return ""
        return node.id if isinstance(node, ast.Name) and self.module.is_builtin(node.id) else dotted(node, self.module)

    def _is_decorator(self, node: ast.expr) -> bool:
        bare = node.func if isinstance(node, ast.Call) else node
        root = next((n.id for n in ast.walk(bare) if isinstance(n, ast.Name)), "")
        if _is_dotted(bare) and root not in self.hidden and self.contracts.kind(bare) is not None:
            return not isinstance(node, ast.Call) or self._is_contract(node)
        rule = _DECORATORS.get(self._meaning(bare))
        return rule is not None and (not isinstance(node, ast.Call) or self._fits(rule, node))

    def _is_contract(self, node: ast.Call) -> bool:
        """Conditions are lambdas; the rest are texts, constants and classes of exceptions."""
        for part in (*node.args, *(k.value for k in node.keywords)):
            inner = self.contracts.kind(part.func) if isinstance(part, ast.Call) else None
            plain = isinstance(part, ast.Lambda | ast.Name) and self.is_value(part)
            if not (plain or self.is_closed(part) or (inner is not None and self._is_decorator(part))):
                return False
        return True


# ------------------------------------------------------------------------------------------- the tables

_OPERATIONS = (ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.JoinedStr, ast.FormattedValue,
               ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.IfExp)  # fmt: skip


def _table(*rows: tuple[str, str]) -> dict[str, str]:
    return {name: rule for rule, names in rows for name in names.split()}


_OF_FUNCTIONS = ("classmethod", "abc.abstractmethod")
"""Decorators that give functions: nothing that runs when it is read from the class."""
_DECORATORS = _table(
    ("constants", "dataclasses.dataclass functools.lru_cache"),
    ("", "functools.cache functools.cached_property functools.total_ordering abc.abstractmethod enum.unique"),
    ("", "contextlib.contextmanager contextlib.asynccontextmanager staticmethod classmethod property"),
    ("", "typing.final typing.no_type_check typing.overload typing.override typing.runtime_checkable"),
    ("", "typing_extensions.final typing_extensions.overload typing_extensions.override"),
)
"""Decorators that call nothing of what they get, with the arguments that they may have when they are called first."""
_CONSTRUCTORS = _table(
    ("nothing", "enum.auto"),
    ("values", "dataclasses.field typing.NewType typing.ParamSpec typing.TypeVar typing.TypeVarTuple"),
    ("values", "typing_extensions.NewType typing_extensions.ParamSpec typing_extensions.TypeVar"),
    ("positional", "abs bool bytes chr float frozenset int len list max min ord range round set sorted str sum tuple"),
    ("closed", "dict collections.Counter collections.OrderedDict collections.deque collections.namedtuple re.compile"),
    ("closed", "datetime.date datetime.timedelta decimal.Decimal fractions.Fraction logging.getLogger pathlib.Path"),
    ("closed", "math.comb math.factorial math.gcd math.isqrt math.log math.sqrt"),
)
"""Calls that call nothing of what they get, with the arguments that they may have."""


def _is_plain_enum(base: ast.expr, module: Module) -> bool:
    return dotted(base, module) in ("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag")


def _bound_by(node: ast.stmt) -> frozenset[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return frozenset({node.name})
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def is_type_checking(test: ast.expr, module: Module) -> bool:
    """Whether a condition is that of type checkers alone, which is false when the program runs."""
    return dotted(test, module) in ("typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING")


def dotted(node: ast.expr, module: Module) -> str:
    """The dotted name of what a name or a chain of attributes means by the imports, or ""."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    found = imported(node, module) if isinstance(node, ast.Name) else ""
    return ".".join([found, *reversed(parts)]) if found else ""
