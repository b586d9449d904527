"""What can go wrong, in words that say what to do next. Every exception of the package derives from one."""

from __future__ import annotations

import errno

_RESOURCES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})


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


class StateIsReadOnly(GoedelsPoetryError):
    """A run's state was to be written; it is read from the store, which is the source of truth."""


class StoreError(GoedelsPoetryError):
    """A run's database cannot be used: unreadable, or written by a newer version of this program."""


def lacks_resources(error: BaseException) -> bool:
    """Whether the system had no file handle, no memory or no process to give: to be tried again, like `Unavailable`."""
    return isinstance(error, OSError) and error.errno in _RESOURCES


def one_line(error: BaseException, limit: int = 500) -> str:
    """An exception in one line for people: its type and its words, without any traceback they may carry."""
    words = str(error)
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    if "Traceback (most recent call last)" in words:
        lines = lines[-1:]
    return ": ".join([type(error).__name__, *lines[:1]])[:limit]


__all__ = [
    "BudgetExceeded",
    "GoedelsPoetryError",
    "InvalidInput",
    "RunLocked",
    "StaleWork",
    "StateIsReadOnly",
    "StoreError",
    "Unavailable",
    "UnknownLanguage",
    "UnknownRun",
    "lacks_resources",
    "one_line",
]
