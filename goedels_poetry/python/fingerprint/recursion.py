"""The functions of a file, which of them one reaches, and which kind of recursion it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from goedels_poetry.python.fingerprint.ban import DIVIDE_AND_CONQUER, MEMOISATION, RECURSION
from goedels_poetry.python.fingerprint.canonical import (
    COMPREHENSIONS,
    FUNCTIONS,
    LOOPS,
    called,
    loads,
    root,
    stores,
    text,
    walk,
    words,
)

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


_CACHES = words(
    """
    cache lru_cache cached memoize memoise memoized memoised memo memory cachedmethod
    """
)
_COPIES = words(
    """
    list tuple sorted int reversed iter set deque abs enumerate floor round
    """
)
_KINDS = ("", "less", "shrink", "part", "half")
"""What a recursive call is given: one less or a child; a quotient; one of several parts; a half."""
_DO = {"append": "pop", "add": "remove", "push": "pop", "insert": "pop"}


def of_recursion(file: File, function: Function) -> tuple[str, set[str]]:
    """Strategy and tags of a recursive function, from all functions on its circle."""
    circle = function.circle
    tags = {RECURSION}
    calls = {member: calls_back(file, member) for member in circle}
    if not any(member in member.calls for member in circle):
        tags.add("mutual")
    if all(_is_tail(member, calls[member]) for member in circle):
        tags.add("tail")
    if any(_undoes(member, calls[member]) for member in circle):
        tags.add("backtracking")
    if any(_is_memoised(file, member, calls[member]) for member in circle):
        return MEMOISATION, tags
    for member in circle:
        found = _Division(member, calls[member]).tags()
        if found is not None:
            return DIVIDE_AND_CONQUER, tags | found
    return RECURSION, tags


def _is_tail(function: Function, calls: list[ast.Call]) -> bool:
    """Whether every call back is exactly what is returned."""
    ends = [node.value for node in walk(function.body) if isinstance(node, ast.Return)]
    for value in ends:
        if isinstance(value, ast.IfExp):
            ends += [value.body, value.orelse]
        elif isinstance(value, ast.BoolOp):
            ends.append(value.values[-1])
    return bool(calls) and all(any(call is end for end in ends) for call in calls)


def _undoes(function: Function, calls: list[ast.Call]) -> bool:
    """A loop that makes a choice, calls back, and takes it back; or that passes choices on in a copy."""
    for loop in walk(function.body):
        if not isinstance(loop, LOOPS):
            continue
        inside = list(walk(loop.body))
        if not any(call is node for call in calls for node in inside):
            continue
        verbs = {(root(n.func.value), n.func.attr) for n in inside if called(n) and isinstance(n.func, ast.Attribute)}  # type: ignore[attr-defined]
        written = [text(node.targets[0]) for node in inside if isinstance(node, ast.Assign)]
        verbs |= {(target.removesuffix("[...]"), "append") for target in written if target.endswith("[...]")}
        if any(
            (name, _DO.get(verb, "")) in verbs or (verb == "add" and (name, "discard") in verbs) for name, verb in verbs
        ):
            return True
        if any("[" in target and "..." not in target and written.count(target) > 1 for target in written):
            return True
        if not isinstance(loop, ast.While) and any(
            _grows(call, stores(loop.target)) for call in calls if call in inside
        ):
            return True
    return False


def _grows(call: ast.Call, chosen: set[str]) -> bool:
    """``go(row + 1, placed + [column])``."""
    parts = [side for node in call.args if isinstance(node, ast.BinOp) for side in (node.left, node.right)]
    return any(isinstance(part, (ast.List, ast.Tuple, ast.Set)) and loads(part) & chosen for part in parts)


def _is_memoised(file: File, function: Function, calls: list[ast.Call]) -> bool:
    """A decorator that keeps results, or a table that is asked and filled with what calls back gave."""
    wrappers = list(function.decorators)
    if not function.is_definition:
        wrappers += [node.func for node in walk(function.body) if isinstance(node, ast.Call)]
    if any(_keeps(file, wrapper, function) for wrapper in wrappers):
        return True
    if function.name == "__missing__":
        return any(_stores(node) for node in walk(function.body))
    for node in walk(function.body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            table, value = root(node.targets[0]), node.value
        elif called(node) in ("setdefault", "__setitem__", "put", "set") and len(node.args) == 2:  # type: ignore[attr-defined]
            table, value = root(node.func.value), node.args[1]  # type: ignore[attr-defined]
        else:
            continue
        gives = [part for part in walk(value) if any(part is call for call in calls)]
        if gives and table in _asked(function):
            return True
    return False


def _keeps(file: File, wrapper: ast.expr, function: Function) -> bool:
    """``@lru_cache(None)``, or a function or class of this file that keeps results."""
    while isinstance(wrapper, ast.Call):
        wrapper = wrapper.func
    name = getattr(wrapper, "id", getattr(wrapper, "attr", ""))
    found = file.resolve(name, function.parent or function)
    if found is not None and found is not function:
        if not found.is_definition:
            return any(_keeps(file, part, found) for part in ast.walk(found.body[0]) if isinstance(part, ast.Call))
        inside = [node for part in found.body for node in ast.walk(part)]
    elif name in file.classes:
        inside = list(ast.walk(file.classes[name]))
    else:
        return name in _CACHES
    return any(map(_stores, inside)) and any(map(_looks_up, inside))


def _stores(node: ast.AST) -> bool:
    if called(node) == "setdefault":
        return True
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)


def _looks_up(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Is, ast.IsNot))
    return isinstance(node, ast.ExceptHandler) or called(node) == "setdefault"


def _asked(function: Function) -> set[str]:
    """Names of tables that outlive a call and of which entries are read, or membership is asked."""
    nodes = list(walk(function.body))
    sides = [side for node in nodes if isinstance(node, ast.Compare) for side in node.comparators]
    reads = [node for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)]
    filled = [node.func.value for node in nodes if called(node) == "setdefault"]  # type: ignore[attr-defined]
    made = (ast.Dict, ast.List, *COMPREHENSIONS, ast.BinOp, ast.Call)
    fresh = {text(n.targets[0]) for n in nodes if isinstance(n, ast.Assign) and isinstance(n.value, made)}
    return {root(node) for node in (*sides, *reads, *filled)} - (fresh - set(function.parameters))


class _Division:
    """What the recursive calls of a function are given: one less or a child, a quotient, a part, a half."""

    def __init__(self, function: Function, calls: list[ast.Call]) -> None:
        self._function, self._calls = function, calls
        self._through: set[str] = set()
        self._grown: set[str] = set()
        self._sources: dict[str, list[ast.expr]] = {}
        for node in walk(function.body):
            if isinstance(node, (ast.For, ast.comprehension)):
                self._through |= stores(node.target)
            elif isinstance(node, ast.Assign):
                for name in stores(node.targets[0]):
                    self._sources.setdefault(name, []).append(node.value)
            elif isinstance(node, (ast.If, ast.While)):
                self._grown |= self._changed_by(node) - set(function.parameters)
        self._kinds = [self._strongest([*call.args, *(word.value for word in call.keywords)]) for call in calls]
        for at, call in enumerate(calls):
            receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
            if receiver is not None and root(receiver) not in ("self", "cls"):
                self._kinds[at] = max(self._kinds[at], self._of(receiver), key=_KINDS.index)

    def _changed_by(self, node: ast.If | ast.While) -> set[str]:
        if isinstance(node, ast.While):
            return stores(node.body)
        targets = [part.targets[0] for part in walk([*node.body, *node.orelse]) if isinstance(part, ast.Assign)]
        return {root(target) for target in targets if text(target).endswith("[...]")}

    def tags(self) -> set[str] | None:
        """The tags of a recursion over parts; None if the parts are one less, children of a tree or remainders."""
        parts = {text(call) for call, kind in zip(self._calls, self._kinds, strict=True) if kind in ("part", "half")}
        if self._several() or len(parts) > 1:
            return {"bisection"} if "half" in self._kinds and not self._several() else set()
        smaller = [call for call, kind in zip(self._calls, self._kinds, strict=True) if kind in ("shrink", "half")]
        return {"squaring"} if any(map(self._squares, smaller)) else None

    def _several(self) -> bool:
        """Whether one way through the function calls back on two parts or more, and never on one less."""
        ids = {id(call): kind for call, kind in zip(self._calls, self._kinds, strict=True)}
        return self._most(self._function.body, ids)[0] > 1

    def _most(self, body: list[ast.stmt], kinds: dict[int, str]) -> tuple[int, bool]:
        """The most calls on parts along one way through statements; and whether the way ends there."""
        total = best = 0
        for statement in body:
            if isinstance(statement, ast.If):
                total += self._weight(statement.test, kinds)
                ways = [self._most(part, kinds) for part in (statement.body, statement.orelse)]
                best = max(best, *(total + count for count, ends in ways if ends), 0)
                if all(ends for _, ends in ways):
                    return best, True
                total += max((count for count, ends in ways if not ends), key=abs)
            else:
                total += self._weight(statement, kinds) * (2 if isinstance(statement, LOOPS) else 1)
            if isinstance(statement, ast.Return):
                return max(best, total), True
        return max(best, total), False

    def _weight(self, node: ast.AST, kinds: dict[int, str]) -> int:
        """Calls on parts in an expression, in one branch of a conditional; one that is given less spoils all."""
        if isinstance(node, ast.IfExp):
            return self._weight(node.test, kinds) + max(self._weight(part, kinds) for part in (node.body, node.orelse))
        kind = kinds.get(id(node))
        own = 0 if not kind else -99 if kind == "less" else 2 if called(node) in ("map", "starmap", "submit") else 1
        inner = sum(self._weight(child, kinds) for child in ast.iter_child_nodes(node))
        return own + inner * (2 if isinstance(node, COMPREHENSIONS) else 1)

    def _strongest(self, nodes: list[ast.expr], seen: frozenset[str] = frozenset()) -> str:
        return max((self._of(node, seen) for node in nodes), key=_KINDS.index, default="")

    def _of(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> str:
        """The kind of one argument."""
        match node:
            case ast.Name(id=name):
                return self._name(name, seen)
            case ast.BinOp(op=ast.FloorDiv()):
                return "half" if _is_middle(node.left) else "shrink"
            case ast.BinOp(op=ast.Mod()):
                return "shrink" if self._of(node.right, seen) in ("half", "shrink", "part") else ""
            case ast.BinOp():
                strongest = self._strongest([node.left, node.right], seen)
                less = isinstance(node.op, (ast.Sub, ast.Add)) and isinstance(node.right, ast.Constant)
                return strongest if strongest in ("half", "part", "shrink") else "less" if less else ""
            case ast.Subscript():
                return self._subscript(node, seen)
            case ast.Attribute():
                return "part" if root(node) in self._grown else "less"
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                tests = [part for each in node.generators for test in each.ifs for part in walk(test)]
                if any(isinstance(part, (ast.Compare, ast.Call)) for part in tests):
                    return "part"
                found = self._strongest([node.generators[0].iter, node.elt], seen)
                return found if found in ("part", "half") else ""
            case ast.Call():
                return self._call(node, seen)
            case ast.IfExp():
                return self._strongest([node.body, node.orelse], seen)
            case ast.Starred() | ast.NamedExpr():
                return self._of(node.value, seen)
            case ast.Tuple() | ast.List():
                return self._strongest(node.elts, seen)
        return ""

    def _name(self, name: str, seen: frozenset[str]) -> str:
        if name in seen or len(seen) > 4:
            return ""
        if name in self._grown:
            return "part"
        if name in self._through and name not in self._sources:
            return "less"
        calls = {id(call) for call in self._calls}
        values = [
            value
            for value in self._sources.get(name, ())
            if name not in loads(value) and not any(id(part) in calls for part in walk(value))
        ]
        return self._strongest(values, seen | {name})

    def _subscript(self, node: ast.Subscript, seen: frozenset[str]) -> str:
        place = node.slice
        if not isinstance(place, ast.Slice):
            return self._of(node.value, seen) if isinstance(node.value, ast.Call) else "less"
        if place.step is not None and text(place.step) not in ("-1", "1"):
            return "part"
        bounds = [bound for bound in (place.lower, place.upper) if bound is not None]
        names = loads(bounds)
        if not names:
            found = self._of(node.value, seen)
            return found if found in ("half", "part") else "less"
        if names & self._through:
            return ""
        if any(_is_middle(bound) or self._of(bound, seen) in ("half", "shrink") for bound in bounds):
            return "half"
        return "part" if names - set(self._function.parameters) - {"len"} else ""

    def _call(self, node: ast.Call, seen: frozenset[str]) -> str:
        name = called(node)
        if name in ("divmod", "filter"):
            return "shrink" if name == "divmod" else "part"
        if name in _COPIES and node.args:
            return self._strongest(node.args, seen)
        helper = name in {other.name for other in self._function.calls}
        return "part" if helper and loads(node.args) & {*self._function.parameters, *self._sources} else ""

    def _squares(self, call: ast.Call) -> bool:
        """``f(x * x, n // 2)``, ``f(x, n // 2) ** 2``, or parts of a result that are multiplied."""
        if any(re.fullmatch(r"(.+) \* \1|.+ \*\* 2|\w+\((.+), \2\)", text(argument)) for argument in call.args):
            return True
        names = {name for name, values in self._sources.items() if any(value is call for value in values)}
        products = [node for node in walk(self._function.body) if isinstance(node, ast.BinOp)]
        return any(
            (isinstance(node.op, ast.Pow) and any(part is call for part in walk(node.left)))
            or (isinstance(node.op, (ast.Mult, ast.MatMult)) and loads(node.left) & names and loads(node.right) & names)
            for node in products
        )


def _is_middle(node: ast.expr) -> bool:
    """A sum of two places, or a length: halved, it is a middle."""
    sums = [part for part in walk(node) if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Add, ast.Sub))]
    return any(called(part) == "len" for part in walk(node)) or any(loads(s.left) and loads(s.right) for s in sums)
