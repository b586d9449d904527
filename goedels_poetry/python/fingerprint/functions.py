"""The functions of a file and which of them the one in question reaches."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from goedels_poetry.python.fingerprint.canonical import FUNCTIONS, called, loads, root, stores, walk

MAX_REACHED = 600
"""A function that reaches more is not looked at."""
_OF_BUILTINS = frozenset(name for kind in (list, dict, str, set, int, bytes) for name in dir(kind) if name[0] != "_")
_MADE_BY = ("__init__", "__call__", "__missing__")


@dataclass(eq=False, slots=True)
class Function:
    """A function, a lambda that has a name, or a name of the module with its value.

    Attributes:
        owner: the class that it is a method of.
        body: its statements; one `ast.Return` for an expression.
        decorators: what it is wrapped in: ``lru_cache(None)`` of ``lru_cache(None)(lambda n: ...)`` too.
        calls: the functions that it mentions.
        locals: the names that it binds, its parameters included.
        circle: those of them that lead back to it, itself included; empty without recursion.
    """

    name: str
    owner: str
    parent: Function | None
    parameters: tuple[str, ...]
    body: list[ast.stmt]
    decorators: list[ast.expr]
    is_definition: bool
    locals: set[str]
    calls: list[Function] = field(default_factory=list)
    circle: list[Function] = field(default_factory=list)


class File:
    """The functions of a file by scope, and what names mean in them."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions: list[Function] = []
        self.classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        self._scopes: dict[tuple[int, str], Function] = {}
        self.methods: dict[tuple[str, str], Function] = {}
        self._collect(tree.body, None, "")

    def find(self, name: str) -> Function | None:
        """The function ``f`` or ``Class.f`` with its calls: of several the outermost, of these the last."""
        owner, _, last = name.rpartition(".")
        if owner:
            function = self.methods.get((owner.rpartition(".")[2], last))
        else:
            others = [other for other in self.functions if other.name == name]
            function = self._scopes.get((0, name), others[-1] if others else None)
        if function is not None:
            self._link(function)
        return function

    def resolve(self, name: str, at: Function) -> Function | None:
        """The function that a name means inside another."""
        scope: Function | None = at
        while scope is not None:
            found = self._scopes.get((id(scope), name))
            if found is not None:
                return found
            if name in scope.locals:
                return None
            scope = scope.parent
        return self._scopes.get((0, name))

    def meant(self, node: ast.AST, at: Function) -> list[Function]:
        """The functions that a name, an attribute or a subscript can mean."""
        if isinstance(node, ast.Name):
            found = self.resolve(node.id, at)
            if found is None and node.id in self.classes:
                return [self.methods[node.id, name] for name in _MADE_BY if (node.id, name) in self.methods]
            return [found] if found is not None else []
        if isinstance(node, ast.Attribute):
            return self._method(node, at)
        if isinstance(node, ast.Subscript):
            if called(node.value) in ("globals", "locals", "vars") and isinstance(node.slice, ast.Constant):
                found = self._scopes.get((0, str(node.slice.value)))
                return [found] if found is not None else []
            own = at.parameters[:1] == (root(node.value),)  # self[n - 1] in a dict that fills itself
            missing = self.methods.get((at.owner, "__missing__")) if own else None
            return [missing] if missing is not None else []
        return []

    def _method(self, node: ast.Attribute, at: Function) -> list[Function]:
        receiver = root(node.value)
        inside: Function | None = at
        while inside is not None:
            if inside.parameters[:1] == (receiver,) and (inside.owner, node.attr) in self.methods:
                return [self.methods[inside.owner, node.attr]]
            inside = inside.parent
        if (receiver, node.attr) in self.methods:
            return [self.methods[receiver, node.attr]]
        if node.attr in _OF_BUILTINS:
            return []
        return [other for (_, name), other in self.methods.items() if name == node.attr]

    def _collect(self, body: list[ast.stmt], parent: Function | None, owner: str) -> None:
        for node in walk(body):
            if isinstance(node, ast.ClassDef):
                self._collect(node.body, parent, node.name)
            elif isinstance(node, FUNCTIONS):
                function = self._add(node.name, node, node.decorator_list, parent, owner)
                self._collect(node.body, function, "")
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                value, wrappers = _unwrapped(node.value)
                if parent is None or isinstance(value, ast.Lambda):
                    self._add(node.targets[0].id, value, wrappers, parent, owner)

    def _add(
        self, name: str, node: ast.AST, decorators: list[ast.expr], parent: Function | None, owner: str
    ) -> Function:
        definition = isinstance(node, (*FUNCTIONS, ast.Lambda))
        parameters = tuple(part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)) if definition else ()  # type: ignore[attr-defined]
        body = node.body if definition else node  # type: ignore[attr-defined]
        statements = body if isinstance(body, list) else [ast.Return(body)]  # type: ignore[arg-type]
        own = stores(statements) | set(parameters) if definition else set()
        function = Function(name, owner, parent, parameters, statements, decorators, definition, own)
        self.functions.append(function)
        if owner:
            self.methods[owner, name] = function
        else:
            self._scopes[id(parent) if parent is not None else 0, name] = function
        return function

    def _link(self, function: Function) -> None:
        """Connect a function with all that it reaches, and find the circles among them."""
        wave, linked = [function], [function]
        while wave:
            one = wave.pop()
            for node in references(one):
                one.calls += [other for other in self.meant(node, one) if other not in one.calls]
            fresh = [other for other in one.calls if other not in linked]
            wave += fresh
            linked += fresh
            if len(linked) > MAX_REACHED:
                raise RecursionError("too many functions call each other")
        reach = {other: set(reached(other)) for other in linked}
        for one in linked:
            one.circle = [other for other in reached(one) if one in reach[other]]


def reached(function: Function) -> list[Function]:
    """The functions that one mentions and those that they mention; itself only if something leads back."""
    found: dict[Function, None] = {}
    wave = function.calls
    while wave:
        fresh = [other for other in wave if other not in found]
        found |= dict.fromkeys(fresh)
        wave = [after for other in fresh for after in other.calls]
    return list(found)


def references(function: Function) -> Iterator[ast.AST]:
    """Names, attributes and subscripts that can mean a function: not ``fib`` of ``fib.cache``."""
    nodes = [*walk(function.body), *(part for one in function.decorators for part in walk(one))]
    bases = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr != "__call__"}
    for node in nodes:
        reads = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load)
        if reads and id(node) not in bases:
            yield node


def calls_back(file: File, function: Function) -> list[ast.Call]:
    """The calls in a function that lead back to it; ``map(f, parts)`` is one."""
    found = []
    for node in walk(function.body):
        if isinstance(node, ast.Call) and any(
            other in function.circle for part in (node.func, *node.args) for other in file.meant(part, function)
        ):
            found.append(node)
    return found


def calls_itself_by_parameter(functions: list[Function]) -> bool:
    """``g(g)``: recursion without a name."""
    nodes = [node for one in functions for node in walk(one.body)]
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in loads([part for part in node.args if isinstance(part, ast.Name)])
        for node in nodes
    )


def _unwrapped(value: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """A lambda and what it is wrapped in."""
    wrappers: list[ast.expr] = []
    inner = value
    while isinstance(inner, ast.Call) and inner.args and not isinstance(inner.func, ast.Lambda):
        wrappers.append(inner.func)
        inner = inner.args[0]
    return (inner, wrappers) if isinstance(inner, ast.Lambda) else (value, [])
