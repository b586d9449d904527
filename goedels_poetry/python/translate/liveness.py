"""Which names a part of a function binds, takes from around it, and may still read before they are assigned anew."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

_None: frozenset[str] = frozenset()


def reads(node: ast.AST | None) -> frozenset[str]:
    """Names that an expression or a statement mentions; also those of ``x += 1``."""
    if node is None:
        return _None
    parts = list(ast.walk(node))
    changed = {n.target.id for n in parts if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    return frozenset(changed).union(n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def assigned(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Names of the function that statements bind, or whose lists they may change."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp | ast.Lambda):
            found |= _changed(node)
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif (
            isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)
        ):
            found.add(node.value.id)
        elif isinstance(node, ast.Call):
            found |= _changed(node)
        found |= assigned(ast.iter_child_nodes(node))
    return frozenset(found)


def _changed(node: ast.AST) -> frozenset[str]:
    """Variables on which a method is called: it may change them."""
    return frozenset(
        n.func.value.id
        for n in ast.walk(node)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and isinstance(n.func.value, ast.Name)
        and n.func.attr in _METHODS
    )


_METHODS = frozenset(
    {
        "add",
        "append",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "update",
    }
)


def live(
    statements: Sequence[ast.stmt],
    after: frozenset[str],
    broken: frozenset[str] = _None,
    continued: frozenset[str] = _None,
) -> frozenset[str]:
    """Names that may be read from the beginning of ``statements`` on, when those of ``after`` may be read at their
    end, of ``broken`` after the loop around and of ``continued`` at its next round."""
    for node in reversed(statements):
        after = _before(node, after, broken, continued)
    return after


def _before(node: ast.stmt, after: frozenset[str], broken: frozenset[str], continued: frozenset[str]) -> frozenset[str]:
    match node:
        case ast.Return() | ast.Raise():
            return frozenset().union(*(reads(c) for c in ast.iter_child_nodes(node)))
        case ast.Break():
            return broken
        case ast.Continue():
            return continued
        case ast.Assign():
            killed = {t.id for target in node.targets for t in _plain(target)}
            return (after - killed) | reads(node.value) | frozenset().union(*map(reads, node.targets))
        case ast.AnnAssign():
            if node.value is None:
                return after
            return (after - {t.id for t in _plain(node.target)}) | reads(node.value) | reads(node.target)
        case ast.AugAssign():
            own = frozenset({node.target.id}) if isinstance(node.target, ast.Name) else reads(node.target)
            return after | own | reads(node.value)
        case ast.If():
            both = (live(part, after, broken, continued) for part in (node.body, node.orelse))
            return reads(node.test).union(*both)
        case ast.Match():
            cases = frozenset().union(
                *(live(c.body, after, broken, continued) | reads(c.guard) | reads(c.pattern) for c in node.cases)
            )
            return reads(node.subject) | after | cases
        case ast.While() | ast.For():
            return loop_live(node, after, broken, continued)[1]
        case ast.Try():
            return after | broken | continued | reads(node)
    return after | reads(node)


def loop_live(
    node: ast.While | ast.For, after: frozenset[str], broken: frozenset[str], continued: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Names live at the head of a loop (before its test, or its next element), and before the whole of it."""
    done = live(node.orelse, after, broken, continued)
    head = done | (reads(node.test) if isinstance(node, ast.While) else _None)
    killed = {t.id for t in _plain(node.target)} if isinstance(node, ast.For) else set()
    while True:
        more = head | (live(node.body, head, after, head) - killed)
        if more == head:
            break
        head = more
    return head, head | (reads(node.iter) | reads(node.target) if isinstance(node, ast.For) else _None)


def _plain(target: ast.expr) -> list[ast.Name]:
    if isinstance(target, ast.Name):
        return [target]
    if isinstance(target, ast.Tuple | ast.List):
        return [n for t in target.elts for n in _plain(t)]
    return _plain(target.value) if isinstance(target, ast.Starred) else []


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound_names(node: ast.AST) -> list[str]:
    """Names that are bound anywhere in a node, by lambdas and comprehensions too, as often as that is."""
    return [name for part in ast.walk(node) for name in _binds(part)]


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
    """Names that an expression looks up around itself."""
    return _free(node)


def _free_of(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset[str]().union(*map(_free, nodes))


def _free(node: ast.AST) -> frozenset[str]:
    if isinstance(node, ast.Name):
        return frozenset({node.id}) if isinstance(node.ctx, ast.Load) else frozenset()
    if isinstance(node, ast.Lambda):
        own = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        return (_free(node.body) - own) | _free_of(defaults)
    if isinstance(node, _COMPREHENSIONS):
        first = node.generators[0].iter
        own = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        others = [part for g in node.generators for part in (g.iter, *g.ifs) if part is not first]
        items = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return (_free_of([*items, *others]) - own) | _free(first)
    return _free_of(ast.iter_child_nodes(node))


def bindings_of(tree: ast.Module) -> dict[str, int]:
    """How often a name is bound at the level of the module or declared global anywhere."""
    counts: dict[str, int] = {}

    def add(name: str | None) -> None:
        if name:
            counts[name] = counts.get(name, 0) + 1

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                add(child.name)
                continue
            if isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Load):
                add(child.id)
            elif isinstance(child, ast.alias):
                add(child.asname or child.name.split(".")[0])
            elif isinstance(child, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
                add(child.name)
            elif isinstance(child, ast.MatchMapping):
                add(child.rest)
            visit(child)

    visit(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            for name in node.names:
                add(name)
    return counts
