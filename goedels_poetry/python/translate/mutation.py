"""Lists, sets and dicts that are changed in place: followed where nothing else can refer to them, else refused.

A list is *owned* by a variable from the expression that makes it until something else may refer to it: another name, a
list, a tuple, an object, what a function returns. As long as it is owned, changing it is giving the variable a new
value. Here is also how lists are ordered: for `sort`, `sorted`, `min` and `max`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from goedels_poetry.kernel.terms import TRUE, Term, integer, not_
from goedels_poetry.python.translate import mappings, sets
from goedels_poetry.python.translate.build import C_SIZE, compare, cond, plus
from goedels_poetry.python.translate.contracts import OutsideFragment, outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.indices import element_position
from goedels_poetry.python.translate.library import less
from goedels_poetry.python.translate.liveness import reads
from goedels_poetry.python.translate.module import Type, list_of
from goedels_poetry.python.translate.operators import comprehension


def pop(frame: Frame, node: ast.Call, name: ast.Name) -> Value:
    """``xs.pop()`` and ``xs.pop(i)``: the list changes; ``d.pop(key)``: the dict does."""
    if frame.env[name.id].kind.kind == "dict":
        return mappings.popped(frame, node, name, owned(frame, name, node, "dict"))
    xs = owned(frame, name, node)
    if node.keywords or len(node.args) > 1:
        outside("`pop` with these arguments", node, "method pop")
    library = frame.library(xs.kind.args[0])
    if not node.args:
        frame.check(not_(library.is_nil(xs.term)), "IndexError")
        element, left = library.call("last", xs.term), library.call("front", xs.term)
    else:
        at = frame.integral(frame.value(node.args[0]), node)
        frame.exact_within(at, *C_SIZE)
        element, left = _cut_out(frame, xs, at)
    frame.env[name.id] = replace(xs, term=left)
    return Value(xs.kind.args[0], element)


def _cut_out(frame: Frame, xs: Value, at: Value) -> tuple[Term, Term]:
    """The element at an index, and the list without it."""
    library = frame.library(xs.kind.args[0])
    i = element_position(frame, at, xs)
    left = library.append(library.call("take", xs.term, i), library.drop(xs.term, plus(i, integer(1))))
    return library.nth(xs.term, i), left


def delete(frame: Frame, target: ast.expr, node: ast.Delete) -> None:
    """``del xs[i]`` and ``del d[key]``."""
    name = target.value if isinstance(target, ast.Subscript) else None
    if not isinstance(target, ast.Subscript) or not isinstance(name, ast.Name) or name.id not in frame.env:
        outside("`del` of anything but an element", node, "Delete")
    if isinstance(target.slice, ast.Slice) or name.id in reads(target.slice):
        outside("`del` of a slice, or at what looks at the list itself", node, "Delete")
    if frame.env[name.id].kind.kind == "dict":
        whole = owned(frame, name, node, "dict")
        mappings.delete(frame, name, whole, frame.value(target.slice), node)
        return
    xs = owned(frame, name, node)
    frame.env[name.id] = replace(xs, term=_cut_out(frame, xs, frame.integral(frame.value(target.slice), node))[1])


def owned(frame: Frame, name: ast.Name, node: ast.AST, word: str = "list") -> Value:
    """A list (or what ``word`` says) that may be changed here, because nothing else can refer to it.

    Raises:
        OutsideFragment: something may.
    """
    if frame.fixed:
        outside(f"a {word} is changed where {frame.fixed}", node, "mutation")
    xs = frame.env.get(name.id)
    if xs is None or xs.kind.kind != word:
        return outside(f"`{name.id}` is no {word} that is followed", node, "mutation")
    if not xs.owned:
        outside(f"a {word} that may be shared is changed", node, "aliasing")
    frame.check(xs.bound, "UnboundLocalError")
    xs = replace(xs, bound=TRUE)
    return frame.known(xs) if word == "list" else xs


def add_to(
    frame: Frame, name: ast.Name, xs: Value, value: Value, node: ast.AST, many: bool = False
) -> tuple[Value, Value]:
    """The list and what is to be added (an element, or a list with ``many``), of one type."""
    kind = frame.unify(xs.kind, value.kind if many else list_of(value.kind), node, f"`{name.id}`")
    return frame.coerce(xs, kind, node), frame.coerce(value, kind if many else kind.args[0], node)


def change(frame: Frame, node: ast.Call) -> bool:
    """A call that stands alone and changes a list; False when it is something else."""
    func = node.func
    name = func.value if isinstance(func, ast.Attribute) else None
    if (
        not isinstance(func, ast.Attribute)
        or not isinstance(name, ast.Name)
        or name.id not in frame.env
        or func.attr not in {*_CHANGES, *_SET_CHANGES, "update"}
    ):
        return False
    word = frame.env[name.id].kind.kind
    if word == "dict" and func.attr == "update":
        mappings.update(frame, node, name, owned(frame, name, node, "dict"))
        return True
    if word == "set" or (word == "dict" and func.attr == "clear"):
        if node.keywords or func.attr not in _SET_CHANGES:
            outside(f"the method `{func.attr}` of a {word} is not covered", node, f"method {func.attr}")
        frame.check(frame.env[name.id].bound, "UnboundLocalError")
        _SET_CHANGES[func.attr](frame, node, name)
        return True
    if frame.env[name.id].kind.kind not in ("list",):
        return False
    if node.keywords and func.attr != "sort":
        outside("keywords of a method", node, "method")
    if func.attr == "pop":
        return False
    unknown = frame.env[name.id].kind.args[0].kind == "unknown"
    if unknown and func.attr in ("append", "extend", "insert") and node.args:
        probe = frame.branch()
        value = probe.rules.listed(probe, node.args[0]) if func.attr == "extend" else probe.value(node.args[-1])
        add_to(frame, name, frame.env[name.id], value, node, many=func.attr == "extend")
    frame.check(frame.env[name.id].bound, "UnboundLocalError")  # the list comes before what is added
    _CHANGES[func.attr](frame, node, name)
    return True


def _append(frame: Frame, node: ast.Call, name: ast.Name) -> None:
    (value,) = _values(frame, node, 1)
    xs, value = add_to(frame, name, owned(frame, name, node), value, node)
    if frame.shares(value.kind):
        frame.share(node.args[0])
    library = frame.library(value.kind)
    frame.env[name.id] = replace(xs, term=library.append(xs.term, library.cons(value.term, library.nil)))


def _extend(frame: Frame, node: ast.Call, name: ast.Name) -> None:
    if len(node.args) != 1:
        outside("`extend` takes one list", node, "method extend")
    value = frame.rules.listed(frame, node.args[0])
    extend(frame, name, value, node)


def extend(frame: Frame, name: ast.Name, value: Value, node: ast.AST) -> None:
    """``name.extend(value)``."""
    for part in ast.walk(node):
        lazy = isinstance(part, ast.GeneratorExp) or (
            isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in ("map", "filter")
        )
        if lazy and name.id in reads(part):
            outside("a list grows by a generator that looks at it", node, "mutation")
    xs = owned(frame, name, node)
    if value.kind.args[0].kind == "unknown":
        return
    xs, value = add_to(frame, name, xs, value, node, many=True)
    frame.env[name.id] = replace(xs, term=frame.library(xs.kind.args[0]).append(xs.term, value.term))


def _insert(frame: Frame, node: ast.Call, name: ast.Name) -> None:
    at, value = _values(frame, node, 2)
    at = frame.integral(at, node)
    frame.exact_within(at, *C_SIZE)
    xs, value = add_to(frame, name, owned(frame, name, node), value, node)
    if frame.shares(value.kind):
        frame.share(node.args[1])
    library = frame.library(value.kind)
    term = at.term
    if term is integer(0):
        result = library.cons(value.term, xs.term)
    else:
        if not at.natural:
            term = cond(compare("<", term, integer(0)), plus(term, library.length(xs.term)), term)
        rest = library.cons(value.term, library.drop(xs.term, term))
        result = library.append(library.call("take", xs.term, term), rest)
    frame.env[name.id] = replace(xs, term=result)


def _remove(frame: Frame, node: ast.Call, name: ast.Name) -> None:
    (value,) = _values(frame, node, 1)
    xs = owned(frame, name, node)
    value = frame.coerce(value, xs.kind.args[0], node)
    library = frame.library(value.kind)
    frame.check(library.member(value.term, xs.term), "ValueError")
    frame.env[name.id] = replace(xs, term=library.call("remove", value.term, xs.term))


def _reverse(frame: Frame, node: ast.Call, name: ast.Name) -> None:
    _values(frame, node, 0)
    xs = owned(frame, name, node)
    frame.env[name.id] = replace(xs, term=frame.library(xs.kind.args[0]).reverse(xs.term))


def _sort(frame: Frame, node: ast.Call, name: ast.Name) -> None:
    _values(frame, node, 0)
    if any(name.id in reads(k.value) for k in node.keywords):
        outside("a list is sorted by a key that looks at it", node, "mutation")  # it is empty then
    xs = owned(frame, name, node)
    frame.env[name.id] = replace(xs, term=arranged(frame, xs, node.keywords, node))


def _clear(frame: Frame, node: ast.Call, name: ast.Name) -> None:
    _values(frame, node, 0)
    xs = owned(frame, name, node)
    frame.env[name.id] = replace(xs, term=frame.registry.nil(xs.kind.args[0]))


def _add(frame: Frame, node: ast.Call, name: ast.Name) -> None:
    (value,) = _values(frame, node, 1)
    frame.env[name.id] = sets.added(frame, owned(frame, name, node, "set"), value, node)


def _discard(frame: Frame, node: ast.Call, name: ast.Name) -> None:
    assert isinstance(node.func, ast.Attribute)
    (value,) = _values(frame, node, 1)
    whole = owned(frame, name, node, "set")
    if node.func.attr == "remove":
        frame.check(sets.has(frame, whole, value, node), "KeyError")
    frame.env[name.id] = sets.without(frame, whole, value, node)


def _empty(frame: Frame, node: ast.Call, name: ast.Name) -> None:
    _values(frame, node, 0)
    whole = frame.known(owned(frame, name, node, frame.env[name.id].kind.kind))
    frame.env[name.id] = replace(whole, term=frame.registry.default(whole.kind))


def _values(frame: Frame, node: ast.Call, count: int) -> list[Value]:
    if len(node.args) != count:
        outside("a method with these arguments", node, "method")
    return [frame.value(a) for a in node.args]


_CHANGES: dict[str, Callable[[Frame, ast.Call, ast.Name], None]] = {
    "append": _append,
    "clear": _clear,
    "extend": _extend,
    "insert": _insert,
    "remove": _remove,
    "reverse": _reverse,
    "sort": _sort,
    "pop": lambda frame, node, name: None,
}

_SET_CHANGES: dict[str, Callable[[Frame, ast.Call, ast.Name], None]] = {
    "add": _add,
    "clear": _empty,
    "discard": _discard,
    "remove": _discard,
}


# ``key=`` of sorted, min, max and sort: elements are paired with their keys, and the pairs are ordered by these. A key
# is computed once for each element, from the first to the last, before anything is compared: that is what
# ``[(key(x), x) for x in xs]`` does. Sorting is stable, also backwards; of equals the first is the least, and the
# greatest.

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
