"""Texts: methods, and f-strings of texts and truth values."""

from __future__ import annotations

import ast

from goedels_poetry.kernel.python.build import cond, minus
from goedels_poetry.kernel.python.faults import outside
from goedels_poetry.kernel.python.frame import Frame, Value
from goedels_poetry.kernel.python.types import BOOL, INT, STR
from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.kernel.terms import Term, app, integer, lit


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
        case "find":
            return Value(INT, app("str.indexof", (text, other, integer(0)), INTS))
        case "removeprefix" | "removesuffix":
            left = minus(_length(text), _length(other))
            begin = _length(other) if name == "removeprefix" else integer(0)
            return Value(STR, cond(ends, app("str.substr", (text, begin, left), STRINGS), text))
    return outside(f"the method `{name}` of a text is not covered", node, f"method {name}")


def _length(text: Term) -> Term:
    return app("str.len", (text,), INTS)


def text_of(frame: Frame, value: Value, node: ast.AST) -> Term:
    """``str(value)``, of a text or a truth value."""
    if value.kind == STR:
        return value.term
    if value.kind == BOOL:
        return cond(value.term, lit("True", STRINGS), lit("False", STRINGS))
    return outside(f"the text of {value.kind}", node, "str")


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


__all__ = ["formatted", "text_method", "text_of"]
