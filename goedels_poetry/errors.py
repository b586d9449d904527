"""What can go wrong, in words that say what to do next. Every exception of the package derives from one."""

from __future__ import annotations

import errno
import unicodedata
from typing import Any

EXCERPT_COLUMNS = 100
"""Columns of a terminal that a line of the user's text may take in a message."""
_TAB = 4
OUT_OF_TIME = "out of time"
"""Begins the reason of what was not decided within its time: it is held against nothing."""

_RESOURCES = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
)


class GoedelsPoetryError(Exception):
    """Base of every exception that this package raises on purpose."""


class InvalidInput(GoedelsPoetryError):
    """The user's theorem does not parse or type-check.

    Args:
        message: the verifier's or parser's own words.
        line: 1-based line of the offending text, when known.
        column: 1-based column, when known.
        hint: what would make it valid, when we know.
        path: of what is wrong in a JSON text, e.g. ``rules[1].forall``.

    ``source`` is the line of the text with a caret under the column, once `in_text` was told the text.
    """

    def __init__(
        self,
        message: str,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
        path: str = "",
    ) -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.hint, self.path = message, line, column, hint, path
        self.source = ""

    def in_text(self, text: str) -> InvalidInput:
        """This error, with the place in the text that it speaks of, unless that is known already."""
        self.source = self.source or source_excerpt(text, self.line, self.column)
        return self

    @property
    def location(self) -> dict[str, Any]:
        """Where and what to do: ``line``, ``column``, ``hint``, and ``source``, null where there is none."""
        return {"line": self.line, "column": self.column, "hint": self.hint, "source": self.source or None}

    def __str__(self) -> str:
        where = ":".join(str(n) for n in (self.line, self.column) if n is not None)
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}: {self.message}{hint}" if where else f"{self.message}{hint}"


class UnknownLanguage(GoedelsPoetryError):
    """No proof language of that name, or none for that file suffix, is installed."""


class UnknownRun(GoedelsPoetryError):
    """There is no run with that id (or more than one begins with it)."""


class RunLocked(GoedelsPoetryError):
    """Another process is working on this run right now."""


class StaleWork(GoedelsPoetryError):
    """The node moved on, or was cut off, since this work was handed out: the result is dropped."""


class BudgetExceeded(GoedelsPoetryError):
    """A commit would exceed a budget; nothing was written and the run stops as ``out_of_budget``."""

    def __init__(self, budget: str, reason: str) -> None:
        super().__init__(reason)
        self.budget = budget


class Unavailable(GoedelsPoetryError):
    """A tool could not do its work: that says nothing about the theorem, and the same may work later."""


class MissingTool(GoedelsPoetryError):
    """A tool that the work needs is not there, Lean for instance: nothing was begun. The message says what to do."""


class StoreError(GoedelsPoetryError):
    """A run's database cannot be used: damaged, no room, held by another process, or written by a newer version.

    It says nothing about the theorem, costs no attempt, and is never a result.
    """


def source_excerpt(text: str, line: int | None, column: int | None, width: int = EXCERPT_COLUMNS) -> str:
    """A line of a text, and below it a caret under the column; "" where there is no such line.

    Long lines are cut around the column, tabs become blanks, and what cannot be printed is written as an escape. The
    caret counts the columns of a terminal, on which some characters take two and some none.

    Args:
        text: any text; its lines end with a line feed, before which a carriage return may stand.
        line, column: from 1. Without a column there is no caret; one behind the end points there.
        width: columns of the excerpt, at least 20.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    if line is None or not 1 <= line <= len(lines):
        return ""
    whole = lines[line - 1].removesuffix("\r")
    if not whole.strip():
        return ""
    if column is None:
        shown = "".join(map(_shown, whole[: 4 * width]))
        return shown if len(shown) <= width else f"{shown[: width - 3]}..."
    at = min(max(column - 1, 0), len(whole))
    before, after = whole[:at].lstrip(), whole[at:].rstrip()
    left = [_shown(c) for c in before[-4 * width :]]
    taken, gone = sum(map(_columns, left)), 0
    while taken > width * 2 // 3:
        taken -= _columns(left[gone])
        gone += 1
    start = "..." * (gone > 0 or len(before) > len(left)) + "".join(left[gone:])
    rest, room = "", width - _columns(start)
    for character in after[: 4 * width]:
        piece = _shown(character)
        if _columns(rest + piece) > room - 3 * (len(after) > 4 * width):
            rest = rest[: max(len(rest) - 3, 0)] + "..."
            break
        rest += piece
    return f"{start}{rest}\n{' ' * _columns(start)}^"


def _shown(character: str) -> str:
    """A character as it is printed."""
    if character == "\t":
        return " " * _TAB
    if character.isprintable() or unicodedata.combining(character):
        return character
    return character.encode("unicode_escape", "replace").decode("ascii")


def _columns(text: str) -> int:
    """Columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def lacks_resources(error: BaseException) -> bool:
    """Whether the system had no file handle, memory, process or disk to give: to be tried again, like `Unavailable`."""
    return isinstance(error, OSError) and error.errno in _RESOURCES


PASSING = (Unavailable, StoreError, MissingTool)
"""Errors of ours that are the machine's, in words for a person."""


def is_passing(error: BaseException) -> bool:
    """Whether a failure is the machine's: it says nothing about a theorem, and may be over when a run is resumed."""
    return isinstance(error, PASSING) or lacks_resources(error)


def one_line(error: BaseException, limit: int = 500) -> str:
    """An exception in one line for people: its type and its words, without any traceback they may carry."""
    try:
        words = str(error)
    except (Exception, SystemExit):  # noqa: BLE001  an exception of somebody else's; its type says enough
        words = ""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    if "Traceback (most recent call last)" in words:
        lines = lines[-1:]
    return ": ".join([type(error).__name__, *lines[:1]])[:limit]
