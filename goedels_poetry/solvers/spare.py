"""z3 processes that one job of a worker leaves to the next: a reset costs a tenth of a start, and finds the same.

For searches only; a check has processes that nobody has used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from goedels_poetry.solvers.z3_process import Z3Process

MOST = 4
_spare: list[Z3Process] = []


def lend() -> Z3Process:
    """A process that somebody has handed back, or a new one; what it knew is forgotten with the first question."""
    return _spare.pop() if _spare else Z3Process()


def take_back(process: Z3Process) -> None:
    """Keep it for the next job, unless there are enough."""
    if process.pid is not None and len(_spare) < MOST:
        _spare.append(process)
    else:
        process.close()


@contextmanager
def borrowed() -> Iterator[Z3Process]:
    """One for as long as this lasts."""
    process = lend()
    try:
        yield process
    finally:
        take_back(process)
