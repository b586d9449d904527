"""Names, symbols and notation of Lean as the words of an index.

Two kinds of tokens: *symbols* (``List.map``, ``#0``, ``List.map>List.append``; exact, as Lean gives them), and *words*
(``list``, ``map``, ``append``; parts of names, of docstrings and of statements that are only known as text).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

NOTATION = {
    "++": "HAppend.hAppend",
    "+": "HAdd.hAdd",
    "-": "HSub.hSub",
    "*": "HMul.hMul",
    "/": "HDiv.hDiv",
    "%": "HMod.hMod",
    "^": "HPow.hPow",
    "∣": "Dvd.dvd",
    "=": "Eq",
    "≠": "Ne",
    "!=": "bne",
    "==": "BEq.beq",
    "<": "LT.lt",
    ">": "GT.gt",
    "≤": "LE.le",
    "<=": "LE.le",
    "≥": "GE.ge",
    ">=": "GE.ge",
    "∈": "Membership.mem",
    "∉": "Membership.mem",
    "::": "List.cons",
    "[]": "List.nil",
    "∧": "And",
    "∨": "Or",
    "¬": "Not",
    "↔": "Iff",
    "∃": "Exists",
    "∘": "Function.comp",
    "&&": "and",
    "||": "or",
    "!": "not",
    "<+": "List.Sublist",
    "<+:": "List.IsPrefix",
    "<:+": "List.IsSuffix",
    "<:+:": "List.IsInfix",
    "~": "List.Perm",
    "⊆": "HasSubset.Subset",
    "∪": "Union.union",
    "∩": "Inter.inter",
    "×": "Prod",
    "&&&": "HAnd.hAnd",
    "|||": "HOr.hOr",
    "^^^": "HXor.hXor",
    "<<<": "HShiftLeft.hShiftLeft",
    ">>>": "HShiftRight.hShiftRight",
}
"""Notation of core Lean and what it stands for."""

KEYWORDS = frozenset(
    ["by", "do", "else", "end", "fun", "have", "if", "in", "let", "match", "show", "sorry", "then", "theorem", "lemma"]
)
PROSE = frozenset(["an", "are", "as", "be", "by", "for", "if", "in", "is", "it", "of", "that", "the", "then", "to"])
"""Words that say nothing about a premise."""

_NAME = r"[^\W\d][\w'!?₀-₉]*(?:\.[^\W\d][\w'!?₀-₉]*|\.[0-9]+)*"
_SIGNS = "|".join(re.escape(sign) for sign in sorted(NOTATION, key=len, reverse=True))
_PIECE = re.compile(rf"(?P<arrow>:=|=>|->|→|↦|<-|←|⟨|⟩)|(?P<name>@?{_NAME})|(?P<number>[0-9]+)|(?P<sign>{_SIGNS})")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")


def symbols_of(text: str) -> tuple[str, ...]:
    """Symbols of a piece of Lean text, notation resolved, each once: what can be seen without Lean."""
    found: dict[str, None] = {}
    for piece in _PIECE.finditer(text):
        if piece["name"]:
            name = piece["name"].removeprefix("@")
            if name not in KEYWORDS:
                found[name] = None
        elif piece["number"]:
            found[f"#{piece['number']}"] = None
        elif piece["sign"]:
            found[NOTATION[piece["sign"]]] = None
    return tuple(found)


def words_of(text: str) -> tuple[str, ...]:
    """Words of a name or of prose, in lower case: ``List.reverse_append'`` gives list, reverse, append."""
    return tuple(word for part in _PART.findall(text) if len(word := part.lower()) > 1 and word not in PROSE)


def encoded(symbols: Iterable[str]) -> str:
    """Symbols as one text of tokens that a full-text index keeps whole."""
    return " ".join(_encode(symbol) for symbol in symbols)


def _encode(symbol: str) -> str:
    return "s_" + re.sub(r"[^A-Za-z0-9]", lambda found: f"_{ord(found[0]):x}_", symbol)


def tokens_of(query: str) -> tuple[str, ...]:
    """Tokens of a query: a pair ``A>B`` of symbols as it stands, anything else as symbols and as words, each once."""
    found: dict[str, None] = {}
    for piece in query.split():
        outer, arrow, inner = piece.partition(">")
        if arrow and _is_symbol(outer) and _is_symbol(inner):
            found[_encode(piece)] = None
            continue
        for symbol in (piece,) if _is_symbol(piece) else symbols_of(piece):
            found[_encode(symbol)] = None
            found.update(dict.fromkeys(words_of(symbol)))
    return tuple(found)


def _is_symbol(piece: str) -> bool:
    return bool(re.fullmatch(rf"{_NAME}|#[0-9]+", piece))
