"""Expressions as trees of Python's `ast`: masked, parsed, checked against a list of forms. Nothing is evaluated.

Python's parser sees a copy of the same length in which names, strings and numbers are harmless ASCII; what they say is
read from the original. So no escape, normal form or keyword of Python changes the meaning of a program.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

MAX_LENGTH = 500_000
MAX_TOKENS = 100_000
MAX_DIGITS = 1_000
MAX_NESTING = 100
_LARGEST_EXPONENT = 300

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+)
      | (?P<name>[^\W\d]\w*)
      | (?P<number>0[xX][0-9a-fA-F_]+ | 0[bB][01_]+ | (?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<string>"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
      | (?P<operator>\*\*|//|<<|>>|<=>|<=|>=|==|=>|!=|:=|->|&&|\|\||[-+*/%()\[\]{},.:<>=&|^~!?;@\#$`\\]|[^\w\s"'])
    """,
    re.VERBOSE,
)
_MISPLACED = re.compile(r"__|_$|_\.|\._|^0[xXbB]_|^0[0-9_]+$")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_KNOWN = frozenset(("**", "//", "<<", ">>", "<=", ">=", "==", "!=", *"-+*/%()[]{},.:<>&|^~"))
_INSTEAD = {
    **dict.fromkeys(("=", ":="), "write == for equality"),
    **dict.fromkeys(("=>", "->", "→", "⇒"), "write Implies(p, q)"),
    **dict.fromkeys(("<=>", "↔"), "write p == q or Iff(p, q)"),
    **dict.fromkeys(("&&", "∧"), "write `and`, or And(p, q)"),
    **dict.fromkeys(("||", "∨"), "write `or`, or Or(p, q)"),
    **dict.fromkeys(("!", "¬"), "write `not p`, or Not(p)"),
    "∀": "write ForAll([x], ...)",
    "∃": "write Exists([x], ...)",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write !=",
    "?": "write `a if p else b`, or If(p, a, b)",
    ";": "write one expression",
    "#": "an expression has no comments",
    "lambda": "write ForAll([x], ...) or Exists([x], ...)",
    "is": "write == for equality",
    "None": "there is no None: every term has a value of its sort",
}
WORDS = frozenset({"and", "or", "not", "in", "if", "else", "for", "is", "lambda", "True", "False", "None"})
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))")
_SORT_OF = "@"
"""The operator that stands for the colon of ``x: Person``, which Python does not read there."""

_FORMS = (ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Call, ast.Subscript, ast.Attribute, ast.Name)
_LISTS = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.Starred)
_FLAT = ((ast.Add, ast.Sub), (ast.Mult,), (ast.BitAnd,), (ast.BitOr,), (ast.BitXor,))
"""Operators whose chains are one node, however long."""


class ExpressionError(ValueError):
    """An expression that is refused: why, at which offset, and what to write instead."""

    def __init__(self, message: str, at: int, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.at, self.hint = message, at, hint


def parse(text: str) -> ast.expr:
    """The tree of an expression; offsets are those of characters in ``text``, decimals are fractions.

    Raises:
        ExpressionError: not an expression of the language, with the offset and what to write instead.
    """
    masked = _masked(text)
    if not masked.strip():
        raise ExpressionError("the expression is empty", 0)
    shift = len(masked) - len(masked.lstrip())
    try:
        tree = ast.parse(masked.strip(), mode="eval").body
    except SyntaxError as error:
        at = min((error.offset or 1) - 1 + shift, len(text))
        raise ExpressionError(f"no expression: {error.msg}", at, "write it as in Python") from None
    except (RecursionError, MemoryError):
        raise _too_deep(0) from None
    _check(tree, text, shift)
    return tree


def chain(node: ast.BinOp) -> tuple[list[tuple[ast.operator, ast.expr]], ast.expr]:
    """The operands of ``a + b - c`` behind the first, each with its operator; and the first."""
    family = next((family for family in _FLAT if isinstance(node.op, family)), ())
    operands = [(node.op, node.right)]
    first = node.left
    while isinstance(first, ast.BinOp) and isinstance(first.op, family):
        operands.append((first.op, first.right))
        first = first.left
    return operands[::-1], first


def behind(node: ast.expr, text: str) -> int:
    """The offset of the operator that follows an operand."""
    at = node.end_col_offset or 0
    while at < len(text) and text[at] in " \t\r\n)":
        at += 1
    return at


def enclosed(node: ast.expr, text: str) -> bool:
    """Whether an operand stands in parentheses of its own."""
    before, after = text[: node.col_offset].rstrip(), text[node.end_col_offset :].lstrip()
    return before.endswith("(") and after.startswith(")")


def listed(node: ast.expr) -> Sequence[ast.expr] | None:
    """The elements of ``[a, b]``, ``(a, b)`` or ``{a, b}``."""
    return node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else None


def function(call: ast.Call) -> str:
    """The name that is called."""
    assert isinstance(call.func, ast.Name)  # `parse` has refused all others
    return call.func.id


def _too_deep(at: int) -> ExpressionError:
    return ExpressionError(f"nested more than {MAX_NESTING} deep", at, "split it into several, or write a list")


def _masked(text: str) -> str:
    """The text as Python may read it, character by character."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression of more than {MAX_LENGTH:,} characters", 0, "split it into several")
    parts: list[str] = []
    opened: list[tuple[str, int]] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            if text[place] in "\"'":
                raise ExpressionError("this string is never closed", place, "add the missing quotation mark")
            raise ExpressionError(f"unexpected character {text[place]!r}", place)
        if len(parts) > 2 * MAX_TOKENS:
            raise ExpressionError(f"an expression of more than {MAX_TOKENS:,} words", place, "split it into several")
        parts.append(_mask(match, opened))
        place = match.end()
    if opened:
        opening, at = opened[-1]
        raise ExpressionError(f"this `{opening}` is never closed", at, f"add the missing `{_CLOSING[opening]}`")
    return "".join(parts)


def _mask(match: re.Match[str], opened: list[tuple[str, int]]) -> str:
    token, at, following = match.group(), match.start(), match.string[match.end() : match.end() + 1]
    match match.lastgroup:
        case "blank":
            return " " * len(token)
        case "string":
            return f"'{'x' * (len(token) - 2)}'"
        case "number":
            _number(token, at, following)
            return "1" * len(token)
        case "name":
            if token in ("lambda", "is", "None"):
                raise ExpressionError(f"`{token}` is not part of this language", at, _INSTEAD[token])
            if following in ('"', "'") and token not in WORDS:
                raise ExpressionError(f"strings have no prefix `{token}`", at, "write the string alone")
            return token if token in WORDS else _identifier(token)
    if token not in _KNOWN:
        raise ExpressionError(f"`{token}` is no operator of this language", at, _INSTEAD.get(token, ""))
    if token in _CLOSING:
        opened.append((token, at))
        if len(opened) > MAX_NESTING:
            raise _too_deep(at)
    elif token in _CLOSING.values() and (not opened or _CLOSING[opened.pop()[0]] != token):
        raise ExpressionError(f"this `{token}` closes nothing", at)
    return _SORT_OF if token == ":" else token


def _identifier(name: str) -> str:
    plain = "".join(c if c.isascii() else "_" for c in name)
    return "_" + plain[1:] if keyword.iskeyword(plain) else plain


def _check(tree: ast.expr, text: str, shift: int) -> None:
    """Refuse all forms that the language has not; give the leaves what the original says, and all nodes its offsets."""
    waiting: list[tuple[ast.expr, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        node.col_offset += shift
        node.end_col_offset = (node.end_col_offset or 0) + shift
        at = node.col_offset
        if depth > MAX_NESTING:
            raise _too_deep(at)
        if not isinstance(node, _FORMS + _LISTS):
            raise ExpressionError("this form is not part of the language", at)
        written = text[at : node.end_col_offset]
        if isinstance(node, ast.Name):
            node.id = written
        elif isinstance(node, ast.Constant) and type(node.value) is not bool:
            literal: Any = _literal(written, at)  # decimals are fractions, which no tree of Python has
            node.value = literal
        elif isinstance(node, ast.Attribute):
            node.attr = re.split(r"[.\s]", written)[-1]
        elif isinstance(node, ast.Call):
            _check_call(node)
        flat = node.left if isinstance(node, ast.BinOp) and _continues(node) else None
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.comprehension):
                waiting += [(inner, depth + 1) for inner in (child.target, child.iter, *child.ifs)]
            elif isinstance(child, ast.expr):
                waiting.append((child, depth if child is flat else depth + 1))


def _check_call(call: ast.Call) -> None:
    at = call.func.end_col_offset or 0
    if isinstance(call.func, ast.Attribute):
        at = call.func.value.end_col_offset or 0
        raise ExpressionError(f"`.{call.func.attr}(...)`: nothing has methods", at, "write function(arguments)")
    if not isinstance(call.func, ast.Name):
        raise ExpressionError("only a name can be called", at, "write function(arguments)")
    if call.keywords:
        raise ExpressionError("arguments have no names", at, "write function(arguments)")


def _continues(node: ast.BinOp) -> bool:
    """Whether the left operand belongs to the same chain."""
    left = node.left
    return isinstance(left, ast.BinOp) and any(
        isinstance(node.op, family) and isinstance(left.op, family) for family in _FLAT
    )


def _literal(written: str, at: int) -> int | Fraction | str:
    match = _TOKEN.fullmatch(written)
    if match is not None and match.lastgroup == "number":
        return _number(written, at, "")
    if match is None or match.lastgroup != "string":
        raise ExpressionError(f"malformed literal `{written[:40]}`", at, "join strings by +")
    return _ESCAPE.sub(lambda escape: _character(escape, at), written[1:-1])


def _number(text: str, at: int, following: str) -> int | Fraction:
    if len(text) > MAX_DIGITS:
        raise ExpressionError(f"a number of more than {MAX_DIGITS:,} digits", at)
    if following.isalnum() or following == "_" or _MISPLACED.search(text):
        hint = "no leading zeros, and no name begins with a digit"
        raise ExpressionError(f"malformed number `{text + following}`", at, hint)
    plain = text.replace("_", "")
    if plain[:2].lower() in ("0x", "0b"):
        return int(plain, 0)
    if plain.isdigit():
        return int(plain)
    _, _, exponent = plain.lower().partition("e")
    if exponent and abs(int(exponent)) > _LARGEST_EXPONENT:
        raise ExpressionError(f"the exponent of `{text}` is too large", at)
    return Fraction(plain)


def _character(escape: re.Match[str], at: int) -> str:
    code = escape[1] or escape[2]
    if code:
        character = chr(int(code, 16))
        if "\ud800" <= character <= "\udfff":
            raise ExpressionError("a lone surrogate is no character", at, "write the character itself")
        return character
    if escape[3] not in _ESCAPES:
        raise ExpressionError(f"`\\{escape[3]}` is no escape of this language", at, "write \\\\ for a backslash")
    return _ESCAPES[escape[3]]
