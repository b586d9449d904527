"""The words in which the program answers."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """The honest answers. Only the checker says ``proved``."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    INCONSISTENT = "inconsistent"
    TESTED = "tested"
    OUT_OF_BUDGET = "out_of_budget"
    INVALID = "invalid"

    @property
    def exit_code(self) -> int:
        """Process exit code: 0 only for ``proved`` and ``tested``."""
        return _EXIT_CODES[self]


_EXIT_CODES = dict(zip(Verdict, (0, 3, 1, 4, 0, 5, 2), strict=True))
