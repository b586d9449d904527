"""The end of a batch: a line for each theorem, and one that counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goedels_poetry.cli.endings import style_of
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.trace.terminal import PIPE_WIDTH, counted, one_line, say, say_parts

if TYPE_CHECKING:
    from rich.console import Console

HEAD = ("theorem", "verdict", "trust", "seconds")
LEAST_NAME = 16
"""Columns that a name keeps on the narrowest terminal."""
_ORDER = (
    Verdict.PROVED,
    Verdict.TESTED,
    Verdict.REFUTED,
    Verdict.INCONSISTENT,
    Verdict.UNKNOWN,
    Verdict.OUT_OF_BUDGET,
    Verdict.INVALID,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One theorem of a batch."""

    name: str
    verdict: Verdict
    level: str = ""
    """Trust level; "" where nothing was certified."""
    seconds: float | None = None
    """That somebody waited for it; None when it was not begun."""
    failed: str = ""
    """What stands in place of a verdict where there is none."""

    @property
    def word(self) -> str:
        """The verdict, or what stands in its place."""
        return self.failed or str(self.verdict)

    @property
    def style(self) -> str:
        """Of that word."""
        return "bold red" if self.failed else style_of(self.verdict)


def say_table(out: Console, rows: Sequence[Row]) -> None:
    """All theorems in the order of the rows; on a narrow terminal names lose their beginnings."""
    cells = [(r.name, r.word, r.level, "" if r.seconds is None else f"{r.seconds:.1f}") for r in rows]
    verdict, level, seconds = (max(len(row[column]) for row in (HEAD, *cells)) for column in (1, 2, 3))
    room = getattr(out, "width", PIPE_WIDTH) - (verdict + level + seconds + 6)
    names = [_tail(one_line(row[0]), max(room, LEAST_NAME)) for row in (HEAD, *cells)]
    width = max(map(len, names))
    for name, row, style in zip(names, (HEAD, *cells), ("", *(r.style for r in rows)), strict=True):
        rest = f"  {row[2].ljust(level)}  {row[3].rjust(seconds)}"
        say_parts(out, (f"{name.ljust(width)}  ", ""), (row[1].ljust(verdict), style), (rest.rstrip(), ""))


def tally(rows: Sequence[Row], seconds: float) -> str:
    """``24 theorems: 20 proved, 1 refuted, 3 unknown in 31 s``."""
    counts = Counter(row.word for row in rows)
    words = [*map(str, _ORDER), *dict.fromkeys(row.failed for row in rows if row.failed)]
    found = ", ".join(f"{counts[word]} {word.replace('_', ' ')}" for word in words if counts[word])
    return f"{counted(len(rows), 'theorem')}: {found or 'none'} in {in_words(seconds)}"


def say_tally(out: Console, rows: Sequence[Row], seconds: float) -> None:
    """The line that counts, the last one of all."""
    say(out, tally(rows, seconds))


def in_words(seconds: float) -> str:
    """A duration as people say it."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 180 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def _tail(name: str, width: int) -> str:
    """The end of a name tells more than its beginning."""
    return name if len(name) <= width else f"...{name[len(name) - width + 3 :]}"
