"""A line of `doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One line of the examination. ``ok`` False: the program cannot do its work like this."""

    what: str
    found: str
    ok: bool = True
    installed: bool = True
    """False: it is not there, and nothing that was asked for needs it."""
