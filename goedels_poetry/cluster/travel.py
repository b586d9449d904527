"""The folder of a run as bytes, so that it can go to another machine and come back."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from goedels_poetry.errors import StoreError

Files = dict[str, bytes]
"""Path inside the folder -> content."""

_LEFT = ("lock",)
_TAILS = ("-wal", "-shm")
_AS_BEFORE = ".before"


def packed(folder: Path) -> Files:
    """All files of a run's folder that nobody is writing, but for its lock. A database comes with its log in it."""
    files: Files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name in _LEFT or name.endswith(_TAILS) or not path.is_file():
            continue
        if path.suffix == ".db" and any(path.with_name(path.name + tail).exists() for tail in _TAILS):
            _take_in_log(path)
        files[name] = path.read_bytes()
    return files


def unpack(files: Files, folder: Path) -> None:
    """Put the files there in the place of what was there, whole or not at all: the card, which says how it ended, last.

    Raises:
        StoreError: a name leads out of the folder. OSError: they cannot be written; the folder is as it was.
    """
    for name in files:
        if name.startswith("/") or ".." in name.split("/"):
            raise StoreError(f"{folder}: a file of the run is called {name!r}")
    beside = folder.with_name(f"{_AS_BEFORE}-{folder.name}")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        for name, content in files.items():
            path = beside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for name in sorted(files, key=lambda name: name == "run.json"):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            for tail in _TAILS:
                path.with_name(path.name + tail).unlink(missing_ok=True)
            (beside / name).replace(path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _take_in_log(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
