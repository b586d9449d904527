"""Elements of lists by an index, slices of lists and texts; methods of texts, letters and numbers, f-strings."""

from __future__ import annotations

import ast
from collections.abc import Callable

from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.kernel.terms import Kind, Term, and_, app, integer, lit, not_
from goedels_poetry.python.translate.build import C_INT, compare, cond, equal, minus, negative, plus
from goedels_poetry.python.translate.faults import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.library import plain
from goedels_poetry.python.translate.module import BOOL, INT, STR, list_of

MAX_STEP = 4


def element(frame: Frame, at: Value, xs: Value) -> tuple[Value, Callable[[Term], Term]]:
    """The element of a list at an index, and the list with another one there; IndexError where it has none."""
    library = frame.library(xs.kind.args[0])
    if at.term is integer(-1):
        frame.check(not_(library.is_nil(xs.term)), "IndexError")
        return Value(xs.kind.args[0], library.call("last", xs.term)), lambda new: library.call("put.last", xs.term, new)
    i = element_position(frame, at, xs)
    return Value(xs.kind.args[0], library.nth(xs.term, i)), lambda new: library.call("put", xs.term, i, new)


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


def cut_out(frame: Frame, value: Value, cut: ast.Slice, node: ast.AST) -> Value:
    """``value[low:high:step]``.

    Raises:
        OutsideFragment: it is not covered.
    """
    if cut.step is not None and not (isinstance(cut.step, ast.Constant) and cut.step.value is None):
        return _stepping(frame, value, cut, node)
    low, high = (_bound(frame, e, node) for e in (cut.lower, cut.upper))
    if value.kind == STR:
        length = app("str.len", (value.term,), INTS)
        start = integer(0) if low is None else _clamped(low, length)
        end = length if high is None else _clamped(high, length)
        return Value(STR, app("str.substr", (value.term, start, minus(end, start)), STRINGS))
    if value.kind.kind != "list":
        outside(f"a slice of {value.kind}", node, "slice")
    library = frame.library(value.kind.args[0])
    length = library.length(value.term)
    xs = value.term
    if high is not None and high.term is integer(-1):
        xs = library.call("front", xs)
    elif high is not None:
        xs = library.call("take", xs, _from_start(high, length))
    if low is not None:
        xs = library.drop(xs, _from_start(low, length))
    return Value(value.kind, xs, owned=True)


def _stepping(frame: Frame, value: Value, cut: ast.Slice, node: ast.AST) -> Value:
    """A slice with a step, which is a small literal; backwards only of the whole."""
    step = literal_integer(cut.step) if cut.step is not None else None
    if step is None or not 0 < abs(step) <= MAX_STEP:
        return outside("a slice with this step", node, "slice")
    if step < 0 and (cut.lower is not None or cut.upper is not None):
        outside("a part of a list backwards", node, "slice")
    if value.kind == STR and step in (1, -1):
        if step == 1:
            return cut_out(frame, value, ast.Slice(cut.lower, cut.upper), node)
        length = app("str.len", (value.term,), INTS)
        return Value(STR, plain(frame.registry, "backwards.str", value.term, length))
    if value.kind.kind != "list":
        outside(f"a slice of {value.kind} with this step", node, "slice")
    value = frame.known(value)
    library = frame.library(value.kind.args[0])
    part = cut_out(frame, value, ast.Slice(cut.lower, cut.upper), node)
    term = library.reverse(value.term) if step < 0 else part.term
    return Value(value.kind, term if abs(step) == 1 else library.call(f"every{abs(step)}", term), owned=True)


def _bound(frame: Frame, cut: ast.expr | None, node: ast.AST) -> Value | None:
    if cut is None or (isinstance(cut, ast.Constant) and cut.value is None):
        return None
    value = frame.value(cut)
    if value.kind.kind == "optional":
        outside("a slice up to what may be None", node, "slice")
    return frame.integral(value, node)


def _from_start(at: Value, length: Term) -> Term:
    """A bound of a slice, counted from the start; below 0 it means 0."""
    term = at.term
    if at.natural:
        return term
    if term.kind is Kind.LIT and isinstance(term.value, int) and term.value < 0:
        return plus(length, term)
    return cond(compare("<", term, integer(0)), plus(term, length), term)


def _clamped(at: Value, length: Term) -> Term:
    start = _from_start(at, length)
    if at.natural:
        return start
    return cond(compare("<", start, integer(0)), integer(0), start)


def literal_integer(node: ast.expr) -> int | None:
    """The integer that is written here, or None."""
    minus_sign = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    inner = node.operand if isinstance(node, ast.UnaryOp) and minus_sign else node
    if isinstance(inner, ast.Constant) and type(inner.value) is int:
        return -inner.value if minus_sign else inner.value
    return None


def text_method(frame: Frame, name: str, value: Value, args: list[Value], node: ast.AST) -> Value:
    """``value.name(args)``."""
    text = value.term
    if [a.kind for a in args] != [STR]:
        return outside(f"the method `{name}` of a text is not covered with these arguments", node, f"method {name}")
    other = args[0].term
    ends = app("str.suffixof" if name in ("endswith", "removesuffix") else "str.prefixof", (other, text), BOOLS)
    match name:
        case "startswith" | "endswith":
            return Value(BOOL, ends)
        case "count" if other.kind is Kind.LIT and len(str(other.value)) == 1:
            return Value(INT, plain(frame.registry, "count.str", text, other, integer(0)), natural=True, exact=True)
        case "find":
            return Value(INT, app("str.indexof", (text, other, integer(0)), INTS))
        case "removeprefix" | "removesuffix":
            left = minus(_length(text), _length(other))
            begin = _length(other) if name == "removeprefix" else integer(0)
            return Value(STR, cond(ends, app("str.substr", (text, begin, left), STRINGS), text))
    return outside(f"the method `{name}` of a text is not covered", node, f"method {name}")


def joined(frame: Frame, between: Value, given: Value, node: ast.AST) -> Value:
    """``between.join(given)``."""
    given = frame.coerce(given, list_of(STR), node, "what is joined")
    texts = frame.library(STR)
    return Value(STR, texts.call("join", between.term, given.term))


def code_of(frame: Frame, value: Value, node: ast.AST) -> Value:
    """``ord(value)``. Of letters beyond those of SMT-LIB nothing is claimed: its last ones stand for them."""
    value = frame.present(value, "TypeError")
    if value.kind != STR:
        outside(f"`ord` of {value.kind}", node, "call ord")
    if value.term.kind is Kind.LIT and len(str(value.term.value)) == 1:
        return Value(INT, integer(ord(str(value.term.value))), natural=True, exact=True)
    frame.check(equal(_length(value.term), integer(1)), "TypeError")
    code = app("str.to_code", (value.term,), INTS)
    frame.exact_where(compare("<=", code, integer(LAST_CODE)))
    return Value(INT, code, natural=True, exact=True)


def letter_of(frame: Frame, value: Value, node: ast.AST) -> Value:
    """``chr(value)``; of what is beyond the letters of SMT-LIB, and of halves of pairs, nothing is claimed."""
    number = frame.integral(value, node)
    code = number.term
    known = code.value if code.kind is Kind.LIT else None
    if isinstance(known, int) and 0 <= known < SURROGATES[0]:
        return Value(STR, lit(chr(known), STRINGS))
    frame.exact_within(number, *C_INT)
    frame.check(_within(code, 0, 0x10FFFF), "ValueError")
    is_half = _within(code, SURROGATES[0], SURROGATES[1] - 1)
    frame.exact_where(and_([compare("<=", code, integer(LAST_CODE)), not_(is_half)]))
    return Value(STR, app("str.from_code", (code,), STRINGS))


def _within(number: Term, low: int, high: int) -> Term:
    return and_([compare("<=", integer(low), number), compare("<=", number, integer(high))])


SURROGATES = 0xD800, 0xE000
LAST_CODE = 0x2FF00


def _length(text: Term) -> Term:
    return app("str.len", (text,), INTS)


def text_of(frame: Frame, value: Value, node: ast.AST) -> Term:
    """``str(value)``, of a text, a truth value or an integer.

    How many digits Python writes is out of account, like memory.
    """
    if value.kind == STR:
        return value.term
    if value.kind == BOOL:
        return cond(value.term, lit("True", STRINGS), lit("False", STRINGS))
    if value.kind == INT and not value.exact:
        outside("the text of an integer that may be True or False (that of `int(n)` is covered)", node, "str")
    if value.kind != INT:
        outside(f"the text of {value.kind}", node, "str")
    frame.registry.digits = True
    n = value.term
    if n.kind is Kind.LIT:
        return lit(str(n.value), STRINGS)
    digits = app("str.from_int", (n,), STRINGS)
    if value.natural:
        return digits
    below = app("str.++", (lit("-", STRINGS), app("str.from_int", (negative(n),), STRINGS)), STRINGS)
    return cond(compare("<", n, integer(0)), below, digits)


def formatted(frame: Frame, node: ast.JoinedStr) -> Value:
    """An f-string: its parts, from left to right."""
    parts: list[Term] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion not in (-1, ord("s")):
                outside("a format in an f-string", node, "JoinedStr")
            parts.append(text_of(frame, frame.value(part.value), part.value))
        else:
            parts.append(frame.value(part).term)
    if len(parts) < 2:
        return Value(STR, parts[0] if parts else lit("", STRINGS))
    return Value(STR, app("str.++", parts, STRINGS))
