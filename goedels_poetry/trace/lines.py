"""Where a batch reports what happens while runs go on, and two who take it: plain lines, and hardly anything."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Self

from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.trace.terminal import lines_to, one_line, say

ROUTINE = frozenset({"candidate", "no lemmas", "correct", "prove", "sketch"})
"""Outcomes that plain lines leave out: the next line about the goal tells what came of it. `trace` has them all."""
Opener = Callable[[str], StoreReader]
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
