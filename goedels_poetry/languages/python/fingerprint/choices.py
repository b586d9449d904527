"""Greedy methods: the locally best of what is sorted, in a heap, or chosen anew in every round."""

from __future__ import annotations

import ast
import re

from goedels_poetry.languages.python.fingerprint.flow import Source, assigned, depends, loop_targets, opened, sources
from goedels_poetry.languages.python.fingerprint.picking import first_free, picks_best, works_a_heap
from goedels_poetry.languages.python.fingerprint.reaching import (
    drops_for_better,
    gains_differences,
    gains_in_a_sum,
    reaches_furthest,
    starts_over,
    takes_largest,
)
from goedels_poetry.languages.python.fingerprint.syntax import (
    LOOPS,
    Loop,
    called,
    loads,
    pairs,
    root,
    same,
    targets,
    walk,
)

_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_greedy(body: list[ast.stmt]) -> bool:
    """Whether a loop takes the locally best and never comes back to it."""
    known = sources(body)
    in_order = _sorted_names(body, known)
    for loop in walk(body):
        if not isinstance(loop, LOOPS):
            continue
        if _takes_multiples(loop) or works_a_heap(loop) or picks_best(loop) or reaches_furthest(loop):
            return True
        if (
            drops_for_better(loop)
            or starts_over(loop)
            or gains_differences(loop)
            or takes_largest(loop)
            or first_free(loop, known)
        ):
            return True
        if _goes_in_order(loop, in_order) and _takes_what_fits(loop):
            return True
    return any(gains_in_a_sum(node) for node in walk(body))


def _sorted_names(body: list[ast.stmt], known: dict[str, list[Source]]) -> set[str]:
    """Names of sequences that were sorted, and of what was made of them by reversing, slicing, enumerating."""
    names = {
        root(node.func.value)
        for node in walk(body)
        if called(node) == "sort" and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    for _ in range(3):
        for name, several in known.items():
            if any(source.how == "value" and _is_sorted(source.value, names) for source in several):
                names.add(name)
    return names


def _is_sorted(value: ast.expr, names: set[str]) -> bool:
    if isinstance(value, ast.Name):
        return value.id in names
    if isinstance(value, ast.Subscript):
        return isinstance(value.slice, ast.Slice) and _is_sorted(value.value, names)
    if isinstance(value, ast.Call):
        if called(value) == "sorted":
            return True
        if called(value) in ("reversed", "enumerate", "list", "iter", "deque", "tuple", "islice", "zip") and value.args:
            return any(_is_sorted(argument, names) for argument in value.args)
    return isinstance(value, ast.ListComp) and _is_sorted(value.generators[0].iter, names)


def _goes_in_order(loop: Loop, names: set[str]) -> bool:
    """Whether a loop runs through something sorted, by element or by place."""
    if isinstance(loop, (ast.For, ast.AsyncFor)) and _is_sorted(loop.iter, names):
        return True
    places = (
        (loop_targets([loop]) if not isinstance(loop, ast.While) else set()) | assigned(loop.body) | loads_of_test(loop)
    )
    return any(
        isinstance(node, ast.Subscript) and root(node) in names and (loads(node.slice) & places)
        for node in walk(loop.body)
    )


def loads_of_test(loop: Loop) -> set[str]:
    """The names in the condition of a while loop."""
    return loads(loop.test) if isinstance(loop, ast.While) else set()


def _takes_what_fits(loop: Loop) -> bool:
    """A running state that an element is compared with, and that taking it changes; or that two sums share."""
    inside = sources(loop.body)
    state = set(inside) - loop_targets([loop])
    changed = state | {
        root(target)
        for node in walk(loop.body)
        for top in targets(node)
        for target in [top]
        if isinstance(target, ast.Subscript)
    }
    changed |= {
        root(n.func.value)
        for n in walk(loop.body)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in ("append", "add")
    }
    if any(
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Eq)
        and len(loads(node)) >= 2
        and _sums(node, inside)
        for node in walk(loop.body)
    ):
        return False  # two pointers that look for a sum
    held = _held_in(loop)
    for node in walk(loop.body):
        if isinstance(node, ast.If) and any(
            _changes(node.body, held[name]) for name in loads(node.test) if name in held
        ):
            return True
        if isinstance(node, (ast.If, ast.While)):
            compares = [
                part for part in walk(node.test) if isinstance(part, ast.Compare) and isinstance(part.ops[0], _ORDER)
            ]
            for compare in compares:
                read = loads(compare) & changed
                if (
                    read
                    and not _is_running_best(node, compare)
                    and (assigned(node.body) | assigned(node.orelse) | changed) & read
                ):
                    return True
        if called(node) in ("min",) and isinstance(node, ast.Call) and len(node.args) > 1 and loads(node) & state:
            reads = depends(inside)
            if any(name in reads.get(name, ()) for name in loads(node) & state) and not _assigns_itself(loop, node):
                return True
        if (
            isinstance(node, ast.If)
            and isinstance(node.test, ast.Call)
            and called(node.test) in ("union", "find", "unite")
        ):
            return True
        if isinstance(node, ast.If) and _takes_a_place(node):
            return True
    return _unites(loop) or _coupled(loop, inside, state)


def _held_in(loop: Loop) -> dict[str, str]:
    """Elements by the container that an inner loop takes them from: ``b`` of ``for i, b in enumerate(bins)``."""
    found: dict[str, str] = {}
    for node in walk(loop.body):
        if isinstance(node, (ast.For, ast.AsyncFor)):
            over = node.iter
            if called(over) == "enumerate" and isinstance(over, ast.Call) and over.args:
                over = over.args[0]
            if isinstance(over, ast.Name):
                found |= dict.fromkeys(loop_targets([ast.For(node.target, node.iter, [], [])]), over.id)
    return found


def _changes(body: list[ast.stmt], container: str) -> bool:
    """Whether an entry of a container is assigned to below."""
    return any(
        isinstance(top, ast.Subscript) and root(top) == container for node in walk(body) for top in targets(node)
    )


def _takes_a_place(statement: ast.If) -> bool:
    """``if not taken[s]: taken[s] = True``: a free place for the best that is left."""
    test = statement.test.operand if isinstance(statement.test, ast.UnaryOp) else statement.test
    if not isinstance(test, ast.Subscript):
        return False
    return any(
        same(target, test)
        and isinstance(value, ast.Constant)
        and any(isinstance(p, ast.AugAssign) for p in statement.body)
        for part in statement.body
        for target, value in pairs(part)
    )


def _sums(compare: ast.Compare, inside: dict[str, list[Source]]) -> bool:
    return any(
        isinstance(node, ast.BinOp)
        for side in (compare.left, *compare.comparators)
        for part in opened(side, inside, 2)
        for node in walk(part)
    )


def _is_running_best(statement: ast.If | ast.While, compare: ast.Compare) -> bool:
    """``if d < best: best = d``."""
    sides = (compare.left, compare.comparators[0])
    for node in walk(statement.body):
        for target, value in pairs(node):
            if any(same(target, one) and same(value, other) for one, other in (sides, sides[::-1])):
                return True
            if isinstance(target, ast.Name):  # by a measure: if d(x) < d(best): best = x
                other = ast.unparse(value)
                measures = [re.split(rf"\b{target.id}\b", ast.unparse(side)) for side in sides]
                if other.join(measures[0]) == other.join(measures[1]):
                    return True
    return False


def _assigns_itself(loop: Loop, call: ast.Call) -> bool:
    """``best = min(best, d)``."""
    return any(
        value is call and isinstance(target, ast.Name) and target.id in loads(value)
        for node in walk(loop.body)
        for target, value in pairs(node)
    )


def _coupled(loop: Loop, inside: dict[str, list[Source]], state: set[str]) -> bool:
    """Two running totals, one of which goes into the other: waiting times, costs of joining."""
    grown = {name for name, several in inside.items() if any(source.how == "update" for source in several)} & state
    for name in grown:
        for source in inside[name]:
            if source.how == "update" and (loads(source.value) & grown) - {name}:
                return True
    return False


def _unites(loop: Loop) -> bool:
    """Kruskal: the ends' components are compared and joined."""
    for node in walk(loop.body):
        if isinstance(node, ast.If):
            for part in walk(node.test):
                if isinstance(part, ast.Compare) and isinstance(part.ops[0], (ast.NotEq, ast.Eq)):
                    for inner in walk(loop.body):
                        for top in targets(inner):
                            if (
                                isinstance(top, ast.Subscript)
                                and isinstance(top.slice, ast.Name | ast.Call)
                                and loads(top.slice) & loads(part)
                            ):
                                return True
    return False


def _takes_multiples(loop: Loop) -> bool:
    """``while amount >= coin: amount -= coin``, ``amount // coin`` and ``amount % coin`` for one coin after another."""
    if isinstance(loop, ast.While):
        return False
    through = loop_targets([loop])
    if called(loop.iter) == "range" and not any(isinstance(node, ast.Subscript) for node in walk(loop.body)):
        return False
    downwards = called(loop.iter) in ("reversed", "sorted") or isinstance(loop.iter, (ast.Tuple, ast.List))
    downwards = downwards or (isinstance(loop.iter, ast.Subscript) and isinstance(loop.iter.slice, ast.Slice))
    for node in walk(loop.body):
        if (isinstance(node, ast.While) or (isinstance(node, ast.If) and downwards)) and _subtracts(
            node, through, loop
        ):
            return True
    divided, reduced = set[str](), set[str]()
    for node in walk(loop.body):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv) and _element(node.right, through):
            divided |= loads(node.left)
        for target, value in pairs(node):
            if (
                called(value) == "divmod"
                and isinstance(value, ast.Call)
                and len(value.args) == 2
                and _element(value.args[1], through)
            ):
                return any(name in loads(value.args[0]) for name in assigned([node]))
            if isinstance(target, ast.Name):
                if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Mod, ast.Sub)):
                    reduced.add(target.id)
                if (
                    isinstance(value, ast.BinOp)
                    and isinstance(value.op, (ast.Mod, ast.Sub))
                    and target.id in loads(value.left)
                ):
                    reduced.add(target.id)
    return bool(divided & reduced)


def _element(node: ast.expr, through: set[str]) -> bool:
    return bool(loads(node) & through)


def _subtracts(loop: ast.While | ast.If, through: set[str], outer: Loop) -> bool:
    """A loop or condition that takes an element off as long as, or if, it fits."""
    values = through | {
        name for name, several in sources(outer.body).items() if any(loads(s.value) & through for s in several)
    }
    tests = [node for node in walk(loop.test) if isinstance(node, ast.Compare) and isinstance(node.ops[0], _ORDER)]
    for node in walk(loop.body):
        for target, value in pairs(node):
            if not isinstance(target, ast.Name):
                continue
            takes = isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub)
            takes = takes or (
                isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub) and target.id in loads(value.left)
            )
            if (
                takes
                and loads(value) & values
                and any(target.id in loads(test) and loads(test) & values for test in tests)
            ):
                return True
    return False
