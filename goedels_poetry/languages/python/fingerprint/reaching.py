"""Greedy methods that never look back: the furthest reach, every gain, a start moved on, a stack under a budget."""

from __future__ import annotations

import ast

from goedels_poetry.languages.python.fingerprint.flow import assigned, loop_targets
from goedels_poetry.languages.python.fingerprint.syntax import (
    Loop,
    called,
    dumped,
    loads,
    pairs,
    root,
    same,
    walk,
)

_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def reaches_furthest(loop: Loop) -> bool:
    """``reach = max(reach, i + xs[i])`` beside a comparison of ``i`` with it: jump game, partition of labels."""
    if isinstance(loop, ast.While):
        places = assigned(loop.body)
    else:
        places = loop_targets([loop])
    for node in walk(loop.body):
        for target, value in pairs(node):
            if not isinstance(target, ast.Name) or called(value) != "max" or not isinstance(value, ast.Call):
                continue
            others = [argument for argument in value.args if not same(argument, target)]
            if len(others) != 1 or len(value.args) != 2:
                continue
            further = others[0]
            uses = isinstance(further, ast.BinOp) and isinstance(further.op, ast.Add) and loads(further) & places
            mapped = isinstance(further, ast.Subscript) and root(further) not in places
            if (
                (uses or mapped)
                and _compared(loop, target.id, places)
                and not (mapped and _counts_window(loop, target.id))
            ):
                return True
    return _pulls_goal(loop, places)


def _compared(loop: Loop, name: str, places: set[str]) -> bool:
    followers = {name} | {
        target.id
        for node in walk(loop.body)
        for target, value in pairs(node)
        if isinstance(target, ast.Name) and isinstance(value, ast.Name) and value.id == name
    }
    tests = [node.test for node in walk([loop]) if isinstance(node, (ast.If, ast.While, ast.IfExp))]
    for test in tests:
        for node in walk(test):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                own = [isinstance(side, ast.Name) and side.id in followers for side in sides]
                other = [isinstance(side, ast.Name) and side.id in places - followers for side in sides]
                if any(own) and any(other):
                    return True
    return False


def _counts_window(loop: Loop, name: str) -> bool:
    """``right - left + 1``: a window, not a reach."""
    return any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and isinstance(node.right, ast.Name)
        and node.right.id == name
        for node in walk(loop.body)
    )


def _pulls_goal(loop: Loop, places: set[str]) -> bool:
    """``if i + xs[i] >= goal: goal = i``."""
    for node in walk(loop.body):
        if isinstance(node, ast.If):
            for part in walk(node.test):
                if isinstance(part, ast.Compare) and isinstance(part.left, ast.BinOp) and loads(part.left) & places:
                    goal = part.comparators[0]
                    if isinstance(goal, ast.Name) and any(isinstance(n, ast.Subscript) for n in walk(part.left)):
                        for inner in node.body:
                            for target, value in pairs(inner):
                                if same(target, goal) and isinstance(value, ast.Name) and value.id in places:
                                    return True
    return False


def drops_for_better(loop: Loop) -> bool:
    """A stack whose top leaves for something better while a budget lasts: the smallest number after k removals."""
    for node in walk(loop.body):
        if isinstance(node, ast.While) and any(called(part) == "pop" for part in walk(node.body)):
            tops = [part for part in walk(node.test) if isinstance(part, ast.Subscript)]
            spent = {
                part.target.id
                for part in walk(node.body)
                if isinstance(part, ast.AugAssign)
                and isinstance(part.op, ast.Sub)
                and isinstance(part.target, ast.Name)
            }
            if tops and spent & loads(node.test):
                return True
    return False


def starts_over(loop: Loop) -> bool:
    """Gas station: a running total below zero moves the start behind here; no best total is kept."""
    if isinstance(loop, ast.While):
        return False
    places = loop_targets([loop])
    kept = any(called(node) == "max" for node in walk(loop.body))
    for node in walk(loop.body):
        if (
            isinstance(node, ast.If)
            and isinstance(node.test, ast.Compare)
            and isinstance(node.test.ops[0], (ast.Lt, ast.LtE))
        ):
            total = node.test.left
            if not isinstance(total, ast.Name) or kept:
                continue
            moved = {
                target.id
                for part in node.body
                for target, value in pairs(part)
                if isinstance(target, ast.Name) and loads(value) & places
            }
            zeroed = any(
                same(target, total) and isinstance(value, ast.Constant)
                for part in node.body
                for target, value in pairs(part)
            )
            grows = any(isinstance(part, ast.AugAssign) and same(part.target, total) for part in walk(loop.body))
            compared = any(
                isinstance(part, ast.If) and part is not node and total.id in loads(part.test)
                for part in walk(loop.body)
            )
            if moved and zeroed and grows and not compared:
                return True
    return False


def takes_largest(loop: Loop) -> bool:
    """The largest part that fits into what is left is taken off it: coins, Egyptian fractions, squares."""
    if not isinstance(loop, ast.While):
        return False
    for node in walk(loop.body):
        for target, value in pairs(node):
            if not isinstance(target, ast.Name):
                continue
            left = {target.id} & (loads(loop.test) or {target.id})
            parts = {
                name.id
                for other in walk(loop.body)
                for name, made in pairs(other)
                if isinstance(name, ast.Name) and (_is_largest(made, left) or _rounds_up(made, loop))
            }
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub):
                taken: ast.expr | None = node.value
            else:
                taken = None
                if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub) and loads(value.left) & left:
                    taken = value.right
            if taken is not None and left and (loads(taken) & parts or _is_largest(taken, left)):
                return True
            if target.id in loads(loop.test) and _less_by(value, parts):
                return True
    return False


def _rounds_up(value: ast.expr, loop: ast.While) -> bool:
    return called(value) == "ceil" and bool(loads(value) & loads(loop.test))


def _is_largest(value: ast.expr, left: set[str]) -> bool:
    """``max`` of those that are not larger than what is left; or the root of the largest square in it."""
    for part in walk(value):
        if called(part) == "max" and isinstance(part, ast.Call) and len(part.args) == 1:
            for inner in walk(part.args[0]):
                if isinstance(inner, ast.Compare) and isinstance(inner.ops[0], _ORDER) and loads(inner) & left:
                    return True
        if called(part) in ("isqrt", "sqrt") and loads(part) & left:
            return True
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow) and loads(part.left) & left:
            return isinstance(part.right, ast.Constant) and part.right.value == 0.5
    return False


def _less_by(value: ast.expr, parts: set[str]) -> bool:
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub) and bool(loads(value) & parts)


def gains_differences(loop: Loop) -> bool:
    """``if b > a: profit += b - a``, ``profit += max(0, b - a)``: every gain is taken."""
    for node in walk(loop.body):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], _ORDER):
            sides = {dumped(node.test.left), dumped(node.test.comparators[0])}
            for part in node.body:
                if (
                    (
                        isinstance(part, ast.AugAssign)
                        and isinstance(part.op, ast.Add)
                        and isinstance(part.value, ast.BinOp)
                    )
                    and (
                        isinstance(part.value.op, ast.Sub)
                        and {dumped(part.value.left), dumped(part.value.right)} == sides
                    )
                    and len(sides) == 2
                ):
                    return True
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and _gain(node.value):
            return True
    return False


def _gain(value: ast.expr) -> bool:
    """``max(0, xs[i] - xs[i - 1])``."""
    if called(value) != "max" or not isinstance(value, ast.Call) or len(value.args) != 2:
        return False
    zero = [isinstance(argument, ast.Constant) and argument.value == 0 for argument in value.args]
    difference = [isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Sub) for argument in value.args]
    roots = [
        root(side)
        for argument in value.args
        if isinstance(argument, ast.BinOp)
        for side in (argument.left, argument.right)
    ]
    return any(zero) and any(difference) and len(roots) == 2 and roots[0] == roots[1] != ""


def gains_in_a_sum(node: ast.AST) -> bool:
    """``sum(max(0, xs[i] - xs[i - 1]) for i in ...)``."""
    if called(node) != "sum" or not isinstance(node, ast.Call) or not node.args:
        return False
    inner = node.args[0]
    if not isinstance(inner, (ast.GeneratorExp, ast.ListComp)):
        return False
    shifted = called(inner.generators[0].iter) in ("zip", "pairwise")
    element = inner.elt
    if _gain(element):
        return True
    if called(element) == "max" and shifted and any(isinstance(part, ast.BinOp) for part in walk(element)):
        return True
    tests = inner.generators[0].ifs
    if (
        isinstance(element, ast.BinOp)
        and isinstance(element.op, ast.Sub)
        and len(tests) == 1
        and isinstance(tests[0], ast.Compare)
    ):
        return {dumped(element.left), dumped(element.right)} == {dumped(tests[0].left), dumped(tests[0].comparators[0])}
    return False
