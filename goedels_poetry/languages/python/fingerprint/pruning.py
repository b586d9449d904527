"""What of a function's body takes part in its result: dead code, validation and loops that run once are taken away."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

from goedels_poetry.languages.python.fingerprint.syntax import (
    FUNCTIONS,
    LOOPS,
    blocks,
    bound,
    called,
    flat,
    loads,
    root,
    targets,
    walk,
)

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_TALK = frozenset(
    {"print", "debug", "info", "warning", "warn", "error", "exception", "log", "flush", "setrecursionlimit"}
)
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def prune(body: Sequence[ast.stmt], parameters: frozenset[str]) -> list[ast.stmt]:
    """The statements that matter for what is returned, yielded or changed outside; ``parameters`` may be changed.

    The tree that is given stays as it is.
    """
    live = _reachable(list(body))
    local = {name for node in walk(live) for target in targets(node) for name in bound(target)}
    outside = {name for node in walk(live) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    relevant = set(parameters) | outside
    while True:
        before = len(relevant)
        kept = _Slice(relevant, local - set(parameters) - outside).block(live)
        if len(relevant) == before:
            return kept


def truth(test: ast.expr) -> bool | None:
    """What a condition of constants says: ``False``, ``1 == 2``, ``not True``; None if it depends on anything."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = truth(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts = [truth(value) for value in test.values]
        decisive = isinstance(test.op, ast.Or)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        compare = _COMPARE.get(type(test.ops[0]))
        if compare and isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            try:
                return bool(compare(left.value, right.value))
            except TypeError:
                return None
        if compare and isinstance(left, ast.Name) and ast.unparse(left) == ast.unparse(right):
            return bool(compare(0, 0))  # n != n: nobody writes it for NaN in a condition around code
    return None


def _reachable(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that control can reach, with conditions and loops of constants decided."""
    kept: list[ast.stmt] = []
    for statement in body:
        for part in _decided(statement):
            kept.append(part)
            if isinstance(part, _ENDS):
                return kept
        if kept and isinstance(kept[-1], ast.If) and kept[-1].orelse and _leaves(kept[-1]):
            return kept
    return kept


def _leaves(statement: ast.stmt) -> bool:
    """Whether control never goes on behind it."""
    if isinstance(statement, ast.If):
        return bool(statement.orelse) and all(part and _leaves(part[-1]) for part in (statement.body, statement.orelse))
    return isinstance(statement, _ENDS)


def _decided(statement: ast.stmt) -> list[ast.stmt]:
    if isinstance(statement, (ast.Pass, ast.Assert)) or _says_nothing(statement):
        return []
    if isinstance(statement, ast.If):
        value = truth(statement.test)
        if value is not None:
            return _reachable(statement.body if value else statement.orelse)
    if isinstance(statement, ast.While) and truth(statement.test) is False:
        return _reachable(statement.orelse)
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        return [statement]
    inner = list(blocks(statement))
    if inner:
        statement = _copied(statement, [_reachable(block) for block in inner])
    if isinstance(statement, LOOPS):
        return _unrolled(statement)
    return [statement]


def _says_nothing(statement: ast.stmt) -> bool:
    """A docstring, a print or a message to a log."""
    if not isinstance(statement, ast.Expr):
        return False
    return isinstance(statement.value, ast.Constant) or called(statement.value) in _TALK


def _unrolled(loop: ast.For | ast.AsyncFor | ast.While) -> list[ast.stmt]:
    """The body of a loop that runs once, nothing of one that never runs; else the loop."""
    runs = _rounds(loop)
    if runs == 0:
        return loop.orelse
    inside = [node for statement in loop.body for node in walk(statement)]
    if any(isinstance(node, ast.Continue) for node in inside):
        return [loop]
    last = loop.body[-1] if loop.body else None
    breaks = [node for node in inside if isinstance(node, ast.Break) and node is not last]
    nested = any(isinstance(node, LOOPS) for node in inside)
    once = runs == 1 or (isinstance(last, (ast.Return, ast.Break, ast.Raise)) and _always(loop))
    if not once or (breaks and not nested):
        return [loop]
    body = loop.body[:-1] if isinstance(last, ast.Break) else loop.body
    if isinstance(loop, (ast.For, ast.AsyncFor)) and isinstance(loop.iter, (ast.List, ast.Tuple)) and loop.iter.elts:
        value = ast.Assign(targets=[loop.target], value=loop.iter.elts[0])
        return [ast.copy_location(value, loop), *body]
    return body


def _always(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    return isinstance(loop, ast.While) and truth(loop.test) is True


def _rounds(loop: ast.For | ast.AsyncFor | ast.While) -> int | None:
    """How often a loop over constants runs, where that is plain."""
    if isinstance(loop, ast.While):
        return None
    over = loop.iter
    if isinstance(over, (ast.List, ast.Tuple)) and not any(isinstance(part, ast.Starred) for part in over.elts):
        return len(over.elts) if len(over.elts) < 2 else None
    if called(over) == "range" and isinstance(over, ast.Call):
        numbers = [argument.value for argument in over.args if isinstance(argument, ast.Constant)]
        if len(numbers) == len(over.args) and all(type(number) is int for number in numbers) and 0 not in numbers[2:]:
            count = len(range(*numbers[:3])) if numbers else 0  # type: ignore[arg-type]
            return count if count < 2 else None
    return None


class _Slice:
    """One pass of a backward slice: which statements touch a name that matters; their names matter then too."""

    def __init__(self, relevant: set[str], local: set[str]) -> None:
        self._relevant, self._local = relevant, local

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        kept = [part for statement in reversed(body) if (part := self._statement(statement)) is not None]
        return kept[::-1]

    def _statement(self, statement: ast.stmt) -> ast.stmt | None:
        if isinstance(statement, FUNCTIONS):
            self._relevant |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
            return statement
        if isinstance(statement, (ast.ClassDef, ast.Break, ast.Continue, ast.Global, ast.Nonlocal)):
            return statement
        if isinstance(statement, ast.Raise):
            return None
        if isinstance(statement, ast.Return):
            return self._keep(statement)
        inner = list(blocks(statement))
        if inner:
            return self._compound(statement, inner)
        return self._keep(statement) if self._touches(statement) else None

    def _compound(self, statement: ast.stmt, inner: list[list[ast.stmt]]) -> ast.stmt | None:
        pruned = [self.block(block) for block in inner]
        matters = [part for block in pruned for part in block]
        if isinstance(statement, LOOPS):
            matters = [part for part in matters if not _only_leaves(part)]
            if not matters or _validates(matters):
                return None
        elif not matters and not self._touches_head(statement):
            return None
        copy = _copied(statement, pruned)
        heads = [
            node for node in ast.iter_child_nodes(statement) if not isinstance(node, (ast.stmt, ast.excepthandler))
        ]
        self._relevant |= loads(heads)
        return copy

    def _touches_head(self, statement: ast.stmt) -> bool:
        heads = [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.expr)]
        return any(isinstance(node, (ast.NamedExpr, ast.Yield, ast.YieldFrom)) for node in walk(heads))

    def _keep(self, statement: ast.stmt) -> ast.stmt:
        self._relevant |= loads(statement)
        self._relevant |= {root(target) for node in walk(statement) for top in targets(node) for target in flat(top)}
        return statement

    def _touches(self, statement: ast.stmt) -> bool:
        for node in walk(statement):
            if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
                return True
            for top in targets(node):
                if any(self._matters(target) for target in flat(top)):
                    return True
        if isinstance(statement, ast.Delete):
            return any(self._matters(target) for target in statement.targets)
        if isinstance(statement, ast.Expr):
            return any(self._effect(node) for node in walk(statement) if isinstance(node, ast.Call))
        return False

    def _matters(self, target: ast.expr) -> bool:
        """A name that is read later, or a part of a value that is: ``self.x``, ``memo[k]``."""
        name = root(target)
        if isinstance(target, ast.Name):
            return name in self._relevant
        return name in self._relevant or name.partition(".")[0] not in self._local

    def _effect(self, call: ast.Call) -> bool:
        """Whether a call as a statement can change something that matters: its object, an argument, a closure."""
        if isinstance(call.func, ast.Attribute):
            name = root(call.func.value)
            if not name or name in self._relevant or name.partition(".")[0] not in self._local:
                return True
        elif isinstance(call.func, ast.Name):
            return True
        return bool(loads(call.args) & self._relevant)


def _only_leaves(statement: ast.stmt) -> bool:
    """A break or continue, under conditions or not: nothing by itself."""
    if isinstance(statement, (ast.Break, ast.Continue, ast.Pass)):
        return True
    return isinstance(statement, ast.If) and all(_only_leaves(part) for block in blocks(statement) for part in block)


def _validates(body: list[ast.stmt]) -> bool:
    """``if not isinstance(x, int): return None`` and nothing else."""
    return all(
        isinstance(part, ast.If)
        and not part.orelse
        and all(isinstance(inner, ast.Return) and _is_plain(inner.value) for inner in part.body)
        and any(called(node) in ("isinstance", "type") for node in walk(part.test))
        for part in body
    )


def _is_plain(value: ast.expr | None) -> bool:
    return value is None or not any(isinstance(node, (ast.Call, ast.Name)) for node in walk(value))


def _copied(statement: ast.stmt, pruned: list[list[ast.stmt]]) -> ast.stmt:
    """The statement with its blocks replaced, in the order of `blocks`."""
    fields = {name: getattr(statement, name) for name in statement._fields if hasattr(statement, name)}
    left = iter(pruned)
    for name in ("body", "orelse", "finalbody"):
        if isinstance(fields.get(name), list):
            fields[name] = next(left)
    for several in ("handlers", "cases"):
        if several in fields:
            fields[several] = [_with_body(part, next(left)) for part in fields[several]]
    return ast.copy_location(type(statement)(**fields), statement)


def _with_body(part: Any, body: list[ast.stmt]) -> Any:
    fields = {name: getattr(part, name) for name in part._fields}
    return type(part)(**(fields | {"body": body}))
