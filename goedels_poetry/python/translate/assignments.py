"""``:=`` as an assignment of its own, where that is the same: it is evaluated first in its statement."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence

from goedels_poetry.python.translate.scopes import bound_names, free_names

MAX_NODES = 2_000
"""Of all that is written out for one ``:=`` of a comprehension."""
_SIMPLE = (ast.Return, ast.Assign, ast.AnnAssign, ast.Expr, ast.Assert, ast.If, ast.While)


def without_walrus(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function, which is changed, with every ``:=`` spelled out that can be; functions inside of it, too."""
    if not any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
        return node
    mentions = Counter(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    _Comprehensions(mentions).visit(node)
    node.body = _block(node.body)
    return ast.fix_missing_locations(node)


def _block(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    return [made for s in statements for made in _statement(s)]


def _statement(node: ast.stmt) -> list[ast.stmt]:
    for name in ("body", "orelse", "finalbody"):
        if isinstance(getattr(node, name, None), list):
            setattr(node, name, _block(getattr(node, name)))
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        part.body = _block(part.body)
    if not isinstance(node, _SIMPLE):
        return [node]
    if isinstance(node, ast.While) and not _repeats_alike(node):
        return [node]
    place = "test" if isinstance(node, ast.If | ast.While | ast.Assert) else "value"
    before: list[ast.stmt] = []
    expression = getattr(node, place)
    while expression is not None:
        expression, found = _taken(expression)
        if found is None:
            break
        before.append(ast.copy_location(ast.Assign([found.target], found.value), found))
    setattr(node, place, expression)
    if isinstance(node, ast.While):
        node.body += copy.deepcopy(before)
    return [*before, node]


def _repeats_alike(node: ast.While) -> bool:
    """Whether what comes before the test can be done before the loop, and at the end of each round."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Continue):
            return False
        if not isinstance(part, ast.For | ast.While):
            waiting += ast.iter_child_nodes(part)
        else:
            waiting += part.orelse
    return True


def _taken(node: ast.expr) -> tuple[ast.expr, ast.NamedExpr | None]:
    """An expression with a name for the ``:=`` that is evaluated first in it."""
    if isinstance(node, ast.NamedExpr):
        value, inner = _taken(node.value)
        if inner is not None:
            node.value = value
            return node, inner
        return ast.copy_location(ast.Name(node.target.id, ast.Load()), node), node
    match node:
        case ast.Compare():
            if isinstance(node.left, ast.Constant):
                node.comparators[0], found = _taken(node.comparators[0])
            else:
                node.left, found = _taken(node.left)
        case ast.BoolOp():
            node.values[0], found = _taken(node.values[0])
        case ast.BinOp():
            if isinstance(node.left, ast.Constant):
                node.right, found = _taken(node.right)
            else:
                node.left, found = _taken(node.left)
        case ast.UnaryOp():
            node.operand, found = _taken(node.operand)
        case ast.IfExp():
            node.test, found = _taken(node.test)
        case ast.Subscript() | ast.Attribute():
            node.value, found = _taken(node.value)
        case ast.Tuple() | ast.List() if node.elts and not isinstance(node.elts[0], ast.Starred):
            node.elts[0], found = _taken(node.elts[0])
        case ast.Call() if isinstance(node.func, ast.Attribute):
            node.func.value, found = _taken(node.func.value)
        case ast.Call() if isinstance(node.func, ast.Name) and node.args and not isinstance(node.args[0], ast.Starred):
            node.args[0], found = _taken(node.args[0])  # what is called is no variable, or it is refused
        case _:
            return node, None
    return node, found


# -------------------------------------------------------------------------------------- comprehensions


class _Comprehensions(ast.NodeTransformer):
    """``[y for x in xs if (y := e) > 0]`` as ``[e for x in xs if e > 0]``, where nothing else mentions ``y``."""

    def __init__(self, mentions: Counter[str]) -> None:
        self.mentions = mentions

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp) and len(node.generators) == 1:
            self._spell_out(node)
        return node

    def _spell_out(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> None:
        (generator,) = node.generators
        if not generator.ifs:
            return
        parts = copy.deepcopy([node.elt, *generator.ifs])
        parts[1], found = _taken(parts[1])
        if found is None:
            return
        name, value = found.target.id, found.value
        here = sum(1 for p in parts for n in ast.walk(p) if isinstance(n, ast.Name) and n.id == name)
        inside = {n for p in parts for n in bound_names(p)}
        bound = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))
        if here * sum(1 for _ in ast.walk(value)) > MAX_NODES:
            return
        if bound or here != self.mentions[name] or inside & (free_names(value) | {name}):
            return
        spelled = [_Put(name, value).visit(p) for p in parts]
        node.elt, generator.ifs = spelled[0], spelled[1:]


class _Put(ast.NodeTransformer):
    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.value) if node.id == self.name else node
