"""Comprehensions: each generator is a function that recurses along what it goes over.

``sum``, ``any`` and ``all`` of a generator are put together on the way, as their definitions by recursion have it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Sort, Term, and_, app, integer, or_, substitute
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.python.translate.build import cond
from goedels_poetry.python.translate.faults import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.indices import by_elements
from goedels_poetry.python.translate.iteration import iteration
from goedels_poetry.python.translate.liveness import free_names
from goedels_poetry.python.translate.module import BOOL, INT, Type, is_unknown, list_of
from goedels_poetry.python.translate.recursion import close
from goedels_poetry.python.translate.registry import SELF


@dataclass(slots=True)
class _Purpose:
    """How results are put together. ``element`` is the type of the elements of a list, once it is known."""

    word: str
    element: Type | None = None

    def sort(self, frame: Frame) -> Sort:
        if self.word == "sum":
            return INTS
        if self.word in ("any", "all"):
            return BOOLS
        assert self.element is not None
        return frame.registry.sort(list_of(self.element))

    def empty(self, frame: Frame) -> Term:
        if self.word == "list":
            assert self.element is not None
            return frame.registry.nil(self.element)
        return integer(0) if self.word == "sum" else TRUE if self.word == "all" else FALSE

    def add(self, frame: Frame, item: Term, rest: Term) -> Term:
        """One result in front of the others."""
        if self.word == "list":
            assert self.element is not None
            return frame.registry.cons(self.element, item, rest)
        return self.join(frame, item, rest)

    def join(self, frame: Frame, some: Term, rest: Term) -> Term:
        """The results of an inner generator in front of the others."""
        if self.word == "list":
            assert self.element is not None
            return frame.library(self.element).append(some, rest)
        if self.word == "sum":
            return app("+", (some, rest), INTS)
        return and_([some, rest]) if self.word == "all" else or_([some, rest])


def comprehension(frame: Frame, node: ast.ListComp | ast.GeneratorExp, purpose: str) -> Value:
    """The value of a comprehension.

    Raises:
        OutsideFragment: what it goes over or what it gives is not covered.
    """
    if any(g.is_async for g in node.generators):
        outside("an asynchronous comprehension", node, "async")
    node = _over_elements(frame, node)
    if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
        outside("`:=` in a comprehension", node, "NamedExpr")
    wanted = _Purpose(purpose)
    whole, outer = frame, frame.env
    frame, given = _abstracted(frame, node)
    term = substitute(_generator(frame, node, 0, wanted), given)
    whole.effect = frame.registry.effects.then(whole.effect, substitute(frame.effect, given))
    frame = whole
    frame.env = outer
    if purpose == "list":
        assert wanted.element is not None
        if frame.shares(wanted.element):
            frame.share(node)
        return Value(list_of(wanted.element), term, owned=True)
    return Value(INT if purpose == "sum" else BOOL, term)


def _over_elements(frame: Frame, node: ast.ListComp | ast.GeneratorExp) -> ast.ListComp | ast.GeneratorExp:
    """One that goes over indices for the sake of elements goes over these."""
    first = node.generators[0]
    if len(node.generators) > 1:
        return node
    made = by_elements(frame, first.target, first.iter, [node.elt, *first.ifs], frozenset())
    if made is None:
        return node
    target, over, (elt, *ifs) = made
    return ast.copy_location(type(node)(elt, [ast.comprehension(target, over, ifs, 0)]), node)


def _abstracted(frame: Frame, node: ast.ListComp | ast.GeneratorExp) -> tuple[Frame, dict[Term, Term]]:
    """The frame with variables for what the comprehension mentions inside: the function takes values, not terms."""
    inner = frame.part("it is part of a comprehension")
    _refuse_unbound(frame, node)
    first = node.generators[0]
    inside = [node.elt, *first.ifs, *(part for g in node.generators[1:] for part in (g.iter, *g.ifs))]
    used = {n.id for part in inside for n in ast.walk(part) if isinstance(n, ast.Name)}
    at_first = {n.id for n in ast.walk(first.iter) if isinstance(n, ast.Name)}
    given: dict[Term, Term] = {}
    for name in sorted(used - at_first):
        value = inner.env.get(name)
        if (
            value is None
            or value.term.kind is not Kind.APP
            or value.kind.kind in ("gone", "none")
            or is_unknown(value.kind)
        ):
            continue
        if not value.term.args:
            continue
        variable = frame.registry.fresh(name, value.term.sort)
        given[variable] = value.term
        inner.env[name] = replace(value, term=variable, wide=None)
    return inner, given


def _refuse_unbound(frame: Frame, node: ast.ListComp | ast.GeneratorExp) -> None:
    """A variable without a value is another error inside of a comprehension: a NameError, if that is a function."""
    for name in sorted(free_names(node) & frame.local):
        found = frame.env.get(name)
        if found is None or (found.kind.kind != "gone" and found.bound is not TRUE):
            outside(f"`{name}` may have no value in this comprehension", node, "comprehension")


def _generator(frame: Frame, node: ast.ListComp | ast.GeneratorExp, number: int, purpose: _Purpose) -> Term:
    effects = frame.registry.effects
    generator = node.generators[number]
    over = iteration(frame, generator.iter)
    inner = frame.part("it may not be evaluated")
    if number == 0:
        targets = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        inner.local |= targets
        for name in targets:
            inner.env.pop(name, None)
    bind(inner, generator.target, over.item)
    test = TRUE
    for part in generator.ifs:
        deeper = inner.part("it may not be evaluated")
        truth = deeper.condition(part)
        inner.join(test, deeper)
        inner.narrow(part, True)
        test = and_([test, truth])
    chosen = inner.part("it may not be evaluated")
    if number + 1 < len(node.generators):
        item = _generator(chosen, node, number + 1, purpose)
    else:
        item = _item(chosen, node.elt, purpose)
    inner.join(test, chosen)
    sort, empty = purpose.sort(frame), purpose.empty(frame)
    again = app(SELF, over.step, sort)
    last = number + 1 == len(node.generators)
    here = purpose.add(frame, item, again) if last else purpose.join(frame, item, again)
    body = cond(over.more, cond(test, here, again), empty)
    if inner.effect is not effects.unit:
        after = app(SELF, over.step, effects.sort)
        if purpose.word in ("any", "all"):
            stop = item if purpose.word == "any" else cond(item, FALSE, TRUE)
            stopped = and_([test, stop])
            after = cond(stopped, effects.unit, after)
        checked = effects.branch(over.more, effects.then(inner.effect, after), effects.unit)
        call = close(frame, f"{frame.name}!{purpose.word}!ok", over.states, over.entry, effects.sort, checked)
        frame.effect = effects.then(frame.effect, call)
    word = {"list": "each", "sum": "sum", "any": "any", "all": "all"}[purpose.word]
    return close(frame, f"{frame.name}!{word}", over.states, over.entry, sort, body)


def _item(frame: Frame, node: ast.expr, purpose: _Purpose) -> Term:
    value = frame.value(node)
    if purpose.word == "sum":
        return frame.coerce(frame.present(value, "TypeError"), INT, node, "what is added").term
    if purpose.word in ("any", "all"):
        return frame.truth(value, node)
    value = frame.known(value)
    if value.kind.kind == "none":
        outside("a list of None", node, "types")
    purpose.element = value.kind
    return value.term


def bind(frame: Frame, target: ast.expr, value: Value) -> None:
    """Names of a comprehension or a loop get their values; these share what they are parts of."""
    value = replace(value, owned=False)
    if isinstance(target, ast.Name):
        frame.env[target.id] = value
        return
    if not isinstance(target, ast.Tuple | ast.List):
        outside("this target is not covered", target, "target")
    assert isinstance(target, ast.Tuple | ast.List)
    if any(isinstance(t, ast.Starred) for t in target.elts):
        outside("a starred target", target, "Starred")
    for name, part in zip(target.elts, unpacked(frame, value, len(target.elts), target), strict=True):
        bind(frame, name, part)


def unpacked(frame: Frame, value: Value, count: int, node: ast.AST) -> list[Value]:
    """The elements of a tuple or a list that must be so many."""
    value = frame.present(value, "TypeError")
    if value.kind.kind == "tuple":
        if len(value.kind.args) != count:
            outside(f"{len(value.kind.args)} values for {count} targets", node, "unpacking")
        return [Value(k, frame.registry.item(value.term, value.kind, i)) for i, k in enumerate(value.kind.args)]
    if value.kind.kind != "list":
        outside(f"{value.kind} cannot be unpacked here", node, "unpacking")
    value = frame.known(value)
    library = frame.library(value.kind.args[0])
    rest, parts = value.term, []
    shape: list[Term] = []
    for _ in range(count):
        shape.append(cond(library.is_nil(rest), FALSE, TRUE))
        parts.append(Value(value.kind.args[0], library.head(rest)))
        rest = library.tail(rest)
    frame.check(and_([*shape, library.is_nil(rest)]), "ValueError")
    return parts
