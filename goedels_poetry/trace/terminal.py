"""Consoles and text that are safe on any terminal: narrow ones, pipes, NO_COLOR, odd characters in file names.

Where a batch reports what happens while runs go on, and two who take it: plain lines, and hardly anything.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from typing import IO, TYPE_CHECKING, NoReturn, Self, TypeAlias, cast

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from goedels_poetry.store.reads import StoreReader
    from goedels_poetry.store.results import Event, RunResult

PIPE_WIDTH = 1_000
"""Columns of what is written to a pipe or a file: wide, so that tools find each statement on one line (COLUMNS
overrides it)."""
_SPEAKS_OF_TERMINALS = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS")
"""With any of these in the environment even a pipe may be written to as if it were a terminal."""


class _Plainly:
    """A console for a pipe or a file. What needs no drawing is written as it is, without loading what draws.

    That takes half as long as a small proof.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    @cached_property
    def print(self) -> Callable[..., None]:
        """Of the console that draws."""
        return console(self._stream).print

    def write(self, line: str) -> bool:
        """Write a line, if it looks the same undrawn; whether it did."""
        if not (line.isascii() and line.isprintable()):
            return False
        self._stream.write(line + "\n")
        self._stream.flush()
        return True


@cache
def _kind() -> type[Console]:
    from rich.console import Console

    class Drawing(Console):
        """Says when nobody reads any more, where rich would end the program in the middle of a run."""

        def on_broken_pipe(self) -> NoReturn:
            """Called by rich when the reader has closed the pipe."""
            raise BrokenPipeError(errno.EPIPE, "nobody reads the output")

    return Drawing


def console(file: IO[str] | None = None) -> Console:
    """A console that takes every text literally (no markup, no emoji codes, no highlighting)."""
    stream = file or sys.stdout
    return _kind()(file=stream, width=_width(stream), markup=False, emoji=False, highlight=False, soft_wrap=False)


def _width(stream: IO[str]) -> int | None:
    """Columns; None: rich finds out. Of COLUMNS it takes 0, too, and then prints nothing at all."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    if not stream.isatty():
        return PIPE_WIDTH
    return shutil.get_terminal_size().columns if given else None


def lines_to(file: IO[str]) -> Console:
    """The same for who only prints: what draws is loaded when there is something to draw."""
    if file.isatty() or any(name in os.environ for name in _SPEAKS_OF_TERMINALS):
        return console(file)
    return cast("Console", _Plainly(file))


def say(out: Console, line: str | Text, style: str = "") -> None:
    """Print one line of any length; a terminal wraps it, a pipe gets it whole."""
    say_parts(out, (line, style)) if isinstance(line, str) else out.print(line, soft_wrap=True)


def say_parts(out: Console, *parts: tuple[str, str]) -> None:
    """Print one line, given in pieces with their styles."""
    if isinstance(out, _Plainly) and out.write("".join(text for text, _ in parts)):
        return
    from rich.text import Text

    (first, style), *others = parts
    line = Text(first, style)
    for text, own in others:
        line.append(text, own or None)
    out.print(line, soft_wrap=True)


def draw_short(out: Console, line: str) -> bool:
    """Write a line for something that would be drawn as just that; False when it has to be drawn."""
    return isinstance(out, _Plainly) and len(line) < PIPE_WIDTH and out.write(line)


def is_live(stream: IO[str]) -> bool:
    """Whether the stream can show a view that redraws itself."""
    return stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def printable(text: str) -> str:
    """The text with every control character and undecodable byte written as an escape, on one line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def counted(number: float, one: str, many: str = "") -> str:
    """``1 goal``, ``2 goals``; ``many`` where the plural has no plain s."""
    return f"{number:g} {one if number == 1 else many or f'{one}s'}"


def one_line(text: str, limit: int = 0) -> str:
    """White space collapsed, safe to print; longer than ``limit`` characters (0: no limit) is cut with an ellipsis."""
    line = printable(" ".join(text.split()))
    return line if not limit or len(line) <= limit else line[: max(limit - 3, 0)] + "..."


def indented(text: str, by: str = "    ") -> list[str]:
    """The lines of a text, each safe to print, below a heading."""
    return [f"{by}{printable(line.expandtabs())}".rstrip() for line in text.splitlines()]


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows whose columns stand below each other; those that are numbers, by their place, to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def folded(name: str, width: int) -> list[str]:
    """A name or a path in pieces of at most ``width`` columns. They end where its parts do, in a word if they must."""
    from rich.cells import cell_len, chop_cells

    pieces, width = [], max(width, 2)  # of a wide sign
    while cell_len(name) > width:
        most = chop_cells(name, width)[0]
        ends = (max(most.rfind(sign) for sign in signs) + 1 for signs in ("/ ", "_-:"))
        end = next((end for end in ends if end), len(most))
        pieces.append(name[:end])
        name = name[end:]
    return [*pieces, name]


# What a batch reports

ROUTINE = frozenset({"candidate", "no lemmas", "correct", "prove", "sketch"})
"""Outcomes that plain lines leave out: the next line about the goal tells what came of it. `trace` has them all."""
Opener: TypeAlias = "Callable[[str], StoreReader]"
"""Run id -> a read-only view of its tree, which the caller closes."""


class Progress:
    """Where a batch reports what happens; shows nothing. All methods are called in the event loop's thread."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """What is on the screen then stays."""

    def expect(self, total: int) -> None:
        """There are so many theorems, now that the files have been looked into."""

    def event(self, name: str, event: Event) -> None:
        """A commit of the run of theorem ``name``."""

    def finished(self, name: str, result: RunResult) -> None:
        """The theorem has its answer."""

    def note(self, text: str) -> None:
        """Something else that the person should know."""

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Inside, the terminal belongs to the caller, who may print results on it."""
        yield


class Silent(Progress):
    """Shows nothing but notes."""

    def __init__(self, stream: IO[str]) -> None:
        self._console = lines_to(stream)

    def note(self, text: str) -> None:
        """One line."""
        say(self._console, one_line(text))


class Lines(Silent):
    """One line an event, for pipes, logs and dumb terminals."""

    def __init__(self, stream: IO[str], several: bool) -> None:
        super().__init__(stream)
        self._several = several
        self._start = time.monotonic()

    def expect(self, total: int) -> None:
        """With several theorems, each line names its own."""
        self._several = total > 1

    def event(self, name: str, event: Event) -> None:
        """``seconds  theorem  node  agent: outcome (reason)``."""
        if event.outcome in ROUTINE:
            return
        seconds = f"{time.monotonic() - self._start:7.2f}s"
        who = f"  {one_line(name)}" if self._several else ""
        self.note(f"{seconds}{who}  {event.node}  {event.text}")

    def note(self, text: str) -> None:
        """One line; leading spaces stay."""
        say(self._console, text if text.isprintable() else one_line(text))
