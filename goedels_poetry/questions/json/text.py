"""JSON with positions: every value knows its path and where it stands, every refusal says what to change.

Iterative and bounded, so that no text exhausts the stack or the memory. Two things that ``json`` lets pass are
refused: a key that is given twice, and numbers that are none (``NaN``, ``Infinity``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.reading.lines import Lines
from goedels_poetry.protocol.lines import from_utf8

MAX_BYTES = 2_000_000
MAX_VALUES = 200_000
MAX_DEPTH = 60
MAX_DIGITS = 1_000

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<string>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")
      | (?P<mark>[{}\[\],:])
      | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.])
      | (?P<word>-?\w+)
      )?""",
    re.VERBOSE,
)
_CONTROL = re.compile(r"[\x00-\x1f]")
_CLOSING = re.compile(r'(?<!\\)"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
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
    """The characters of a program.

    Raises:
        InvalidInput: too large, or not UTF-8.
    """
    if len(text) > MAX_BYTES:
        raise InvalidInput(f"the program is larger than {MAX_BYTES:,} bytes", 1, 1, "make it smaller")
    if isinstance(text, bytes):
        text = from_utf8(text)
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
        self.place = self.at = 0
        self.values = 0
        self.found: re.Match[str] | None = None

    def read(self) -> Node:
        """The whole text, token by token; ``open_nodes`` are the objects and lists around the next one."""
        if not self._next() and self.at == len(self.text):
            self.source.fail("the program is empty", 0, "give a JSON object")
        root = self._value("")
        open_nodes = [root] if isinstance(root.value, (dict, list)) else []
        while open_nodes:
            node = open_nodes[-1]
            keyed = isinstance(node.value, dict)
            closing = "}" if keyed else "]"
            mark = self._next()
            if mark != closing and node.value:
                self._comma(node, mark, closing)
                mark = self._next()
                if mark == closing:
                    self.source.fail(f"a comma before {closing!r}", self.at, "remove the comma", node.path)
            if mark == closing:
                open_nodes.pop()
                continue
            member = self._member(node) if keyed else self._value(f"{node.path}[{len(node.value)}]")
            if not keyed:
                node.value.append(member)
            if isinstance(member.value, (dict, list)):
                open_nodes.append(member)
                if len(open_nodes) > MAX_DEPTH:
                    self.source.fail(f"nested more than {MAX_DEPTH} deep", member.at)
        if self._next() or self.at < len(self.text):
            self.source.fail("something follows the end of the JSON value", self.at, "give one JSON object alone")
        return root

    def _next(self) -> str:
        """Go to the next token; a mark itself, the kind of any other, "" when there is none."""
        found = self.found = _TOKEN.match(self.text, self.place)
        if found is None or found.lastgroup is None:
            self.at = self.place if found is None else found.end()
            return ""
        self.at, self.place = found.start(found.lastgroup), found.end()
        return found["mark"] or found.lastgroup

    def _comma(self, node: Node, mark: str, closing: str) -> None:
        if mark == ",":
            return
        if self.at == len(self.text):
            what = "object" if closing == "}" else "list"
            self.source.fail(f"this {what} is never closed", node.at, f"add {closing!r}", node.path)
        character = self.text[self.at]
        hint = _HINTS.get(character, "a comma is missing?")
        self.source.fail(f"`,` or `{closing}` was expected here, not {character!r}", self.at, hint, node.path)

    def _member(self, node: Node) -> Node:
        """A key and its value, entered into an object; the key is the current token."""
        at, found = self.at, self.found
        if at == len(self.text):
            self.source.fail("this object is never closed", node.at, "add '}'", node.path)
        if found is None or found.lastgroup != "string":
            self._check_string(at)
            hint = _HINTS.get(self.text[at : at + 1], "keys stand between double quotes")
            self.source.fail("a key was expected here", at, hint, node.path)
        key = self._string(found)
        if key in node.value:
            self.source.fail(f"the key {_short(key)!r} is given twice", at, "give it once", node.path)
        if self._next() != ":":
            self.source.fail(f"`:` was expected after the key {_short(key)!r}", self.at, "", node.path)
        node.keys[key] = at
        label = key if key.isidentifier() else repr(_short(key))
        self._next()
        member = node.value[key] = self._value(f"{node.path}.{label}" if node.path else label)
        return member

    def _value(self, path: str) -> Node:
        """The value that begins with the current token; of an object or list its opening."""
        self.values += 1
        at, found = self.at, self.found
        if self.values > MAX_VALUES:
            self.source.fail(f"the program has more than {MAX_VALUES:,} values", at, "make it smaller")
        kind = found.lastgroup if found is not None else None
        if found is not None and kind == "string":
            return Node(self._string(found), at, path)
        if found is not None and kind == "mark" and found["mark"] in "{[":
            return Node({} if found["mark"] == "{" else [], at, path)
        if found is not None and kind == "number":
            return Node(self._number(found, path), at, path)
        if found is not None and kind == "word" and found["word"] in _CONSTANTS:
            return Node(_CONSTANTS[found["word"]], at, path)
        self._check_string(at)
        character = self.text[at : at + 1]
        what = repr(_short(found["word"])) if found and kind == "word" else repr(character) if character else "the end"
        hint = _HINTS.get(character, "write true, false, null, a number, or a string between double quotes")
        return self.source.fail(f"a JSON value was expected here, not {what}", at, hint, path)

    def _number(self, found: re.Match[str], path: str) -> int | float:
        text = found["number"]
        if len(text) > MAX_DIGITS:
            self.source.fail(f"a number of more than {MAX_DIGITS:,} digits", self.at, "", path)
        if text.lstrip("-").isdigit():
            return int(text)
        value = float(text)
        if value in (float("inf"), float("-inf")):
            self.source.fail("this number is too large", self.at, "", path)
        return value

    def _check_string(self, at: int) -> None:
        """Say what is wrong with a string that begins at ``at``, if one does."""
        if self.text[at : at + 1] != '"':
            return
        control = _CONTROL.search(self.text, at)
        closing = _CLOSING.search(self.text, at + 1)
        if control is not None and closing is not None and control.start() < closing.start():
            code = ord(control.group())
            hint = "write \\n for a new line" if code == ord("\n") else "remove it, or write it as \\u00.."
            self.source.fail(f"control character U+{code:04X} in a string", control.start(), hint)
        self.source.fail("this string is never closed", at, 'add the missing "')

    def _string(self, found: re.Match[str]) -> str:
        raw = found["string"][1:-1]
        if "\\" not in raw:
            return raw
        at = self.at
        value = _ESCAPE.sub(lambda escape: self._character(escape, at + 1), raw)
        try:
            return value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self.source.fail("a lone surrogate in a string is no character", at, "write the character itself")

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
