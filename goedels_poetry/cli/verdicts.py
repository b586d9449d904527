"""Of several verdicts the one that counts for the exit code."""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.tree.state import Verdict

WORST_FIRST = (
    Verdict.INVALID,
    Verdict.INCONSISTENT,
    Verdict.OUT_OF_BUDGET,
    Verdict.UNKNOWN,
    Verdict.REFUTED,
    Verdict.TESTED,
    Verdict.PROVED,
)
"""Several inputs exit with the code of the worst verdict. Broken questions come before missing answers, missing
answers before a clear no."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict whose exit code the batch has; ``proved`` for none."""
    return min(verdicts, key=WORST_FIRST.index, default=Verdict.PROVED)
