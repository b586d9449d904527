"""What a ``for`` goes over: how it begins, whether there is more, what comes next. All of it ends."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.kernel.terms import Kind, Term, and_, app, integer, not_
from goedels_poetry.python.translate.build import compare, minus, plus
from goedels_poetry.python.translate.contracts import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.library import range_list
from goedels_poetry.python.translate.mappings import VIEWS
from goedels_poetry.python.translate.mappings import listed as keys_of
from goedels_poetry.python.translate.module import BOOL, INT, STR, Type, list_of


@dataclass(frozen=True, slots=True)
class Iteration:
    """``states`` are variables, ``entry`` their first values, ``step`` the next ones where there is ``more``; ``item``
    is what the loop variable becomes then."""

    states: tuple[Term, ...]
    entry: tuple[Term, ...]
    more: Term
    item: Value
    step: tuple[Term, ...]


def iteration(frame: Frame, node: ast.expr) -> Iteration:
    """How to go over ``node``, which is evaluated here, once. Raises OutsideFragment: nothing that is covered."""
    near = _neighbours(frame, node)
    if near is not None:
        return near
    name = _builtin(frame, node)
    if name is not None:
        assert isinstance(node, ast.Call)
        if name == "range":
            return _range(frame, *range_bounds(frame, node))
        if name == "enumerate":
            return _enumerate(frame, node)
        if name == "zip":
            return _zip(frame, node)
        return _reversed(frame, node)
    over = view(frame, node)
    value = frame.present(frame.value(node), "TypeError") if over is None else over
    return _over(frame, value, node)


def _builtin(frame: Frame, node: ast.expr) -> str | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    name = node.func.id
    found = name in ("range", "enumerate", "zip", "reversed") and name not in frame.local
    found = found and name not in frame.env
    if not found or not frame.registry.module.is_builtin(name):
        return None
    if any(isinstance(a, ast.Starred) for a in node.args):
        outside("a call with *", node, "Starred")
    return name


def view(frame: Frame, node: ast.expr) -> Value | None:
    """The list of the keys, values or items of a dict that a call asks for; None for anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.args or node.keywords:
        return None
    method = node.func.attr
    if method not in VIEWS:
        return None
    value = frame.present(frame.value(node.func.value), "AttributeError")
    if value.kind.kind != "dict":
        outside(f"the method `{method}` of {value.kind}", node, f"method {method}")
    return keys_of(frame, value, method)


def _over(frame: Frame, value: Value, node: ast.AST) -> Iteration:
    registry = frame.registry
    if value.kind == STR:
        i = registry.fresh("i", INTS)
        more = compare("<", i, app("str.len", (value.term,), INTS))
        item = Value(STR, app("str.at", (value.term, i), STRINGS))
        return Iteration((i,), (integer(0),), more, item, (plus(i, integer(1)),))
    if value.kind.kind == "dict":
        value = keys_of(frame, value, "keys")
    if value.kind.kind == "tuple" and len(set(value.kind.args)) == 1:
        parts = [registry.item(value.term, value.kind, i) for i in range(len(value.kind.args))]
        element = value.kind.args[0]
        value = Value(list_of(element), frame.library(element).display(parts))
    if value.kind.kind != "list":
        return outside(f"a loop over {value.kind}", node, "for")
    value = frame.known(value)
    element = value.kind.args[0]
    rest = registry.fresh("rest", value.term.sort)
    item = Value(element, registry.head(element, rest))
    more = not_(registry.is_nil(element, rest))
    return Iteration((rest,), (value.term,), more, item, (registry.tail(element, rest),))


def range_bounds(frame: Frame, node: ast.Call) -> tuple[Value, Value, int]:
    """The bounds of a range and its step, which is a literal."""
    if node.keywords or not 1 <= len(node.args) <= 3:
        outside("`range` with these arguments", node, "range")
    values = []
    for value in [frame.value(part) for part in node.args]:
        value = frame.present(value, "TypeError")
        if value.kind not in (INT, BOOL):
            outside(f"a range over {value.kind}", node, "range")
        values.append(value if value.kind == INT else frame.coerce(value, INT, node))
    step = values[2].term if len(values) == 3 else integer(1)
    if step.kind is not Kind.LIT or not isinstance(step.value, int) or step.value == 0:
        outside("a range whose step is no literal", node, "range")
    assert isinstance(step.value, int)
    zero = Value(INT, integer(0), natural=True, exact=True)
    return (zero, values[0], step.value) if len(values) == 1 else (values[0], values[1], step.value)


def _range(frame: Frame, low: Value, high: Value, step: int) -> Iteration:
    i = frame.registry.fresh("i", INTS)
    more = compare("<" if step > 0 else ">", i, high.term)
    natural = low.natural if step > 0 else high.natural
    if step == -1 and high.term is integer(-1):  # i > -1 means i >= 0
        natural, more = True, compare(">=", i, integer(0))
    return Iteration(
        (i,), (low.term,), more, Value(INT, i, natural=natural, exact=low.exact), (plus(i, integer(step)),)
    )


def times(frame: Frame, node: ast.expr) -> Iteration | None:
    """How to go so many times, for a range whose numbers are not used; None for anything else."""
    if _builtin(frame, node) != "range":
        return None
    assert isinstance(node, ast.Call)
    if len(node.args) == 3:
        return None
    low, high, _ = range_bounds(frame, node)
    k = frame.registry.fresh("k", INTS)
    count = minus(high.term, low.term)
    return Iteration((k,), (count,), compare(">", k, integer(0)), Value(INT, k), (minus(k, integer(1)),))


def _enumerate(frame: Frame, node: ast.Call) -> Iteration:
    starts = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "start")]
    if not node.args or len(starts) > 1 or len(node.keywords) + len(node.args) != 1 + len(starts):
        outside("`enumerate` with these arguments", node, "enumerate")
    inner = _one_of_many(frame, node.args[0], node) if starts else iteration(frame, node.args[0])
    start = frame.value(starts[0]) if starts else Value(INT, integer(0), natural=True, exact=True)
    if start.kind != INT:
        outside("`enumerate` from something else than an integer", node, "enumerate")
    k = frame.registry.fresh("k", INTS)
    number = Value(INT, k, natural=start.natural, exact=start.exact)
    item = _pair(frame, [number, inner.item])
    return Iteration(
        (k, *inner.states), (start.term, *inner.entry), inner.more, item, (plus(k, integer(1)), *inner.step)
    )


def _zip(frame: Frame, node: ast.Call) -> Iteration:
    if not node.args or node.keywords:
        outside("`zip` with these arguments", node, "zip")
    parts = [_one_of_many(frame, a, node) for a in node.args]
    return Iteration(
        tuple(s for p in parts for s in p.states),
        tuple(s for p in parts for s in p.entry),
        and_([p.more for p in parts]),
        _pair(frame, [p.item for p in parts]),
        tuple(s for p in parts for s in p.step),
    )


def _neighbours(frame: Frame, node: ast.expr) -> Iteration | None:
    """``zip(xs, xs[1:])`` of a list, as pairs at the front of what is left; ``zip@`` is made by ``elements``."""
    if not isinstance(node, ast.Call) or len(node.args) != 2 or node.keywords or not isinstance(node.func, ast.Name):
        return None
    xs, following = node.args
    if not isinstance(xs, ast.Name) or ast.unparse(following) != f"{xs.id}[1:]" or xs.id not in frame.env:
        return None
    if frame.env[xs.id].kind.kind != "list" or (node.func.id != "zip@" and _builtin(frame, node) != "zip"):
        return None
    over = _over(frame, frame.value(xs), node)
    element, tail, registry = over.item.kind, over.step[0], frame.registry
    item = _pair(frame, [over.item, Value(element, registry.head(element, tail))])
    more = and_([over.more, not_(registry.is_nil(element, tail))])
    return Iteration(over.states, over.entry, more, item, over.step)


def _one_of_many(frame: Frame, part: ast.expr, node: ast.Call) -> Iteration:
    """One of several arguments, all of which are evaluated before any of them is gone over."""
    if _builtin(frame, part) is None:
        over = view(frame, part)
        value = frame.value(part) if over is None else over
        if value.kind.kind == "optional":
            outside("what may be None beside other arguments", node, "for")
        return _over(frame, value, part)
    return iteration(frame, part)


def _pair(frame: Frame, values: list[Value]) -> Value:
    kind = Type("tuple", tuple(v.kind for v in values))
    return Value(kind, frame.registry.construct(kind, [v.term for v in values]))


def _reversed(frame: Frame, node: ast.Call) -> Iteration:
    if len(node.args) != 1 or node.keywords:
        outside("`reversed` takes one argument", node, "reversed")
    if _builtin(frame, node.args[0]) == "range":
        assert isinstance(node.args[0], ast.Call)
        low, high, step = range_bounds(frame, node.args[0])
        if step != 1:
            outside("`reversed` of a range with a step", node, "reversed")
        first = Value(INT, minus(high.term, integer(1)))
        iterated = _range(frame, first, Value(INT, minus(low.term, integer(1))), -1)
        natural = low.natural
        return Iteration(
            iterated.states,
            iterated.entry,
            compare(">=", iterated.states[0], low.term),
            Value(INT, iterated.states[0], natural=natural),
            iterated.step,
        )
    if _builtin(frame, node.args[0]) is not None:
        outside("`reversed` of this", node, "reversed")
    value = frame.present(frame.value(node.args[0]), "TypeError")
    if value.kind.kind != "list":
        return outside(f"`reversed` of {value.kind}", node, "reversed")
    value = frame.known(value)
    library = frame.library(value.kind.args[0])
    return _over(frame, Value(value.kind, library.reverse(value.term)), node)


def listed(frame: Frame, node: ast.expr) -> Value:
    """The list of what an expression iterates over."""
    node = spelled_out(frame, node)
    if isinstance(node, ast.GeneratorExp):
        return frame.rules.comprehension(frame, node, "list")
    name = _builtin(frame, node)
    if name == "range":
        assert isinstance(node, ast.Call)
        low, high, step = range_bounds(frame, node)
        return Value(list_of(INT), range_list(frame.registry, low.term, high.term, step), owned=True)
    over = view(frame, node)
    if over is not None:
        return over
    if name is None:
        value = frame.present(frame.value(node), "TypeError")
        if value.kind.kind == "list":
            return value
        if value.kind.kind == "dict":
            return keys_of(frame, value, "keys")
    spelled = ast.copy_location(
        ast.ListComp(
            ast.Name("item@", ast.Load()),
            [ast.comprehension(ast.Name("item@", ast.Store()), node, [], 0)],
        ),
        node,
    )
    ast.fix_missing_locations(spelled)
    return frame.rules.comprehension(frame, spelled, "list")


def spelled_out(frame: Frame, node: ast.expr) -> ast.expr:
    """``map(lambda x: f, xs)`` as ``(f for x in xs)``, ``filter(lambda x: p, xs)`` as ``(x for x in xs if p)``.

    For places that go over all of it at once. Both are lazy after ``xs`` is evaluated. They differ where the function
    raises ``StopIteration``, which nothing that is translated does. A name in the function's place is the module's
    function, or a builtin: what it means cannot change on the way.
    """
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2):
        return node
    name, (function, over) = node.func.id, node.args
    if name not in ("map", "filter") or not _means(frame, name, builtin=True) or node.keywords:
        return node
    if isinstance(function, ast.Lambda):
        given = function.args
        others = (given.posonlyargs, given.kwonlyargs, given.defaults, given.vararg, given.kwarg)
        if len(given.args) != 1 or any(others):
            outside(f"`{name}` with this function", node, name)
        item, body = given.args[0].arg, function.body
    elif isinstance(function, ast.Name) and _means(frame, function.id, builtin=False):
        item = "item@"
        body = ast.Call(function, [ast.Name(item, ast.Load())], [])
    else:
        return outside(f"`{name}` with this function", node, name)
    element = body if name == "map" else ast.Name(item, ast.Load())
    tests = [] if name == "map" else [body]
    made = ast.GeneratorExp(element, [ast.comprehension(ast.Name(item, ast.Store()), over, tests, 0)])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def _means(frame: Frame, name: str, *, builtin: bool) -> bool:
    """Whether a name means the builtin, or else possibly the module's function."""
    module = frame.registry.module
    if name in frame.local or name in frame.env:
        return False
    return module.is_builtin(name) or (not builtin and module.function(name) is not None)
