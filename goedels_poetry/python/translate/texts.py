"""Texts: methods, letters and their numbers, and f-strings."""

from __future__ import annotations

import ast

from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.kernel.terms import Kind, Term, and_, app, integer, lit, not_
from goedels_poetry.python.translate.build import C_INT, compare, cond, equal, minus, negative
from goedels_poetry.python.translate.faults import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.library import plain
from goedels_poetry.python.translate.types import BOOL, INT, STR, list_of


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
