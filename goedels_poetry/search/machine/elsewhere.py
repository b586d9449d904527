"""Runs that are worked on somewhere else: their folder goes there and comes back, and is locked here meanwhile."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from goedels_poetry.store.results import OnEvent, RunResult
from goedels_poetry.store.runs import RunDir

CERTIFICATE = "certificate"
"""Folder of the certificate inside a run's folder."""
SECONDS = "seconds_elsewhere"
"""Metric of a run that was worked on elsewhere: seconds from when it was taken up to its result."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """All that determines a run, as JSON values."""

    run_id: str
    name: str
    language: str
    options: dict[str, Any]
    kind: str
    """Of the task; see `kinds`."""
    text: str
    identity: dict[str, Any]


class Elsewhere(Protocol):
    """Who works on runs in the place of this process."""

    async def run(self, place: RunDir, assignment: Assignment) -> RunResult:
        """Go on with the run in the folder ``place``, which the caller has locked, or begin it there.

        When this returns the folder has all that a run here would have left in it. An exception says nothing about
        the theorem, and leaves the folder as it was.
        """
        ...

    def interrupt(self, reason: str) -> None:
        """Stop every run at its next step boundary; from any thread."""
        ...


async def run_elsewhere(
    elsewhere: Elsewhere, place: RunDir, assignment: Assignment, out: Path | None, on_event: OnEvent | None
) -> RunResult:
    """One run, and what a caller expects of one: its events, though all at the end, and its certificate in ``out``.

    Raises:
        RunLocked: a process here works on it. OSError: the certificate cannot be put there.
    """
    # In a database whoever works on the run holds it, wherever that is; a folder comes here again, and is held here.
    with place.lock() if place.database is None else contextlib.nullcontext():
        finished = place.result() if place.is_finished() else None
        if finished is not None:
            return replace(finished, input=assignment.name)  # the same theorem under another name was quicker
        before = _commits(place)
        try:
            result = await elsewhere.run(place, assignment)
        finally:
            _leave_nothing(place)
        if on_event is not None and place.has_tree():
            with place.open(read_only=True) as store:
                for event in store.events(before):
                    on_event(replace(event, run_id=place.run_id))
        if out is not None and result.certificate is not None:
            result = replace(result, certificate=_copied(result.certificate, out))
            place.write_card(result=result.to_json())
        return result


def _commits(place: RunDir) -> int:
    if not place.has_tree():
        return 0
    with place.open(read_only=True) as store:
        return store.seq


def _leave_nothing(place: RunDir) -> None:
    """Of a run that never began only the lock is there."""
    with contextlib.suppress(OSError):
        if [entry.name for entry in place.path.iterdir()] == ["lock"]:
            (place.path / "lock").unlink()
            place.path.rmdir()


def _copied(certificate: Path, out: Path) -> Path:
    import shutil

    return Path(shutil.copytree(certificate, out, dirs_exist_ok=True))
