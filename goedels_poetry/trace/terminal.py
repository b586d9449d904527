"""Consoles and text that are safe on any terminal: narrow ones, pipes, NO_COLOR, odd characters in file names."""

from __future__ import annotations

import errno
import os
import sys
from typing import IO, NoReturn

from rich.console import Console
from rich.text import Text

PIPE_WIDTH = 1_000
"""Columns of what is written to a pipe or a file: wide, so that tools find each statement on one line (COLUMNS
overrides it)."""


class _Console(Console):
    """Says when nobody reads any more, where rich would end the program in the middle of a run."""

    def on_broken_pipe(self) -> NoReturn:
        """Called by rich when the reader has closed the pipe."""
        raise BrokenPipeError(errno.EPIPE, "nobody reads the output")


def console(file: IO[str] | None = None) -> Console:
    """A console that takes every text literally (no markup, no emoji codes, no highlighting)."""
    stream = file or sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else PIPE_WIDTH
    return _Console(file=stream, width=width, markup=False, emoji=False, highlight=False, soft_wrap=False)


def say(out: Console, line: str | Text, style: str = "") -> None:
    """Print one line of any length; a terminal wraps it, a pipe gets it whole."""
    out.print(Text(line, style) if isinstance(line, str) else line, soft_wrap=True)


def is_live(stream: IO[str]) -> bool:
    """Whether the stream can show a view that redraws itself."""
    return stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def printable(text: str) -> str:
    """The text with every control character and undecodable byte written as an escape, on one line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def one_line(text: str, limit: int = 0) -> str:
    """White space collapsed, safe to print; longer than ``limit`` characters (0: no limit) is cut with an ellipsis."""
    line = printable(" ".join(text.split()))
    return line if not limit or len(line) <= limit else line[: max(limit - 3, 0)] + "..."
