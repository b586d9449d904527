"""Functions as values: ``key=`` of sorted, min, max and sort.

A key is computed once for each element, from the first to the last, before anything is compared; keys are pure here,
so what matters of that is which exception comes first. Sorting is stable, also backwards; of equals the first is the
least, and the greatest.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from goedels_poetry.kernel.terms import TRUE, Term, app, not_, or_, substitute
from goedels_poetry.python.translate.build import cond
from goedels_poetry.python.translate.faults import OutsideFragment, outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.library import less, not_less
from goedels_poetry.python.translate.liveness import free_names
from goedels_poetry.python.translate.module import Type
from goedels_poetry.python.translate.recursion import close
from goedels_poetry.python.translate.registry import SELF


def _parameters(function: ast.Lambda, node: ast.AST) -> list[str]:
    given = function.args
    if given.kwonlyargs or given.defaults or given.vararg or given.kwarg:
        outside("a lambda with such parameters", node, "Lambda")
    return [a.arg for a in (*given.posonlyargs, *given.args)]


def _inside(frame: Frame, function: ast.Lambda, names: Sequence[str]) -> Frame:
    """Where the body of a lambda is evaluated that is called here."""
    for name in sorted(free_names(function) & frame.local):  # without a value it is another error than outside of it
        found = frame.env.get(name)
        if found is None or found.kind.kind == "gone" or found.bound is not TRUE:
            outside(f"`{name}` may have no value in this lambda", function, "Lambda")
    inner = frame.part("it is part of a lambda")
    inner.local = frame.local | frozenset(names)
    return inner


@dataclass(frozen=True, slots=True)
class _Key:
    """The key of ``element``, a variable, and what computing it does besides."""

    element: Term
    kind: Type
    term: Term
    effect: Term

    def of(self, element: Term) -> Term:
        return substitute(self.term, {self.element: element})


def _key(frame: Frame, element: Type, given: ast.expr, node: ast.AST) -> _Key:
    if isinstance(given, ast.Name) and given.id not in frame.env and given.id not in frame.local:
        module, name = frame.registry.module, "item@"
        if module.function(given.id) is None and not module.is_builtin(given.id):
            outside(f"what `{given.id}` does is not followed", node, "key")
        own = ast.arguments([], [ast.arg(name)], None, [], [], None, [])
        body = ast.Call(given, [ast.Name(name, ast.Load())], [])
        given = ast.fix_missing_locations(ast.copy_location(ast.Lambda(own, body), given))
    if not isinstance(given, ast.Lambda):
        outside("a key that is no lambda and no function", node, "key")
    assert isinstance(given, ast.Lambda)
    names = _parameters(given, node)
    if len(names) != 1:
        outside("a key that takes something else than an element", node, "key")
    inner = _inside(frame, given, names)
    variable = frame.registry.fresh("item", frame.registry.sort(element))
    inner.env[names[0]] = Value(element, variable)
    found = inner.known(inner.value(given.body))
    _ordered(frame, found.kind, found.term, given)
    frame.share_as(inner)
    return _Key(variable, found.kind, found.term, inner.effect)


def _ordered(frame: Frame, kind: Type, term: Term, node: ast.AST) -> None:
    """Refuse here what has no order that is followed."""
    try:
        less(frame.registry, kind, term, term)
    except OutsideFragment as why:
        outside(why.message, node, why.construct)


def _compute(frame: Frame, key: _Key, xs: Value) -> None:
    """What happens when the keys are computed."""
    effects = frame.registry.effects
    if key.effect is effects.unit:
        return
    library = frame.library(xs.kind.args[0])
    rest = frame.registry.fresh("rest", xs.term.sort)
    own = substitute(key.effect, {key.element: library.head(rest)})
    after = effects.then(own, app(SELF, (library.tail(rest),), effects.sort))
    body = effects.branch(not_(library.is_nil(rest)), after, effects.unit)
    made = close(frame, f"{frame.name}!key!ok", (rest,), (xs.term,), effects.sort, body)
    frame.effect = effects.then(frame.effect, made)


def arranged(frame: Frame, xs: Value, keywords: Sequence[ast.keyword], node: ast.AST) -> Term:
    """``sorted(xs, key=..., reverse=...)``."""
    given: ast.expr | None = None
    backwards = False
    for keyword in keywords:
        constant = keyword.value.value if isinstance(keyword.value, ast.Constant) else keyword.value
        if keyword.arg == "key":
            given = None if constant is None else keyword.value
        elif keyword.arg != "reverse":
            outside(f"`sorted` with `{keyword.arg}`", node, "sorted")
        elif not isinstance(constant, int):
            outside("`sorted` with a `reverse` that is no truth value", node, "sorted")
        else:
            backwards = bool(constant)
    element = xs.kind.args[0]
    library, registry = frame.library(element), frame.registry
    if given is None:
        _ordered(frame, element, library.head(xs.term), node)
        result = library.call("sorted", xs.term)
        return library.reverse(result) if backwards else result
    key = _key(frame, element, given, node)
    _compute(frame, key, xs)
    value, rest = registry.fresh("item", key.element.sort), registry.fresh("rest", xs.term.sort)
    head, tail = library.head(rest), library.tail(rest)
    a, b = (value, head) if backwards else (head, value)
    stops = or_([library.is_nil(rest), not_less(less(registry, key.kind, key.of(a), key.of(b)))])
    further = library.cons(head, app(SELF, (value, tail), rest.sort))
    insert = cond(stops, library.cons(value, rest), further)
    whole = registry.fresh("xs", xs.term.sort)
    sorted_rest = app(SELF, (library.tail(whole),), whole.sort)
    entry = (library.head(whole), sorted_rest)
    inserted = close(frame, f"{frame.name}!insert", (value, rest), entry, rest.sort, insert)
    body = cond(library.is_nil(whole), library.nil, inserted)
    return close(frame, f"{frame.name}!sorted", (whole,), (xs.term,), whole.sort, body)


def best(frame: Frame, xs: Value, given: ast.expr, greatest: bool, node: ast.AST) -> Term:
    """``min(xs, key=...)`` or ``max(xs, key=...)`` of a list that is not empty."""
    element = xs.kind.args[0]
    library, registry = frame.library(element), frame.registry
    key = _key(frame, element, given, node)
    _compute(frame, key, xs)
    whole = registry.fresh("xs", xs.term.sort)
    head, tail = library.head(whole), library.tail(whole)
    other = app(SELF, (tail,), key.element.sort)
    a, b = (head, other) if greatest else (other, head)
    chosen = cond(less(registry, key.kind, key.of(a), key.of(b)), other, head)
    body = cond(library.is_nil(whole), registry.default(element), cond(library.is_nil(tail), head, chosen))
    name = f"{frame.name}!{'max' if greatest else 'min'}"
    return close(frame, name, (whole,), (xs.term,), key.element.sort, body)


def key_of(keywords: Sequence[ast.keyword]) -> ast.expr | None:
    """What ``key=`` says; None where it is not there, or None."""
    found = next((k.value for k in keywords if k.arg == "key"), None)
    return None if isinstance(found, ast.Constant) and found.value is None else found
