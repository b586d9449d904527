"""Changes to a file, and their verification by what the changed file does.

Who calls whom: `patches` reads a change of any form and applies it. `case` is the evidence of a verification as data:
the project, the file, the error, the commands. `baseline` measures what was before, `verification` the changed file,
both by way of `measuring`, which hands `harness` to the sandbox; it compares the two, definitions (`surface`),
functions on generated inputs, contracts, and reports. `verify_change` does all of it from the evidence alone: the
checker calls it.
"""

from __future__ import annotations

from goedels_poetry.python.changes.baseline import Baseline
from goedels_poetry.python.changes.case import ChangeCase, decoded, root_of, snapshot, words_of
from goedels_poetry.python.changes.patches import NotApplicable, apply, plain, read_proposal, unified
from goedels_poetry.python.changes.verification import (
    ChangeReport,
    averify_change,
    baseline_for,
    evidence_of,
    verified,
    verify_change,
)

__all__ = [
    "Baseline",
    "ChangeCase",
    "ChangeReport",
    "NotApplicable",
    "apply",
    "averify_change",
    "baseline_for",
    "decoded",
    "evidence_of",
    "plain",
    "read_proposal",
    "root_of",
    "snapshot",
    "unified",
    "verified",
    "verify_change",
    "words_of",
]
