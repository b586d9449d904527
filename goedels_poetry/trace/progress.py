"""What a person sees while runs go on: the live view on a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from goedels_poetry.trace.lines import Lines, Opener, Progress, Silent
from goedels_poetry.trace.terminal import is_live

if TYPE_CHECKING:
    from goedels_poetry.trace.wording import Worded


def choose(
    stream: IO[str],
    opener: Opener,
    total: int,
    limit_seconds: float | None,
    render: Worded,
    *,
    quiet: bool,
) -> Progress:
    """The live view where the stream is a terminal that can redraw, plain lines where it is not."""
    if quiet:
        return Silent(stream)
    if is_live(stream):
        from goedels_poetry.trace.live import LiveView  # what draws takes half as long to load as a small proof

        return LiveView(stream, opener, total, limit_seconds, render)
    return Lines(stream, several=total > 1)
