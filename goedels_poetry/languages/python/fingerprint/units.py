"""The functions of a file and which of them the one in question reaches."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from goedels_poetry.languages.python.fingerprint.pruning import prune
from goedels_poetry.languages.python.fingerprint.syntax import COMPREHENSIONS, FUNCTIONS, bound, targets, walk

Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(slots=True, eq=False)
class Unit:
    """A function, a lambda that has a name, or a name of the module with its value.

    Attributes:
        inner: the function inside the calls around it: the lambda of ``lru_cache(None)(lambda n: ...)``.
        body: what is left of its statements when dead code and validation are gone; one `ast.Return` for an expression.
        calls: the units that it mentions.
        recursive: whether it reaches itself.
        circle: the units on a way back to it, itself included.
        locals: the names that it assigns itself, where they are no functions.
    """

    name: str
    node: ast.AST
    parent: Unit | None
    owner: str
    parameters: tuple[str, ...]
    inner: ast.AST
    body: list[ast.stmt]
    decorators: list[ast.expr] = field(default_factory=list)
    is_function: bool = True
    calls: list[Unit] = field(default_factory=list)
    recursive: bool = False
    circle: list[Unit] = field(default_factory=list)
    locals: frozenset[str] = frozenset()


MAX_UNITS = 600
"""A function that reaches more is not looked at."""
_OF_BUILTINS = frozenset(
    name for kind in (list, dict, str, set, tuple, int, float, bytes) for name in dir(kind) if not name.startswith("__")
) | {"popleft", "appendleft"}


class File:
    """The units of a file by scope; bodies and references of those that `find` reaches."""

    def __init__(self, tree: ast.Module) -> None:
        self.units: list[Unit] = []
        self._scopes: dict[tuple[int, str], list[Unit]] = {}
        self.methods: dict[tuple[str, str], Unit] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.imported = {
            name.asname or name.name: name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        }
        """What names of other modules are called there."""
        self.cache_names = {
            name.asname or name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for name in node.names
            if name.name in ("cache", "lru_cache", "cached")
        }
        """What ``functools.lru_cache`` and its like are called here."""
        self._collect(tree.body, None, "", 0)
        self._linked: set[int] = set()

    def find(self, name: str) -> Unit | None:
        """The unit of that name: ``f``, ``Class.f``; the outermost, and of several the last one, as Python has it.

        It and what it reaches are ready to be looked at then.
        """
        unit = self._named(name)
        if unit is not None:
            self._link(unit)
        return unit

    def _link(self, unit: Unit) -> None:
        """Prune and connect a unit and all that it reaches, and find the circles among them."""
        wave = [unit]
        while wave:
            one = wave.pop()
            if id(one) in self._linked:
                continue
            self._linked.add(id(one))
            above: Unit | None = one
            while above is not None:  # names are resolved through what surrounds it
                _prepare(above)
                above = above.parent
            one.calls = list(self._references(one))
            wave += one.calls
            if len(self._linked) > MAX_UNITS:
                raise RecursionError("too many functions call each other")
        units = [unit, *(other for other in reached(unit) if other is not unit)]
        reach = {id(one): reached(one) for one in units}
        ids = {key: frozenset(map(id, several)) for key, several in reach.items()}
        for one in units:
            one.circle = [other for other in reach[id(one)] if id(one) in ids[id(other)]]
            one.recursive = bool(one.circle)

    def _named(self, name: str) -> Unit | None:
        owner, _, last = name.rpartition(".")
        if owner:
            return self.methods.get((owner.rpartition(".")[2], last))
        found = self._scopes.get((0, name))
        if found:
            return found[-1]
        others = [unit for unit in self.units if unit.name == name]
        return others[-1] if others else None

    def resolve(self, name: str, at: Unit) -> list[Unit]:
        """What a name means inside a unit."""
        scope: Unit | None = at
        while scope is not None:
            found = self._scopes.get((id(scope), name))
            if found:
                return found
            if name in scope.parameters or name in scope.locals:
                return []
            scope = scope.parent
        found = self._scopes.get((0, name), [])
        return found[-1:]

    def _collect(self, body: list[ast.stmt], parent: Unit | None, owner: str, scope: int) -> None:
        for node in _statements(body):
            if isinstance(node, FUNCTIONS):
                unit = self._add(node.name, node, parent, owner, scope)
                self._collect(node.body, unit, "", id(unit))
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
                self._collect(node.body, parent, node.name, -id(node))
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
                for target in targets(node):
                    for name in bound(target):
                        if isinstance(target, ast.Name) and (parent is None or _named_lambda(node.value)):
                            self._add(name, node.value, parent, owner, scope)

    def _add(self, name: str, node: ast.AST, parent: Unit | None, owner: str, scope: int) -> Unit:
        unit = _unit(name, node, parent, owner)
        self.units.append(unit)
        if owner:
            self.methods[(owner, name)] = unit
        else:
            self._scopes.setdefault((scope, name), []).append(unit)
        return unit

    def _references(self, unit: Unit) -> Iterator[Unit]:
        seen: set[int] = set()
        for node in references(unit):
            for other in self.meant(node, unit):
                if id(other) not in seen:
                    seen.add(id(other))
                    yield other

    def meant(self, node: ast.AST, unit: Unit) -> list[Unit]:
        """The units that a name, an attribute or a subscript can mean inside a unit."""
        if isinstance(node, ast.Name):
            found = self.resolve(node.id, unit)
            if not found and node.id in self.classes:
                made = [
                    self.methods.get((node.id, name)) for name in ("__init__", "__call__", "__missing__", "__new__")
                ]
                return [other for other in made if other is not None]
            return found
        if isinstance(node, ast.Attribute):
            return self.method(node, unit)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            own = unit.parameters[:1] == (node.value.id,)  # self[n - 1] in a dict that fills itself
            missing = self.methods.get((unit.owner, "__missing__")) if own else None
            return [missing] if missing is not None else []
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):  # globals()["fact"]
            name = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(name, str) and isinstance(node.value.func, ast.Name) and node.value.func.id in _NAMESPACES:
                return self._scopes.get((0, name), [])[-1:]
        return []

    def method(self, node: ast.Attribute, unit: Unit) -> list[Unit]:
        """The methods of this file that an attribute can mean."""
        receiver = node.value
        while isinstance(receiver, ast.Call) and _is_type_of_self(receiver):
            receiver = receiver.args[0]
        if isinstance(receiver, ast.Name):
            inside: Unit | None = unit
            while inside is not None:
                if (
                    inside.owner
                    and inside.parameters[:1] == (receiver.id,)
                    and (inside.owner, node.attr) in self.methods
                ):
                    return [self.methods[(inside.owner, node.attr)]]
                inside = inside.parent
            if (receiver.id, node.attr) in self.methods:
                return [self.methods[(receiver.id, node.attr)]]
        if node.attr in _OF_BUILTINS or (isinstance(receiver, ast.Name) and receiver.id in ("math", "os", "re")):
            return []
        return [other for (_, name), other in self.methods.items() if name == node.attr and other.is_function]


_NAMESPACES = ("globals", "locals", "vars")


def reached(unit: Unit) -> list[Unit]:
    """The units that one mentions, and those that they mention, nearest first; itself only if something leads back."""
    found: dict[int, Unit] = {}
    wave = unit.calls
    while wave:
        fresh = {id(other): other for other in wave if id(other) not in found}
        found |= fresh
        wave = [after for other in fresh.values() for after in other.calls]
    return list(found.values())


def references(unit: Unit) -> Iterator[ast.AST]:
    """Names, attributes and subscripts in a unit that can mean a function: not ``fib`` of ``fib.cache``."""
    bases = {
        id(node.value)
        for node in walk(unit.body)
        if isinstance(node, ast.Attribute) and node.attr not in ("__call__", "__wrapped__")
    }
    hidden = _comprehension_names(unit.body)
    for node in walk(unit.body):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and id(node) not in bases and node.id not in hidden:
                yield node
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load):
            yield node


def _comprehension_names(body: list[ast.stmt]) -> set[str]:
    parts = [part for node in walk(body) if isinstance(node, COMPREHENSIONS) for part in node.generators]
    return {name for part in parts for name in bound(part.target)}


def _statements(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Definitions and assignments in a scope, inside compound statements too, not inside other functions."""
    for node in walk(body):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            yield node


def _named_lambda(value: ast.expr) -> bool:
    """``lambda ...``, or one inside calls: ``lru_cache(None)(lambda ...)``."""
    if isinstance(value, ast.Call):
        return any(_named_lambda(argument) for argument in value.args) and not isinstance(value.func, ast.Lambda)
    return isinstance(value, ast.Lambda)


def _is_type_of_self(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in ("type", "super") and len(call.args) == 1


def _unit(name: str, node: ast.AST, parent: Unit | None, owner: str) -> Unit:
    decorators: list[ast.expr] = []
    inner: ast.AST = node
    while isinstance(inner, ast.Call) and _named_lambda(inner):
        decorators.append(inner.func)
        inner = next(argument for argument in inner.args if _named_lambda(argument))
    if isinstance(inner, (*FUNCTIONS, ast.Lambda)):
        arguments = inner.args
        plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        stars = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
        parameters = tuple(argument.arg for argument in (*plain, *stars))
    else:
        parameters = ()
    if isinstance(inner, FUNCTIONS):
        decorators += inner.decorator_list
    is_function = isinstance(inner, (*FUNCTIONS, ast.Lambda))
    return Unit(name, node, parent, owner, parameters, inner, [], decorators, is_function)


def _prepare(unit: Unit) -> None:
    """Fill in what a unit's body is, without what does not take part in its result."""
    if unit.body:
        return
    inner = unit.inner
    if isinstance(inner, FUNCTIONS):
        unit.body = prune(inner.body, frozenset(unit.parameters))
    else:
        expression = inner.body if isinstance(inner, ast.Lambda) else inner
        unit.body = [ast.Return(value=expression)]  # type: ignore[arg-type]
    outside = {name for node in walk(unit.body) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    own = {name for node in walk(unit.body) for target in targets(node) for name in bound(target)}
    unit.locals = frozenset(own - outside)
