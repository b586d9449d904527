"""Reads runs for the pages: of this server, of other processes, finished ones. Everything here blocks: use threads."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from goedels_poetry.errors import StoreError, UnknownRun
from goedels_poetry.serve.answers import Refused
from goedels_poetry.trace.page.data import run_data
from goedels_poetry.tree.results import RunSummary
from goedels_poetry.tree.runs import RunDir, Runs
from goedels_poetry.tree.selection import outcome

UNREADABLE = (StoreError, sqlite3.Error, OSError)
"""What a run raises that is deleted while it is read, or damaged."""
_ID = re.compile(r"[0-9a-f]{6,64}(?:-[0-9]{1,9})?")


class Shelf:
    """The runs of a data directory. Summaries of runs that do not change are read once."""

    def __init__(self, data_dir: Path) -> None:
        self._runs = Runs(data_dir)
        self._known: dict[str, tuple[int, RunSummary]] = {}

    def place(self, run_id: str) -> RunDir:
        """The run with exactly that id; raises `Refused`. Nothing but an id ever becomes a part of a path."""
        try:
            if _ID.fullmatch(run_id):
                run = self._runs.get(run_id)
                if run.run_id == run_id:
                    return run
        except UnknownRun:
            pass
        raise Refused(404, f"there is no run {run_id[:80]!a}")

    def summaries(self) -> list[RunSummary]:
        """Every run, latest first."""
        before, now = self._known, {}
        for run in self._runs.everywhere():
            with contextlib.suppress(OSError):  # deleted in the meantime
                now[run.run_id] = _summary(run, before.get(run.run_id))
        self._known = now
        return sorted((run for _, run in now.values()), key=lambda run: run.started, reverse=True)


def _summary(run: RunDir, known: tuple[int, RunSummary] | None) -> tuple[int, RunSummary]:
    changed = (run.path / "run.json").stat().st_mtime_ns
    if known is None or known[0] != changed or known[1].status == "running" or run.is_locked():
        return changed, run.summary()
    return known


def as_json(run: RunSummary) -> dict[str, Any]:
    """One run of the list: a `RunSummary` and ``outcome``, its verdict or what stands in place of one."""
    return {**asdict(run), "verdict": str(run.verdict) if run.verdict else None, "outcome": outcome(run)}


def as_list(runs: Iterable[RunSummary]) -> list[dict[str, Any]]:
    """The same of several."""
    return [as_json(run) for run in runs]


def data_of(run: RunDir, since: int = 0) -> dict[str, Any]:
    """What the page of a run shows, or what is new in it. Raises one of :data:`UNREADABLE`."""
    with run.open(read_only=True) as store:
        return run_data(store, since)


class Watch:
    """Looks whether something has changed in a run, cheaply and as often as wanted."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._store = run.open(read_only=True)
        self._seen: object = None

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def look(self) -> tuple[bool, str]:
        """Whether something has changed since the last look; and "" while the run goes on, or how it stands.

        What is asked first is whether it goes on: so nothing that it has written before it ended is missed.
        """
        if not self._run.path.exists():
            return False, "deleted"
        ended = "" if self._run.is_locked() else "ended"
        try:
            card = (self._run.path / "run.json").stat().st_mtime_ns
        except OSError:
            card = 0
        now = (ended, card, self._store.seq, tuple(self._store.under_way()))
        changed, self._seen = now != self._seen, now
        return changed, ended
