"""A normal form of functions, so that one pattern holds for all the ways in which people write the same step."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator
from typing import TypeVar


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_MESSAGES = words(
    """
    print debug info warning warn error exception log flush setrecursionlimit
    """
)
_BLOCKS = ("body", "orelse", "finalbody")
_MAX_INLINED = 60
Node = TypeVar("Node", bound=ast.AST)


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

    Library functions have their own names, updates are assignments, comparisons point one way, a guarded assignment
    is ``max`` or ``min``, ``a[i][j]`` is ``a[i, j]``; what has no effect on the result and what never runs is gone.
    """
    _by_their_own_names(tree)
    tree = _Canonical().visit(tree)
    for function in [*ast.walk(tree)]:
        if isinstance(function, FUNCTIONS):
            _inline(function)
    return ast.fix_missing_locations(tree)


def _by_their_own_names(tree: ast.Module) -> None:
    """``heappop`` for ``hq.heappop`` and for ``pop_best`` after ``from heapq import heappop as pop_best``."""
    bound = stores(ast.walk(tree)) | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {node.name for node in ast.walk(tree) if isinstance(node, (*FUNCTIONS, ast.ClassDef))}
    names: dict[str, str] = {}
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {name.asname: name.name for name in node.names if name.asname and name.asname not in bound}
        elif isinstance(node, ast.Import):
            modules |= {(name.asname or name.name).partition(".")[0] for name in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and names.get(node.id, node.id) not in bound:
            node.id = names.get(node.id, node.id)
        for name, value in list(ast.iter_fields(node)):
            if isinstance(value, ast.Attribute) and root(value) in modules and value.attr not in bound:
                setattr(node, name, ast.Name(id=value.attr, ctx=ast.Load()))


def _both(node: ast.Compare) -> tuple[str, str]:
    return text(node.left), text(node.comparators[0])


class _Canonical(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, list(_reachable(block)))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.RShift) and isinstance(node.right, ast.Constant) and node.right.value == 1:
            return ast.BinOp(node.left, ast.FloorDiv(), ast.Constant(2))
        if isinstance(node.op, ast.Div):
            return ast.BinOp(node.left, ast.FloorDiv(), node.right)
        if isinstance(node.op, ast.Mult) and isinstance(node.right, ast.Constant) and node.right.value == 0.5:
            return ast.BinOp(node.left, ast.FloorDiv(), ast.Constant(2))
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Gt, ast.GtE)):
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
        before = inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
        return ast.Subscript(inner.value, ast.Tuple([*before, node.slice], ast.Load()), node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if called(node) == "get" and isinstance(node.func, ast.Attribute) and node.args:
            return ast.Subscript(node.func.value, node.args[0], ast.Load())
        if called(node) in ("max", "min") and len(node.args) == 1 and isinstance(node.args[0], (ast.Tuple, ast.List)):
            node.args = node.args[0].elts
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        read = copy.deepcopy(node.target)
        read.ctx = ast.Load()
        return self.visit_Assign(ast.Assign([node.target], ast.BinOp(read, node.op, node.value)))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.AST] | None:
        return self.visit_Assign(ast.Assign([node.target], node.value)) if node.value is not None else None

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        self.generic_visit(node)
        return [ast.Assign([target], value) for top in node.targets for target, value in _pairs(top, node.value)]

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        self.generic_visit(node)
        value = node.value
        if isinstance(value, ast.Constant) or called(value) in _MESSAGES:
            return None
        if not isinstance(value, ast.Call) or called(value) not in ("append", "appendleft"):
            return node
        if not isinstance(value.func, ast.Attribute) or len(value.args) != 1:
            return node
        end = ast.Subscript(value.func.value, ast.Constant(...), ast.Store())
        return ast.Assign([end], value.args[0])

    def visit_Assert(self, node: ast.Assert) -> None:
        return None

    def visit_Pass(self, node: ast.Pass) -> None:
        return None

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt] | None:
        self.generic_visit(node)
        truth = _truth(node.test)
        if truth is not None:
            return node.body if truth else node.orelse
        guarded = [_guarded(node.test, part) for part in node.body]
        whole = isinstance(node.test, ast.Compare) and len(guarded) == 1 and not node.orelse
        if whole and guarded[0] is not node.body[0]:
            return guarded
        node.body = guarded
        if not node.body and not node.orelse:
            return None if not stores(node.test) else node
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    call = ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
    call.__dict__["made"] = True  # no call of the author's
    return call


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Target and value of each single assignment; tuples are taken apart where both sides are."""
    if isinstance(target, (ast.Tuple, ast.List)):
        if isinstance(value, (ast.Tuple, ast.List)) and len(target.elts) == len(value.elts):
            for one, part in zip(target.elts, value.elts, strict=True):
                yield from _pairs(one, part)
            return
        if isinstance(value, ast.IfExp) and {len(getattr(p, "elts", ())) for p in (value.body, value.orelse)} == {
            len(target.elts)
        }:
            branches = (value.body.elts, value.orelse.elts)  # type: ignore[attr-defined]
            for one, yes, no in zip(target.elts, *branches, strict=True):
                yield one, ast.IfExp(value.test, yes, no)
            return
    yield target, value


def _guards(test: ast.expr, assign: ast.Assign) -> str:
    """``max`` or ``min`` where a comparison in the test makes the assignment one of them, or of the measured."""
    target, value = text(assign.targets[0]), text(assign.value)
    for part in walk(test):
        if isinstance(part, ast.Compare) and len(part.ops) == 1 and isinstance(part.ops[0], (ast.Lt, ast.LtE)):
            less, more = _both(part)
            if (less, more) in ((target, value), (value, target)):
                return "max" if less == target else "min"
            if isinstance(assign.targets[0], ast.Name) and isinstance(assign.value, ast.Name):
                replaced = _Replaced({value: assign.targets[0]})
                if text(replaced.visit(copy.deepcopy(part.left))) == more and less != more:
                    return "min"
                if text(replaced.visit(copy.deepcopy(part.comparators[0]))) == less and less != more:
                    return "max"
    return ""


def _guarded(test: ast.expr, statement: ast.stmt) -> ast.stmt:
    """``if best < x: best = x`` says ``best = max(best, x)``."""
    if not isinstance(statement, ast.Assign):
        return statement
    name = _guards(test, statement)
    if not name or called(statement.value) == name:
        return statement
    read = copy.deepcopy(statement.targets[0])
    read.ctx = ast.Load()  # type: ignore[attr-defined]
    return ast.Assign(statement.targets, _call(name, read, statement.value))


def _truth(test: ast.expr) -> bool | None:
    """What a condition without inputs says; None if it depends on any."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and _both(test)[0] == _both(test)[1]:
        return isinstance(test.ops[0], (ast.Eq, ast.LtE, ast.Is))
    if isinstance(test, ast.Compare) and all(isinstance(p, ast.Constant) for p in (test.left, *test.comparators)):
        return False if isinstance(test.ops[0], (ast.Eq, ast.Is)) else None
    return None


def _reachable(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that control can reach; what is raised is no result."""
    for statement in block:
        if not isinstance(statement, ast.Raise) and not (isinstance(statement, LOOPS) and not statement.body):
            yield statement
        if _leaves(statement):
            return


def _leaves(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        blocks = (statement.body, statement.orelse)
        return all(block and _leaves(block[-1]) for block in blocks)
    return isinstance(statement, _ENDS)


class _Replaced(ast.NodeTransformer):
    """Names give way to expressions."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit(self, node: ast.AST) -> ast.AST:
        node.__dict__.pop("_text", None)
        return super().visit(node)  # type: ignore[no-any-return]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._values.get(node.id)
        return copy.deepcopy(value) if value is not None and isinstance(node.ctx, ast.Load) else node


_CHANGING = words(
    """
    pop popleft popitem heappop heapreplace heappushpop next iter input randint choice random
    """
)


def _inline(function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Put what a name stands for in its place, where the name has one meaning and what it names never changes."""
    assigns = [node for node in walk(function.body) if isinstance(node, ast.Assign)]
    values: dict[str, set[str]] = {}
    for node in assigns:
        for name in stores(node):
            values.setdefault(name, set()).add(text(node.value) if isinstance(node.targets[0], ast.Name) else "")
    changed = _changed(function)
    meanings: dict[str, ast.expr] = {}
    for node in assigns:
        target = node.targets[0]
        if not isinstance(target, ast.Name) or target.id in changed or len(values[target.id]) > 1:
            continue
        if target.id in meanings or target.id in loads(node.value):
            continue
        if any(called(part) in _CHANGING or isinstance(part, ast.Lambda) for part in walk(node.value)):
            continue
        value = _Replaced(meanings).visit(copy.deepcopy(node.value))
        if isinstance(value, ast.expr) and sum(1 for _ in ast.walk(value)) <= _MAX_INLINED:
            meanings[target.id] = value
    replaced = _Replaced(meanings)
    function.body = [part for part in map(replaced.visit, function.body) if isinstance(part, ast.stmt)]


def _changed(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Parameters, loop variables, and names of what is written to or has methods called on it."""
    found = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            found |= stores(node.target)
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(root(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found.add(root(node.func.value))
        elif isinstance(node, ast.Call) and called(node).startswith("heap"):
            found |= loads(node.args[:1])
        elif isinstance(node, (ast.NamedExpr, ast.With, ast.Nonlocal, ast.Global)):
            found |= stores(node) | set(getattr(node, "names", ()))
    return found
