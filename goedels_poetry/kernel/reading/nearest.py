"""What was probably meant by a name that nothing has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MAX_LENGTH = 200
"""Characters of a name that are compared."""
MAX_NAMES = 5_000
"""Among more, none is looked for."""


def nearest(name: str, known: Iterable[str]) -> str:
    """``did you mean `mortal`?`` when a known name is like ``name``, else ""."""
    names = list(known)
    if len(names) > MAX_NAMES:
        return ""
    folded = _folded(name)
    same = [other for other in names if _folded(other) == folded]
    found = same or difflib.get_close_matches(name[:MAX_LENGTH], names, n=1, cutoff=0.7)
    return f"did you mean `{found[0]}`?" if found else ""


def _folded(name: str) -> str:
    """What is left of a name without its case and the way its words are joined."""
    return name[:MAX_LENGTH].lower().replace("-", "").replace("_", "")
