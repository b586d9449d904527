"""A formula in pieces: names, numbers, signs. Every spelling of a sign becomes the one that SMT-LIB has for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from goedels_poetry.kernel.problem import Signature

MAX_CHARACTERS = 6_000
"""Longer texts are not read as mathematics."""


class NotRead(ValueError):
    """The text is no formula of a form that is known here; the message says what is wrong with it."""


class Piece(Enum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    SIGN = "sign"
    MARK = "mark"
    """A bracket, comma, full stop or colon."""
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text."""

    kind: Piece
    text: str
    tight: bool = False
    """Nothing stands between it and the token before."""


_SPELLINGS = {
    "forall": "∀ \\forall forall ∏ Π",
    "exists": "∃ \\exists exists",
    "=>": "=> → ⇒ ⟹ ⟶ -> ==> --> ⊃ implies \\to \\rightarrow \\Rightarrow \\implies \\Longrightarrow",
    "<=>": "<=> ↔ ⇔ ⟺ <-> <==> iff \\iff \\Leftrightarrow \\leftrightarrow",
    "and": "and ∧ && & /\\ ⋀ \\land \\wedge",
    "or": "or ∨ || \\/ ⋁ \\lor \\vee",
    "xor": "xor ⊕ ⊻ \\oplus",
    "not": "not ¬ ! ~ \\lnot \\neg",
    "=": "= == ===",
    "distinct": "distinct ≠ != /= <> =/= \\ne \\neq",
    "<=": "<= ≤ ⩽ =< \\le \\leq",
    ">=": ">= ≥ ⩾ \\ge \\geq",
    "<": "< \\lt",
    ">": "> \\gt",
    "+": "+",
    "-": "- − –",
    "*": "* · × ⋅ ∗ \\cdot \\times",
    "div": "div // ÷ \\div",
    "mod": "mod % \\bmod \\mod",
    "/": "/",
    "^": "^ **",
    "divides": "∣ divides dvd \\mid",
    "::": "::",
    "++": "++",
    "in": "∈ \\in in",
    "if": "if",
    "then": "then",
    "else": "else",
    "when": "when whenever where provided for",
    ":=": ":=",
}
SIGNS = {spelling: sign for sign, spellings in _SPELLINGS.items() for spelling in spellings.split()}
_PHRASES = (
    (re.compile(r"\bfor\s+(?:all|every|each|any)\b", re.IGNORECASE), " ∀ "),
    (re.compile(r"\bthere\s+(?:is|are|exists?)(?:\s+an?)?\b", re.IGNORECASE), " ∃ "),
    (re.compile(r"\b(?:such\s+that|s\.t\.)", re.IGNORECASE), " , "),
    (re.compile(r"\bif\s+and\s+only\s+if\b", re.IGNORECASE), " ↔ "),
)
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_POWER = re.compile(f"[{_SUPERSCRIPTS}]+")
_SPECIAL = re.compile(f"[{_SUPERSCRIPTS}⊤⊥]")
_AS_DIGITS = str.maketrans(_SUPERSCRIPTS, "0123456789")
_SYMBOLS = str.maketrans({"⊤": " true ", "⊥": " false "})
_FONT = re.compile(r"\\(?:mathrm|mathit|mathsf|operatorname|text|texttt)\s*\{([^{}]*)\}")
_MARKUP = re.compile(r"[$`]|\\[,;! ]|\\(?:left|right|quad)\b")
_SIGN = "|".join(sorted((re.escape(s) for s in SIGNS if not s[0].isalpha()), key=len, reverse=True))
_TAIL = r"(?:[?']|!(?!=))*"
"""What a name may end in; ``a!=b`` are two names."""
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|\|(?P<barred>[^|\\]+)\|(?!\|)"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<name>[^\W\d]\w*" + _TAIL + r"(?:\.[^\W\d]\w*" + _TAIL + r")*)"
    r"|(?P<sign>\\[A-Za-z]+|" + _SIGN + r")"
    r"|(?P<mark>[()\[\]{},.:;])"
)


def tokens(text: str, signature: Signature) -> list[Token]:
    """The pieces of a text, with an end behind them.

    Raises:
        NotRead: it is too long, or has a character that means nothing here.
    """
    if len(text) > MAX_CHARACTERS:
        raise NotRead(f"more than {MAX_CHARACTERS} characters")
    for phrase, sign in _PHRASES:
        text = phrase.sub(sign, text)
    if not any(map(_SPECIAL.search, signature.names)):
        text = _POWER.sub(lambda power: "^" + power[0].translate(_AS_DIGITS), text).translate(_SYMBOLS)
    text = _MARKUP.sub(" ", _FONT.sub(r"\1", text)).strip().rstrip(".;")
    odd = _odd_names(signature)
    found: list[Token] = []
    place, tight = 0, False
    while place < len(text):
        known = odd.match(text, place) if odd is not None else None
        match = known or _TOKEN.match(text, place)
        if match is None:
            raise NotRead(f"{text[place]!r} means nothing here")
        place = match.end()
        if match.lastgroup != "space":
            found.append(_token(match, signature, tight, whole=known is not None))
        tight = match.lastgroup != "space"
    return [*found, Token(Piece.END, "the end")]


def _odd_names(signature: Signature) -> re.Pattern[str] | None:
    """Names of the problem that have signs in them, as ``rev-acc``: they are names where they stand whole."""
    odd = [name for name in signature.names if not re.fullmatch(r"\w+", name)]
    if not odd:
        return None
    longest_first = sorted(map(re.escape, odd), key=len, reverse=True)
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(longest_first)})(?![\w-])")


def _token(match: re.Match[str], signature: Signature, tight: bool, *, whole: bool) -> Token:
    text = match[0]
    if whole:
        return Token(Piece.NAME, text, tight)
    if match.lastgroup == "barred":
        return Token(Piece.NAME, match["barred"], tight)
    if match.lastgroup == "number":
        return Token(Piece.NUMBER, text, tight)
    if match.lastgroup == "mark":
        return Token(Piece.MARK, text, tight)
    sign = SIGNS.get(text) or SIGNS.get(text.lower())
    if sign is not None and text not in signature.names:
        return Token(Piece.SIGN, sign, tight)
    if match.lastgroup == "name":
        return Token(Piece.NAME, text, tight)
    raise NotRead(f"{text} means nothing here")
