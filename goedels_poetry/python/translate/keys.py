"""``key=`` of sorted, min, max and sort: elements are paired with their keys, and the pairs are ordered by these.

A key is computed once for each element, from the first to the last, before anything is compared: that is what
``[(key(x), x) for x in xs]`` does. Sorting is stable, also backwards; of equals the first is the least, and the
greatest.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from goedels_poetry.kernel.terms import Term
from goedels_poetry.python.translate.contracts import OutsideFragment, outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.library import less
from goedels_poetry.python.translate.module import Type
from goedels_poetry.python.translate.operators import comprehension

_XS, _ITEM = "elements@", "element@"
"""Names that no program has."""


def _pairs(frame: Frame, xs: Value, given: ast.expr, node: ast.AST) -> Value:
    """The list of pairs of a key and its element."""
    body: ast.expr
    if isinstance(given, ast.Name) and given.id not in frame.env and given.id not in frame.local:
        module = frame.registry.module
        if module.function(given.id) is None and not module.is_builtin(given.id):
            outside(f"what `{given.id}` does is not followed", node, "key")
        name, body = _ITEM, ast.Call(given, [ast.Name(_ITEM, ast.Load())], [])
    elif isinstance(given, ast.Lambda):
        own = given.args
        names = [a.arg for a in (*own.posonlyargs, *own.args)]
        if len(names) != 1 or own.kwonlyargs or own.defaults or own.vararg or own.kwarg:
            outside("a key that takes something else than an element", node, "key")
        name, body = names[0], given.body
    else:
        outside("a key that is no lambda and no function", node, "key")
    pair = ast.Tuple([body, ast.Name(name, ast.Load())], ast.Load())
    over = ast.comprehension(ast.Name(name, ast.Store()), ast.Name(_XS, ast.Load()), [], 0)
    made = ast.fix_missing_locations(ast.copy_location(ast.ListComp(pair, [over]), given))
    before = frame.env.get(_XS)
    frame.env[_XS] = xs
    found = frame.known(comprehension(frame, made, "list"))
    del frame.env[_XS]
    if before is not None:
        frame.env[_XS] = before
    key = found.kind.args[0].args[0]
    _ordered(frame, key, frame.registry.default(key), given)
    return found


def _ordered(frame: Frame, kind: Type, term: Term, node: ast.AST) -> None:
    """Refuse here what has no order that is followed."""
    try:
        less(frame.registry, kind, term, term)
    except OutsideFragment as why:
        outside(why.message, node, why.construct)


def arranged(frame: Frame, xs: Value, keywords: Sequence[ast.keyword], node: ast.AST) -> Term:
    """``sorted(xs, key=..., reverse=...)``."""
    backwards = False
    for keyword in keywords:
        if (
            keyword.arg == "reverse"
            and isinstance(keyword.value, ast.Constant)
            and isinstance(keyword.value.value, int)
        ):
            backwards = bool(keyword.value.value)
        elif keyword.arg != "key":
            outside(f"`sorted` with this `{keyword.arg}`", node, "sorted")
    library = frame.library(xs.kind.args[0])
    given = key_of(keywords)
    if given is None:
        _ordered(frame, xs.kind.args[0], library.head(xs.term), node)
        result = library.call("sorted", xs.term)
        return library.reverse(result) if backwards else result
    found = _pairs(frame, xs, given, node)
    pairs = frame.library(found.kind.args[0])
    if backwards:
        return pairs.call("values", pairs.reverse(pairs.call("sorted.key", pairs.reverse(found.term))))
    return pairs.call("values", pairs.call("sorted.key", found.term))


def best(frame: Frame, xs: Value, given: ast.expr, greatest: bool, node: ast.AST) -> Term:
    """``min(xs, key=...)`` or ``max(xs, key=...)`` of a list that is not empty."""
    found = _pairs(frame, xs, given, node)
    (pair,) = found.kind.args
    chosen = frame.library(pair).call("max.key" if greatest else "min.key", found.term)
    return frame.registry.item(chosen, pair, 1)


def key_of(keywords: Sequence[ast.keyword]) -> ast.expr | None:
    """What ``key=`` says; None where it is not there, or None."""
    found = next((k.value for k in keywords if k.arg == "key"), None)
    return None if isinstance(found, ast.Constant) and found.value is None else found
