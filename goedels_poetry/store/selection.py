"""Which runs are meant: by verdict, age, language and words; and which of them go when old ones are deleted."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from goedels_poetry.errors import InvalidInput, RunLocked, UnknownRun
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.seconds import seconds
from goedels_poetry.store.results import RunSummary
from goedels_poetry.store.runs import Runs

RUNNING, STOPPED = "running", "stopped"
"""What stands in place of a verdict while a run goes on, and when it was cut short without one."""
WORDS = (*map(str, Verdict), RUNNING, STOPPED)
"""What a selection by verdict may name."""
BUSY = "it is being worked on"
"""Why a run that was meant stays."""


def outcome(run: RunSummary) -> str:
    """The verdict of a run, or what stands in its place."""
    return str(run.verdict) if run.verdict else run.status


@dataclass(frozen=True, slots=True)
class Selection:
    """Runs that are meant; each part that is not given selects all."""

    verdicts: tuple[str, ...] = ()
    """Any of :data:`WORDS`."""
    since: float | None = None
    """Started then or later, in seconds since the epoch."""
    before: float | None = None
    """Neither started nor changed since then."""
    language: str | None = None
    match: str = ""
    """Words in the name, the id or the reason, in letters of either case."""

    def __contains__(self, run: RunSummary) -> bool:
        text = f"{run.name}\n{run.run_id}\n{run.reason}".casefold()
        return (
            (not self.verdicts or outcome(run) in self.verdicts)
            and (self.since is None or run.started >= self.since)
            and (self.before is None or max(run.started, run.updated) < self.before)
            and (self.language is None or run.language == self.language)
            and self.match.casefold() in text
        )

    def of(self, runs: Iterable[RunSummary]) -> list[RunSummary]:
        """Those of ``runs`` that are meant, in their order."""
        return [run for run in runs if run in self]


def verdicts_of(words: Iterable[str]) -> tuple[str, ...]:
    """Words for a selection, with or without commas between them; raises `InvalidInput` for one that is none."""
    given = tuple(part.strip().lower().replace("-", "_") for word in words for part in word.split(",") if part.strip())
    for word in given:
        if word not in WORDS:
            raise InvalidInput(f"{word!r} is no verdict; there are {', '.join(WORDS)}")
    return given


def moment(text: str, now: float | None = None) -> float:
    """Seconds since the epoch of ``2d`` (so long ago: s, m, h, d, w) or ``2026-03-01`` (local time, ISO 8601).

    Raises:
        InvalidInput: it is neither.
    """
    given = text.strip()
    with contextlib.suppress(ValueError, OverflowError, OSError):
        return datetime.fromisoformat(given).timestamp()
    with contextlib.suppress(ValueError):
        if given[-1:].isalpha():
            return (time.time() if now is None else now) - seconds(given)
    raise InvalidInput(f"{text!r} is no moment; write 2d, 12h or 3w for so long ago, or a date like 2026-03-01")


class Pruning(NamedTuple):
    """What a deletion of several runs would do, or has done."""

    runs: tuple[RunSummary, ...]
    """Those that go, latest first."""
    kept: tuple[tuple[RunSummary, str], ...] = ()
    """Those that were meant and stay, each with the reason."""

    @property
    def size(self) -> int:
        """Bytes of those that go."""
        return sum(run.size for run in self.runs)


def to_prune(runs: Sequence[RunSummary], selection: Selection, *, keep: int = 0) -> Pruning:
    """What would be deleted: never a run that is under way.

    Args:
        runs: all, latest first.
        selection: which of them are meant.
        keep: the latest so many of those stay.
    """
    meant = selection.of(runs)[keep:]
    busy = tuple((run, BUSY) for run in meant if run.status == RUNNING)
    return Pruning(tuple(run for run in meant if run.status != RUNNING), busy)


def prune(runs: Runs, plan: Pruning) -> Pruning:
    """Delete what is planned; what cannot be deleted now stays and is named."""
    runs.sweep()
    gone, kept = [], list(plan.kept)
    for run in plan.runs:
        try:
            runs.delete(run.run_id, updated=run.updated)
        except UnknownRun:
            continue  # somebody else was faster
        except (RunLocked, OSError) as problem:
            kept.append((run, str(problem)))
        else:
            gone.append(run)
    return Pruning(tuple(gone), tuple(kept))
