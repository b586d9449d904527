"""Leans that start before anybody needs one: while the program is still loading, and while the first one is asked.

Whoever takes one has a process like any other that has just been started: nobody has asked it anything.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress

from goedels_poetry.solvers.child import Child

_lock = threading.Lock()
_started: list[tuple[list[str], Child]] = []
_wanted: list[list[str]] = []
"""Command lines of those that are to start when the one before has answered."""


def begin(command: Sequence[str], then: int = 0) -> None:
    """Start one, and ``then`` so many more, each when the one before has answered. Nothing where there can be none."""
    with _lock:
        _wanted.extend([list(command)] * then)
    _start(list(command))


def take(command: Sequence[str]) -> Child | None:
    """One that was started so and that nobody has taken; where there is none, what was started otherwise ends."""
    with _lock:
        mine = next(((its, child) for its, child in _started if its == list(command) and child.alive), None)
        if mine is not None:
            _started.remove(mine)
            return mine[1]
    drop()
    return None


def drop() -> None:
    """Nobody is going to ask those that were started: they end, and no more of them start."""
    with _lock:
        unneeded = [child for _, child in _started]
        _started.clear()
        _wanted.clear()
    for child in unneeded:
        child.kill()
        child.close()


def answered(command: Sequence[str]) -> None:
    """One with this command line has answered: the next may start."""
    with _lock:
        if list(command) not in _wanted:
            return
        _wanted.remove(list(command))
    _start(list(command))


def _start(command: list[str]) -> None:
    with suppress(OSError, RuntimeError):  # told when one is needed
        child = Child(command)
        with _lock:
            _started.append((command, child))
