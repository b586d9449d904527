"""Whether a recursion keeps its results: a decorator, or a table that it asks before it works and fills afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from goedels_poetry.languages.python.fingerprint.flow import Source, opened, sources
from goedels_poetry.languages.python.fingerprint.syntax import FUNCTIONS, called, flat, pairs, root, targets, walk
from goedels_poetry.languages.python.fingerprint.units import File, Unit

_CACHES = (
    "cache",
    "lru_cache",
    "cached",
    "memoize",
    "memoise",
    "memoized",
    "memoised",
    "memo",
    "memory",
    "cachedmethod",
)


def is_memoised(file: File, unit: Unit, calls: list[ast.Call]) -> bool:
    """Whether results of the recursion are kept and found again."""
    if any(_caches(file, decorator, unit) for decorator in unit.decorators) or _is_rewrapped(file, unit):
        return True
    if unit.name == "__missing__":
        return any(_stores(node) for node in walk(unit.body))
    known = sources(unit.body)
    wanted = {id(call) for call in calls}
    fresh = _made_here(unit, known)
    for table, value in _writes(unit):
        if table in fresh or not table:
            continue
        comes = any(id(node) in wanted for part in opened(value, known) for node in walk(part))
        if comes and _reads(unit, table) and not _finds_roots(value, table, wanted):
            return True
    return False


def _caches(file: File, decorator: ast.expr, unit: Unit) -> bool:
    """``@lru_cache(None)``, ``@functools.cache``, or a decorator of this file whose wrapper keeps results."""
    function = decorator
    while isinstance(function, ast.Call):
        function = function.func
    name = (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )
    found = file.resolve(name, unit.parent or unit) if name else []
    if found and found[-1].is_function:
        inside = list(ast.walk(found[-1].node))
        return any(_stores(node) for node in inside) and any(_looks_up(node) for node in inside)
    if name in file.classes:
        inside = list(ast.walk(file.classes[name]))
        return any(_stores(node) for node in inside) and any(_looks_up(node) for node in inside)
    if found and not found[-1].is_function:  # memo = functools.lru_cache(maxsize=None)
        return any(isinstance(part, ast.expr) and _caches(file, part, found[-1]) for part in [found[-1].node])
    return name in _CACHES or name in file.cache_names


def _is_rewrapped(file: File, unit: Unit) -> bool:
    """``fib = lru_cache(None)(fib)`` somewhere after the definition."""
    for other in file.units:
        if other.name != unit.name or other is unit or not isinstance(other.node, ast.Call):
            continue
        if any(isinstance(part, ast.Name) and part.id == unit.name for part in other.node.args) and _caches(
            file, other.node.func, other
        ):
            return True
    if not isinstance(unit.node, (*FUNCTIONS, ast.Lambda)) and isinstance(unit.node, ast.Call):
        return _caches(file, unit.node.func, unit)
    return False


def _stores(node: ast.AST) -> bool:
    if called(node) == "setdefault":
        return True
    return any(isinstance(target, ast.Subscript) for top in targets(node) for target in flat(top))


def _looks_up(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return True
    if isinstance(node, ast.ExceptHandler):
        return True
    return called(node) in ("get", "setdefault")


def _writes(unit: Unit) -> Iterator[tuple[str, ast.expr]]:
    """Tables with what is put into them."""
    for node in walk(unit.body):
        for target, value in pairs(node):
            for part in flat(target):
                if isinstance(part, ast.Subscript) and not isinstance(node, ast.AugAssign):
                    yield root(part), value
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and len(node.args) == 2
            and node.func.attr in ("setdefault", "__setitem__", "put", "set")
        ):
            yield root(node.func.value), node.args[1]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
            for argument in node.args:
                if isinstance(argument, ast.Dict):
                    for value in argument.values:
                        yield root(node.func.value), value


def _reads(unit: Unit, table: str) -> bool:
    """Whether the table is asked: an entry, membership, ``get``."""
    for node in walk(unit.body):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and root(node) == table:
            return True
        if isinstance(node, ast.Compare) and any(root(side) == table for side in node.comparators):
            return True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and root(node.func.value) == table
            and node.func.attr in ("get", "setdefault", "__contains__")
        ):
            return True
    return False


def _made_here(unit: Unit, known: dict[str, list[Source]]) -> set[str]:
    """Names of tables that are new in every call: what is put there is a result, not a memory."""
    kinds = (ast.Dict, ast.List, ast.DictComp, ast.ListComp, ast.BinOp, ast.Call)
    made = {
        name
        for name, several in known.items()
        if name not in unit.parameters and several and all(isinstance(source.value, kinds) for source in several)
    }
    return {name for name in made if not any(_looks_like_attribute(source.value) for source in known[name])}


def _looks_like_attribute(value: ast.expr) -> bool:
    return called(value) in ("getattr", "setdefault")


def _finds_roots(value: ast.expr, table: str, wanted: set[int]) -> bool:
    """``parent[x] = find(parent[x])``: paths made shorter, no results kept."""
    return any(
        id(node) in wanted
        and any(
            root(inner) == table
            for argument in node.args
            for inner in walk(argument)
            if isinstance(inner, ast.Subscript)
        )
        for node in walk(value)
        if isinstance(node, ast.Call)
    )
