"""JSON with positions: every value knows its path and where it stands, every refusal says what to change.

Bounded, so that no text exhausts the stack or the memory. Two things that ``json`` lets pass are
refused: a key that is given twice, and numbers that are none (``NaN``, ``Infinity``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from json import JSONDecodeError, JSONDecoder
from typing import Any, NoReturn

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.reading.reader import Lines
from goedels_poetry.protocol.lines import from_utf8

MAX_BYTES = 2_000_000
MAX_VALUES = 200_000
MAX_DEPTH = 60
MAX_DIGITS = 1_000

_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"-?[\w.]+(?:(?<=[eE])[+-]\w*)?")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_DECODER = JSONDecoder()
_CONSTANTS = {"true": True, "false": False, "null": None}
_HINTS = {
    "'": "JSON strings stand between double quotes",
    "/": "JSON has no comments: remove them",
    "#": "JSON has no comments: remove them",
    "`": "give the JSON alone, without a code fence around it",
}


@dataclass(slots=True)
class Node:
    """A JSON value: ``value`` is a dict or list of nodes, a str, bool, None, int or float."""

    value: Any
    at: int
    path: str
    keys: dict[str, int] = field(default_factory=dict)
    """Of an object: where its keys stand."""

    @property
    def kind(self) -> str:
        """What it is, in the words of messages."""
        return _KINDS[type(self.value)]


_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


class Text(Lines):
    """A JSON text, and refusals of what stands somewhere in it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def fail(self, message: str, at: int, hint: str = "", path: str = "") -> NoReturn:
        """Raise InvalidInput for what stands at an offset."""
        raise InvalidInput(message, *self.position(at), hint or None, path=path)

    def refuse(self, node: Node, message: str, hint: str = "") -> NoReturn:
        """Raise InvalidInput for a value, with its path."""
        self.fail(f"{node.path}: {message}" if node.path else message, node.at, hint, node.path)

    def refuse_key(self, node: Node, key: str, message: str, hint: str = "") -> NoReturn:
        """Raise InvalidInput for a key of an object."""
        path = f"{node.path}.{key}" if node.path else key
        self.fail(f"{node.path}: {message}" if node.path else message, node.keys[key], hint, path[:200])

    def inside(self, node: Node, offset: int) -> int:
        """Where in the text the character ``offset`` of a string value stands."""
        source = node.at + 1
        for _ in range(offset):
            escape = _ESCAPE.match(self.text, source)
            if escape is None:
                source += 1
                continue
            source = escape.end()
            if escape[1] and 0xD800 <= int(escape[1], 16) <= 0xDBFF:
                source += len("\\uXXXX")
        return source


def decode(text: str | bytes) -> str:
    """The characters of a program. Raises InvalidInput: too large, or not UTF-8."""
    if len(text) > MAX_BYTES:
        raise InvalidInput(f"the program is larger than {MAX_BYTES:,} bytes", 1, 1, "make it smaller")
    if isinstance(text, bytes):
        text = from_utf8(text)
    elif not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise InvalidInput("the text has a lone surrogate, which is no character", 1, 1, "use UTF-8 text")
    return text.removeprefix("\ufeff")


def read(text: Text) -> Node:
    """The one value of a text. Raises InvalidInput: no JSON, a key given twice, or a limit passed."""
    reader = _Reader(text)
    if reader.next() == "":
        text.fail("the program is empty", 0, "give a JSON object")
    root = reader.value("", 0)
    if reader.next():
        text.fail("something follows the end of the JSON value", reader.at, "give one JSON object alone")
    return root


class _Reader:
    """Recursive descent, no deeper than ``MAX_DEPTH``; strings are decoded by `json` itself."""

    def __init__(self, text: Text) -> None:
        self.source, self.text = text, text.text
        self.at = 0
        self.values = 0

    def next(self) -> str:
        """The next character that is no blank, "" at the end."""
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank is not None else self.at
        return self.text[self.at : self.at + 1]

    def value(self, path: str, depth: int) -> Node:
        """The value that begins here."""
        self.values += 1
        first, at = self.next(), self.at
        if self.values > MAX_VALUES:
            self.source.fail(f"the program has more than {MAX_VALUES:,} values", at, "make it smaller")
        if first in ("{", "["):
            if depth >= MAX_DEPTH:
                self.source.fail(f"nested more than {MAX_DEPTH} deep", at)
            node = Node({} if first == "{" else [], at, path)
            self._members(node, "}" if first == "{" else "]", depth)
            return node
        if first == '"':
            return Node(self._string(path), at, path)
        word = _WORD.match(self.text, at)
        found = word.group() if word is not None else ""
        if _NUMBER.fullmatch(found):
            self.at += len(found)
            return Node(self._number(found, at, path), at, path)
        if found in _CONSTANTS:
            self.at += len(found)
            return Node(_CONSTANTS[found], at, path)
        what = repr(_short(found or first)) if first else "the end"
        hint = _HINTS.get(first, "write true, false, null, a number, or a string between double quotes")
        return self.source.fail(f"a JSON value was expected here, not {what}", at, hint, path)

    def _members(self, node: Node, closing: str, depth: int) -> None:
        self.at += 1
        while (mark := self.next()) != closing:
            if node.value:
                self._comma(node, mark, closing)
            if not self.next():
                what = "object" if closing == "}" else "list"
                self.source.fail(f"this {what} is never closed", node.at, f"add {closing!r}", node.path)
            if closing == "]":
                node.value.append(self.value(f"{node.path}[{len(node.value)}]", depth + 1))
                continue
            key, at = self._key(node)
            label = key if key.isidentifier() else repr(_short(key))
            node.keys[key] = at
            node.value[key] = self.value(f"{node.path}.{label}" if node.path else label, depth + 1)
        self.at += 1

    def _comma(self, node: Node, mark: str, closing: str) -> None:
        if mark and mark != ",":
            hint = _HINTS.get(mark, "a comma is missing?")
            self.source.fail(f"`,` or `{closing}` was expected here, not {mark!r}", self.at, hint, node.path)
        self.at += len(mark)
        if self.next() == closing:
            self.source.fail(f"a comma before {closing!r}", self.at, "remove the comma", node.path)

    def _key(self, node: Node) -> tuple[str, int]:
        first, at = self.next(), self.at
        if first != '"':
            hint = _HINTS.get(first, "keys stand between double quotes")
            self.source.fail("a key was expected here", at, hint, node.path)
        key = self._string(node.path)
        if key in node.value:
            self.source.fail(f"the key {_short(key)!r} is given twice", at, "give it once", node.path)
        if self.next() != ":":
            self.source.fail(f"`:` was expected after the key {_short(key)!r}", self.at, "", node.path)
        self.at += 1
        return key, at

    def _string(self, path: str) -> str:
        start = self.at
        try:
            value, self.at = _DECODER.raw_decode(self.text, start)
        except JSONDecodeError as error:
            message, at, hint = error.msg, error.pos, 'add the missing "'
            if message.startswith("Invalid control character"):
                code = f"U+{ord(self.text[at]):04X}"
                message, hint = f"control character {code} in a string", "write \\n for a new line, \\u.. for others"
            elif message.startswith("Invalid"):
                message, hint = "this is no escape of JSON", "write \\\\ for a backslash"
            else:
                message, at = "this string is never closed", start
            self.source.fail(message, at, hint, path)
        if any("\ud800" <= c <= "\udfff" for c in value):
            hint = "write the character itself"
            self.source.fail("a lone surrogate in a string is no character", start, hint, path)
        return str(value)

    def _number(self, text: str, at: int, path: str) -> int | float:
        if len(text) > MAX_DIGITS:
            self.source.fail(f"a number of more than {MAX_DIGITS:,} digits", at, "", path)
        if text.lstrip("-").isdigit():
            return int(text)
        value = float(text)
        if value in (float("inf"), float("-inf")):
            self.source.fail("this number is too large", at, "", path)
        return value


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
