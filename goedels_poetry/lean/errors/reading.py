"""What Lean said, from any of the forms in which it comes: text of `lean` or `lake`, JSON lines, structured messages.

Reading never fails and takes time linear in the text: what is no message of a known form is one message as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from goedels_poetry.lean.runtime.protocol import Message

_FILE = r"(?:[A-Za-z]:[\\/])?[^\s:][^:\n]{0,4095}"
"""A path, on Windows with its drive."""
_PLACE = r"(?P<line>\d{1,9}):(?P<column>\d{1,9})(?:-\d{1,9}:\d{1,9})?"
_LEVEL = r"(?P<severity>error|warning|info|information|trace)(?:\((?P<kind>[\w.]+)\))?:"
_HEADER = re.compile(rf"^{_FILE}:{_PLACE}: {_LEVEL}(?=[ \n]|\Z)", re.MULTILINE)
_LAKE_HEADER = re.compile(rf"^{_LEVEL} (?:stdout:\n)?{_FILE}:{_PLACE}: (?!error:|warning:|info:)", re.MULTILINE)
"""``File.lean:3:5: error(name): text``, and how `lake build` passes it on: ``error: File.lean:3:5: text``."""
_BARE = re.compile(r"\A(?P<severity>error|warning|info)(?:\((?P<kind>[\w.]+)\))?:(?=[ \n]|\Z)", re.IGNORECASE)
_LAKE = re.compile(
    r"^(?:[ℹ✔✖⚠] \[\d+/\d+\] .*|- [\w.]+|trace: .*|(?:error|warning): (?:Lean exited with code|build failed|manifest).*"
    r"|error: external command .* exited with code \d+|(?:error|warning|info): stdout:"
    r"|Some required (?:builds|targets) logged failures:|Build completed.*)$",
    re.MULTILINE,
)
"""Lines in which `lake` speaks about itself."""
_SHORT = re.compile(r"^(?P<line>\d{1,9}):(?P<column>\d{1,9}): ", re.MULTILINE)
"""``3:5: text``, the form of our own reports, which hold nothing but errors."""
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\ufeff")
"""Colours and other control sequences of terminals, and byte order marks."""
_ANSWERS = ("messages", "results", "response", "custom_results")
"""Where the answers of the REPL and of the Kimina server hold messages or other answers."""
_DEEPEST = 20
"""Answers within answers that are looked into."""
_SEVERITIES = {"information": "info", "trace": "info", "info": "info", "warning": "warning"}


@dataclass(frozen=True, slots=True)
class Said:
    """One message of Lean."""

    text: str
    severity: str = "error"
    """"error", "warning" or "info"."""
    line: int | None = None
    """From 1; None where the message came without a place."""
    column: int | None = None
    """From 0."""


def read_messages(
    output: str | Message | Mapping[str, Any] | Iterable[str | Message | Mapping[str, Any]],
) -> list[Said]:
    """Every message, in the order given.

    Args:
        output: text as `lean` or `lake` prints it (with ``--json``, too), or structured messages: ours, those of
            ``lean --json``, of the REPL and of the Kimina server. A text without any place is one error.
    """
    if isinstance(output, str):
        found = _from_json(output.strip("\ufeff \t\r\n"))
        return _from_text(output) if found is None else found
    if isinstance(output, Message):
        return [Said(output.text, output.severity, output.line, output.column)]
    if isinstance(output, Mapping):
        return _structured(output)
    return [message for one in output for message in read_messages(one)]


def _structured(one: Mapping[str, Any], depth: int = 0) -> list[Said]:
    inside = [value for key in _ANSWERS if (value := one.get(key))]
    if inside and depth < _DEEPEST:
        lists = [value if isinstance(value, Sequence) else [value] for value in inside]
        inner = [item for items in lists for item in items if isinstance(item, Mapping)]
        return [message for item in inner for message in _structured(item, depth + 1)]
    text = next((one[key] for key in ("text", "data", "message", "error") if isinstance(one.get(key), str)), None)
    if text is None:
        return []
    place = one["pos"] if isinstance(one.get("pos"), Mapping) else one
    line, column = (value if type(value) is int else None for value in (place.get("line"), place.get("column")))
    return [Said(text, _severity(one.get("severity")), line, column)]


def _severity(word: Any) -> str:
    return _SEVERITIES.get(str(word).lower(), "error")


def _from_json(text: str) -> list[Said] | None:
    """Messages where the text is JSON as a whole, or lines of it, among which others are left out; else None."""
    if not text.startswith(("{", "[")):
        return None
    whole = _loaded([text])
    values = whole or _loaded(text.split("\n"))
    flat = [inner for value in values for inner in (value if isinstance(value, list) else [value])]
    found = [message for value in flat if isinstance(value, Mapping) for message in _structured(value)]
    return found if found or whole else None


def _loaded(texts: Iterable[str]) -> list[Any]:
    """The values of those texts that are JSON."""
    values = []
    for text in texts:
        with suppress(ValueError, RecursionError):
            values.append(json.loads(text))
    return values


def _from_text(text: str) -> list[Said]:
    text = _LAKE.sub("", _ESCAPE.sub("", text.replace("\r\n", "\n")))
    places = sorted((*_HEADER.finditer(text), *_LAKE_HEADER.finditer(text)), key=lambda found: found.start())
    if not places and _SHORT.match(text):
        places = list(_SHORT.finditer(text))
    if not places:
        level, body = _BARE.match(text.strip("\n")), text.strip("\n").rstrip()
        return [Said(body[level.end() :].strip() if level else body, _severity(level and level["severity"]))][
            : bool(body)
        ]
    ends = [found.start() for found in places[1:]] + [len(text)]
    return [
        Said(
            text[found.end() : end].strip(" \n").rstrip(),
            _severity(found.groupdict().get("severity")),
            int(found["line"]),
            int(found["column"]),
        )
        for found, end in zip(places, ends, strict=True)
    ]
