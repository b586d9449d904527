"""Greedy methods that choose anew in every round: from a heap, by a key, by an inner loop."""

from __future__ import annotations

import ast

from goedels_poetry.languages.python.fingerprint.flow import Source, assigned, loop_targets
from goedels_poetry.languages.python.fingerprint.syntax import (
    Loop,
    called,
    loads,
    pairs,
    root,
    targets,
    walk,
)


def works_a_heap(loop: Loop) -> bool:
    """The best is taken off a heap and what follows from it is put there."""
    names = [called(node) for node in walk(loop.body)]
    if "heapreplace" in names:
        return True
    if "heappop" not in names or "heappush" not in names:
        return False
    guarded = [
        node
        for statement in walk(loop.body)
        if isinstance(statement, (ast.If, ast.While)) and any(called(part) == "len" for part in walk(statement.test))
        for node in walk(statement.body)
        if called(node) == "heappop"
    ]
    pushes_first = next((name for name in names if name in ("heappop", "heappush")), "") == "heappush"
    if pushes_first and isinstance(loop, (ast.For, ast.AsyncFor)) and loop_targets([loop]):
        return _regrets(loop)
    return len(guarded) < names.count("heappop")


def _regrets(loop: Loop) -> bool:
    """Elements go on the heap, and the largest leaves when a running total is too large."""
    for node in walk(loop.body):
        if (
            isinstance(node, (ast.If, ast.While))
            and any(called(part) == "heappop" for part in walk(node.body))
            and not any(called(part) == "len" for part in walk(node.test))
            and loads(node.test) & assigned(loop.body)
        ):
            return True
    return False


def picks_best(loop: Loop) -> bool:
    """In every round the best candidate by a key, or by the state so far, is chosen and taken out."""
    changed = assigned(loop.body) | {
        root(node.func.value)
        for node in walk(loop.body)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("remove", "discard", "pop", "add", "append")
    }
    changed |= {root(node.target) for node in walk(loop.body) if isinstance(node, ast.AugAssign)}
    for node in walk(loop.body):
        for target, value in pairs(node):
            if isinstance(node, ast.AugAssign):
                continue  # what is left grows smaller: `takes_largest`
            for part in walk(value):
                if (
                    called(part) in ("max", "min")
                    and isinstance(part, ast.Call)
                    and isinstance(target, (ast.Name, ast.Tuple))
                ):
                    keyed = any(word.arg == "key" for word in part.keywords)
                    from_sum = any(
                        isinstance(inner, ast.GeneratorExp | ast.ListComp | ast.SetComp) for inner in part.args
                    )
                    if (
                        (keyed or from_sum)
                        and loads(part) & changed
                        and len(part.args) == 1
                        and _is_taken_out(loop, target)
                    ):
                        return True
    return _inserts_joined(loop) or _inner_argmin(loop)


def _is_taken_out(loop: Loop, target: ast.expr) -> bool:
    """Whether what was chosen is marked, removed or followed."""
    names = assigned([ast.Assign(targets=[target], value=ast.Constant(value=0))])
    for node in walk(loop.body):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and loads(node.args) & names
            and node.func.attr in ("remove", "discard", "pop", "add", "append")
        ):
            return True
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub) and loads(node.value) & names:
            return True
        for top in targets(node):
            if isinstance(top, ast.Subscript) and loads(top.slice) & names:
                return True
    return False


def _inserts_joined(loop: Loop) -> bool:
    """Huffman without a heap: the least are taken out, their sum is put back, and the sequence is sorted each round."""
    verbs = [called(node) for node in walk(loop.body)]
    sorts = "sort" in verbs or "sorted" in verbs or ("min" in verbs and "remove" in verbs)
    return (
        isinstance(loop, ast.While)
        and sorts
        and verbs.count("pop") + verbs.count("remove") >= 2
        and ("append" in verbs or "insert" in verbs)
    )


def _inner_argmin(loop: Loop) -> bool:
    """Dijkstra and Prim without a heap: an inner loop finds the nearest that is not done; then it is done."""
    for inner in loop.body:
        if not isinstance(inner, (ast.For, ast.AsyncFor)):
            continue
        for node in walk(inner.body):
            if not isinstance(node, ast.If):
                continue
            chosen = {
                target.id
                for part in walk(node.body)
                for target, value in pairs(part)
                if isinstance(target, ast.Name) and loads(value) & loop_targets([inner])
            }
            marks = [root(part) for part in walk(node.test) if isinstance(part, ast.Subscript)]
            marks += [
                root(side) for part in walk(node.test) if isinstance(part, ast.Compare) for side in part.comparators
            ]
            for part in walk(loop.body):
                for top in targets(part):
                    if (
                        isinstance(top, ast.Subscript)
                        and root(top) in marks
                        and loads(top.slice) & chosen
                        and not isinstance(top.slice, ast.Slice)
                        and isinstance(getattr(part, "value", None), ast.Constant)
                    ):
                        return True
                if (
                    isinstance(part, ast.Call)
                    and isinstance(part.func, ast.Attribute)
                    and part.func.attr == "add"
                    and root(part.func.value) in marks
                    and loads(part.args) & chosen
                ):
                    return True
    return False


def first_free(loop: Loop, known: dict[str, list[Source]]) -> bool:
    """Colouring: the first colour that no neighbour has."""
    tables = {
        root(target) for node in walk(loop.body) for target, _ in pairs(node) if isinstance(target, ast.Subscript)
    }
    banned = {
        name
        for name, several in known.items()
        for source in several
        for part in walk(source.value)
        if isinstance(part, (ast.SetComp, ast.ListComp)) and tables & loads(part)
    }
    if not banned:
        return False
    for search in walk(loop.body):
        outside = isinstance(search, ast.While) and any(
            isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.In) and loads(part.comparators[0]) & banned
            for part in walk(search.test)
        )
        if outside or (called(search) in ("next", "min") and _leaves_out(search, banned)):
            return True
    return False


def _leaves_out(search: ast.AST, banned: set[str]) -> bool:
    """``c not in used``, ``colours - used``: the best of what is not there."""
    for part in walk(search):
        if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.NotIn) and loads(part.comparators[0]) & banned:
            return True
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub) and loads(part.right) & banned:
            return True
        if called(part) in ("difference", "filterfalse") and loads(part) & banned:
            return True
    return False
