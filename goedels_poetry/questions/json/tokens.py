"""The words of an expression."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from goedels_poetry.questions.json.syntax import ExpressionError

MAX_LENGTH = 500_000
MAX_TOKENS = 100_000
MAX_DIGITS = 1_000
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
_MISPLACED = re.compile(r"__|_$|_\.|\._|^0[xXbB]_")
_INSTEAD = {
    "=": "write == for equality",
    "=>": "write Implies(p, q)",
    "->": "write Implies(p, q)",
    "<=>": "write p == q or Iff(p, q)",
    ":=": "write == for equality",
    "&&": "write `and`, or And(p, q)",
    "||": "write `or`, or Or(p, q)",
    "!": "write `not p`, or Not(p)",
    "¬": "write `not p`, or Not(p)",
    "∧": "write `and`, or And(p, q)",
    "∨": "write `or`, or Or(p, q)",
    "→": "write Implies(p, q)",
    "⇒": "write Implies(p, q)",
    "↔": "write p == q or Iff(p, q)",
    "∀": "write ForAll([x], ...)",
    "∃": "write Exists([x], ...)",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write !=",
    "?": "write `a if p else b`, or If(p, a, b)",
    ";": "write one expression",
    "#": "an expression has no comments",
}
_KNOWN = frozenset(("**", "//", "<<", ">>", "<=", ">=", "==", "!=", *"-+*/%()[]{},.:<>&|^~"))
WORDS = frozenset({"and", "or", "not", "in", "if", "else", "for", "is", "lambda", "True", "False", "None"})
_NOT_HERE = {
    "lambda": "write ForAll([x], ...) or Exists([x], ...)",
    "is": "write == for equality",
    "None": "there is no None: every term has a value of its sort",
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))")


class Token(NamedTuple):
    """``kind``: name, word (reserved), number, string, operator or end."""

    kind: str
    text: str
    at: int
    value: int | Fraction | str | None = None


def tokens(text: str) -> list[Token]:
    """All tokens of an expression, then one of kind ``end``.

    Raises:
        ExpressionError: a character or a form that the language does not have, or a limit passed.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression of more than {MAX_LENGTH:,} characters", 0, "split it into several")
    found: list[Token] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unreadable(text, place)
        if match.lastgroup != "blank":
            found.append(_token(match))
            if len(found) > MAX_TOKENS:
                raise ExpressionError(
                    f"an expression of more than {MAX_TOKENS:,} words", place, "split it into several"
                )
        place = match.end()
    found.append(Token("end", "", len(text)))
    return found


def _unreadable(text: str, place: int) -> ExpressionError:
    if text[place] in "\"'":
        return ExpressionError("this string is never closed", place, "add the missing quotation mark")
    return ExpressionError(f"unexpected character {text[place]!r}", place)


def _token(match: re.Match[str]) -> Token:
    text, at = match.group(), match.start()
    kind = match.lastgroup or ""
    if kind == "name":
        return _name(match)
    if kind == "number":
        return Token(kind, text, at, _number(text, at, match.string[match.end() : match.end() + 1]))
    if kind == "string":
        return Token(kind, text, at, _ESCAPE.sub(lambda escape: _character(escape, at), text[1:-1]))
    if text not in _KNOWN:
        raise ExpressionError(f"`{text}` is no operator of this language", at, _INSTEAD.get(text, ""))
    return Token(kind, text, at)


def _name(match: re.Match[str]) -> Token:
    text, at = match.group(), match.start()
    if text in _NOT_HERE:
        raise ExpressionError(f"`{text}` is not part of this language", at, _NOT_HERE[text])
    if match.string[match.end() : match.end() + 1] in ('"', "'"):
        raise ExpressionError(f"strings have no prefix `{text}`", at, "write the string alone")
    return Token("word" if text in WORDS else "name", text, at)


def _number(text: str, at: int, following: str) -> int | Fraction:
    if len(text) > MAX_DIGITS:
        raise ExpressionError(f"a number of more than {MAX_DIGITS:,} digits", at)
    plain = text.replace("_", "")
    if following.isalnum() or following == "_" or _MISPLACED.search(text):
        raise ExpressionError(f"malformed number `{text + following}`", at, "a name does not begin with a digit")
    if plain[:2].lower() in ("0x", "0b"):
        return int(plain, 0)
    if plain.isdigit():
        if len(plain) > 1 and plain.startswith("0"):
            raise ExpressionError(f"malformed number `{text}`", at, "no leading zeros")
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
