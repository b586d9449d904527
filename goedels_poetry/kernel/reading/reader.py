"""S-expressions with positions: the only door through which a script's text comes in.

The reader is iterative and bounded, so no text can exhaust the stack or the memory; it follows the lexicon of
SMT-LIB 2.6 and refuses what lies outside it instead of guessing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NoReturn, TypeAlias

from goedels_poetry.kernel.faults import InvalidText


class Lines:
    """A text and the way from offsets in it to lines and columns, both counted from 1."""

    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of the character at ``offset``."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1


def from_utf8(data: bytes, hint: str | None = None) -> str:
    """The text of bytes.

    Raises:
        InvalidText: where the first byte stands that is not UTF-8; columns are those of bytes.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise InvalidText(f"byte 0x{data[error.start]:02x} is not UTF-8", line, column, hint) from error


MAX_BYTES = 10_000_000
MAX_TOKENS = 1_000_000
MAX_DEPTH = 2_000
MAX_NUMERAL_DIGITS = 4_000
_SPLIT = "split it into several theorems"
_REMARK = "other text begins with ;"


class Lexeme(Enum):
    """What kind of atom a token is."""

    SYMBOL = "symbol"
    KEYWORD = "keyword"
    NUMERAL = "numeral"
    DECIMAL = "decimal"
    BITS = "bit-vector"
    STRING = "string"


class Atom:
    """A token: ``text`` without quotes, where it starts, and whether a symbol was written between bars."""

    __slots__ = ("kind", "offset", "quoted", "text")

    def __init__(self, kind: Lexeme, text: str, offset: int, quoted: bool = False) -> None:
        self.kind = kind
        self.text = text
        self.offset = offset
        self.quoted = quoted


class Group:
    """A parenthesised list; ``offset`` is that of its opening parenthesis, ``end`` where it was closed."""

    __slots__ = ("end", "items", "offset")

    def __init__(self, offset: int) -> None:
        self.items: list[SExpr] = []
        self.offset = self.end = offset


SExpr: TypeAlias = Atom | Group

# Blanks and comments can be read in one way only, so that a match that fails costs no more than the text is long.
_BLANK = r"[ \t\r\n]*(?:;[^\r\n]*(?=[\r\n]|\Z)[ \t\r\n]*)*"
_LETTER = r"A-Za-z~!@$%^&*_+=<>.?/-"
_TOKEN = re.compile(
    rf"""{_BLANK}(?:(\()|(\))|([{_LETTER}][0-9{_LETTER}]*)(?![0-9:#'{_LETTER}])|([0-9:#'{_LETTER}]+)"""
    r"""|\|([^|\\]*)\||"([^"]*(?:""[^"]*)*)"|(\Z))"""
)
_SKIPPED = re.compile(_BLANK)
_OPEN, _CLOSE, _SYMBOL, _WORD, _BARS, _STRING = range(1, 7)
_NUMBER = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")
_BITS = re.compile(r"#x[0-9a-fA-F]+|#b[01]+")
_KEYWORD = re.compile(rf":[0-9{_LETTER}]+")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Source(Lines):
    """The text of a script, and refusals of what stands somewhere in it."""

    text: str

    def fail(self, message: str, at: int | SExpr, hint: str = "") -> NoReturn:
        """Raise InvalidText at an offset or where an expression starts."""
        line, column = self.position(at if isinstance(at, int) else at.offset)
        raise InvalidText(message, line, column, hint)


def decode(text: str | bytes) -> str:
    """The text of a script within the size limit.

    Raises:
        InvalidText: more than ``MAX_BYTES`` bytes, not UTF-8, or a control character.
    """
    if len(text) > MAX_BYTES:
        raise InvalidText(f"the input is larger than {MAX_BYTES:,} bytes", 1, 1, _SPLIT)
    if isinstance(text, bytes):
        text = from_utf8(text, "save the file as UTF-8 text")
    elif _SURROGATE.search(text):
        raise InvalidText("the text has a lone surrogate, which is not a character", 1, 1, "use UTF-8 text")
    if text.startswith("\ufeff"):
        text = text[1:]
    control = _CONTROL.search(text)
    if control:
        code = ord(control.group())
        Source(text).fail(f"control character U+{code:04X}", control.start(), "is this a text file?")
    return text


def read(source: Source) -> list[SExpr]:
    """All top-level S-expressions of the text.

    Raises:
        InvalidText: unbalanced parentheses, quotes or bars; something outside SMT-LIB; a limit passed.
    """
    text = source.text
    top: list[SExpr] = []
    current = top
    open_groups: list[Group] = []
    tokens = position = 0
    match_at, symbol = _TOKEN.match, Lexeme.SYMBOL  # members of an Enum are slow to look up
    while True:
        found = match_at(text, position)
        if found is None:
            _bad_character(source, position, not open_groups)
        kind = found.lastindex or 0
        start, position = found.start(kind), found.end()
        tokens += 1
        if tokens > MAX_TOKENS:
            source.fail(f"the input has more than {MAX_TOKENS:,} tokens", start, _SPLIT)
        if kind == _OPEN:
            group = Group(start)
            current.append(group)
            open_groups.append(group)
            if len(open_groups) > MAX_DEPTH:
                source.fail(f"parentheses nested more than {MAX_DEPTH:,} deep", start, "name parts with let")
            current = group.items
        elif kind == _CLOSE:
            if not open_groups:
                source.fail("unexpected ')'", start, "no parenthesis is open here")
            open_groups.pop().end = position
            current = open_groups[-1].items if open_groups else top
        elif kind == _SYMBOL:
            current.append(Atom(symbol, found[kind], start))
        elif kind == _WORD:
            current.append(_word(source, found[kind], start, not open_groups))
        elif kind == _BARS:
            current.append(Atom(symbol, found[kind], start - 1, quoted=True))
        elif kind == _STRING:
            current.append(Atom(Lexeme.STRING, found[kind].replace('""', '"'), start - 1))
        else:
            break
    if open_groups:
        source.fail("this '(' is never closed", open_groups[-1], "add the missing ')'")
    return top


def symbols_in(exprs: Iterable[SExpr]) -> set[str]:
    """All symbols that are written there."""
    found: set[str] = set()
    stack = list(exprs)
    while stack:
        expr = stack.pop()
        if isinstance(expr, Group):
            stack.extend(expr.items)
        elif expr.kind is Lexeme.SYMBOL:
            found.add(expr.text)
    return found


def _word(source: Source, text: str, start: int, outside: bool) -> Atom:
    """A token that is neither a symbol nor a parenthesis; ``outside``: of all parentheses."""
    first = text[0]
    if first.isdigit():
        number = _NUMBER.fullmatch(text)
        if number is None:
            hint = "no leading zeros, no letters; a name does not begin with a digit"
            source.fail(f"malformed number '{_short(text)}'", start, _REMARK if outside else hint)
        if len(text) > MAX_NUMERAL_DIGITS:
            source.fail(f"a number of more than {MAX_NUMERAL_DIGITS:,} digits", start)
        return Atom(Lexeme.DECIMAL if number[2] else Lexeme.NUMERAL, text, start)
    if first == "#":
        if not _BITS.fullmatch(text):
            hint = "write #x1F or #b0101"
            source.fail(f"malformed bit-vector '{_short(text)}'", start, _REMARK if outside else hint)
        if len(text) > MAX_NUMERAL_DIGITS:
            source.fail(f"a bit-vector of more than {MAX_NUMERAL_DIGITS:,} digits", start)
        return Atom(Lexeme.BITS, text, start)
    if first == ":":
        if not _KEYWORD.fullmatch(text):
            source.fail(f"malformed keyword '{_short(text)}'", start)
        return Atom(Lexeme.KEYWORD, text, start)
    hint = _REMARK if outside else f"write |{_short(text)}|"
    return source.fail(f"'{_short(text)}' is not a symbol of SMT-LIB", start, hint)


def _bad_character(source: Source, position: int, outside: bool) -> NoReturn:
    skipped = _SKIPPED.match(source.text, position)
    position = skipped.end() if skipped else position
    character = source.text[position]
    if character == "|":
        backslash = source.text.find("\\", position)
        closing = source.text.find("|", position + 1)
        if backslash != -1 and (closing == -1 or backslash < closing):
            source.fail("a quoted symbol may not contain a backslash", backslash)
        source.fail("this '|' is never closed", position)
    if character == '"':
        source.fail("this string is never closed", position)
    hint = "such a character may stand only in strings, |symbols| and comments"
    source.fail(f"unexpected character {character!r}", position, _REMARK if outside else hint)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


# What every script has in common, whatever its commands mean

DECLARING = frozenset(
    {
        "declare-sort",
        "define-sort",
        "declare-datatype",
        "declare-datatypes",
        "declare-const",
        "declare-fun",
        "define-const",
        "define-fun",
        "define-fun-rec",
        "define-funs-rec",
    }
)
"""The commands that `declare.Declarations` carries out."""
HINTS = frozenset({":using", ":induct", ":generalizing", ":cases", ":measure", ":instance", ":hide"})
"""Attributes of a goal that say how to prove it, see `smt.jobs.hints`: they mean nothing."""


def is_word(expr: SExpr, word: str) -> bool:
    """Whether ``expr`` is the symbol ``word``."""
    return isinstance(expr, Atom) and expr.kind is Lexeme.SYMBOL and expr.text == word


def command_of(source: Source, expr: SExpr) -> tuple[str, Group]:
    """A command and its name. Raises InvalidText: it is no command."""
    if not isinstance(expr, Group) or not expr.items:
        source.fail("a command such as (assert ...) was expected here", expr, "other text begins with ;")
    head = expr.items[0]
    if not isinstance(head, Atom) or head.kind is not Lexeme.SYMBOL:
        source.fail("a command such as (assert ...) was expected here", head)
    return head.text, expr


def attributes(source: Source, body: SExpr) -> tuple[SExpr, list[tuple[Atom, SExpr]]]:
    """The term of ``(! term :key value ...)`` with its attributes; any other term has none.

    Raises:
        InvalidText: a key that is no keyword, or one without a value.
    """
    if not isinstance(body, Group) or not body.items or not is_word(body.items[0], "!"):
        return body, []
    pairs = body.items[2:]
    if not pairs or len(pairs) % 2:
        source.fail("malformed annotation", body, "write (! term :attribute value)")
    found: list[tuple[Atom, SExpr]] = []
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        if not isinstance(key, Atom) or key.kind is not Lexeme.KEYWORD:
            source.fail("an attribute such as :named was expected here", key)
        found.append((key, value))
    return body.items[1], found


def annotated(body: SExpr, rest: list[tuple[Atom, SExpr]], at: int) -> SExpr:
    """``body`` with the attributes ``rest`` only."""
    if not rest:
        return body
    group = Group(at)
    group.items = [Atom(Lexeme.SYMBOL, "!", at), body, *[part for pair in rest for part in pair]]
    return group


def name_of(source: Source, key: Atom, value: SExpr) -> str:
    """The value of ``:named``. Raises InvalidText: it is no symbol."""
    if not isinstance(value, Atom) or value.kind is not Lexeme.SYMBOL:
        source.fail(":named takes one symbol", key)
    return value.text


def reserve_names(commands: list[SExpr], names: set[str]) -> None:
    """Add the names that are declared anywhere: bound variables stay clear of them."""
    for command in commands:
        head = command.items[0] if isinstance(command, Group) and len(command.items) > 1 else None
        if not isinstance(command, Group) or not isinstance(head, Atom):
            continue
        if head.text.startswith("declare-datatype"):
            names |= symbols_in(command.items)
        elif head.text.startswith(("declare-", "define-")):
            _collect_head(command.items[1], names)


def _collect_head(expr: SExpr, names: set[str]) -> None:
    """``f``, ``((f ...) (g ...))`` or ``(par (a) (f ...))``: the function names."""
    if isinstance(expr, Atom):
        names.add(expr.text)
        return
    for item in expr.items:
        if isinstance(item, Atom):
            names.add(item.text)
        elif item.items and isinstance(item.items[0], Atom):
            names.add(item.items[0].text)
            if item.items[0].text == "par":
                _collect_head(item, names)
