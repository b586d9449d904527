"""Results that runs have left, each counted once, with their summaries."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry.autoformalizer.rows import BadRows, each_row
from goedels_poetry.evaluation.outcome import ERROR, RESULTS, BadData, Outcome, read_outcome
from goedels_poetry.files import read_bytes

SUMMARY = "summary.json"
"""Name of the summary in a report folder."""
_MOST = 64_000_000
"""Bytes of a summary that is looked at."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What one run has left."""

    path: str
    """As it was named."""
    outcomes: tuple[Outcome, ...]
    again: int = 0
    """Lines that say what another one has said, and count no second time."""
    summary: Mapping[str, Any] = field(default_factory=dict)
    """What the run's summary says; {} where there is none beside the results."""

    @property
    def proofs(self) -> bool:
        """Whether theorems were proved, as far as anybody knows."""
        return self.summary.get("kind") == "proofs"

    @property
    def notes(self) -> Iterator[str]:
        """Caveats about its figures."""
        if self.again:
            plural = "s" * (self.again != 1)
            yield f"{self.path}: {self.again} line{plural} stand there again, word for word, and count once"
        missing, stopped = self.summary.get("missing"), self.summary.get("stopped")
        if isinstance(missing, int) and missing > 0:
            yield f"{self.path} is not finished ({stopped or 'interrupted'}): {missing} still to do, in no figure"
        if errors := sum(outcome.ending == ERROR for outcome in self.outcomes):
            yield f"{self.path}: {errors} failed by an error, counted as wrong; the command that wrote it asks again"


def read_recorded(path: Path | str) -> Recorded:
    """A results file, or the one in a folder that ``bench`` wrote, with the summary beside it.

    Raises:
        BadData: a line is no result, or contradicts another one.
    """
    folder = os.path.isdir(path)
    file = Path(path) / RESULTS if folder else Path(path)
    there: dict[tuple[str, int], tuple[int, Outcome]] = {}
    again = 0
    try:
        for line, row in each_row(file):
            try:
                outcome = read_outcome(row)
            except BadData as problem:
                raise BadData(f"{file}:{line}: {problem}") from None
            first, known = there.setdefault((outcome.key, outcome.sample), (line, outcome))
            if known is outcome:
                continue
            if known != outcome:
                raise BadData(
                    f"{file}:{line}: line {first} has another result of the same sample, {outcome.sample}, of "
                    f"{outcome.id[:80]!r}: leave the one that holds"
                )
            again += 1
    except BadRows as problem:
        raise BadData(str(problem)) from problem
    beside = read_summary(file.parent) if file.name == RESULTS else {}
    return Recorded(str(path), tuple(outcome for _, outcome in there.values()), again, beside)


def read_outcomes(path: Path) -> list[Outcome]:
    """The results alone; see `read_recorded`."""
    return list(read_recorded(path).outcomes)


def each_once(paths: Iterable[str]) -> list[str]:
    """Names of results, each file once."""
    named: dict[str, str] = {}
    for path in paths:
        real = os.path.realpath(path)
        named.setdefault(os.path.join(real, RESULTS) if os.path.isdir(real) else real, path)
    return list(named.values())


def read_summary(folder: Path) -> dict[str, Any]:
    """That of a report; {} where none can be read: it only says more about results that are whole without it."""
    file = folder / SUMMARY
    try:
        found = json.loads(read_bytes(file, _MOST)) if os.path.isfile(file) else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
