"""How long somebody has been waiting: from the start of the program's process, what it took to load included."""

from __future__ import annotations

import os
import time

YOUNG = 60.0
"""Seconds: a process that has lived longer before it calls the command was not started for it."""

_began: float | None = None


def begin() -> None:
    """The command line begins; the first one of a young process began with it."""
    global _began  # noqa: PLW0603  one start a command line
    now = time.monotonic()
    age = _age() if _began is None else None
    _began = now - age if age is not None and 0 <= age < YOUNG else now


def waited() -> float:
    """Seconds since the command line began; 0.0 where none has."""
    return 0.0 if _began is None else time.monotonic() - _began


def _age() -> float | None:
    """Seconds that this process has lived; None where the system does not say."""
    try:
        with open("/proc/self/stat", "rb") as file:
            started = int(file.read().rpartition(b")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


__all__ = ["begin", "waited"]
