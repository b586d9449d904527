"""Sets that are made and looked at in one expression: how many elements, whether one is in it, equality, sum, order.

``set(xs)``, ``frozenset(xs)`` and ``{e for x in xs}`` are the list that they are made of, without what comes again. In
which order a set is gone over is nobody's business: what depends on it is refused.
"""

from __future__ import annotations

import ast

from goedels_poetry.kernel.python.build import cond
from goedels_poetry.kernel.python.faults import outside
from goedels_poetry.kernel.python.frame import Frame, Value
from goedels_poetry.kernel.python.library import Library
from goedels_poetry.kernel.python.types import Type
from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import TRUE, Term, and_, app, integer


def is_set(frame: Frame, node: ast.AST | None) -> bool:
    """Whether an expression makes a set of what can be gone over."""
    if isinstance(node, ast.SetComp):
        return True
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1 or node.keywords:
        return False
    name = node.func.id
    found = name in ("set", "frozenset") and name not in frame.local and name not in frame.env
    return found and frame.registry.module.is_builtin(name) and not isinstance(node.args[0], ast.Starred)


def elements(frame: Frame, node: ast.expr) -> Value:
    """The elements of a set as a list in which they may come more than once."""
    if isinstance(node, ast.SetComp):
        made = ast.copy_location(ast.ListComp(node.elt, node.generators), node)
        xs = frame.rules.comprehension(frame, made, "list")
    else:
        assert isinstance(node, ast.Call)
        xs = elements(frame, node.args[0]) if is_set(frame, node.args[0]) else frame.rules.listed(frame, node.args[0])
    xs = frame.known(xs)
    if not is_hashed(xs.kind.args[0]):
        outside(f"a set of {xs.kind.args[0]}", node, "a set")
    return xs


def once(frame: Frame, node: ast.expr) -> Value:
    """The elements of a set, each once, in some order."""
    xs = elements(frame, node)
    library = frame.library(xs.kind.args[0])
    a, again = library.xs, app(f"once.{library.word}", (library.tail(library.xs),), library.sort)
    kept = cond(library.member(library.head(a), library.tail(a)), again, library.cons(library.head(a), again))
    return Value(xs.kind, _defined(library, "once", a, cond(library.is_nil(a), library.nil, kept), xs.term), owned=True)


def size(frame: Frame, node: ast.expr) -> Value:
    """``len(set(xs))``."""
    xs = elements(frame, node)
    library = frame.library(xs.kind.args[0])
    a, again = library.xs, app(f"different.{library.word}", (library.tail(library.xs),), INTS)
    more = cond(library.member(library.head(a), library.tail(a)), again, app("+", (integer(1), again), INTS))
    counted = _defined(library, "different", a, cond(library.is_nil(a), integer(0), more), xs.term)
    return Value(Type("int"), counted, natural=True)


def same(frame: Frame, left: ast.expr, right: ast.expr) -> Term:
    """``set(xs) == set(ys)``."""
    a, b = elements(frame, left), elements(frame, right)
    if a.kind != b.kind:
        outside(f"a set of {a.kind.args[0]} is compared with one of {b.kind.args[0]}", left, "a set")
    library = frame.library(a.kind.args[0])
    return and_([_within(library, a.term, b.term), _within(library, b.term, a.term)])


def _within(library: Library, xs: Term, ys: Term) -> Term:
    a, b = library.xs, library.rest
    name = f"within.{library.word}"
    rest = app(name, (library.tail(a), b), BOOLS)
    body = cond(library.is_nil(a), TRUE, and_([library.member(library.head(a), b), rest]))
    return library.define(name, (a, b), BOOLS, body, (xs, ys))


def _defined(library: Library, base: str, parameter: Term, body: Term, xs: Term) -> Term:
    return library.define(f"{base}.{library.word}", (parameter,), body.sort, body, (xs,))


def is_hashed(kind: Type) -> bool:
    """Whether its values have a hash that goes with equality."""
    return kind.kind in ("int", "bool", "str", "enum", "tuple") and all(map(is_hashed, kind.args))


__all__ = ["elements", "is_hashed", "is_set", "once", "same", "size"]
