"""Repairing a run: what can be saved of a damaged proof tree takes its place; the damaged files are kept beside it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from goedels_poetry.errors import UnknownRun
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.salvage import Salvage, is_whole, salvage

_TAILS = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done."""

    run_id: str
    saved: Salvage | None
    """None: nothing was wrong, and nothing was changed."""
    aside: Path | None = None
    """Where the damaged proof tree is now."""


def repair(run: RunDir) -> Repair:
    """Save what can be read of a run's proof tree; the run goes on from there like one that was stopped.

    Its result and certificate stay as they are. The record of the graph belongs to commits that may be lost, and is put
    aside with the damaged tree.

    Raises:
        UnknownRun: it has no proof tree. RunLocked: a process is working on it. StoreError: nothing can be saved.
        OSError: the folder may not be written, or has no room.
    """
    if run.database is not None:
        raise UnknownRun(
            f"run {run.run_id} is in a PostgreSQL database: what is wrong there its server says and repairs"
        )
    if not run.proof_db.is_file():
        raise UnknownRun(f"run {run.run_id} has no proof tree that is a file; begin it again from its theorem")
    with run.lock():
        if is_whole(run.proof_db):
            return Repair(run.run_id, None)
        fresh = run.proof_db.with_name("proof.db.saved")
        for tail in _TAILS:
            fresh.with_name(fresh.name + tail).unlink(missing_ok=True)
        try:
            saved = salvage(run.proof_db, fresh)
            aside = _put_aside(run.proof_db)
            fresh.replace(run.proof_db)  # at once: at no moment is there none, or an old log beside the new one
        finally:
            for tail in _TAILS:
                fresh.with_name(fresh.name + tail).unlink(missing_ok=True)
        if run.graph_db.exists():
            _put_aside(run.graph_db)
            run.graph_db.unlink()
        return Repair(run.run_id, saved, aside)


def _put_aside(file: Path) -> Path:
    """Give a database another name, and take its log there; returns the name. The file itself is still there, too."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    number, aside = 1, file.with_name(f"{file.name}.damaged-{stamp}")
    while aside.exists():
        number += 1
        aside = file.with_name(f"{file.name}.damaged-{stamp}-{number}")
    os.link(file, aside)
    for tail in _TAILS[1:]:
        old = file.with_name(file.name + tail)
        if old.exists():
            old.replace(aside.with_name(aside.name + tail))
    return aside
