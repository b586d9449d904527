"""The small databases that all runs and processes of a data directory share: caches, on which nothing depends."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from goedels_poetry.files import is_no_file

T = TypeVar("T")

PATIENCE = 5.0
"""Seconds to wait for another process."""

_PAGES_KB = 256
"""Memory for the pages of one database; SQLite itself takes up to 2 MB of it, a page for whatever was ever read."""

_OURS_TO_REPLACE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""What SQLite says of a file that is damaged, and not of a machine that cannot write it or is busy with it."""


def connect(path: Path, schema: str) -> sqlite3.Connection:
    """Open or create a database in WAL mode; several processes may do so at once. Raises sqlite3.Error, OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_no_file(path):
        raise sqlite3.OperationalError("it is no file")
    deadline = time.monotonic() + PATIENCE
    while True:
        db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=PATIENCE)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute(f"PRAGMA cache_size=-{_PAGES_KB}")
            db.executescript(schema)
        except sqlite3.Error as exc:
            db.close()
            # SQLite does not wait by itself when two processes switch a new file to WAL at the same moment.
            if "locked" not in str(exc) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return db


def is_damaged(error: BaseException) -> bool:
    """Whether an error says that a database's content is broken, wherever in the file that shows."""
    return isinstance(error, sqlite3.DatabaseError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _OURS_TO_REPLACE


def is_unfinished(error: BaseException) -> bool:
    """Whether a table is missing: whoever began the database had no room for it, or was killed."""
    return isinstance(error, sqlite3.OperationalError) and "no such table" in str(error)


def put_aside(path: Path) -> Path:
    """Rename a damaged database with its log, so that a new one can be begun; where it is now. Raises OSError."""
    aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    for tail in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + tail).rename(aside.with_name(aside.name + tail))
    with contextlib.suppress(FileNotFoundError):  # another process was quicker
        path.rename(aside)
    return aside


class SharedDatabase:
    """One file, begun anew where it is damaged. Thread-safe, and safe for several processes at once.

    What goes wrong otherwise (no space, locked for longer than `PATIENCE`) is said once in `troubles`, and whoever asks
    gets what an empty file would say: none of it may cost a run anything.

    Raises:
        sqlite3.Error, OSError: it can be neither opened nor begun.
    """

    def __init__(self, path: Path, schema: str) -> None:
        self.path = path
        self._schema = schema
        self._lock = threading.Lock()
        self._troubles: list[str] = []
        self._db = self._opened()

    def ask(self, sql: str, values: Iterable[Any] = ()) -> list[Any]:
        """The rows of a query; none where the file cannot be asked."""
        given = tuple(values)
        return self._attempt(lambda db: db.execute(sql, given).fetchall(), [])

    def write(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """One statement for many rows, in one transaction; how many rows that changed."""
        given = list(rows)
        if not given:
            return 0

        def written(db: sqlite3.Connection) -> int:
            before = db.total_changes
            db.execute("BEGIN IMMEDIATE")
            try:
                db.executemany(sql, given)
                db.execute("COMMIT")
            except sqlite3.Error:
                with contextlib.suppress(sqlite3.Error):  # SQLite has rolled some of them back itself
                    db.execute("ROLLBACK")
                raise
            return db.total_changes - before

        return self._attempt(written, 0)

    def troubles(self) -> list[str]:
        """What went wrong since this was asked last, a line each."""
        with self._lock:
            told, self._troubles = self._troubles, []
        return list(dict.fromkeys(told))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _attempt(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        with self._lock:
            for again in (True, False):
                try:
                    return work(self._db)
                except sqlite3.Error as error:
                    if not (again and is_damaged(error)):
                        self._troubles.append(f"{self.path} could not be used: {_words(error)}")
                        break
                    self._begin_anew()
        return otherwise

    def _begin_anew(self) -> None:
        """A new file, or one in memory alone where there can be none."""
        self._db.close()
        try:
            if _identity(self.path) == self._identity:  # else another process has replaced it already
                self._put_aside()
            self._db = self._opened()
        except (sqlite3.Error, OSError) as error:
            self._troubles.append(f"{self.path} is damaged and could not be begun anew: {error}")
            self._db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
            self._db.executescript(self._schema)

    def _opened(self) -> sqlite3.Connection:
        try:
            db = connect(self.path, self._schema)
        except sqlite3.Error as error:
            if not is_damaged(error):
                raise
            self._put_aside()
            db = connect(self.path, self._schema)
        self._identity = _identity(self.path)
        return db

    def _put_aside(self) -> None:
        aside = put_aside(self.path)
        self._troubles.append(f"{self.path.name} was damaged: it is {aside.name} now, and a new one has been begun")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _words(error: sqlite3.Error) -> str:
    """SQLite's words, and who is meant where another process has the file."""
    locked = "locked" in str(error) or "busy" in str(error)
    return f"another process has held it for {PATIENCE:g} s ({error})" if locked else str(error)
