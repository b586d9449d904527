"""A normal form of functions, so that one pattern holds for all the ways in which people write the same step."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator


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

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if called(node) == "get" and isinstance(node.func, ast.Attribute) and node.args:
            return ast.Subscript(node.func.value, node.args[0], ast.Load())
        return node

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
