"""What a module may do when it is imported, besides defining things. Trusted code.

A name means what it seems to mean only as long as nothing that runs on import can change it. So an expression that runs
then must run nothing of the module's own, and of other modules only what is listed here:

- it is *closed* when its value is made of literals, of operators on them, and of what the functions below give for such
  values: no function, class or object of this module can be reached from it, so nothing of this module is called;
- it is *quiet* when nothing is called by evaluating it, whatever its value is: a lambda, a list of functions.

Assumed: modules that are imported are those that go by these names, and do not patch builtins or other modules.
"""

from __future__ import annotations

import ast
import sys

from goedels_poetry.kernel.python.module import Module, imported, words

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
_CALLS: dict[str, str] = {
    "collections": "ChainMap Counter OrderedDict defaultdict deque namedtuple",
    "contextvars": "ContextVar",
    "datetime": "date datetime time timedelta timezone",
    "decimal": "Decimal getcontext",
    "fractions": "Fraction",
    "itertools": "chain combinations count cycle permutations product repeat",
    "logging": "FileHandler Formatter NullHandler StreamHandler addLevelName basicConfig captureWarnings debug disable "
    "error getLevelName getLogger info warning",
    "math": "ceil comb cos exp factorial floor gcd isqrt lcm log log10 log2 perm pow prod radians sin sqrt tan",
    "operator": "attrgetter itemgetter",
    "os": "cpu_count getcwd getenv getpid",
    "os.environ": "get",
    "os.path": "abspath basename dirname exists expanduser isdir isfile join",
    "pathlib": "Path PurePath PurePosixPath",
    "random": "Random seed",
    "re": "compile escape",
    "string": "Template",
    "struct": "Struct",
    "sys": "getrecursionlimit set_int_max_str_digits setrecursionlimit",
    "threading": "Event Lock RLock Semaphore local",
    "time": "monotonic perf_counter time",
    "uuid": "UUID uuid4",
    "fastapi": "APIRouter FastAPI",
    "flask": "Blueprint Flask",
    "hypothesis.strategies": "booleans dictionaries floats integers just lists none one_of sampled_from sets "
    "text tuples",
    "numpy": "arange array linspace ones zeros",
    "numpy.random": "default_rng seed",
    "requests": "Session",
    "rich.console": "Console",
    "typer": "Typer",
}
"""Functions of other modules that call nothing but what they are made of, by module."""
_WRAPS: dict[str, str] = {
    "dataclasses": "field",
    "functools": "partial",
    "types": "MappingProxyType",
    "typing": "NewType ParamSpec TypeVar TypeVarTuple",
    "typing_extensions": "NewType ParamSpec TypeVar TypeVarTuple",
}
"""Functions that keep what they are given, and do not call it then."""
_BUILTINS = words(
    """
    abs bool chr dict divmod enumerate float frozenset int len list max min object ord print range reversed round set
    sorted str sum tuple zip
    """
)
_TYPES = frozenset(
    {"bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "object", "set", "str", "tuple"}
)
_CONSTANTS = words("argv byteorder e environ inf linesep maxsize name nan pi platform sep version_info")
_KEYWORDS = frozenset({"default", "end", "flush", "reverse", "sep", "start", "strict"})
"""Of builtins: none of these is a function."""
_METHODS = words(
    """
    absolute add addFilter addHandler append copy debug encode endswith error extend format from_iterable get info items
    join joinpath keys lower lstrip now removeHandler replace resolve rstrip setFormatter setLevel setdefault split
    splitlines startswith strip title today union update upper values warning with_suffix zfill
    """
)


def may_be_imported(name: str) -> bool:
    """Whether importing a module of that name leaves the names of others alone."""
    root = name.split(".")[0]
    return root not in DANGEROUS and (root in sys.stdlib_module_names or root in _PACKAGES or root in _OURS)


def is_foreign(name: str) -> bool:
    """Whether a dotted name is that of something in a package of others, which is neither standard nor a contract's."""
    return name.partition(".")[0] in _PACKAGES


class Importing:
    """What runs when a module is imported. ``closed``: names of the module whose values are closed."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.closed: set[str] = set()
        self.computed = _computed(module.program.tree)

    def is_closed(self, node: ast.expr, own: frozenset[str] = frozenset()) -> bool:
        """Whether nothing of the module can be reached from the value; ``own``: names of comprehensions around it."""

        def inside(part: ast.expr | None) -> bool:
            return part is None or self.is_closed(part, own)

        match node:
            case ast.Constant():
                return True
            case ast.Tuple() | ast.List() | ast.Set():
                return all(map(inside, node.elts))
            case ast.Dict():
                return all(map(inside, (*node.keys, *node.values)))
            case ast.Starred() | ast.FormattedValue():
                return inside(node.value) and inside(getattr(node, "format_spec", None))
            case ast.JoinedStr() | ast.BoolOp():
                return all(map(inside, node.values))
            case ast.UnaryOp():
                return inside(node.operand)
            case ast.BinOp():
                return inside(node.left) and inside(node.right)
            case ast.Compare():
                return inside(node.left) and all(map(inside, node.comparators))
            case ast.IfExp():
                return inside(node.test) and inside(node.body) and inside(node.orelse)
            case ast.Subscript():
                return inside(node.value) and inside(node.slice)
            case ast.Slice():
                return inside(node.lower) and inside(node.upper) and inside(node.step)
            case ast.Name():
                return node.id in own or self._name(node.id)
            case ast.Attribute():
                return not node.attr.startswith("_") and (bool(self._listed(node)) or inside(node.value))
            case ast.Call():
                return self._call(node, own)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, own)
        return False

    def is_quiet(self, node: ast.expr) -> bool:
        """Whether evaluating it calls nothing, or only what the value of a closed expression needs."""
        if self.is_closed(node):
            return True
        match node:
            case ast.Name() | ast.Constant():
                return True
            case ast.Lambda():
                given = (*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None))
                return all(map(self.is_quiet, given))
            case ast.Attribute():
                return node.attr not in self.computed and self.is_quiet(node.value)
            case ast.Tuple() | ast.List():
                return all(self.is_quiet(e) for e in node.elts if not isinstance(e, ast.Starred)) and not any(
                    isinstance(e, ast.Starred) for e in node.elts
                )
            case ast.Dict():
                return all(k is not None and self.is_quiet(k) for k in node.keys) and all(
                    map(self.is_quiet, node.values)
                )
            case ast.BinOp():
                return isinstance(node.op, ast.BitOr) and self.is_quiet(node.left) and self.is_quiet(node.right)
            case ast.Subscript():
                return self.is_quiet(node.value) and self.is_quiet(node.slice)
            case ast.Call():
                arguments = [*node.args, *(k.value for k in node.keywords)]
                return self._is_in(_WRAPS, node.func) and all(map(self.is_quiet, arguments))
        return False

    # ------------------------------------------------------------------------------------------- parts

    def _name(self, name: str) -> bool:
        if name in self.closed or (name in _TYPES and self.module.is_builtin(name)):
            return True
        if name in ("__name__", "__file__"):
            return name not in self.module.counts
        found = self.module.imports.get(name, "") if self.module.counts.get(name) == 1 else ""
        return "." in found and self._is_listed(*_split(found))

    def _listed(self, node: ast.Attribute) -> str:
        """The dotted name of what is listed here, or of a constant of a module of the standard library."""
        found = dotted(node, self.module)
        return found if found and self._is_listed(*_split(found)) else ""

    def _is_listed(self, module: str, name: str) -> bool:
        constant = name.isupper() or name in _CONSTANTS
        known = name in (*_CALLS.get(module, "").split(), *_WRAPS.get(module, "").split())
        printable = module == "string" and name.startswith(("ascii_", "digits", "hexdigits", "punctuation"))
        return known or printable or (constant and module in _CALLS) or (module == "sys" and name.startswith("std"))

    def _is_in(self, table: dict[str, str], func: ast.expr) -> bool:
        module, name = _split(dotted(func, self.module))
        return name in table.get(module, "").split()

    def _call(self, node: ast.Call, own: frozenset[str]) -> bool:
        arguments = [*node.args, *(k.value for k in node.keywords)]
        if not all(self.is_closed(a, own) for a in arguments):
            return False
        func = node.func
        if isinstance(func, ast.Name) and func.id in _BUILTINS and self.module.is_builtin(func.id):
            named = all(k.arg in _KEYWORDS or (func.id == "dict" and k.arg) for k in node.keywords)
            return func.id not in own and named
        if self._is_in(_CALLS, func) and not (isinstance(func, ast.Name) and func.id in own):
            return True
        if dotted(func, self.module) in ("warnings.filterwarnings", "warnings.simplefilter"):
            return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value == "ignore"
        if not isinstance(func, ast.Attribute):
            return False
        return func.attr in _METHODS and self.is_closed(func.value, own)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, own: frozenset[str]
    ) -> bool:
        for generator in node.generators:
            if not self.is_closed(generator.iter, own):
                return False
            names = [n for n in ast.walk(generator.target) if not isinstance(n, ast.expr_context)]
            if not all(isinstance(n, ast.Name | ast.Tuple) for n in names) or generator.is_async:
                return False
            own |= {n.id for n in names if isinstance(n, ast.Name)}
            if not all(self.is_closed(part, own) for part in generator.ifs):
                return False
        if isinstance(node, ast.DictComp):
            return self.is_closed(node.key, own) and self.is_closed(node.value, own)
        return self.is_closed(node.elt, own)


def _computed(tree: ast.Module) -> frozenset[str]:
    """Attributes that a class of the module computes when they are read: its properties, of whatever make."""
    found = [part for c in ast.walk(tree) if isinstance(c, ast.ClassDef) for part in ast.walk(c)]
    functions = [part for part in found if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    return frozenset(part.name for part in functions if any(map(_makes_computed, part.decorator_list)))


def _makes_computed(decorator: ast.expr) -> bool:
    return not (isinstance(decorator, ast.Name) and decorator.id == "staticmethod")


def _split(dotted: str) -> tuple[str, str]:
    module, _, name = dotted.rpartition(".")
    return module, name


def dotted(node: ast.expr, module: Module) -> str:
    """The dotted name of what a name or a chain of attributes means by the imports, or ""."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    found = imported(node, module) if isinstance(node, ast.Name) else ""
    return ".".join([found, *reversed(parts)]) if found else ""


__all__ = ["DANGEROUS", "Importing", "dotted", "is_foreign", "may_be_imported"]
