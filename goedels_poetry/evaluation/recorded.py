"""Results that runs have left: each counted once, with what their summaries say of how they were made."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry.autoformalizer.rows import BadRows, each_row
from goedels_poetry.evaluation.outcome import ERROR, RESULTS, Outcome, read_outcome
from goedels_poetry.evaluation.questions import BadData
from goedels_poetry.files import read_bytes

SUMMARY = "summary.json"
"""Name of the summary in a report folder."""
_MOST = 64_000_000
"""Bytes of a summary that is looked at."""
_ABSENT = "–"
_MOST_DIFFERENCES = 8


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
    def setup(self) -> Mapping[str, Any] | None:
        """All that its answers depend on; None: nobody knows."""
        return setup_in(self.summary)

    @property
    def proofs(self) -> bool:
        """Whether theorems were proved, as far as anybody knows."""
        return self.summary.get("kind") == "proofs"

    @property
    def notes(self) -> Iterator[str]:
        """What whoever reads figures of it should know."""
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


def each_once(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """Names of results without those that stand there twice, and a note for each that does."""
    named: dict[str, str] = {}
    notes = []
    for path in paths:
        real = os.path.realpath(path)
        real = os.path.join(real, RESULTS) if os.path.isdir(real) else real
        if named.setdefault(real, path) is not path:
            notes.append(f"{path} is named twice ({named[real]}), and counts once")
    return list(named.values()), notes


def notes_together(every: Sequence[Recorded]) -> list[str]:
    """What whoever reads figures over several runs should know."""
    notes = [note for each in every for note in each.notes]
    for number, one in enumerate(every):
        for other in every[number + 1 :]:
            if one.setup is not None and one.setup == other.setup:
                notes.append(f"{one.path} and {other.path} have one setup, seed included: a sample may stand in both")
    return notes


def notes_on_pair(one: Recorded, other: Recorded) -> list[str]:
    """What whoever compares two runs should know: how they were made differently."""
    notes = [*one.notes, *other.notes]
    unknown = [each.path for each in (one, other) if each.setup is None]
    if unknown:
        where = " and ".join(dict.fromkeys(unknown))
        notes.append(f"how the runs were set up is not compared: no {SUMMARY} beside the results of {where}")
    elif differ := differences(one.setup or {}, other.setup or {}):
        notes.append(f"set up differently: {'; '.join(differ)}")
    for each in (one, other):
        if any(outcome.sample for outcome in each.outcomes):
            notes.append(f"{each.path} has several samples of a question: the first of each is compared")
    return notes


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """``settings.budgets.wall_seconds 10 and 20`` for each value that is not the same in both, as far as one reads."""
    one, other = dict(_leaves(first)), dict(_leaves(second))
    differ = [
        f"{name} {one.get(name, _ABSENT)} and {other.get(name, _ABSENT)}"
        for name in dict.fromkeys((*one, *other))
        if one.get(name, _ABSENT) != other.get(name, _ABSENT)
    ]
    more = len(differ) - _MOST_DIFFERENCES
    return [*differ[:_MOST_DIFFERENCES], *([f"and {more} more"] if more > 0 else [])]


def _leaves(value: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            yield from _leaves(inner, f"{before}{name}.")
        else:
            text = inner if isinstance(inner, str) else json.dumps(inner, default=str)
            yield f"{before}{name}", text if len(text) <= 60 else f"{text[:57]}..."


def setup_in(summary: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a summary says of the setup of its run; None where it says nothing."""
    setup = summary.get("setup")
    return setup if isinstance(setup, Mapping) and setup else None


def read_summary(folder: Path) -> dict[str, Any]:
    """That of a report; {} where none can be read: it only says more about results that are whole without it."""
    file = folder / SUMMARY
    try:
        found = json.loads(read_bytes(file, _MOST)) if os.path.isfile(file) else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
