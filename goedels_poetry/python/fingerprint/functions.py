"""The functions of a file in a normal form, which of them one reaches, and which kind of recursion it is.

In the normal form one pattern holds for all the ways in which people write the same step.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from goedels_poetry.python.fingerprint.ban import DIVIDE_AND_CONQUER, MEMOISATION, RECURSION


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_MESSAGES = words("print debug info warning warn error exception log flush setrecursionlimit")
_MAX_INLINED = 60


def walk(nodes: ast.AST | Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes below and themselves, in the order of the text; not inside functions and classes defined there."""
    stack = [nodes] if isinstance(nodes, ast.AST) else list(nodes)[::-1]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            stack += list(ast.iter_child_nodes(node))[::-1]


def text(node: ast.AST) -> str:
    """An expression as text, whether it is read or assigned."""
    known = node.__dict__.get("_text")
    if known is None:
        known = node.__dict__["_text"] = ast.unparse(node)
    return str(known)


def loads(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """The names that are read below."""
    return {node.id for node in walk(nodes) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def stores(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """The names that are bound below."""
    return {node.id for node in walk(nodes) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def root(node: ast.AST) -> str:
    """``a`` of ``a[i].b``; ``self.a`` for attributes of self; "" where there is none."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            return text(node)
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def called(node: ast.AST) -> str:
    """The last name before a call's parentheses, "" for other nodes."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def canonical(tree: ast.Module) -> ast.Module:
    """The tree in normal form, changed in place.

    Updates are assignments, comparisons point one way, a guarded assignment is ``max`` or ``min``, ``a[i][j]`` is
    ``a[i, j]``; what has no effect on the result and what never runs is gone.
    """
    tree = _Normal().visit(tree)
    for function in [*ast.walk(tree)]:
        if isinstance(function, FUNCTIONS):
            _inline(function)
    return ast.fix_missing_locations(tree)


class _Normal(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, list(_reachable(block)))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        match node:
            case (
                ast.BinOp(op=ast.RShift(), right=ast.Constant(value=1))
                | ast.BinOp(op=ast.Mult(), right=ast.Constant(value=0.5))
            ):
                return ast.BinOp(node.left, ast.FloorDiv(), ast.Constant(2))
            case ast.BinOp(op=ast.Div()):
                return ast.BinOp(node.left, ast.FloorDiv(), node.right)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.Gt | ast.GtE):
            turned = ast.Lt() if isinstance(node.ops[0], ast.Gt) else ast.LtE()
            return ast.Compare(node.comparators[0], [turned], [node.left])
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        inner = node.value
        if not isinstance(inner, ast.Subscript) or isinstance(node.slice, ast.Slice):
            return node
        if isinstance(inner.slice, ast.Slice | ast.Constant):
            return node
        return ast.Subscript(inner.value, ast.Tuple([inner.slice, node.slice], ast.Load()), node.ctx)

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.AST]:
        return self.visit_Assign(ast.Assign([node.target], ast.BinOp(_read(node.target), node.op, node.value)))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.AST] | None:
        return self.visit_Assign(ast.Assign([node.target], node.value)) if node.value is not None else None

    def visit_Assign(self, node: ast.Assign) -> list[ast.AST]:
        self.generic_visit(node)
        return [ast.Assign([target], value) for top in node.targets for target, value in _pairs(top, node.value)]

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        self.generic_visit(node)
        match node.value:
            case ast.Constant():
                return None
            case ast.Call(func=ast.Attribute(value=owner, attr="append" | "appendleft"), args=[added]):
                return ast.Assign([ast.Subscript(owner, ast.Constant(...), ast.Store())], added)
        return None if called(node.value) in _MESSAGES else node

    def visit_Assert(self, node: ast.stmt) -> None:
        return None

    visit_Pass = visit_Assert

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt] | None:
        self.generic_visit(node)
        guarded = [_guarded(node.test, part) for part in node.body]
        if isinstance(node.test, ast.Compare) and len(guarded) == 1 and not node.orelse and guarded != node.body:
            return guarded
        node.body = guarded
        return node if node.body or node.orelse or stores(node.test) else None


def _read(target: ast.expr) -> ast.expr:
    read = copy.deepcopy(target)
    read.ctx = ast.Load()  # type: ignore[attr-defined]
    return read


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Target and value of each single assignment; tuples are taken apart where both sides are."""
    if isinstance(target, ast.Tuple | ast.List) and len(getattr(value, "elts", ())) == len(target.elts):
        for one, part in zip(target.elts, value.elts, strict=True):  # type: ignore[attr-defined]
            yield from _pairs(one, part)
    else:
        yield target, value


def _guarded(test: ast.expr, statement: ast.stmt) -> ast.stmt:
    """``if best < x: best = x`` says ``best = max(best, x)``; so does a test of what is measured of both."""
    if not isinstance(statement, ast.Assign):
        return statement
    target, value = statement.targets[0], statement.value
    meant = _Replaced({text(value): _read(target)}) if isinstance(value, ast.Name) else _Replaced({})
    for part in walk(test):
        if isinstance(part, ast.Compare) and len(part.ops) == 1 and isinstance(part.ops[0], ast.Lt | ast.LtE):
            less, more = text(part.left), text(part.comparators[0])
            names = {less: "max", more: "min"} if {less, more} == {text(target), text(value)} else {}
            name = names.get(text(target), "")
            if not name and less != more and isinstance(target, ast.Name):
                name = (
                    "min" if meant.text(part.left) == more else "max" if meant.text(part.comparators[0]) == less else ""
                )
            if name and called(value) != name:
                best = ast.Call(ast.Name(name, ast.Load()), [_read(target), value], [])
                best.__dict__["made"] = True  # no call of the author's
                return ast.Assign(statement.targets, best)
    return statement


def _reachable(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that control can reach; what is raised is no result."""
    for statement in block:
        if not isinstance(statement, ast.Raise) and not (isinstance(statement, LOOPS) and not statement.body):
            yield statement
        if _leaves(statement):
            return


def _leaves(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        return all(block and _leaves(block[-1]) for block in (statement.body, statement.orelse))
    return isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue)


class _Replaced(ast.NodeTransformer):
    """Names give way to expressions."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def text(self, node: ast.expr) -> str:
        """What a copy of an expression comes to."""
        return text(self.visit(copy.deepcopy(node)))

    def visit(self, node: ast.AST) -> ast.AST:
        node.__dict__.pop("_text", None)
        return super().visit(node)  # type: ignore[no-any-return]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._values.get(node.id)
        return copy.deepcopy(value) if value is not None and isinstance(node.ctx, ast.Load) else node


def _inline(function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Put what a name stands for in its place, where the name has one meaning and what it names never changes."""
    assigns = [node for node in walk(function.body) if isinstance(node, ast.Assign)]
    values: dict[str, set[str]] = {}
    for node in assigns:
        for name in stores(node):
            values.setdefault(name, set()).add(text(node.value))
    changed = {name for node in ast.walk(function) for name in _changed(node)}
    meanings: dict[str, ast.expr] = {}
    for node in assigns:
        match node.targets[0]:
            case ast.Name(id=name) if name not in changed | loads(node.value) | meanings.keys():
                if len(values[name]) == 1 and not any(isinstance(part, ast.Lambda) for part in walk(node.value)):
                    value = _Replaced(meanings).visit(copy.deepcopy(node.value))
                    if isinstance(value, ast.expr) and sum(1 for _ in ast.walk(value)) <= _MAX_INLINED:
                        meanings[name] = value
    replaced = _Replaced(meanings)
    function.body = [part for part in map(replaced.visit, function.body) if isinstance(part, ast.stmt)]


def _changed(node: ast.AST) -> set[str]:
    """Names that a node binds otherwise than by assignment, or of what it writes to or calls methods of."""
    match node:
        case ast.arg():
            return {node.arg}
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            return stores(node.target)
        case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
            return {root(node)}
        case ast.Call(func=ast.Attribute(value=owner)):
            return {root(owner), *loads(node.args[:1])} if called(node).startswith("heap") else {root(owner)}
        case ast.Call() if called(node).startswith("heap"):
            return loads(node.args[:1])
        case ast.NamedExpr() | ast.With() | ast.Assign(targets=[ast.Tuple() | ast.List()]):
            return stores(node)
    return set()


# The functions of a file

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
        names: what it binds, its parameters included.
        calls: the functions that it mentions.
        circle: those of them that lead back to it, itself included; empty without recursion.
    """

    name: str
    owner: str
    parent: Function | None
    parameters: tuple[str, ...]
    body: list[ast.stmt]
    decorators: list[ast.expr]
    is_definition: bool
    names: set[str]
    calls: list[Function] = field(default_factory=list)
    circle: list[Function] = field(default_factory=list)


class File:
    """The functions of a file by scope, and what names mean in them."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions: list[Function] = []
        self.classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        self.methods: dict[tuple[str, str], Function] = {}
        self._scopes: dict[tuple[Function | None, str], Function] = {}
        self._collect(tree.body, None, "")

    def find(self, name: str) -> Function | None:
        """The function ``f`` or ``Class.f`` with its calls: of several the outermost, of these the last."""
        owner, _, last = name.rpartition(".")
        function = self.methods.get((owner.rpartition(".")[2], last)) if owner else self._scopes.get((None, name))
        if function is None and not owner:
            function = next((other for other in self.functions[::-1] if other.name == name), None)
        if function is not None:
            self._link(function)
        return function

    def resolve(self, name: str, at: Function | None) -> Function | None:
        """The function that a name means inside another."""
        while at is not None and (at, name) not in self._scopes:
            if name in at.names:
                return None
            at = at.parent
        return self._scopes.get((at, name))

    def meant(self, node: ast.AST, at: Function) -> list[Function]:
        """The functions that a name, an attribute or a subscript can mean."""
        found: list[Function | None] = []
        match node:
            case ast.Name(id=name):
                found = [self.resolve(name, at)]
                if found == [None]:
                    found = [self.methods.get((name, method)) for method in _MADE_BY]
            case ast.Attribute(value=value, attr=name):
                own = self.methods.get((at.owner or root(value), name))
                others = [method for (_, other), method in self.methods.items() if other == name]
                found = [own] if own is not None else [*others] if name not in _OF_BUILTINS else []
            case ast.Subscript(
                value=ast.Call(func=ast.Name(id="globals" | "locals" | "vars")), slice=ast.Constant(value=key)
            ):
                found = [self._scopes.get((None, str(key)))]
            case ast.Subscript() if at.parameters[:1] == (root(node.value),):  # in a dict that fills itself
                found = [self.methods.get((at.owner, "__missing__"))]
        return [function for function in found if function is not None]

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
            self._scopes[parent, name] = function
        return function

    def _link(self, function: Function) -> None:
        """Connect a function with all that it reaches, and find the circles among them."""
        linked = [function]
        for one in linked:  # grows
            one.calls = list(dict.fromkeys(other for node in _references(one) for other in self.meant(node, one)))
            linked += [other for other in one.calls if other not in linked]
            if len(linked) > MAX_REACHED:
                raise RecursionError("too many functions call each other")
        reach = {other: reached(other) for other in linked}
        for one in linked:
            one.circle = [other for other in reach[one] if one in reach[other]]


def reached(function: Function) -> list[Function]:
    """The functions that one mentions and those that they mention; itself only if something leads back."""
    found = list(function.calls)
    for one in found:  # grows
        found += [other for other in one.calls if other not in found]
    return found


def _references(function: Function) -> Iterator[ast.AST]:
    """Names, attributes and subscripts that can mean a function: not ``fib`` of ``fib.cache``."""
    nodes = list(walk([*function.body, *function.decorators]))
    bases = {node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr != "__call__"}
    for node in nodes:
        reads = isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load)
        if reads and node not in bases:
            yield node


def calls_back(file: File, function: Function) -> list[ast.Call]:
    """The calls in a function that lead back to it; ``map(f, parts)`` is one."""
    return [
        node
        for node in walk(function.body)
        if isinstance(node, ast.Call)
        if any(other in function.circle for part in (node.func, *node.args) for other in file.meant(part, function))
    ]


def _unwrapped(value: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """A lambda and what it is wrapped in."""
    inner, wrappers = value, list[ast.expr]()
    while isinstance(inner, ast.Call) and inner.args:
        wrappers.append(inner.func)
        inner = inner.args[0]
    return (inner, wrappers) if isinstance(inner, ast.Lambda) else (value, [])


_CACHES = words("cache lru_cache cached memoize memoise memoized memoised memo memory cachedmethod")
_KINDS = ("", "shrink", "part", "half")
"""What a recursive call is given: one less or a child; a quotient; one of several parts; a half."""
_DO = {"append": ("pop",), "add": ("remove", "discard"), "push": ("pop",), "insert": ("pop",)}


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
        found = _division(member, calls[member])
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
    for loop in (node for node in walk(function.body) if isinstance(node, LOOPS)):
        inside = list(walk(loop.body))
        if not any(call in inside for call in calls):
            continue
        verbs = {(root(n.func.value), n.func.attr) for n in inside if isinstance(getattr(n, "func", 0), ast.Attribute)}  # type: ignore[attr-defined]
        written = [text(node.targets[0]) for node in inside if isinstance(node, ast.Assign)]
        verbs |= {(target.removesuffix("[...]"), "append") for target in written if target.endswith("[...]")}
        if any((name, undo) in verbs for name, verb in verbs for undo in _DO.get(verb, ())):
            return True
        if any("[" in target and "..." not in target and written.count(target) > 1 for target in written):
            return True
        chosen = stores(getattr(loop, "target", []))
        added = [side for call in calls for n in call.args if isinstance(n, ast.BinOp) for side in (n.left, n.right)]
        if any(isinstance(side, ast.List | ast.Tuple | ast.Set) and loads(side) & chosen for side in added):
            return True
    return False


def _is_memoised(file: File, function: Function, calls: list[ast.Call]) -> bool:
    """A decorator that keeps results, or a table that is asked and filled with what calls back gave."""
    nodes = list(walk(function.body))
    wrappers = list(function.decorators)
    if not function.is_definition:
        wrappers += [node.func for node in nodes if isinstance(node, ast.Call)]
    if any(_keeps(file, wrapper, function) for wrapper in wrappers):
        return True
    if function.name == "__missing__":
        return any(map(_stores, nodes))
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                table = root(target)
            case ast.Call(
                func=ast.Attribute(value=owner, attr="setdefault" | "__setitem__" | "put" | "set"), args=[_, value]
            ):
                table = root(owner)
            case _:
                continue
        if any(part in calls for part in walk(value)) and table in _asked(function, nodes):
            return True
    return False


def _keeps(file: File, wrapper: ast.expr, function: Function) -> bool:
    """``@lru_cache(None)``, or a function or class of this file that keeps results."""
    while isinstance(wrapper, ast.Call):
        wrapper = wrapper.func
    name = getattr(wrapper, "id", getattr(wrapper, "attr", ""))
    found = file.resolve(name, function.parent or function)
    if found is not None and found is not function:
        inside = [node for part in found.body for node in ast.walk(part)]
    elif name in file.classes:
        inside = list(ast.walk(file.classes[name]))
    else:
        return name in _CACHES
    lookups = (ast.In, ast.NotIn, ast.Is, ast.IsNot, ast.ExceptHandler)
    asks = any(isinstance(node, lookups) or called(node) == "setdefault" for node in inside)
    return asks and any(map(_stores, inside))


def _stores(node: ast.AST) -> bool:
    return called(node) == "setdefault" or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))


def _asked(function: Function, nodes: list[ast.AST]) -> set[str]:
    """Names of tables that outlive a call and of which entries are read, or membership is asked."""
    asked = [side for node in nodes if isinstance(node, ast.Compare) for side in node.comparators]
    asked += [node for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)]
    asked += [node.func.value for node in nodes if called(node) == "setdefault"]  # type: ignore[attr-defined]
    made = (ast.Dict, ast.List, *COMPREHENSIONS, ast.BinOp, ast.Call)
    fresh = {text(n.targets[0]) for n in nodes if isinstance(n, ast.Assign) and isinstance(n.value, made)}
    return {root(node) for node in asked} - (fresh - set(function.parameters))


def _division(function: Function, calls: list[ast.Call]) -> set[str] | None:
    """The tags of a recursion over parts; None if the parts are one less, children of a tree or remainders."""
    kinds = {call: _kind(function, calls, call) for call in calls}
    parts = [call for call in calls if kinds[call] in ("part", "half")]
    at_once: list[ast.AST] = [node for node in walk(function.body) if isinstance(node, COMPREHENSIONS)]
    at_once += [call for call in parts if called(call) in ("map", "starmap", "submit")]
    if len({text(call) for call in parts}) > 1 or any(call in walk(node) for node in at_once for call in parts):
        ends = [node.value for node in walk(function.body) if isinstance(node, ast.Return)]
        ends += [part for end in ends if isinstance(end, ast.IfExp) for part in (end.body, end.orelse)]
        one_or_other = all(call in ends for call in parts)
        return {"bisection"} if "half" in kinds.values() and one_or_other else set()
    if any(kinds[call] in ("shrink", "half") and _is_squared(function, call) for call in calls):
        return {"squaring"}
    return None


def _kind(function: Function, calls: list[ast.Call], call: ast.Call) -> str:
    """What a recursive call is given: of all in its arguments, and in their meanings, what divides most."""
    nodes = list(walk(function.body))
    assigns = [node for node in nodes if isinstance(node, ast.Assign)]
    through = {name for node in nodes if isinstance(node, ast.For | ast.comprehension) for name in stores(node.target)}
    grown = {name for node in nodes if isinstance(node, ast.While) for name in stores(node.body)}
    tested = [part for node in nodes if isinstance(node, ast.If) for part in walk([*node.body, *node.orelse])]
    targets = [part.targets[0] for part in tested if isinstance(part, ast.Assign)]
    grown |= {root(target) for target in targets if text(target).endswith("[...]")}
    wave: list[ast.AST] = [*call.args, *(word.value for word in call.keywords)]
    found, seen = {""}, set[str]()
    for part in (part for node in wave for part in walk(node)):  # grows
        match part:
            case ast.Name(id=name) if name in grown - set(function.parameters):
                found.add("part")
            case ast.Name(id=name) if name not in seen:
                seen.add(name)
                values = [each.value for each in assigns if name in stores(each.targets[0])]
                wave += [v for v in values if name not in loads(v) and not any(p in calls for p in walk(v))]
            case ast.BinOp(op=ast.FloorDiv()):
                found.add("half" if _is_middle(part.left) else "shrink")
            case ast.Slice():
                bounds = [bound for bound in (part.lower, part.upper) if bound is not None]
                inner = loads(bounds) - {*function.parameters, "len", *through}
                found |= {"part"} if inner or (part.step is not None and text(part.step) not in "-11") else set()
            case ast.comprehension(ifs=[_, *_]):
                found.add("part")
            case ast.Call() if called(part) == "divmod":
                found.add("shrink")
            case ast.Call() if part not in calls and called(part) in ("filter", *(f.name for f in function.calls)):
                found.add("part")
    return max(found, key=_KINDS.index)


def _is_squared(function: Function, call: ast.Call) -> bool:
    """``f(x * x, n // 2)``, ``f(x, n // 2) ** 2``, or the result multiplied with itself, by a function or not."""
    products = [node for node in walk(function.body) if isinstance(node, ast.BinOp | ast.Call)]
    squares = [node for node in products if re.fullmatch(r"(.+) [*@] \1|.+ \*\* 2|\w+\((.+), \2\)", text(node))]
    result = {name for node in walk(function.body) if getattr(node, "value", None) is call for name in stores(node)}
    return any(node in call.args or text(call) in text(node) or loads(node) & result for node in squares)


def _is_middle(node: ast.expr) -> bool:
    """A sum of two places, or a length: halved, it is a middle."""
    sums = [part for part in walk(node) if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add | ast.Sub)]
    return any(called(part) == "len" for part in walk(node)) or any(loads(s.left) and loads(s.right) for s in sums)
