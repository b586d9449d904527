"""Of several outcomes the one that counts for the exit code."""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.cli.failures import INTERNAL_ERROR, LOCKED, NOT_STORED, UNAVAILABLE
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.tree.results import RunResult

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


def exit_code_of(result: RunResult, required: Verdict | None = None) -> int:
    """The exit code of a result; that of ``unknown`` where the verdict is good news and below what is ``required``.

    What was tested and is disputed is less than tested.
    """
    enough = (
        required is None or result.verdict is Verdict.PROVED or (required is result.verdict and not result.disputed)
    )
    return result.exit_code or (0 if enough else Verdict.UNKNOWN.exit_code)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict whose exit code the batch has; ``proved`` for none."""
    return min(verdicts, key=WORST_FIRST.index, default=Verdict.PROVED)


def worst_code(codes: Iterable[int]) -> int:
    """The exit code of a batch whose inputs would exit with ``codes`` alone; 0 for none.

    What has no verdict counts as a missing answer, and before those that a larger limit may bring; a defect of this
    program counts before all.
    """
    broken, rest = WORST_FIRST[:2], WORST_FIRST[2:]
    undone = (NOT_STORED, UNAVAILABLE, LOCKED)
    order = [INTERNAL_ERROR, *(v.exit_code for v in broken), *undone, *(v.exit_code for v in rest)]
    return min(codes, key=order.index, default=0)
