"""Small questions about syntax trees that every detector asks."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

Loop = ast.For | ast.AsyncFor | ast.While
LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CLOSED = (*FUNCTIONS, ast.ClassDef)
_SIGNS = (ast.expr_context, ast.operator, ast.boolop, ast.cmpop, ast.unaryop)
_BELOW = "_below"


def walk(nodes: ast.AST | Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes below and themselves, in the order of the text; not inside functions and classes defined there."""
    stack = [nodes] if isinstance(nodes, ast.AST) else list(nodes)[::-1]
    while stack:
        node = stack.pop()
        yield node
        below = node.__dict__.get(_BELOW)
        stack.extend(_below(node) if below is None else below)


def _below(node: ast.AST) -> list[ast.AST]:
    """What `walk` goes on with, last first. Detectors walk the same nodes hundreds of times, so a node keeps it."""
    found: list[ast.AST] = []
    if not isinstance(node, _CLOSED):
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found.extend(part for part in value if isinstance(part, ast.AST))
    kept = [part for part in reversed(found) if not isinstance(part, _SIGNS)]
    node.__dict__[_BELOW] = kept
    return kept


def loads(nodes: ast.AST | Iterable[ast.AST]) -> set[str]:
    """The names that are read below."""
    return {node.id for node in walk(nodes) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def root(node: ast.AST) -> str:
    """``a`` of ``a[i].b[j]``; "" where there is none; ``self.a`` for attributes of self."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            return f"{node.value.id}.{node.attr}"
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def bound(target: ast.AST) -> Iterator[str]:
    """The plain names that an assignment's target binds."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from bound(part)
    elif isinstance(target, ast.Starred):
        yield from bound(target.value)


def targets(node: ast.AST) -> list[ast.expr]:
    """What a statement or named expression assigns to."""
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, (ast.AugAssign, ast.For, ast.AsyncFor, ast.comprehension, ast.NamedExpr)):
        return [node.target]
    if isinstance(node, ast.AnnAssign):
        return [node.target] if node.value is not None else []
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [item.optional_vars for item in node.items if item.optional_vars is not None]
    return []


def flat(target: ast.expr) -> Iterator[ast.expr]:
    """The targets inside a target: names, subscripts, attributes."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from flat(part)
    elif isinstance(target, ast.Starred):
        yield from flat(target.value)
    else:
        yield target


def pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Target and value of each assignment that a statement makes; tuples are taken apart where both sides are."""
    value = getattr(node, "value", None)
    if not isinstance(value, ast.expr) or isinstance(node, (ast.Return, ast.Expr)):
        return
    values = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
    for target in targets(node):
        if isinstance(target, (ast.Tuple, ast.List)) and all(_fits(target, part) for part in values):
            for part in values:
                yield from zip(target.elts, part.elts, strict=True)  # type: ignore[attr-defined]
        else:
            yield target, value


def _fits(target: ast.Tuple | ast.List, value: ast.expr) -> bool:
    return isinstance(value, (ast.Tuple, ast.List)) and len(target.elts) == len(value.elts)


def same(one: ast.AST, other: ast.AST) -> bool:
    """Whether two expressions are written alike, read or assigned."""
    return dumped(one) == dumped(other)


def dumped(node: ast.AST) -> str:
    """An expression as text, whether it is read or assigned."""
    return ast.unparse(node)


def called(node: ast.AST) -> str:
    """The name in front of a call's parentheses: ``heappop`` of ``heapq.heappop(h)``, "" for other nodes."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements directly inside a statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(node, "handlers", ()):
        yield handler.body
    for case in getattr(node, "cases", ()):
        yield case.body


def loops_with_depth(
    body: Sequence[ast.stmt], around: tuple[Loop, ...] = ()
) -> Iterator[tuple[ast.stmt, tuple[Loop, ...]]]:
    """Every statement with the loops around it, outermost first."""
    for statement in body:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            continue
        yield statement, around
        inner = (*around, statement) if isinstance(statement, LOOPS) else around
        for block in blocks(statement):
            yield from loops_with_depth(block, inner)


def is_constant(node: ast.AST) -> bool:
    """A literal number, text or None, with a sign or without."""
    if isinstance(node, ast.UnaryOp):
        return is_constant(node.operand)
    return isinstance(node, ast.Constant)
