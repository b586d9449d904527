"""The folder in which a seat works, on its node. Those of processes that were killed go when the next one begins."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import weakref
from pathlib import Path

PREFIX = "goedels-poetry-seat-"
_LOCK = "alive"
"""Locked as long as the process lives, however it ends."""


class Home:
    """A folder of this process alone, in the system's folder for temporary files."""

    def __init__(self) -> None:
        parent = Path(tempfile.gettempdir())
        remove_left_behind(parent)
        made = Path(tempfile.mkdtemp(prefix=f".{PREFIX}", dir=parent))
        lock = os.open(made / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        # It gets the name by which others look for it when it is locked already.
        self.path = made.rename(parent / made.name.removeprefix("."))
        self.remove = weakref.finalize(self, _remove, self.path, lock)
        """Remove the folder, with all in it; at the latest when the process ends by itself."""


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def remove_left_behind(parent: Path) -> None:
    """The folders of processes of this user that are no more. What cannot be looked at is left alone."""
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            if folder.lstat().st_uid != os.geteuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            continue  # its process is at work
        finally:
            os.close(lock)
