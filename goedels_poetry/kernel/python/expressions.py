"""Expressions but for calls: operators, comparisons, choice, displays, subscripts, attributes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from goedels_poetry.kernel.python import dicts, mappings, sets
from goedels_poetry.kernel.python.build import (
    assume,
    compare,
    cond,
    equal,
    floor_div,
    floor_mod,
    minus,
    negative,
    plus,
    times,
)
from goedels_poetry.kernel.python.comparisons import comparison, is_open
from goedels_poetry.kernel.python.faults import outside
from goedels_poetry.kernel.python.frame import Frame, Value
from goedels_poetry.kernel.python.library import not_less, power
from goedels_poetry.kernel.python.registry import legal
from goedels_poetry.kernel.python.slices import cut_out, literal_integer
from goedels_poetry.kernel.python.tables import table
from goedels_poetry.kernel.python.texts import formatted
from goedels_poetry.kernel.python.types import BOOL, INT, NEVER, NONE, STR, Type, list_of
from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Term, and_, app, integer, lit, not_, or_
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS

MAX_POWER = 64


def expression(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression that is no call.

    Raises:
        OutsideFragment: it is not covered.
    """
    rule = _RULES.get(type(node))
    return rule(frame, node) if rule else outside(f"{_name(node)} is not covered", node)


def condition(frame: Frame, node: ast.expr) -> Term:
    """The truth of an expression; ``and``, ``or`` and ``not`` as connectives."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not_less(frame.condition(node.operand))
    if isinstance(node, ast.BoolOp):
        is_and = isinstance(node.op, ast.And)
        result = frame.condition(node.values[0])
        for part in node.values[1:]:
            inner = frame.part("it may not be evaluated")
            for before in node.values[: node.values.index(part)]:
                inner.narrow(before, is_and)
            truth = inner.condition(part)
            if result.kind is Kind.APP:
                truth = assume(truth, result, is_and)
            frame.join(result if is_and else not_(result), inner)
            result = and_([result, truth]) if is_and else or_([result, truth])
        return result
    return frame.truth(frame.value(node), node)


def _name(node: ast.AST) -> str:
    words = {
        "Lambda": "a lambda that is kept or given away",
        "Await": "await",
        "JoinedStr": "an f-string",
    }
    return words.get(type(node).__name__, f"`{type(node).__name__}`")


# ------------------------------------------------------------------------------------- constants, names


def _constant(frame: Frame, node: ast.Constant) -> Value:
    value = node.value
    if isinstance(value, bool):
        return Value(BOOL, TRUE if value else FALSE)
    if isinstance(value, int):
        if value.bit_length() > 10_000:
            outside("this number is too long", node)
        return Value(INT, integer(value), natural=value >= 0, exact=True)
    if isinstance(value, str):
        if any(ord(c) > 0x2FF00 or 0xD800 <= ord(c) < 0xE000 for c in value):
            outside("a character beyond U+2FF00, or half of one", node)
        return Value(STR, lit(value, STRINGS))
    if value is None:
        return Value(NONE, app("None.", (), frame.registry.sort(NONE)))
    return outside(f"{type(value).__name__} is not covered", node, type(value).__name__)


def _variable(frame: Frame, node: ast.Name) -> Value:
    name = node.id
    found = frame.env.get(name)
    if found is not None:
        if found.kind.kind == "gone":
            outside(f"what `{name}` is here is not followed", node)
        frame.check(found.bound, "UnboundLocalError")
        return replace(found, bound=TRUE, owned=False)
    if name in frame.local:
        frame.check(FALSE, "UnboundLocalError")
        return Value(NEVER, integer(0))
    module = frame.registry.module
    if name in module.constants:
        value, annotation = module.constants[name]
        inner = frame.branch()
        inner.env, inner.local = {}, frozenset()
        result = inner.value(value)
        if inner.effect is not frame.registry.effects.unit:
            outside(f"computing `{name}` may raise an exception when the module is imported", node, "constant")
        return result if annotation is None else inner.coerce(result, module.annotations.read(annotation, node), node)
    found_table = table(frame, node)
    if isinstance(found_table, ast.List):
        inner = frame.branch()
        inner.env, inner.local = {}, frozenset()
        return replace(inner.value(found_table), owned=False)  # nobody else has it, and nobody changes it
    if name in module.counts:
        return outside(f"what `{name}` is here is not followed", node)
    return outside(f"`{name}` is not covered", node)


# ------------------------------------------------------------------------------------------- operators


def _unary(frame: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return Value(BOOL, condition(frame, node))
    value = frame.integral(frame.value(node.operand), node)
    if isinstance(node.op, ast.USub):
        return Value(INT, negative(value.term), exact=True)
    if isinstance(node.op, ast.UAdd):
        return replace(value, exact=True)
    return Value(INT, minus(negative(value.term), integer(1)), exact=True)


def _binary(frame: Frame, node: ast.BinOp) -> Value:
    left = frame.value(node.left)
    right = frame.value(node.right)
    return operate(frame, node.op, left, right, node)


def operate(frame: Frame, op: ast.operator, left: Value, right: Value, node: ast.expr | ast.stmt) -> Value:
    """``left op right``."""
    left, right = (v if v.kind.kind != "optional" else frame.present(v, "TypeError") for v in (left, right))
    if NEVER in (left.kind, right.kind):
        return Value(NEVER, integer(0))
    kinds = {left.kind.kind, right.kind.kind}
    if isinstance(op, ast.Add) and kinds == {"str"}:
        return Value(STR, app("str.++", (left.term, right.term), STRINGS))
    if isinstance(op, ast.Add) and kinds == {"list"}:
        return _concatenate(frame, left, right, node)
    if isinstance(op, ast.Add) and kinds == {"tuple"}:
        parts = [frame.registry.item(v.term, v.kind, i) for v in (left, right) for i in range(len(v.kind.args))]
        kind = Type("tuple", left.kind.args + right.kind.args)
        return Value(kind, frame.registry.construct(kind, parts))
    if isinstance(op, ast.Mult) and "list" in kinds and kinds <= {"list", "int", "bool"}:
        xs, n = (left, right) if left.kind.kind == "list" else (right, left)
        xs = frame.known(xs)
        if frame.shares(xs.kind.args[0]):
            outside("the same list several times in a list", node, "aliasing")
        repeated = frame.library(xs.kind.args[0]).repeat(xs.term, frame.integral(n, node).term)
        return Value(xs.kind, repeated, owned=True)
    if kinds == {"set"}:
        return sets.combined(frame, op, left, right, node)
    if not kinds <= {"int", "bool"}:
        outside(f"this operator between {left.kind} and {right.kind}", node, "types")
    if left.kind == right.kind == BOOL and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        a, b = left.term, right.term
        word = {ast.BitAnd: and_([a, b]), ast.BitOr: or_([a, b])}
        return Value(BOOL, word.get(type(op)) or not_(equal(a, b)))
    result = arithmetic(frame, op, frame.integral(left, node), frame.integral(right, node), node)
    plain = not isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor)  # these give a truth value of two truth values
    return replace(result, exact=plain or left.exact or right.exact)


def arithmetic(frame: Frame, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """``left op right`` of integers."""
    a, b = left.term, right.term
    both = left.natural and right.natural
    positive = b.kind is Kind.LIT and isinstance(b.value, int) and b.value > 0
    match op:
        case ast.Add():
            return Value(INT, plus(a, b), natural=both)
        case ast.Sub():
            return Value(INT, minus(a, b))
        case ast.Mult():
            return Value(INT, times(a, b), natural=both)
        case ast.FloorDiv() | ast.Mod():
            frame.check(not_(equal(b, integer(0))), "ZeroDivisionError")
            is_mod = isinstance(op, ast.Mod)
            if right.natural and not positive:  # then it is not negative where it is not 0
                return Value(INT, app("mod" if is_mod else "div", (a, b), INTS), natural=is_mod or left.natural)
            term = floor_mod(a, b) if is_mod else floor_div(a, b)
            return Value(INT, term, natural=positive and (is_mod or left.natural))
        case ast.Pow():
            return _power(frame, left, right, node)
        case ast.LShift() | ast.RShift():
            if not right.natural:
                frame.check(compare(">=", b, integer(0)), "ValueError")
            two = power(frame.registry, integer(2), b)
            if b.kind is Kind.LIT and isinstance(b.value, int) and 0 <= b.value <= 256:
                two = integer(1 << b.value)
            if isinstance(op, ast.LShift):
                return Value(INT, times(a, two), natural=left.natural)
            return Value(INT, app("div", (a, two), INTS), natural=left.natural)
        case ast.BitAnd():
            for mask, other in ((b, a), (a, b)):
                bits = mask.value if mask.kind is Kind.LIT else None
                if isinstance(bits, int) and bits >= 0 and bits & (bits + 1) == 0:
                    return Value(INT, app("mod", (other, integer(bits + 1)), INTS), natural=True)
            return outside("`&` of other numbers than one and 2 ** k - 1", node, "bit operation")
    return outside("this operator on integers is not covered", node, type(op).__name__)


def _power(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value:
    exponent = right.term
    if exponent.kind is Kind.LIT and isinstance(exponent.value, int):
        if exponent.value < 0:
            outside("a negative power is a float", node, "float")
        if exponent.value <= MAX_POWER:
            base, result = left.term, integer(1)
            if base.kind is Kind.LIT and isinstance(base.value, int) and base.value.bit_length() < 64:
                return Value(INT, integer(base.value**exponent.value), natural=left.natural)
            if exponent.value <= 4:
                for _ in range(exponent.value):
                    result = times(result, base)
                return Value(INT, result, natural=left.natural or exponent.value % 2 == 0)
    if not right.natural:
        # a negative exponent gives a float (or raises): nothing is claimed of such an input
        frame.effect = frame.registry.effects.then(
            frame.effect, frame.registry.effects.check(compare(">=", exponent, integer(0)), "a.float")
        )
    return Value(INT, power(frame.registry, left.term, exponent), natural=left.natural)


def _concatenate(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value:
    kind = frame.unify(left.kind, right.kind, node)
    a, b = frame.coerce(left, kind, node), frame.coerce(right, kind, node)
    if kind.args[0].kind == "unknown":
        return replace(a, owned=True)
    return Value(kind, frame.library(kind.args[0]).append(a.term, b.term), owned=True)


def _choice(frame: Frame, node: ast.BoolOp) -> Value:
    """``and`` and ``or``: they give an operand."""
    result = frame.value(node.values[0])
    for part in node.values[1:]:
        truth = frame.truth(result, node)
        go_on = truth if isinstance(node.op, ast.And) else not_(truth)
        inner = frame.part("it may not be evaluated")
        for before in node.values[: node.values.index(part)]:
            inner.narrow(before, isinstance(node.op, ast.And))
        value = inner.value(part)
        frame.join(go_on, inner)
        if isinstance(node.op, ast.Or) and result.kind.kind == "optional" and value.kind == result.kind.args[0]:
            result = Value(value.kind, frame.registry.the(value.kind, result.term))  # None is not given
        if result.kind == value.kind == BOOL:
            both = [result.term, value.term]
            if result.term.kind is Kind.APP:
                both[1] = assume(value.term, result.term, isinstance(node.op, ast.And))
            result = Value(BOOL, and_(both) if isinstance(node.op, ast.And) else or_(both))
        else:
            result = frame.merge(go_on, value, result, node, "the operands")
    return replace(result, owned=False)


def _conditional(frame: Frame, node: ast.IfExp) -> Value:
    test = frame.condition(node.test)
    then, otherwise = frame.part("it may not be evaluated"), frame.part("it may not be evaluated")
    then.narrow(node.test, True)
    otherwise.narrow(node.test, False)
    a, b = then.value(node.body), otherwise.value(node.orelse)
    frame.join(test, then, otherwise)
    if test is TRUE or test is FALSE:
        kind = frame.unify(a.kind, b.kind, node)
        return frame.coerce(a if test is TRUE else b, kind, node)
    return frame.merge(test, a, b, node, "this")


# ------------------------------------------------------------------------------- displays, subscripts


def _list(frame: Frame, node: ast.List) -> Value:
    if not node.elts:
        return frame.unknown_list(node)
    pieces: list[tuple[bool, Value]] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            pieces.append((True, frame.rules.listed(frame, element.value)))
        else:
            pieces.append((False, frame.value(element)))
    kind: Type | None = None
    for starred, value in pieces:
        own = value.kind.args[0] if starred else value.kind
        kind = own if kind is None else frame.unify(kind, own, node, "an element of this list")
    assert kind is not None
    if kind.kind == "unknown":
        outside("the type of the elements is not known", node, "types")
    frame.share(node) if frame.shares(kind) else None
    library = frame.library(kind)
    result = library.nil
    for starred, value in reversed(pieces):
        if starred:
            result = library.append(frame.coerce(value, list_of(kind), node).term, result)
        else:
            result = library.cons(frame.coerce(value, kind, node).term, result)
    return Value(list_of(kind), result, owned=True)


def _tuple(frame: Frame, node: ast.Tuple) -> Value:
    if any(isinstance(e, ast.Starred) for e in node.elts):
        outside("a starred element in a tuple", node, "Starred")
    parts = [frame.value(e) for e in node.elts]
    for part in parts:
        if is_open(part):
            frame.known(part)
    kind = Type("tuple", tuple(p.kind for p in parts))
    if frame.shares(kind):
        frame.share(node)
    return Value(kind, frame.registry.construct(kind, [p.term for p in parts]))


def _subscript(frame: Frame, node: ast.Subscript) -> Value:
    found = table(frame, node.value)
    if isinstance(found, ast.Dict):
        return dicts.element(frame, found, node.slice, node)
    value = frame.value(node.value)
    if value.kind.kind == "dict":
        return mappings.element(frame, value, frame.value(node.slice), node)
    value = frame.known(value)
    known = isinstance(node.slice, ast.Constant) or (
        isinstance(node.slice, ast.Name) and node.slice.id in frame.env and frame.env[node.slice.id].bound is TRUE
    )
    if value.kind.kind == "optional" and not known:
        outside("an element of what may be None, by an index that is computed", node, "subscript")  # which one raises
    value = frame.present(value, "TypeError")
    if isinstance(node.slice, ast.Slice):
        return cut_out(frame, value, node.slice, node)
    if value.kind.kind == "tuple":
        number, size = literal_integer(node.slice), len(value.kind.args)
        if number is None:
            outside("an element of a tuple by a computed index", node, "tuple index")
        if not -size <= number < size:
            outside("this tuple has fewer elements", node, "tuple index")
        place = number % size
        return Value(value.kind.args[place], frame.registry.item(value.term, value.kind, place))
    at = frame.integral(frame.value(node.slice), node)
    if value.kind == STR:
        i = position(frame, at, app("str.len", (value.term,), INTS))
        return Value(STR, app("str.at", (value.term, i), STRINGS))
    if value.kind.kind != "list":
        outside(f"an element of {value.kind}", node, "subscript")
    library = frame.library(value.kind.args[0])
    i = element_position(frame, at, value)
    return Value(value.kind.args[0], library.nth(value.term, i))


def element_position(frame: Frame, at: Value, xs: Value) -> Term:
    """An index into a list from 0 on; IndexError where it has no such element."""
    library = frame.library(xs.kind.args[0])
    if at.term is integer(0):
        frame.check(not_(library.is_nil(xs.term)), "IndexError")
        return at.term
    return position(frame, at, library.length(xs.term))


def position(frame: Frame, at: Value, length: Term, exception: str = "IndexError") -> Term:
    """An index from 0 on, of something so long."""
    term = at.term
    if at.natural:
        frame.check(compare("<", term, length), exception)
        return term
    if term.kind is Kind.LIT and isinstance(term.value, int) and term.value < 0:
        frame.check(compare(">=", length, integer(-term.value)), exception)
        return minus(length, integer(-term.value))
    low = compare("<=", negative(length), term)
    frame.check(and_([low, compare("<", term, length)]), exception)
    return cond(compare("<", term, integer(0)), plus(term, length), term)


# ------------------------------------------------------------------------------------------ attributes


def _attribute(frame: Frame, node: ast.Attribute) -> Value:
    module = frame.registry.module
    if isinstance(node.value, ast.Name) and node.value.id not in frame.env and node.value.id not in frame.local:
        kind = module.annotations.named.get(node.value.id)
        if isinstance(kind, Type) and kind.kind == "enum":
            return _member(frame, kind, node)
    value = frame.present(frame.value(node.value), "AttributeError")
    if value.kind.kind not in ("class", "union"):
        outside(f"an attribute of {value.kind}", node, "attribute")
    members = [m for m in (value.kind.args or (value.kind,)) if any(f.name == node.attr for f in module.fields[m.name])]
    if not members:
        outside(f"{value.kind} has no field `{node.attr}`", node, "attribute")
    result: Value | None = None
    tests: list[Term] = []
    for member in reversed(members):
        names = [f.name for f in module.fields[member.name]]
        at = names.index(node.attr)
        own = f"{legal(member.name)}!"
        frame.registry.sort(value.kind)
        part = Value(module.fields[member.name][at].kind, frame.registry.select(value.term, own, at))
        test = frame.registry.test(value.term, own)
        tests.append(test)
        result = part if result is None else frame.merge(test, part, result, node, f"`{node.attr}`")
    assert result is not None
    if value.kind.kind == "union" and len(members) < len(value.kind.args):
        frame.check(or_(tests), "AttributeError")
    return result


def _member(frame: Frame, kind: Type, node: ast.Attribute) -> Value:
    names = [n for n, _ in frame.registry.module.members[kind.name]]
    if node.attr not in names:
        outside(f"`{kind.name}` has no member `{node.attr}`", node, "Enum")
    return Value(kind, frame.registry.construct(kind, (), names.index(node.attr)))


def _call(frame: Frame, node: ast.Call) -> Value:
    return frame.rules.call(frame, node)


def _list_comprehension(frame: Frame, node: ast.ListComp) -> Value:
    return frame.rules.comprehension(frame, node, "list")


def _dict_comprehension(frame: Frame, node: ast.DictComp) -> Value:
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
    pairs = frame.rules.comprehension(frame, ast.copy_location(ast.ListComp(pair, node.generators), node), "list")
    return mappings.of_pairs(frame, pairs, node)


def _joined(frame: Frame, node: ast.JoinedStr) -> Value:
    return formatted(frame, node)


_RULES: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _variable,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _choice,
    ast.IfExp: _conditional,
    ast.Compare: comparison,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Subscript: _subscript,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.ListComp: _list_comprehension,
    ast.JoinedStr: _joined,
    ast.Dict: mappings.display,
    ast.DictComp: _dict_comprehension,
    ast.Set: sets.display,
    ast.SetComp: sets.made,
}

__all__ = ["arithmetic", "condition", "element_position", "expression", "operate", "position"]
