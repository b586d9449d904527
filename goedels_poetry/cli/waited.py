"""How long somebody has been waiting: from the start of the program, what it took to load included.

The start of the process says something else: where a shell becomes the program (``sh -c "sleep 30; exec ..."``) the
process is as old as the shell, and the system does not tell when it became another program.
"""

from __future__ import annotations

import time

LOADED = time.monotonic()
"""When this file was loaded, the first of the command line: some 20 ms after the interpreter began."""
YOUNG = 60.0
"""Seconds: who loads the command line longer than that before it is called did not load it for that call."""

_began: float | None = None


def begin() -> None:
    """A command line begins; the first one of a program began with it."""
    global _began  # noqa: PLW0603  one start a command line
    now = time.monotonic()
    _began = LOADED if _began is None and now - LOADED < YOUNG else now


def waited() -> float:
    """Seconds since the command line began; 0.0 where none has."""
    return 0.0 if _began is None else time.monotonic() - _began
