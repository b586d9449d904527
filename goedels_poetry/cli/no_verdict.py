"""What keeps an input from being worked on: that is no verdict about it, and the others go on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from goedels_poetry.cli.failures import (
    INTERNAL_ERROR,
    LOCKED,
    NOT_STORED,
    UNAVAILABLE,
    describe,
    is_without_room,
    save_traceback,
)
from goedels_poetry.errors import GoedelsPoetryError, MissingTool, RunLocked

_LOCKS = Path("/proc/locks")
"""Who holds which lock, on Linux."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an input has no verdict at all: that says nothing about it."""

    kind: str
    """``locked``, ``missing``, ``storage`` or ``internal``."""
    reason: str
    """One line for people."""
    exit_code: int
    pid: int | None = None
    """Of the process that works on the run, where that can be told."""
    log: str | None = None
    """File with the details."""

    @property
    def title(self) -> str:
        """What stands where a verdict would."""
        return {"locked": "locked", "missing": "not done", "storage": "not done"}.get(self.kind, "internal error")

    def to_json(self) -> dict[str, Any]:
        """The object ``error`` of ``--json``."""
        return {name: value for name, value in asdict(self).items() if name != "exit_code"}


def failure_of(error: Exception, data_dir: Path) -> Failure:
    """What an exception means for the input that it stopped; the traceback of a defect goes to a file."""
    if isinstance(error, RunLocked):
        run = re.search(r"\brun (\w+)", str(error))
        pid = lock_holder(data_dir / "runs" / run[1] / "lock") if run else None
        who = "another process" if pid is None else f"another process (pid {pid})"
        which = f" {run[1]}" if run else ""
        words = f"{who} works on this run{which}; wait for it, stop it, or begin a separate run with --fresh"
        return Failure("locked", words, LOCKED, pid)
    if isinstance(error, MissingTool):
        return Failure("missing", str(error), UNAVAILABLE)
    if isinstance(error, OSError) and error.filename:
        place = os.fsdecode(error.filename)
        ours = Path(place).is_relative_to(data_dir) and data_dir != Path()
        what_to_do = "; GOEDELS_POETRY__HOME names another data directory" if ours else ""
        return Failure("storage", f"{place}: {error.strerror}{what_to_do}", NOT_STORED)
    if isinstance(error, (GoedelsPoetryError, OSError)):
        return Failure("storage", str(error) or type(error).__name__, NOT_STORED)
    if is_without_room(error):
        return Failure("storage", f"{describe(error)}; the same command goes on afterwards", NOT_STORED)
    log = save_traceback(error)
    words = f"a defect of this program: {describe(error)}" + (f"; details in {log}" if log else "")
    return Failure("internal", words, INTERNAL_ERROR, log=log)


def lock_holder(lock: Path) -> int | None:
    """The process that holds a lock on a file; None: nobody, or that cannot be told here."""
    try:
        file, lines = lock.stat(), _LOCKS.read_text("ascii").splitlines()
    except (OSError, ValueError):
        return None
    holders = {pid for pid, inode in _held(lines) if inode == file.st_ino and pid > 0}
    return holders.pop() if len(holders) == 1 else None


def _held(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Process and inode of each lock of a whole file (``12: FLOCK ADVISORY WRITE 345 fe:00:678 0 EOF``)."""
    for line in lines:
        words = line.split()
        if len(words) == 8 and words[1] == "FLOCK" and words[4].lstrip("-").isdigit():
            yield int(words[4]), int(words[5].rpartition(":")[2])
