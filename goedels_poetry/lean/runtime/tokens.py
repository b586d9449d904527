"""Lean text as tokens, as Lean's own reader cuts it: comments and strings are never mistaken for code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["word", "number", "string", "char", "symbol", "comment", "doc", "broken"]
"""word: identifiers and keywords, dots and «quotes» included; broken: a comment, string or «name» without an end."""

_NUMBER = re.compile(
    r"0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9][0-9_]*(?:\.(?:[0-9][0-9_]*|(?=[eE][+-]?[0-9])))?(?:[eE][+-]?[0-9]+)?"
)
_CHAR = re.compile(r"'(?:\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)|[^\\'])'", re.DOTALL)
_RAW = re.compile(r'r(#*)"')
_LETTER_LIKE = (
    (0x3B1, 0x3C9),
    (0x391, 0x3A9),
    (0x3CA, 0x3FB),
    (0x1F00, 0x1FFE),
    (0x2100, 0x214F),
    (0x1D49C, 0x1D59F),
    (0xC0, 0x17F),
)
_NOT_LETTERS = frozenset("λΠΣ×÷")
_SUBSCRIPTS = ((0x2080, 0x2089), (0x2090, 0x209C), (0x1D62, 0x1D6A), (0x2C7C, 0x2C7C))
_PRIMES = ("''", "]'")
"""Symbols of Lean and Mathlib with a prime, which begins no character there."""
_OPENING = frozenset("([{⟨,")
_BRACE = re.compile(r"\\.|\{", re.DOTALL)
_PLAIN = re.compile(r"(?!.*(?:--|/-))[^{}\"'\\]*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text. ``start``, ``end``: code points; ``line`` from 1, ``column`` from 0, as Lean counts."""

    kind: Kind
    text: str
    start: int
    end: int
    line: int
    column: int
    inner: bool = False
    """It stands between the braces of an interpolated string."""


def starts_word(c: str) -> bool:
    """Whether an identifier may begin with this character."""
    if c.isascii():
        return c.isalpha() or c == "_"
    return c not in _NOT_LETTERS and _within(c, _LETTER_LIKE)


def goes_on(c: str) -> bool:
    """Whether an identifier may go on with this character."""
    if c.isascii():
        return c.isalnum() or c in "_'!?"
    return starts_word(c) or _within(c, _SUBSCRIPTS)


def _within(c: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= ord(c) <= high for low, high in ranges)


def tokenize(text: str) -> list[Token]:
    """All tokens, comments included, in order. Never fails: what has no end becomes one ``broken`` token."""
    tokens: list[Token] = []
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    line = 0
    at = 0
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
            continue
        kind, end = _next(text, at)
        while line + 1 < len(lines) and lines[line + 1] <= at:
            line += 1
        token = Token(kind, text[at:end], at, end, line + 1, at - lines[line])
        tokens.append(token)
        if kind == "string" and text[at] == '"':
            tokens.extend(_interpolated(token))
        at = end
    return tokens


HEADS = frozenset({"module", "prelude", "public", "meta", "private", "all"})
"""Words of a file's head, besides `import` and names."""


def header(text: str) -> list[Token]:
    """The words with which a text begins, up to the last module that it imports; comments left out."""
    last = max((found.end() for found in re.finditer(r"\b(?:import|module|prelude)\b.*", text)), default=0)
    words = [token for token in tokenize(text[:last]) if token.kind not in ("comment", "doc")]
    end = 0
    for at, word in enumerate(words):
        named = at > 0 and words[at - 1].text in ("import", "all")
        if word.text in ("module", "prelude") or (named and word.text not in HEADS):
            end = at + 1
        elif word.text != "import" and word.text not in HEADS:
            break
    return words[:end]


def _next(text: str, at: int) -> tuple[Kind, int]:
    """Kind and end of the token that begins at ``at``."""
    c, two = text[at], text[at : at + 2]
    if two == "--":
        end = text.find("\n", at)
        return "comment", len(text) if end < 0 else end
    if two == "/-":
        return _comment(text, at)
    if c == '"':
        return _string(text, at)
    raw = _RAW.match(text, at)
    if raw is not None:
        closing = '"' + raw.group(1)
        end = text.find(closing, raw.end())
        return ("broken", len(text)) if end < 0 else ("string", end + len(closing))
    if two in _PRIMES:
        return "symbol", at + 2
    if c == "'":
        char = _CHAR.match(text, at)
        return ("char", char.end()) if char is not None else ("symbol", at + 1)
    if c.isascii() and c.isdigit():
        number = _NUMBER.match(text, at)
        return "number", at + 1 if number is None else number.end()
    if c == "«" or starts_word(c):
        return _word(text, at)
    return "symbol", at + 1


def _comment(text: str, at: int) -> tuple[Kind, int]:
    doc = text[at + 2 : at + 3] in ("-", "!")
    i, depth = at + (3 if doc else 2), 1
    while depth:
        close = text.find("-/", i)
        if close < 0:
            return "broken", len(text)
        deeper = text.find("/-", i, close + 1)  # `/-/` opens: the earlier of the two counts
        if deeper >= 0:
            i, depth = deeper + 2, depth + 1
        else:
            i, depth = close + 2, depth - 1
    return "doc" if doc else "comment", i


def _string(text: str, at: int) -> tuple[Kind, int]:
    i = at + 1
    while i < len(text):
        if text[i] == "\\":
            i += 2
        elif text[i] == '"':
            return "string", i + 1
        else:
            i += 1
    return "broken", len(text)


def _word(text: str, at: int) -> tuple[Kind, int]:
    i = at
    while True:
        if text[i] == "«":
            close = text.find("»", i)
            if close < 0:
                return "broken", len(text)
            i = close + 1
        else:
            i += 1
            while i < len(text) and goes_on(text[i]):
                i += 1
        if text[i : i + 1] == "." and i + 1 < len(text) and (text[i + 1] == "«" or starts_word(text[i + 1])):
            i += 1
        else:
            return "word", i


def _interpolated(token: Token) -> list[Token]:
    """The tokens between the braces of a string: terms, if the string is one like `s!"{x}"`, which any may be."""
    found: list[Token] = []
    for start, inside in _braces(token.text):
        for inner in tokenize(inside):
            at = token.start + start + inner.start
            found.append(Token(inner.kind, inner.text, at, at + len(inner.text), token.line, token.column, True))
    return found


def _braces(literal: str) -> list[tuple[int, str]]:
    """What stands between braces in a string literal, with its offset; to the end where a brace is not closed."""
    found = []
    at = 0
    while (brace := _BRACE.search(literal, at)) is not None:
        at = brace.end()
        if brace[0] == "{":
            close = literal.find("}", at)
            end = len(literal) - 1 if close < 0 else close
            found.append((at, literal[at:end]))
            at = end
    return found


def is_doubtful(token: Token, text: str) -> bool:
    """Whether Lean may see another end of this token than we do, depending on what stands around it.

    A string that Lean interpolates ends elsewhere than a plain one when its terms have quotes or comments of their
    own; what looks like the beginning of a comment right after a symbol may be the end of that symbol (`//-1`), and so
    may a quote (`⁻¹'"'`); the `r` of a raw string right after a dot is a name (`(x).r"\\"`).
    """
    before = text[token.start - 1] if token.start else " "
    if token.kind == "char" or (token.kind == "string" and token.text.startswith("r")):
        return not (before.isspace() or before in _OPENING)
    if token.kind == "string":
        closed = all(
            literal_end < len(token.text) - 1 and _PLAIN.match(inside)
            for start, inside in _braces(token.text)
            for literal_end in (start + len(inside),)
        )
        return not closed
    if token.kind in ("comment", "doc", "broken"):
        apart = before.isspace() or goes_on(before) or before in ")]}⟩»\"'"
        return not apart or token.text.startswith("/--/")
    return False
