"""Patterns of steps, written in Python, and the search for them.

A capital letter stands for an expression, the same wherever it stands, and different letters for different ones; ``_``
is anything. ``A @ B`` is any operation on two, in either order. ``has(p)`` is an expression with ``p`` somewhere in it,
``best(a, b)`` a maximum or minimum of these and others, ``choice(p)`` a choice among alternatives with ``p``,
``argbest(p)`` the best by a key or among those that pass a comparison, ``every(p)`` a comprehension with ``p``,
``alleged(p)`` a condition that needs ``p``. ``if`` stands for ``while`` too. Several statements are found anywhere in
a loop, in any order.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from goedels_poetry.python.fingerprint.canonical import COMPREHENSIONS, called, text, walk

# What makes a loop more than a loop: a pattern holds if all its statements are found in it.
BISECTION = ("A = near(has((has(A) @ has(B)) // 2)); B = near(has((has(A) @ has(B)) // 2))",)
BOTTOM_UP = ("W = W * 2; range(_, _, has(W))",)

GREEDY_IN_ORDER = (
    "A = A + has(B); B = B + _",  # waiting times
    "if F != G:\n    T[has(F)] = has(G)",  # components are joined
    "if not T[I]:\n    T[I] = True",  # a free place
    "if has(B + _):\n    T[_] = T[_] + _",  # the first bin that has room
)
"""In a loop over what was sorted."""
GREEDY_ELEMENTS = (
    "while has(C) <= A:\n    A = A - has(C)",
    "A // C; A = A % C",
    "(_, A) = divmod(A, C)",
)
"""In a loop whose elements are C."""
GREEDY = (
    "heapreplace(_, _)",
    "L = L - has(argbest(has(L)))",
    "B = argbest(has(L)); L = L - has(B)",
    "B = argbest(has(L)); L.remove(has(B))",
    "C = C - has(best(C, _))",
    "N = N - has(has(N) ** 0.5)",
    "N = _ - D; ceil(has(D // N))",
    "F = best(F, has(I + _)); F < I",
    "F = best(F, has(I + _)); E = F; I == E",
    "F = best(F, _[_]); F == I",
    "if G <= I + _[I]:\n    G = I",
    "if A < B:\n    P = P + (B - A)",
    "T = T + _\nif T < 0:\n    S = has(I + 1)\n    T = best(T, 0)",
    "while has(_ < S[_]):\n    S.pop()\n    K = K - 1",
    "while C in has(T[_]):\n    _\nT[_] = C",
)

SPREADS = (
    "if alleged(T[J]):\n    T[I] = True",
    "T[I] = has(T[J] @ T[K])",
    "T[I] = has(choice(has(T[J] @ _)))",
    "T[I] = has(_ @ has(choice(has(T[J]))))",
    "Q = has(choice(has(T[J] @ _))); T[I] = has(Q)",
    "T[I] = has(zip(has(T[J]), has(T[J])))",
    "R = has(every(has(R[J] @ R[K])))",
    "R = has(every(has(_ @ has(best(R[J], R[K])))))",
    "S = S | has({_ @ _ for _ in S})",
)
"""Entries of a table from other entries of it, rows from rows."""
BEST_SO_FAR = (
    "A = has(best(_, has(B @ _))); B = has(A)",
    "A = B @ _; B = best(A, B)",
    "A = _ @ has(best(B, _)); B = has(A)",
    "R = R + _; R = best(R, 0); B = best(B, R)",
    "C = choice(has(C @ X)); B = best(B, C)",
)
"""Recurrences of best values in a few variables."""

Bindings = Mapping[str, str]
_CHOICES = ("min", "max", "sum", "any", "all")
_COMMUTES = (ast.Add, ast.Mult, ast.BitOr, ast.BitAnd)
_ORDER = (ast.Lt, ast.LtE)


class Search:
    """The nodes of a loop, in which patterns are looked for; ``steps`` has the number that is left, and is shared."""

    def __init__(self, nodes: Sequence[ast.AST], steps: list[int]) -> None:
        self._nodes, self._steps = nodes, steps

    def holds(self, pattern: str) -> bool:
        """Whether all statements of the pattern are found, with the same meaning of the letters."""
        return next(self._all(parsed(pattern), {}), None) is not None

    def found(self, pattern: str) -> Iterator[Bindings]:
        """The meanings of the letters for which the pattern holds."""
        return self._all(parsed(pattern), {})

    def _all(self, patterns: tuple[ast.AST, ...], bound: Bindings) -> Iterator[Bindings]:
        if not patterns:
            yield bound
            return
        for node in self._nodes:
            for more in self._match(patterns[0], node, bound):
                yield from self._all(patterns[1:], more)

    def _match(self, pattern: ast.AST, node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
        self._steps[0] -= 1
        if self._steps[0] < 0:
            return
        if isinstance(pattern, ast.Name):
            yield from _bind(pattern.id, node, bound)
        elif isinstance(pattern, ast.Call) and called(pattern) in _SPECIAL:
            yield from _SPECIAL[called(pattern)](self, pattern.args, node, bound)
        elif isinstance(pattern, ast.BinOp) and isinstance(pattern.op, ast.MatMult):
            yield from self._operation(pattern, node, bound)
        elif isinstance(pattern, ast.If) and isinstance(node, (ast.If, ast.While)):
            yield from self._conditional(pattern, node, bound)
        elif type(pattern) is type(node):
            yield from self._same(pattern, node, bound)

    def _same(self, pattern: ast.AST, node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
        if isinstance(pattern, ast.While) and isinstance(node, ast.While):
            yield from self._conditional(pattern, node, bound)
        elif isinstance(pattern, ast.Compare) and isinstance(node, ast.Compare):
            yield from self._compare(pattern, node, bound)
        elif isinstance(pattern, ast.Constant) and isinstance(node, ast.Constant):
            if pattern.value == node.value and type(pattern.value) is type(node.value):
                yield bound
        elif isinstance(pattern, ast.BinOp) and isinstance(node, ast.BinOp):
            if type(pattern.op) is type(node.op):
                yield from self._each([pattern.left, pattern.right], [node.left, node.right], bound)
                if isinstance(node.op, _COMMUTES):
                    yield from self._each([pattern.left, pattern.right], [node.right, node.left], bound)
        elif isinstance(pattern, ast.Attribute) and isinstance(node, ast.Attribute):
            if pattern.attr == node.attr:
                yield from self._match(pattern.value, node.value, bound)
        else:
            yield from self._each(_parts(pattern), _parts(node), bound)

    def _each(self, patterns: Sequence[ast.AST], nodes: Sequence[ast.AST], bound: Bindings) -> Iterator[Bindings]:
        if len(patterns) != len(nodes):
            return
        if not patterns:
            yield bound
            return
        for more in self._match(patterns[0], nodes[0], bound):
            yield from self._each(patterns[1:], nodes[1:], more)

    def _operation(self, pattern: ast.BinOp, node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
        sides = [node.left, node.right] if isinstance(node, ast.BinOp) else []
        sides = node.values if isinstance(node, ast.BoolOp) else sides
        for one in sides:
            for other in sides:
                if one is not other:
                    yield from self._each([pattern.left, pattern.right], [one, other], bound)

    def _compare(self, pattern: ast.Compare, node: ast.Compare, bound: Bindings) -> Iterator[Bindings]:
        if len(node.ops) != 1:
            return
        wanted, given = pattern.ops[0], node.ops[0]
        if type(wanted) is not type(given) and not (isinstance(wanted, _ORDER) and isinstance(given, _ORDER)):
            return
        sides = [node.left, node.comparators[0]]
        yield from self._each([pattern.left, *pattern.comparators], sides, bound)
        if isinstance(wanted, (ast.Eq, ast.NotEq)):
            yield from self._each([pattern.left, *pattern.comparators], sides[::-1], bound)

    def _conditional(
        self, pattern: ast.If | ast.While, node: ast.If | ast.While, bound: Bindings
    ) -> Iterator[Bindings]:
        inside = Search(list(walk(node.body)), self._steps)
        for more in self._match(pattern.test, node.test, bound):
            yield from inside._all(_statements(pattern.body), more)

    def _has(self, wanted: list[ast.expr], node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
        for part in walk(node):
            yield from self._match(wanted[0], part, bound)

    def _best(self, wanted: list[ast.expr], node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
        if called(node) in ("max", "min") and isinstance(node, ast.Call) and len(node.args) > 1:
            for one in node.args:
                for more in self._match(wanted[0], one, bound):
                    others = [part for part in node.args if part is not one]
                    for other in others:
                        yield from self._match(wanted[1], other, more)

    def _choice(self, wanted: list[ast.expr], node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
        if called(node) in _CHOICES or isinstance(node, (ast.IfExp, ast.BoolOp)):
            below = [node.body, node.orelse] if isinstance(node, ast.IfExp) else list(ast.iter_child_nodes(node))
            for child in below:
                yield from self._match(wanted[0], child, bound)

    def _argbest(self, wanted: list[ast.expr], node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
        if called(node) not in ("max", "min") or not isinstance(node, ast.Call) or len(node.args) != 1:
            return
        keyed = any(word.arg == "key" for word in node.keywords)
        if keyed or any(isinstance(part, ast.Compare) and isinstance(part.ops[0], _ORDER) for part in walk(node)):
            yield from self._has(wanted, node, bound)

    def _every(self, wanted: list[ast.expr], node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
        if isinstance(node, COMPREHENSIONS):
            yield from self._has(wanted, node, bound)

    def _alleged(self, wanted: list[ast.expr], node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
        for part in node.values if isinstance(node, ast.BoolOp) else ():
            yield from self._alleged(wanted, part, bound)
        yield from self._match(wanted[0], node, bound)

    def _near(self, wanted: list[ast.expr], node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
        yield from self._match(wanted[0], node, bound)
        if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
            yield from self._match(wanted[0], node.left, bound)
        for branch in (node.body, node.orelse) if isinstance(node, ast.IfExp) else ():
            yield from self._near(wanted, branch, bound)


_SPECIAL: dict[str, Callable[[Search, list[ast.expr], ast.AST, Bindings], Iterator[Bindings]]] = {
    "has": Search._has,
    "best": Search._best,
    "choice": Search._choice,
    "argbest": Search._argbest,
    "every": Search._every,
    "alleged": Search._alleged,
    "near": Search._near,
}


def _bind(name: str, node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
    if name == "_":
        yield bound
    elif len(name) > 1 or not name.isupper():
        if isinstance(node, ast.Name) and node.id == name:
            yield bound
    elif isinstance(node, ast.expr):
        meant = text(node)
        if name in bound:
            if bound[name] == meant:
                yield bound
        elif meant not in bound.values():
            yield {**bound, name: meant}


def _parts(node: ast.AST) -> list[ast.AST]:
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, (ast.expr_context, ast.operator))]


@cache
def parsed(pattern: str) -> tuple[ast.AST, ...]:
    """The statements of a pattern; an expression alone stands for itself."""
    return _statements(ast.parse(pattern).body)


def _statements(body: Sequence[ast.stmt]) -> tuple[ast.AST, ...]:
    return tuple(part.value if isinstance(part, ast.Expr) else part for part in body)
