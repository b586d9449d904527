"""JSON with positions: every value knows its path and where it stands, every refusal says what to change.

Iterative and bounded, so that no text exhausts the stack or the memory. Two things that ``json`` lets pass are
refused: a key that is given twice, and numbers that are none (``NaN``, ``Infinity``).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

from goedels_poetry.errors import InvalidInput

MAX_BYTES = 2_000_000
MAX_VALUES = 200_000
MAX_DEPTH = 60
MAX_DIGITS = 1_000

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![\w.])")
_WORD = re.compile(r"-?\w+")
_PLAIN = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
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


class Text:
    """A JSON text and the way from offsets in it to lines and columns."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of the character at ``offset``, from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

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
    """The characters of a program.

    Raises:
        InvalidInput: too large, or not UTF-8.
    """
    if len(text) > MAX_BYTES:
        raise InvalidInput(f"the program is larger than {MAX_BYTES:,} bytes", 1, 1, "make it smaller")
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            column = error.start - error.object.rfind(b"\n", 0, error.start)
            raise InvalidInput(f"byte 0x{error.object[error.start]:02x} is not UTF-8", line, column) from error
    elif not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise InvalidInput("the text has a lone surrogate, which is no character", 1, 1, "use UTF-8 text")
    return text.removeprefix("\ufeff")


def read(text: Text) -> Node:
    """The one value of a text.

    Raises:
        InvalidInput: no JSON, a key given twice, or a limit passed.
    """
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: Text) -> None:
        self.source, self.text = text, text.text
        self.place = 0
        self.values = 0

    def read(self) -> Node:
        open_nodes: list[Node] = []
        self._blank()
        if self.place == len(self.text):
            self.source.fail("the program is empty", 0, "give a JSON object")
        node = self._begin("")
        while True:
            container = isinstance(node.value, (dict, list))
            if container and not self._closes(node):
                if len(open_nodes) >= MAX_DEPTH:
                    self.source.fail(f"nested more than {MAX_DEPTH} deep", node.at)
                open_nodes.append(node)
            else:
                while open_nodes and not self._another(open_nodes[-1]):
                    node = open_nodes.pop()
                if not open_nodes:
                    break
            node = self._member(open_nodes[-1])
        self._blank()
        if self.place < len(self.text):
            self.source.fail("something follows the end of the JSON value", self.place, "give one JSON object alone")
        return node

    def _blank(self) -> str:
        """Pass white space; the character that follows, or ""."""
        found = _BLANK.match(self.text, self.place)
        self.place = found.end() if found else self.place
        return self.text[self.place : self.place + 1]

    def _closes(self, node: Node) -> bool:
        """Whether the container that has just been opened is empty."""
        if self._blank() != ("}" if isinstance(node.value, dict) else "]"):
            return False
        self.place += 1
        return True

    def _another(self, node: Node) -> bool:
        """Whether another member follows; False when the container closes here."""
        closing = "}" if isinstance(node.value, dict) else "]"
        character = self._blank()
        if character == ",":
            comma = self.place
            self.place += 1
            if self._blank() == closing:
                self.source.fail(f"a comma before {closing!r}", comma, "remove the comma", node.path)
            return True
        if character == closing:
            self.place += 1
            return False
        if not character:
            self.source.fail(f"this {node.kind[2:].strip()} is never closed", node.at, f"add {closing!r}", node.path)
        hint = _HINTS.get(character, "a comma is missing?")
        return self.source.fail(f"`,` or `{closing}` was expected here, not {character!r}", self.place, hint, node.path)

    def _member(self, node: Node) -> Node:
        if isinstance(node.value, list):
            self._blank()
            member = self._begin(f"{node.path}[{len(node.value)}]")
            node.value.append(member)
            return member
        at = self.place
        if self._blank() != '"':
            at = self.place
            hint = _HINTS.get(self.text[at : at + 1], "keys stand between double quotes")
            self.source.fail("a key was expected here", at, hint, node.path)
        at = self.place
        key = self._string()
        if key in node.value:
            hint = "give it once"
            self.source.fail(f"the key {_short(key)!r} is given twice", at, hint, node.path)
        if self._blank() != ":":
            self.source.fail(f"`:` was expected after the key {_short(key)!r}", self.place, "", node.path)
        self.place += 1
        self._blank()
        node.keys[key] = at
        label = key if key.isidentifier() else repr(_short(key))
        member = self._begin(f"{node.path}.{label}" if node.path else label)
        node.value[key] = member
        return member

    def _begin(self, path: str) -> Node:
        """A scalar, or an object or list that has just been opened."""
        self.values += 1
        at = self.place
        if self.values > MAX_VALUES:
            self.source.fail(f"the program has more than {MAX_VALUES:,} values", at, "make it smaller")
        character = self.text[at : at + 1]
        if character == '"':
            return Node(self._string(), at, path)
        if character == "{":
            self.place += 1
            return Node({}, at, path)
        if character == "[":
            self.place += 1
            return Node([], at, path)
        number = _NUMBER.match(self.text, at)
        if number is not None:
            self.place = number.end()
            return Node(self._number(number, path), at, path)
        word = _WORD.match(self.text, at)
        if word is not None and word.group() in _CONSTANTS:
            self.place = word.end()
            return Node(_CONSTANTS[word.group()], at, path)
        what = repr(_short(word.group())) if word else repr(character) if character else "the end"
        hint = _HINTS.get(character, "write true, false, null, a number, or a string between double quotes")
        return self.source.fail(f"a JSON value was expected here, not {what}", at, hint, path)

    def _number(self, number: re.Match[str], path: str) -> int | float:
        text = number.group()
        if len(text) > MAX_DIGITS:
            self.source.fail(f"a number of more than {MAX_DIGITS:,} digits", number.start(), "", path)
        if number[1] or number[2]:
            value = float(text)
            if value in (float("inf"), float("-inf")):
                self.source.fail("this number is too large", number.start(), "", path)
            return value
        return int(text)

    def _string(self) -> str:
        at = self.place
        found = _STRING.match(self.text, at)
        if found is None:
            control = re.compile(r"[\x00-\x1f]").search(self.text, at)
            closing = re.compile(r'(?<!\\)"').search(self.text, at + 1)
            if control is not None and closing is not None and control.start() < closing.start():
                code = ord(control.group())
                hint = "write \\n for a new line" if code == 10 else "remove it, or write it as \\u00.."
                self.source.fail(f"control character U+{code:04X} in a string", control.start(), hint)
            self.source.fail("this string is never closed", at, 'add the missing "')
        self.place = found.end()
        raw = found.group()[1:-1]
        if "\\" not in raw:
            value = raw
        else:
            value = _ESCAPE.sub(lambda escape: self._character(escape, at + 1), raw)
            try:
                value = value.encode("utf-16", "surrogatepass").decode("utf-16")
            except UnicodeDecodeError:
                self.source.fail("a lone surrogate in a string is no character", at, "write the character itself")
        return value

    def _character(self, escape: re.Match[str], start: int) -> str:
        if escape[1]:
            return chr(int(escape[1], 16))
        plain = _PLAIN.get(escape[2])
        if plain is None:
            hint = "write \\\\ for a backslash"
            self.source.fail(f"`\\{escape[2]}` is no escape of JSON", start + escape.start(), hint)
        return plain


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


__all__ = ["MAX_BYTES", "Node", "Text", "decode", "read"]
