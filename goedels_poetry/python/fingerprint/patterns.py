"""Patterns of steps, written in Python, and the search for them.

A capital letter stands for an expression, the same wherever it stands, and different letters for different ones; ``_``
is anything. ``A @ B`` is any operation on two, in either order. ``has(p)`` is an expression with ``p`` somewhere in it,
``best(a, b)`` a maximum or minimum of these and others, ``choice(p)`` a choice among alternatives with ``p``,
``argbest(p)`` the best by a key or among those that pass a comparison, ``every(p)`` a comprehension with ``p``,
``alleged(p)`` a condition that needs ``p``, ``near(p)`` is ``p`` or one more or less. ``if`` stands for ``while`` too.
Several statements are found anywhere in a loop, in any order.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

from goedels_poetry.python.fingerprint.normal import COMPREHENSIONS, called, text, walk

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
TABLE = (
    "if alleged(T[J]):\n    T[I] = True",
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
Nodes = Sequence[ast.AST]
_COMMUTES = (ast.Add, ast.Mult, ast.BitOr, ast.BitAnd)
_ORDER = (ast.Lt, ast.LtE)


class Search:
    """The nodes of a loop, in which patterns are looked for; ``steps`` has the number that is left, and is shared."""

    def __init__(self, nodes: Nodes, steps: list[int]) -> None:
        self._nodes, self._steps = nodes, steps

    def any(self, patterns: Iterable[str]) -> bool:
        """Whether one of the patterns is found."""
        return any(next(self.found(pattern), None) is not None for pattern in patterns)

    def found(self, pattern: str) -> Iterator[Bindings]:
        """The meanings of the letters for which all statements of the pattern are found."""
        return self._all(_parsed(pattern), {})

    def _all(self, patterns: Nodes, bound: Bindings) -> Iterator[Bindings]:
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
        elif isinstance(pattern, ast.If | ast.While) and isinstance(node, ast.If | ast.While):
            inside = Search(list(walk(node.body)), self._steps)
            for more in self._match(pattern.test, node.test, bound):
                yield from inside._all(_statements(pattern.body), more)
        else:
            for wanted, given in _pairings(pattern, node):
                yield from self._each(wanted, given, bound)

    def _each(self, patterns: Nodes, nodes: Nodes, bound: Bindings) -> Iterator[Bindings]:
        if not patterns:
            yield bound
            return
        for more in self._match(patterns[0], nodes[0], bound):
            yield from self._each(patterns[1:], nodes[1:], more)


def _bind(name: str, node: ast.AST, bound: Bindings) -> Iterator[Bindings]:
    if name == "_":
        yield bound
    elif len(name) > 1 or not name.isupper():
        if isinstance(node, ast.Name) and node.id == name:
            yield bound
    elif isinstance(node, ast.expr):
        meant = text(node)
        if bound.get(name, meant) == meant and (name in bound or meant not in bound.values()):
            yield {**bound, name: meant}


def _pairings(pattern: ast.AST, node: ast.AST) -> Iterator[tuple[Nodes, Nodes]]:
    """Parts of a pattern, and of a node the parts that may be them, in every way in which they may."""
    if isinstance(pattern, ast.Call) and called(pattern) in _SPECIAL:
        yield from ((pattern.args, given) for given in _SPECIAL[called(pattern)](node))
    elif isinstance(pattern, ast.BinOp) and isinstance(pattern.op, ast.MatMult):
        sides = [node.left, node.right] if isinstance(node, ast.BinOp) else getattr(node, "values", [])
        if isinstance(node, ast.BinOp | ast.BoolOp):
            yield from (([pattern.left, pattern.right], pair) for pair in itertools.permutations(sides, 2))
    elif type(pattern) is type(node) and _is_same(pattern, node):
        wanted, given = _parts(pattern), _parts(node)
        turns = isinstance(getattr(node, "op", getattr(node, "ops", [None])[0]), (*_COMMUTES, ast.Eq, ast.NotEq))
        if len(wanted) == len(given):
            yield wanted, given
            if turns and len(given) == 2:
                yield wanted, given[::-1]


def _is_same(pattern: ast.AST, node: ast.AST) -> bool:
    """Whether two nodes of one type say the same, whatever their parts are."""
    match pattern, node:
        case ast.Constant(), ast.Constant():
            return pattern.value == node.value and type(pattern.value) is type(node.value)
        case ast.BinOp(), ast.BinOp():
            return type(pattern.op) is type(node.op)
        case ast.Attribute(), ast.Attribute():
            return pattern.attr == node.attr
        case ast.Compare(), ast.Compare():
            orders = isinstance(pattern.ops[0], _ORDER) and isinstance(node.ops[0], _ORDER)
            return len(node.ops) == 1 and (orders or type(pattern.ops[0]) is type(node.ops[0]))
    return True


def _parts(node: ast.AST) -> Nodes:
    apart = (ast.expr_context, ast.operator, ast.cmpop)
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, apart)]


def _has(node: ast.AST) -> Iterator[Nodes]:
    yield from ([part] for part in walk(node))


def _best(node: ast.AST) -> Iterator[Nodes]:
    if called(node) in ("max", "min") and isinstance(node, ast.Call):
        yield from itertools.permutations(node.args, 2)


def _choice(node: ast.AST) -> Iterator[Nodes]:
    if called(node) in ("min", "max", "sum", "any", "all") or isinstance(node, ast.IfExp | ast.BoolOp):
        below = [node.body, node.orelse] if isinstance(node, ast.IfExp) else ast.iter_child_nodes(node)
        yield from ([part] for part in below)


def _argbest(node: ast.AST) -> Iterator[Nodes]:
    if called(node) in ("max", "min") and isinstance(node, ast.Call) and len(node.args) == 1:
        compares = any(isinstance(part, ast.Compare) and isinstance(part.ops[0], _ORDER) for part in walk(node))
        if compares or any(word.arg == "key" for word in node.keywords):
            yield from _has(node)


def _every(node: ast.AST) -> Iterator[Nodes]:
    yield from _has(node) if isinstance(node, COMPREHENSIONS) else ()


def _alleged(node: ast.AST) -> Iterator[Nodes]:
    for part in node.values if isinstance(node, ast.BoolOp) else ():
        yield from _alleged(part)
    yield [node]


def _near(node: ast.AST) -> Iterator[Nodes]:
    yield [node]
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
        yield [node.left]
    for branch in (node.body, node.orelse) if isinstance(node, ast.IfExp) else ():
        yield from _near(branch)


_SPECIAL: dict[str, Callable[[ast.AST], Iterator[Nodes]]] = {
    "has": _has, "best": _best, "choice": _choice, "argbest": _argbest, "every": _every, "alleged": _alleged,
    "near": _near,
}  # fmt: skip


@cache
def _parsed(pattern: str) -> Nodes:
    """The statements of a pattern; an expression alone stands for itself."""
    return _statements(ast.parse(pattern).body)


def _statements(body: Sequence[ast.stmt]) -> Nodes:
    return tuple(part.value if isinstance(part, ast.Expr) else part for part in body)
