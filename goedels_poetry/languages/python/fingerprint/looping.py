"""Loops that halve, loops that merge runs, and what else is worth a tag."""

from __future__ import annotations

import ast

from goedels_poetry.languages.python.fingerprint.flow import assigned, loop_targets, sources
from goedels_poetry.languages.python.fingerprint.syntax import (
    COMPREHENSIONS,
    LOOPS,
    Loop,
    called,
    loads,
    loops_with_depth,
    pairs,
    root,
    same,
    walk,
)

_EXHAUSTIVE = ("product", "permutations", "combinations", "combinations_with_replacement")


def bisects(body: list[ast.stmt]) -> bool:
    """A loop that works out a middle of two bounds and moves a bound there."""
    return any(isinstance(loop, LOOPS) and _halves(loop) for loop in walk(body))


def _halves(loop: Loop) -> bool:
    changed = assigned(loop.body)
    middles = {
        name
        for name, several in sources(loop.body).items()
        if any(_is_middle(source.value, changed) for source in several)
    }
    for _ in range(2):
        middles |= (
            {
                name
                for name, several in sources(loop.body).items()
                if any(isinstance(s.value, ast.Name) and s.value.id in middles for s in several)
            }
            if not middles
            else set()
        )
    moved: set[str] = set()
    for node in walk(loop.body):
        for target, value in pairs(node):
            if isinstance(target, ast.Name) and target.id not in middles and _near(value, middles, changed):
                moved.add(target.id)
    bounds = {
        name
        for several in sources(loop.body).values()
        for s in several
        if _is_middle(s.value, changed)
        for name in loads(s.value)
    }
    if middles and moved & bounds:
        return True
    return _cuts_slices(loop, middles) or _steps_halve(loop)


def _is_middle(value: ast.expr, changed: set[str]) -> bool:
    """``(lo + hi) // 2``, ``lo + (hi - lo) // 2``, ``len(xs) // 2``, thirds too."""
    for node in walk(value):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, (ast.FloorDiv, ast.RShift, ast.Div))
            and isinstance(node.right, ast.Constant)
        ):
            if node.right.value not in (1, 2, 2.0, 3):
                continue
            two = len(loads(node.left)) >= 2 and any(
                isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Add, ast.Sub)) and _both_names(part)
                for part in walk(node.left)
            )
            if two and loads(node.left) & changed:
                return True
            if any(called(part) == "len" for part in walk(node.left)) and loads(node.left) & changed:
                return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            halves = [side for side in (node.left, node.right) if isinstance(side, ast.Constant) and side.value == 0.5]
            if halves and len(loads(node) & changed) >= 2:
                return True
    return called(value) == "mean" and bool(loads(value) & changed)


def _both_names(node: ast.BinOp) -> bool:
    return bool(loads(node.left)) and bool(loads(node.right))


def _near(value: ast.expr, middles: set[str], changed: set[str]) -> bool:
    """The middle, or one beside it; also a choice between the middle and the old bound."""
    if isinstance(value, ast.IfExp):
        return _near(value.body, middles, changed) or _near(value.orelse, middles, changed)
    if (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, (ast.Add, ast.Sub))
        and isinstance(value.right, ast.Constant)
    ):
        return _near(value.left, middles, changed)
    return (isinstance(value, ast.Name) and value.id in middles) or _is_middle(value, changed)


def _cuts_slices(loop: Loop, middles: set[str]) -> bool:
    """``xs = xs[mid + 1:]`` or ``xs = xs[:mid]``."""
    cut = 0
    for node in walk(loop.body):
        for target, value in pairs(node):
            if (
                isinstance(value, ast.Subscript)
                and isinstance(value.slice, ast.Slice)
                and same(value.value, target)
                and loads([part for part in (value.slice.lower, value.slice.upper) if part is not None]) & middles
            ):
                cut += 1
    return cut >= 2


def _steps_halve(loop: Loop) -> bool:
    """A search with a step that is halved: ``while step: while ok(i + step): i += step; step //= 2``."""
    if not isinstance(loop, ast.While):
        return False
    halved = {
        target.id
        for node in loop.body
        for target, value in pairs(node)
        if isinstance(target, ast.Name)
        and isinstance(node, ast.AugAssign)
        and isinstance(node.op, (ast.FloorDiv, ast.RShift))
        and isinstance(value, ast.Constant)
    } & loads(loop.test)
    for node in walk(loop.body):
        if isinstance(node, (ast.If, ast.While)) and loads(node.test) & halved:
            added = [
                part
                for part in node.body
                if isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Add) and loads(part.value) & halved
            ]
            if added and any(isinstance(part, ast.Subscript) for part in walk(node.test)):
                return True
    return False


def merges_bottom_up(body: list[ast.stmt]) -> bool:
    """Runs of a doubling width, or neighbours in pairs until one is left, are merged."""
    for loop in walk(body):
        if not isinstance(loop, ast.While):
            continue
        doubled = set[str]()
        for node in walk(loop.body):
            for target, value in pairs(node):
                if not isinstance(target, ast.Name):
                    continue
                twice = (
                    isinstance(node, ast.AugAssign)
                    and isinstance(node.op, (ast.Mult, ast.LShift))
                    and isinstance(value, ast.Constant)
                )
                twice = twice or (
                    isinstance(value, ast.BinOp)
                    and isinstance(value.op, (ast.Mult, ast.LShift))
                    and target.id in loads(value)
                )
                if twice:
                    doubled.add(target.id)
        for inner in walk(loop.body):
            if isinstance(inner, (ast.For, ast.While, ast.comprehension)):
                over = getattr(inner, "iter", None)
                if (
                    over is not None
                    and called(over) == "range"
                    and isinstance(over, ast.Call)
                    and len(over.args) == 3
                    and loads(over.args[2]) & doubled
                ):
                    return True
                if (
                    over is not None
                    and called(over) == "range"
                    and isinstance(over, ast.Call)
                    and len(over.args) == 3
                    and isinstance(over.args[2], ast.Constant)
                    and over.args[2].value == 2
                    and called_in(loop.test, "len")
                ):
                    return True
    return False


def called_in(node: ast.AST, name: str) -> bool:
    """Whether a function of that name is called below."""
    return any(called(part) == name for part in walk(node))


def loop_tags(body: list[ast.stmt]) -> set[str]:
    """How the loops of a function go about it."""
    tags: set[str] = set()
    nodes = list(walk(body))
    names = {called(node) for node in nodes}
    if any(
        isinstance(node, COMPREHENSIONS) or called(node) in ("map", "filter", "reduce", "accumulate") for node in nodes
    ):
        tags.add("functional")
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes):
        tags.add("generator")
    if names & {"sorted", "sort"}:
        tags.add("sorting")
    if names & {"heappop", "heappush", "heapify"}:
        tags.add("heap")
    if names & set(_EXHAUSTIVE) or _tries_all(body):
        tags.add("brute force")
    if names & {"set", "dict", "Counter", "defaultdict"} or any(
        isinstance(n, (ast.Set, ast.Dict, ast.DictComp, ast.SetComp)) for n in nodes
    ):
        tags.add("hashing")
    if any(
        isinstance(n, (ast.BinOp, ast.AugAssign)) and isinstance(n.op, (ast.BitAnd, ast.BitXor, ast.LShift, ast.RShift))
        for n in nodes
    ):
        tags.add("bit manipulation")
    if any(isinstance(node, ast.JoinedStr) or called(node) == "format" for node in nodes):
        tags.add("formatting")
    loops = [node for node in nodes if isinstance(node, LOOPS)]
    if any(isinstance(statement, LOOPS) and around for statement, around in loops_with_depth(body)):
        tags.add("nested loops")
    for loop in loops:
        tags |= _tags_of(loop)
    return tags


def _tags_of(loop: Loop) -> set[str]:
    tags: set[str] = set()
    for node in walk(loop.body):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Tuple)
            and isinstance(node.value, ast.Tuple)
        ):
            bound = [part.id for part in node.targets[0].elts if isinstance(part, ast.Name)]
            if len(bound) >= 2 and any(isinstance(value, ast.Name) and value.id in bound for value in node.value.elts):
                tags.add("rolling")
        for target, value in pairs(node):
            if (
                isinstance(target, ast.Name)
                and isinstance(value, ast.BinOp)
                and isinstance(value.op, ast.Mult)
                and same(value.left, target)
                and same(value.right, target)
            ):
                tags.add("squaring")
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Mult) and same(target, value):
                tags.add("squaring")
    if isinstance(loop, ast.While):
        taken = {
            root(n.func.value)
            for n in walk(loop.body)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in ("pop", "popleft")
        }
        if taken & loads(loop.test):
            tags.add("stack")
        moved = {
            n.target.id for n in walk(loop.body) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
        }
        if len(moved & loads(loop.test)) >= 2 and isinstance(loop.test, ast.Compare):
            tags.add("two pointers")
    return tags


def _tries_all(body: list[ast.stmt]) -> bool:
    """Three loops inside each other with a test of all in the innermost; every subset by bits."""
    for statement, around in loops_with_depth(body):
        loops = [loop for loop in around if isinstance(loop, (ast.For, ast.AsyncFor))]
        if len(loops) >= 3 and isinstance(statement, ast.If):
            through = [loop_targets([loop]) for loop in loops]
            if all(loads(statement.test) & names for names in through):
                return True
    for node in walk(body):
        if (
            isinstance(node, (ast.For, ast.comprehension))
            and called(node.iter) == "range"
            and any(
                isinstance(p, ast.BinOp)
                and isinstance(p.op, (ast.LShift, ast.Pow))
                and isinstance(p.left, ast.Constant)
                for p in walk(node.iter)
            )
        ):
            return True
    return False
