"""Which names a part of a function binds, and which it takes from around it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parameters(node: ast.FunctionDef | ast.Lambda) -> list[ast.arg]:
    """All parameters, in the order of calls."""
    given = node.args
    extra = [a for a in (given.vararg, given.kwarg) if a is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *extra]


def bound_names(node: ast.AST, itself: bool = False) -> list[str]:
    """Names that are bound anywhere in a node, by lambdas and comprehensions too, as often as that is.

    ``itself``: the node is a function, whose parameters count and whose own name does not.
    """
    return [name for part in ast.walk(node) if not (itself and part is node) for name in _binds(part)]


def _binds(part: ast.AST) -> list[str]:
    """Names that a node binds, and not its parts."""
    match part:
        case ast.Name() if not isinstance(part.ctx, ast.Load):
            return [part.id]
        case ast.arg():
            return [part.arg]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [part.name]
        case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
            return [part.name] if part.name else []
        case ast.MatchMapping():
            return [part.rest] if part.rest else []
        case ast.alias():
            return [part.asname or part.name.split(".")[0]]
        case ast.Global() | ast.Nonlocal():
            return [*part.names, *part.names]
    return []


def free_names(node: ast.AST) -> frozenset[str]:
    """Names that an expression or a function looks up around itself. (Annotations are left out.)"""
    if isinstance(node, ast.FunctionDef):
        own = frozenset(a.arg for a in parameters(node)) | frozenset(_stored(node.body))
        return _free_of(node.body) - own
    return _free_of([node])


def _free_of(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset[str]().union(*map(_free, nodes))


def _free(node: ast.AST) -> frozenset[str]:
    if isinstance(node, ast.Name):
        return frozenset({node.id}) if isinstance(node.ctx, ast.Load) else frozenset()
    if isinstance(node, ast.Lambda):
        defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        return (_free(node.body) - {a.arg for a in parameters(node)}) | _free_of(defaults)
    if isinstance(node, _COMPREHENSIONS):
        first = node.generators[0].iter
        own = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        others = [part for g in node.generators for part in (g.iter, *g.ifs) if part is not first]
        items = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return (_free_of([*items, *others]) - own) | _free(first)
    if isinstance(node, ast.AnnAssign):
        return _free_of([node.target, *([node.value] if node.value is not None else [])])
    return _free_of(ast.iter_child_nodes(node))


def _stored(statements: Iterable[ast.AST]) -> list[str]:
    """Names that statements bind in their own block: not those of lambdas and comprehensions."""
    found: list[str] = []
    for node in statements:
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            found += [n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)]  # of the block around
            continue
        found += _binds(node)
        found += _stored(ast.iter_child_nodes(node))
    return found
