"""How many processors this process may use: what pools are as large as by default."""

from __future__ import annotations

import os

VARIABLE = "GOEDELS_POETRY_PROCESSORS"
"""Environment: a smaller number than the system gives, for who shares a machine. A worker of a cluster sets it."""


def processors() -> int:
    """The number that the environment says, at most what the system lets this process run on."""
    try:
        there = len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        there = os.cpu_count() or 1
    said = os.environ.get(VARIABLE, "")
    return max(1, min(there, int(said))) if said.isdecimal() else there
