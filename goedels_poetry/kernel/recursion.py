"""How deep our own walks over terms may go: one figure for a process, whoever asks first."""

from __future__ import annotations

import sys

MAX_RECURSION = 6_000
"""Frames of Python: 400 calls of a defined function within each other need 12 each. What is deeper is refused."""


def allow_recursion() -> None:
    """At least `MAX_RECURSION` frames from now on, for the whole process.

    One figure, as tools that set a limit for a while (Hypothesis) warn of any that they have not seen before.
    """
    if sys.getrecursionlimit() < MAX_RECURSION:
        sys.setrecursionlimit(MAX_RECURSION)
