"""Dynamic programming in a few variables: the best so far, worked out from an earlier best."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from goedels_poetry.languages.python.fingerprint.flow import Source, assigned, depends, loop_targets, sources
from goedels_poetry.languages.python.fingerprint.syntax import (
    LOOPS,
    Loop,
    called,
    loads,
    pairs,
    walk,
)

_BEST = ("min", "max", "sum", "any", "all")


def best_so_far(body: list[ast.stmt]) -> bool:
    """A recurrence of best values in a few variables: ``cur = max(x, cur + x)``, ``a, b = b, max(b, a + x)``."""
    return any(isinstance(loop, LOOPS) and (_recurs_by_choice(loop) or _resets_a_sum(loop)) for loop in walk(body))


def _recurs_by_choice(loop: Loop) -> bool:
    inside = sources(loop.body)
    reads = depends(inside)
    data = loop_targets([loop]) | {
        name for name, several in inside.items() if any(isinstance(s.value, ast.Subscript) for s in several)
    }
    for node in walk(loop.body):
        for target, value in pairs(node):
            if not isinstance(target, ast.Name):
                continue
            for choice in walk(value):
                for sum_ in (*_alternatives(choice), *_named_sums(choice, inside)):
                    carried = {name for name in loads(sum_) if name in inside and name not in loop_targets([loop])}
                    back = {name for name in carried if name == target.id or target.id in reads.get(name, ())}
                    taken = (loads(sum_) & data) - back or any(isinstance(part, ast.Subscript) for part in walk(sum_))
                    if back and taken:
                        return True
    return False


def _named_sums(choice: ast.AST, inside: dict[str, list[Source]]) -> Iterator[ast.BinOp]:
    """The sums behind names among the arguments of max and min; also ``max(candidates)``, a tuple of them."""
    if called(choice) in ("max", "min") and isinstance(choice, ast.Call):
        arguments = choice.args
        if len(arguments) == 1:
            only = arguments[0]
            behind = [source.value for source in inside.get(only.id, ())] if isinstance(only, ast.Name) else []
            listed = [one for one in (only, *behind) if isinstance(one, (ast.Tuple, ast.List, ast.Set))]
            arguments = [part for several in listed for part in several.elts]
            yield from (part for part in arguments if isinstance(part, ast.BinOp))
        for argument in arguments:
            for source in inside.get(argument.id, ()) if isinstance(argument, ast.Name) else ():
                if source.how == "value" and isinstance(source.value, ast.BinOp):
                    yield source.value


def _alternatives(choice: ast.AST) -> Iterator[ast.BinOp]:
    """The sums and products among the arguments of max and min, or the branches of a conditional."""
    branches: list[ast.expr] = []
    if called(choice) in ("max", "min") and isinstance(choice, ast.Call):
        branches = choice.args if len(choice.args) > 1 else []
    elif isinstance(choice, ast.IfExp) and any(
        isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Lt, ast.Gt, ast.LtE, ast.GtE))
        for node in walk(choice.test)
    ):
        if loads(choice.test) & (loads(choice.body) | loads(choice.orelse)):
            branches = [choice.body, choice.orelse]
            if any(isinstance(branch, ast.Constant) for branch in branches) or all(
                isinstance(b, ast.BinOp) for b in branches
            ):
                branches = []
    elif isinstance(choice, ast.BinOp) and isinstance(choice.op, ast.Add):
        for side, other in ((choice.left, choice.right), (choice.right, choice.left)):
            if (
                called(side) in ("max", "min")
                and isinstance(side, ast.Call)
                and len(side.args) > 1
                and all(isinstance(argument, (ast.Name, ast.Constant)) for argument in side.args)
                and loads(other)
            ):
                yield choice
    yield from (branch for branch in branches if isinstance(branch, ast.BinOp))


def _resets_a_sum(loop: Loop) -> bool:
    """Kadane with statements: a sum that begins again when it is negative, and the best of it kept."""
    known = sources(loop.body)
    grown = {name for name, several in known.items() if any(source.how == "update" for source in several)}
    grown |= {
        name
        for name, several in known.items()
        if any(isinstance(s.value, ast.BinOp) and name in loads(s.value) for s in several)
    }
    reset: set[str] = set()
    for node in walk(loop.body):
        if isinstance(node, ast.If) and any(
            isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
            for part in walk(node.test)
            if isinstance(part, ast.Compare)
            for op in part.ops
        ):
            zero = {part.value for part in walk(node.test) if isinstance(part, ast.Constant)}
            if 0 in zero and len(loads(node.test)) == 1:
                reset |= loads(node.test) & (assigned(node.body) | assigned(node.orelse))
    for name in grown & reset:
        for other, several in known.items():
            if other == name:
                continue
            kept = any(name in loads(source.value) for source in several)
            if kept and (any(called(source.value) == "max" for source in several) or _keeps_larger(loop, other, name)):
                return True
    return False


def _keeps_larger(loop: Loop, best: str, current: str) -> bool:
    return any(isinstance(node, ast.If) and {best, current} <= loads(node.test) for node in walk(loop.body))
