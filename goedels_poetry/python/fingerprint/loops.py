"""What a loop does besides going round: it halves an interval, merges, fills a table, keeps a recurrence, is greedy."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from goedels_poetry.python.fingerprint.normal import COMPREHENSIONS, called, loads, root, stores, text, walk

_CHOICES = ("min", "max", "sum", "any", "all")
_Assigned = list[tuple[ast.expr, ast.expr]]


def _assigned(nodes: Iterable[ast.AST]) -> _Assigned:
    """Targets and values of the assignments."""
    return [(node.targets[0], node.value) for node in nodes if isinstance(node, ast.Assign)]


def _tests(nodes: Iterable[ast.AST]) -> list[tuple[ast.If | ast.While, ast.Compare]]:
    """Conditional statements, each with the inequalities of its test."""
    found = [node for node in nodes if isinstance(node, ast.If | ast.While)]
    return [
        (node, part) for node in found for part in walk(node.test) if _is_order(part) and isinstance(part, ast.Compare)
    ]


def _is_order(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt | ast.LtE)


def _is_best(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called(node) in ("max", "min") and len(node.args) > 1


def _is_argbest(node: ast.AST) -> bool:
    """The best by a key, or among those that pass a comparison."""
    one = isinstance(node, ast.Call) and called(node) in ("max", "min") and len(node.args) == 1
    return one and (bool(node.keywords) or any(map(_is_order, walk(node))))  # type: ignore[attr-defined]


def bisects(loop: ast.AST) -> bool:
    """``middle = (low + high) // 2``, and each end may become the middle."""
    nodes = list(walk(loop))
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv) and text(node.right) == "2":
            ends = [stores(target) & loads(node) for target, value in _assigned(nodes) if text(node) in text(value)]
            if len(set().union(*ends)) > 1:
                return True
    return False


def merges(loop: ast.AST) -> bool:
    """Runs of a width that doubles each time."""
    nodes = list(walk(loop))
    doubled = {text(t) for t, value in _assigned(nodes) if text(value) in (f"{text(t)} * 2", f"2 * {text(t)}")}
    return any(called(node) == "range" and loads(node) & doubled for node in nodes)


def fills_table(loop: ast.AST) -> bool:
    """An entry of a table from two others, or from the best of others and something; or a row from another."""
    nodes = list(walk(loop.body))  # type: ignore[attr-defined]
    meanings = {text(target): value for target, value in _assigned(nodes)}
    guards = [(node, node.test) for node in nodes if isinstance(node, ast.If)]
    for target, value in _assigned(nodes):
        is_entry = isinstance(target, ast.Subscript)
        table = text(target.value) if isinstance(target, ast.Subscript) else text(target)
        tests = [test for guard, test in guards if is_entry and any(value is part for part in walk(guard.body))]
        known = [meanings[name] for name in sorted(loads(value)) if is_entry and name in meanings]
        parts = [part for one in (value, *known, *tests) for part in walk(one)]
        reads = {text(p) for p in parts if isinstance(p, ast.Subscript) and text(p.value) == table}
        others = reads - {text(target)}
        if not others or not (is_entry or any(isinstance(part, COMPREHENSIONS) for part in parts)):
            continue
        if text(value) == "True" and text(target) not in map(text, tests):
            return True
        chooses = any(called(p) in _CHOICES or isinstance(p, ast.IfExp | ast.BoolOp) for p in parts)
        works = any(isinstance(p, ast.BinOp | ast.BoolOp) and others & {text(q) for q in walk(p)} for p in parts)
        if works and (chooses or len(reads) > 1):
            return True
    return False


def keeps_best(loop: ast.AST) -> bool:
    """Best values in a few variables that are worked out from earlier ones: names that depend on each other."""
    assigned = [(t.id, value) for t, value in _assigned(walk(loop.body)) if isinstance(t, ast.Name)]  # type: ignore[attr-defined]
    uses: dict[str, set[str]] = {name: set() for name, _ in assigned}
    for name, value in assigned:
        uses[name] |= loads(value) & uses.keys()
    known: dict[str, set[str]] = {}
    while known != uses:
        known = uses
        uses = {name: found.union(*(known[other] for other in found)) for name, found in known.items()}
    for name in uses:
        circle = {other for other in uses if other in uses[name] and name in uses[other]}
        inside = [p for t, value in assigned if t in circle for p in walk(value) if loads(p) & circle]
        works = any(isinstance(p, ast.BinOp) and isinstance(p.op, ast.Add | ast.Mult | ast.Sub) for p in inside)
        best = any(map(_is_best, inside))
        kept = any(_is_best(p) and loads(p) & circle for t, v in assigned if t not in circle for p in walk(v))
        chosen = kept and any(isinstance(p, ast.IfExp) for p in inside)
        if works and (best or chosen) and (kept or len(circle) > 1):
            return True
    return False


def is_greedy(loop: ast.AST, ordered: set[str]) -> bool:
    """Whether a loop takes the locally best and never comes back to it; ``ordered``: sequences that were sorted."""
    nodes = list(walk(loop))
    assigned = _assigned(nodes)
    names = {called(node) for node in nodes}
    if {"heappop", "heappush"} <= names or "heapreplace" in names:
        return True
    over: ast.AST | None = getattr(loop, "iter", None)
    through = stores(getattr(loop, "target", []))
    places = [node.value for node in nodes if isinstance(node, ast.Subscript) and loads(node.slice)]
    if any(is_sorted(part, ordered) for part in [*places, *([over] if over is not None else [])]):
        state = {root(target) for target, _ in assigned} - through
        if any(loads(order) & state for _, order in _tests(nodes)) or _joins(loop):
            return True
    elements = through if over is not None and called(over) != "range" else set[str]()
    return _takes_best(nodes) or _uses_up(nodes, elements) or _reaches(nodes, through) or _gains(nodes, through)


def is_sorted(value: ast.AST, names: set[str]) -> bool:
    """Whether a sequence is, or is made of, a sorted one."""
    return any(called(part) == "sorted" or getattr(part, "id", "") in names for part in walk(value))


def _joins(loop: ast.AST) -> bool:
    """Entries that a test of them finds free, or different, are set; or sums of sums are kept."""
    nodes = list(walk(loop.body))  # type: ignore[attr-defined]
    for node in nodes:
        if isinstance(node, ast.If) and any(isinstance(t, ast.Subscript) for t, _ in _assigned(walk(node.body))):
            return True
    sums = {text(t): loads(value) for t, value in _assigned(nodes) if text(value).startswith(f"{text(t)} + ")}
    return any(sums[one] & {other} for one in sums for other in sums if one != other)


def _takes_best(nodes: list[ast.AST]) -> bool:
    """The best of a collection is taken out of it."""
    best = [
        loads(part) | stores(node)
        for node in nodes
        if isinstance(node, ast.Assign)
        for part in walk(node.value)
        if _is_argbest(part)
    ]
    for node in nodes:
        match node:
            case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Sub(), right=taken)) if text(
                target
            ) == text(left):
                pass
            case ast.Call(func=ast.Attribute(value=left, attr="remove" | "discard"), args=[taken]):
                pass
            case _:
                continue
        at_once = any(_is_argbest(part) and loads(part) & loads(left) for part in walk(taken))
        if at_once or any(loads(left) & one and loads(taken) & one for one in best):
            return True
    return False


def _uses_up(nodes: list[ast.AST], elements: set[str]) -> bool:
    """An amount is divided by elements one after the other, and the rest goes on; or their multiples are taken off."""
    for target, value in _assigned(nodes):
        rest = {
            text(part.right) for part in walk(value) if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod)
        }
        rest |= {text(part.args[1]) for part in walk(value) if isinstance(part, ast.Call) and called(part) == "divmod"}
        if any(set(re.findall(r"\w+", one)) & elements for one in rest) and stores(target) & loads(value):
            return True
    for node, order in _tests(nodes):
        taken = [
            t
            for t, value in _assigned(walk(node.body))
            if text(value).startswith(f"{text(t)} - ") and loads(value) & elements
        ]
        if isinstance(node, ast.While) and any(loads(order) & stores(target) for target in taken):
            return True
    return False


def _reaches(nodes: list[ast.AST], through: set[str]) -> bool:
    """The furthest place that can be reached so far, compared with the place that the loop is at."""
    assigned = _assigned(nodes)
    at = through | {text(target) for target, value in assigned if text(value) == f"{text(target)} + 1"}
    far = set[str]()
    for target, value in assigned:
        given = value.args if isinstance(value, ast.Call) and _is_best(value) else []
        further = loads(value) & at or any(isinstance(part, ast.Subscript) for part in given)
        if isinstance(target, ast.Name) and text(target) in map(text, given) and further:
            far.add(target.id)
    far |= {text(target) for target, value in assigned if text(value) in far}
    for node in nodes:
        if isinstance(node, ast.Compare):
            sides = {text(node.left), text(node.comparators[0])}
            if sides & far and sides & at:
                return True
    back = [(order, target, value) for node, order in _tests(nodes) for target, value in _assigned(walk(node.body))]
    return any(
        text(value) in at and text(target) == text(o.left) and loads(value) <= loads(o.comparators[0])
        for o, target, value in back
    )


def _gains(nodes: list[ast.AST], through: set[str]) -> bool:
    """Every rise is taken; or what has become negative is given up, and begun anew behind it."""
    for node, order in _tests(nodes):
        less, more = text(order.left), text(order.comparators[0])
        inside = _assigned(walk(node.body))
        if any(text(value) == f"{text(target)} + ({more} - {less})" for target, value in inside):
            return True
        anew = any(isinstance(value, ast.BinOp) and loads(value) & through for _, value in inside)
        if more == "0" and anew and any(loads(order) & stores(target) for target, _ in inside):
            return True
    return False
