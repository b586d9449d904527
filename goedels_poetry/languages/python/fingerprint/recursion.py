"""Which kind of recursion a function is: memoised, over halves, with choices undone, tail, mutual."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from goedels_poetry.languages.python.fingerprint.caching import is_memoised
from goedels_poetry.languages.python.fingerprint.flow import loop_targets, paths, sources
from goedels_poetry.languages.python.fingerprint.parts import Parts
from goedels_poetry.languages.python.fingerprint.syntax import LOOPS, called, loads, pairs, root, same, walk
from goedels_poetry.languages.python.fingerprint.units import File, Unit, references
from goedels_poetry.languages.python.fingerprint.words import DIVIDE_AND_CONQUER, MEMOISATION, RECURSION


def of_recursion(file: File, unit: Unit) -> tuple[str, set[str]]:
    """Strategy and tags of a recursive unit, from all units on the circle."""
    circle = unit.circle
    tags = {RECURSION}
    if not any(member in member.calls for member in circle):
        tags.add("mutual")
    calls = {id(member): list(self_calls(file, member)) for member in circle}
    if all(_is_tail(member, calls[id(member)]) for member in circle):
        tags.add("tail")
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for member in circle for node in walk(member.body)):
        tags.add("generator")
    if any(_undoes(member, calls[id(member)]) for member in circle):
        tags.add("backtracking")
    if any(is_memoised(file, member, calls[id(member)]) for member in circle):
        return MEMOISATION, tags | {MEMOISATION}
    for member in circle:
        found = _divides(member, calls[id(member)])
        if found is not None:
            return DIVIDE_AND_CONQUER, tags | found | {DIVIDE_AND_CONQUER}
    return RECURSION, tags


def self_calls(file: File, unit: Unit) -> Iterator[ast.Call]:
    """The calls in a unit that lead back to it; ``map(f, parts)`` is one for each part."""
    ids = {id(member) for member in unit.circle}
    meant = {id(node) for node in references(unit) if any(id(other) in ids for other in file.meant(node, unit))}
    aliases = {
        target.id
        for node in walk(unit.body)
        for target, value in pairs(node)
        if isinstance(target, ast.Name) and id(value) in meant
    }
    for node in walk(unit.body):
        if not isinstance(node, ast.Call):
            continue
        direct = id(node.func) in meant or (isinstance(node.func, ast.Name) and node.func.id in aliases)
        if direct or any(id(argument) in meant for argument in node.args):
            yield node


def _is_tail(unit: Unit, calls: list[ast.Call]) -> bool:
    """Whether every call back is exactly what is returned."""
    ends: set[int] = set()
    for node in walk(unit.body):
        if isinstance(node, ast.Return) and node.value is not None:
            stack: list[ast.expr] = [node.value]
            while stack:
                value = stack.pop()
                ends.add(id(value))
                if isinstance(value, ast.IfExp):
                    stack += [value.body, value.orelse]
                elif isinstance(value, ast.BoolOp):
                    stack.append(value.values[-1])
    return bool(calls) and all(id(call) in ends for call in calls)


_DO = {"append": "pop", "add": "remove", "push": "pop", "insert": "pop"}


def _undoes(unit: Unit, calls: list[ast.Call]) -> bool:
    """A loop that makes a choice, calls back and takes the choice back; or that tries choices one after the other."""
    wanted = {id(call) for call in calls}
    for loop in walk(unit.body):
        if not isinstance(loop, LOOPS) or not any(id(node) in wanted for node in walk(loop.body)):
            continue
        done = {
            (root(node.func.value), called(node))
            for node in walk(loop.body)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        if any(
            (name, verb) in done and ((name, undo) in done or (name, "discard") in done)
            for verb, undo in _DO.items()
            for name, _ in done
        ):
            return True
        written: dict[str, int] = {}
        for node in walk(loop.body):
            for target, _ in pairs(node):
                for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                    if isinstance(part, ast.Subscript):
                        text = ast.unparse(part)
                        written[text] = written.get(text, 0) + 1
        if any(count >= 2 for count in written.values()):
            return True
    return _chooses_through_loops(unit, calls)


def _chooses_through_loops(unit: Unit, calls: list[ast.Call]) -> bool:
    """Choices passed on in a copy: ``for c in range(n): if safe(c): go(row + 1, placed + [c])``."""
    wanted = {id(call) for call in calls}
    for loop in walk(unit.body):
        if not isinstance(loop, (ast.For, ast.AsyncFor)):
            continue
        chosen = loop_targets([loop])
        for node in walk(loop.body):
            if isinstance(node, ast.Call) and id(node) in wanted:
                grown = [
                    part
                    for part in node.args
                    if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Add, ast.BitOr))
                ]
                if any(
                    isinstance(side, (ast.List, ast.Tuple, ast.Set)) and loads(side) & chosen
                    for part in grown
                    for side in (part.left, part.right)
                ):
                    return True
    return False


def _divides(unit: Unit, calls: list[ast.Call]) -> set[str] | None:
    """The tags of a recursion over parts; None if the parts are one less, children of a tree or remainders."""
    kinds = Parts(unit, calls)
    of = {id(call): kinds.of_call(call) for call in calls}
    several = {id(call) for call in calls if called(call) in ("map", "starmap", "pool", "submit")}
    ways = paths(unit.body, frozenset(of))
    for way in ways:
        split = [node for node in way if of[id(node)] in ("half", "part", "shrink")]
        split += [node for node in split if id(node) in several]
        if len(split) >= 2 and not any(of[id(node)] in ("less", "child") for node in way):
            return set()
    halves = {ast.unparse(call) for call in calls if of[id(call)] in ("half", "part")}
    if len(halves) >= 2:
        return {"bisection"} if any(of[id(call)] == "half" for call in calls) else set()
    if any(of[id(call)] in ("shrink", "half") and _squares(unit, call) for call in calls):
        return {"squaring"}
    return None


def _squares(unit: Unit, call: ast.Call) -> bool:
    """``f(x * x, n // 2)``, ``f(x, n // 2) ** 2``, or a result that is multiplied by itself."""
    for argument in call.args:
        if _is_square(argument):
            return True
    known = sources(unit.body)
    names = {name for name, many in known.items() if any(node is call for one in many for node in walk(one.value))}
    for node in walk(unit.body):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Pow)
            and any(inner is call for inner in walk(node.left))
        ):
            return True
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, (ast.Mult, ast.MatMult))
            and loads(node.left) & names
            and loads(node.right) & names
        ):
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and loads(node.left) & names:
            return True
        if isinstance(node, ast.Call) and len(node.args) == 2 and node is not call:
            first, second = node.args
            if same(first, second) and loads(first) & names:
                return True
    return False


def _is_square(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return same(node.left, node.right) and not isinstance(node.left, ast.Constant)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return isinstance(node.right, ast.Constant) and node.right.value == 2
    return isinstance(node, ast.Call) and len(node.args) == 2 and same(*node.args) and bool(loads(node.args))
