"""Functions, arguments and conditions in words, for messages; nothing here ever raises."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from typing import Any

_LONGEST = 120  # characters of one value in a message


def name_of(thing: Any) -> str:
    """What a function is called."""
    return str(getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None) or type(thing).__name__)


def arguments_in_words(values: Mapping[str, Any]) -> str:
    """``n=3, xs=[1, 2]`` with long values cut short and the result left to the end."""
    shown = [f"{name}={_short(value)}" for name, value in values.items() if name != "result"]
    if "result" in values:
        shown.append(f"result={_short(values['result'])}")
    return ", ".join(shown)


def condition_text(predicate: Callable[..., Any]) -> str:
    """The expression of a lambda as it stands in its file; the name of a named function."""
    code = getattr(predicate, "__code__", None)
    if code is None or code.co_name != "<lambda>":
        return name_of(predicate)
    places = [p for p in code.co_positions() if None not in p and p[3] > 0]
    if not places:
        return f"the condition at {code.co_filename}:{code.co_firstlineno}"
    start = min((line, column) for line, _, column, _ in places)
    end = max((line, column) for _, line, _, column in places)
    lines = [linecache.getline(code.co_filename, number) for number in range(start[0], end[0] + 1)]
    if not all(lines):
        return f"the condition at {code.co_filename}:{code.co_firstlineno}"
    pieces = [line.encode()[: end[1]] if at == len(lines) - 1 else line.encode() for at, line in enumerate(lines)]
    pieces[0] = pieces[0][start[1] :]
    return " ".join(b" ".join(piece.strip() for piece in pieces).decode(errors="replace").split())


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001  a message must come whatever a user's __repr__ does
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
