"""Lengths of time as people write them: ``90``, ``10s``, ``1h30m``; one parser for every option and setting."""

from __future__ import annotations

import re
from itertools import pairwise
from math import isfinite

FORMS = "seconds, or numbers with units: 90, 2.5, 10s, 5m, 1h30m, 500ms"
"""What is accepted, for error messages."""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_PLAIN = re.compile(rf"\+?(?:{_NUMBER})(?:e[+-]?[0-9]+)?")
_PART = re.compile(rf"({_NUMBER})\s*(ms|s|m|h|d|w)\s*")
_LONGEST = 100
"""Characters; longer texts are no length of time that a person means."""


def seconds(text: str) -> float:
    """The seconds that a text says; units in any case, from long to short, none twice.

    Raises:
        ValueError: it says none, or they are negative or infinite; the message names the forms accepted.
    """
    said = text.strip().lower()
    total = (float(said) if _PLAIN.fullmatch(said) else _in_units(said)) if len(said) <= _LONGEST else None
    if total is None or not isfinite(total):
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        raise ValueError(f"{shown!r} is no length of time; write {FORMS}")
    return total


def _in_units(said: str) -> float | None:
    if not said or _PART.sub("", said):
        return None
    parts = [(float(number), _UNITS[unit]) for number, unit in _PART.findall(said)]
    units = [unit for _, unit in parts]
    if any(later >= earlier for earlier, later in pairwise(units)):
        return None
    return sum(number * unit for number, unit in parts)
