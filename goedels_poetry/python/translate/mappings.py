"""Dicts as values: lists of pairs of a key and its value, in the order in which the keys came.

A lookup finds the first pair of a key; what is stored replaces the value of that pair, or comes last. So no key comes
twice in what a program makes; what is proved of a parameter is proved of every list of pairs, those among them. Dicts
stand in no list, tuple, object or other dict: there are variables, parameters and results of this type.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from goedels_poetry.kernel.terms import Kind, Term, and_, is_app, or_
from goedels_poetry.python.translate.build import cond, equal
from goedels_poetry.python.translate.contracts import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.library import Library
from goedels_poetry.python.translate.liveness import reads
from goedels_poetry.python.translate.module import Type, list_of
from goedels_poetry.python.translate.sets import is_hashed

VIEWS = frozenset({"items", "keys", "values"})
"""Methods that give what a loop may go over."""
MAX_ENTRIES = 200
"""Of a dict that is written out."""


def pair_of(kind: Type) -> Type:
    """The type of the pairs of a dict."""
    return Type("tuple", kind.args)


def known(frame: Frame, value: Value, key: Value | None, other: Value | None, node: ast.AST) -> Value:
    """A dict whose types are known; what is looked up or stored tells them.

    Raises:
        OutsideFragment: a key or a value of another type, a key without a hash. Retry: a type is known now.
    """
    for own, given in zip(value.kind.args, (key, other), strict=True):
        if given is not None and own.kind == "unknown":
            frame.unify(own, frame.known(given).kind, node)
    value = frame.known(value)
    if not is_hashed(value.kind.args[0]):
        outside(f"a key that is {value.kind.args[0]}", node, "a dict")
    return value


def library(frame: Frame, kind: Type) -> Library:
    """Functions on the pairs of a dict."""
    return frame.library(pair_of(kind))


def _written_out(frame: Frame, value: Value) -> list[tuple[Term, Term]] | None:
    """Keys and values of a dict that is seen to be put together from pairs, or None."""
    registry, pair = frame.registry, pair_of(value.kind)
    found: list[tuple[Term, Term]] = []
    rest = value.term
    while is_app(rest, f"cons.{registry.word(pair)}"):
        first = registry.head(pair, rest)
        found.append((registry.item(first, pair, 0), registry.item(first, pair, 1)))
        rest = registry.tail(pair, rest)
    return found if rest is registry.nil(pair) else None


def has(frame: Frame, value: Value, key: Value, node: ast.AST) -> Term:
    """``key in value``."""
    value = known(frame, value, key, None, node)
    wanted = frame.coerce(key, value.kind.args[0], node, "the key").term
    pairs = _written_out(frame, value)
    if pairs is not None:
        return or_([equal(wanted, k) for k, _ in pairs])
    return library(frame, value.kind).call("has", wanted, value.term)


def at(frame: Frame, value: Value, key: Value, node: ast.AST) -> Value:
    """The value of a key that is there."""
    value = known(frame, value, key, None, node)
    wanted = frame.coerce(key, value.kind.args[0], node, "the key").term
    pairs = _written_out(frame, value)
    if not pairs:
        return Value(value.kind.args[1], library(frame, value.kind).call("at", wanted, value.term))
    result = pairs[-1][1]
    for k, term in reversed(pairs[:-1]):
        result = cond(equal(wanted, k), term, result)
    natural = all(isinstance(t.value, int) and t.value >= 0 for _, t in pairs if t.kind is Kind.LIT)
    natural = natural and all(t.kind is Kind.LIT for _, t in pairs)
    return Value(value.kind.args[1], result, natural=natural and value.kind.args[1].kind == "int")


def element(frame: Frame, value: Value, key: Value, node: ast.AST) -> Value:
    """``value[key]``."""
    frame.check(has(frame, value, key, node), "KeyError")
    return at(frame, value, key, node)


def get(frame: Frame, value: Value, args: list[Value], node: ast.Call) -> Value:
    """``value.get(key)`` and ``value.get(key, default)``."""
    if not 1 <= len(args) <= 2 or node.keywords:
        outside("`get` with these arguments", node, "method get")
    default = frame.value(ast.copy_location(ast.Constant(None), node)) if len(args) == 1 else args[1]
    value = known(frame, value, args[0], args[1] if len(args) == 2 else None, node)
    there = has(frame, value, args[0], node)
    return frame.merge(there, at(frame, value, args[0], node), default, node, "the default")


def put(frame: Frame, value: Value, key: Value, new: Value, node: ast.AST) -> Value:
    """The dict with ``new`` at ``key``."""
    value = known(frame, value, key, new, node)
    stored = frame.coerce(new, value.kind.args[1], node, "the value").term
    wanted = frame.coerce(key, value.kind.args[0], node, "the key").term
    pairs = _written_out(frame, value)
    if pairs is None or any(k.kind is not Kind.LIT for k in (wanted, *(k for k, _ in pairs))):
        made = library(frame, value.kind).call("store", wanted, stored, value.term)
        return Value(value.kind, made, owned=value.owned)
    entries = {**dict(pairs), wanted: stored}  # a key that is there stays in its place
    terms = [frame.registry.construct(pair_of(value.kind), [k, v]) for k, v in entries.items()]
    return Value(value.kind, library(frame, value.kind).display(terms), owned=value.owned)


def display(frame: Frame, node: ast.Dict) -> Value:
    """``{key: value, ...}``: put together from the first to the last."""
    if len(node.keys) > MAX_ENTRIES:
        outside(f"a dict of more than {MAX_ENTRIES} entries", node, "a dict")
    result = empty(frame, node)
    items: list[tuple[Value, Value]] = []
    for key, part in zip(node.keys, node.values, strict=True):
        if key is None:
            outside("a dict with **", node, "a dict")
        assert key is not None
        items.append((frame.value(key), frame.value(part)))
        frame.share(part)
    for key_value, value in items:
        result = put(frame, result, key_value, value, node)
    return Value(result.kind, result.term, owned=True)


def empty(frame: Frame, node: ast.AST) -> Value:
    """``{}``: of what types is found out later."""
    return frame.unknown("dict", node, 2)


def of_pairs(frame: Frame, given: Value, node: ast.AST, begin: Value | None = None) -> Value:
    """The dict of a list of pairs, behind those of ``begin``: later ones count."""
    given = frame.known(given)
    pair = given.kind.args[0]
    if pair.kind != "tuple" or len(pair.args) != 2:
        outside(f"a dict of {given.kind}", node, "a dict")
    kind = Type("dict", pair.args)
    if begin is not None and frame.unify(begin.kind, kind, node, "this") != begin.kind:
        outside(f"a dict is updated by {given.kind}", node, "a dict")
    pairs = library(frame, kind)
    made = pairs.call("dict", given.term, pairs.nil if begin is None else begin.term)
    return Value(kind, made, owned=True)


def listed(frame: Frame, value: Value, method: str) -> Value:
    """What ``keys``, ``values`` or ``items`` of a dict go over, as a list."""
    value = frame.known(value)
    pairs = library(frame, value.kind)
    if method == "items":
        return Value(list_of(pair_of(value.kind)), value.term, owned=True)
    part = 0 if method == "keys" else 1
    kind = value.kind.args[part]
    written = _written_out(frame, value)
    if written is not None:
        return Value(list_of(kind), frame.library(kind).display([pair[part] for pair in written]), owned=True)
    return Value(list_of(kind), pairs.call(method, value.term), owned=True)


def same(frame: Frame, left: Value, right: Value, node: ast.AST) -> Term:
    """``left == right``: as many keys, and each with the same value."""
    kind = frame.unify(left.kind, right.kind, node, "this comparison")
    left, right = frame.known(left), frame.known(right)
    if kind != left.kind or frame.shares(kind.args[1]):
        outside("these dicts are compared", node, "a dict")
    pairs = library(frame, kind)
    agrees = pairs.call("agrees", left.term, right.term)
    return and_([equal(pairs.length(left.term), pairs.length(right.term)), agrees])


# ------------------------------------------------------------------------------------------- changes


def without(frame: Frame, whole: Value, key: Value, node: ast.AST) -> Value:
    """The dict without a key."""
    whole = known(frame, whole, key, None, node)
    pairs = library(frame, whole.kind)
    wanted = frame.coerce(key, whole.kind.args[0], node, "the key").term
    return replace(whole, term=pairs.call("drop.key", wanted, whole.term))


def delete(frame: Frame, name: ast.Name, whole: Value, key: Value, node: ast.AST) -> None:
    """``del name[key]``."""
    frame.check(has(frame, whole, key, node), "KeyError")
    frame.env[name.id] = without(frame, whole, key, node)


def popped(frame: Frame, node: ast.Call, name: ast.Name, whole: Value) -> Value:
    """``name.pop(key)`` and ``name.pop(key, default)``."""
    if node.keywords or not 1 <= len(node.args) <= 2:
        outside("`pop` with these arguments", node, "method pop")
    key, *default = [frame.value(a) for a in node.args]
    there = has(frame, whole, key, node)
    if not default:
        frame.check(there, "KeyError")
    found = at(frame, whole, key, node)
    frame.env[name.id] = without(frame, whole, key, node)
    return frame.merge(there, found, default[0], node, "the default") if default else found


def set_default(frame: Frame, node: ast.Call, name: ast.Name, whole: Value) -> Value:
    """``name.setdefault(key, default)``."""
    if node.keywords or len(node.args) != 2:
        outside("`setdefault` with these arguments", node, "method setdefault")
    key, default = [frame.value(a) for a in node.args]
    whole = known(frame, whole, key, default, node)
    if frame.shares(default.kind):
        frame.share(node.args[1])
    there = has(frame, whole, key, node)
    frame.env[name.id] = replace(whole, term=cond(there, whole.term, put(frame, whole, key, default, node).term))
    default = frame.coerce(default, whole.kind.args[1], node, "the default")
    return frame.merge(there, at(frame, whole, key, node), default, node)


def update(frame: Frame, node: ast.Call, name: ast.Name, whole: Value) -> None:
    """``name.update(other)``: a dict, or pairs."""
    if node.keywords or len(node.args) != 1:
        outside("`update` with these arguments", node, "method update")
    if name.id in reads(node.args[0]):
        outside("a dict is changed by an expression that mentions it elsewhere", node, "mutation")
    given = node.args[0]
    is_dict = isinstance(given, ast.Dict | ast.DictComp | ast.Name)
    other = frame.value(given) if is_dict else frame.rules.listed(frame, given)
    if frame.shares(other.kind):
        frame.share(given)
    frame.env[name.id] = joined(frame, whole, other, node)


def joined(frame: Frame, whole: Value, other: Value, node: ast.AST) -> Value:
    """The dict with the pairs of another one, or of a list."""
    if other.kind.kind == "dict":
        kind = frame.unify(whole.kind, other.kind, node, "this")
        whole, other = frame.known(whole), frame.known(other)
        if kind != whole.kind:
            outside(f"a {other.kind} goes into a {whole.kind}", node, "a dict")
        other = Value(list_of(pair_of(other.kind)), other.term)
    if other.kind.kind != "list":
        outside(f"a dict is updated by {other.kind}", node, "method update")
    return replace(of_pairs(frame, other, node, whole), owned=whole.owned)
