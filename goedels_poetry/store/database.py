"""Schema and connections of ``proof.db``. No class names and no code on disk: only text, numbers and JSON."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from functools import cache
from pathlib import Path
from typing import NoReturn

from goedels_poetry.errors import StoreError
from goedels_poetry.files import is_no_file
from goedels_poetry.store.shared_database import PATIENCE, is_unfinished

SCHEMA_VERSION = 1
_JOURNAL, _WAL = slice(18, 20), b"\2\2"
"""Where the header of a database says how it is written and read (https://sqlite.org/fileformat2.html), and the words
for a write-ahead log."""

_WHAT_TO_DO = {
    (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    ): "it is damaged; --fresh begins the run anew, and `runs repair` saves what can be read of it",
    (sqlite3.SQLITE_FULL,): "the disk is full; make room, and the same command goes on where this stopped",
    (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED): (
        f"another process has held it for {PATIENCE:g} s; once that has ended the same command goes on"
    ),
    (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM): "it may not be written; GOEDELS_POETRY__HOME names another folder",
    (sqlite3.SQLITE_IOERR,): "the disk failed; once it works again the same command goes on",
    (sqlite3.SQLITE_CANTOPEN,): "it cannot be opened; is the folder there, and are there file handles left?",
}

SCHEMA = """
CREATE TABLE IF NOT EXISTS event(           -- one row a commit: the log that `trace` reads
  seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, node_id TEXT NOT NULL, ts REAL NOT NULL,
  outcome TEXT NOT NULL, reason TEXT NOT NULL, queues TEXT NOT NULL, spent TEXT NOT NULL,
  cost TEXT NOT NULL);                      -- spent: of the run so far; cost: of this step
CREATE TABLE IF NOT EXISTS rev(             -- immutable revisions; a rowid table, so that rows append
  node_id TEXT NOT NULL, seq INTEGER NOT NULL, statement TEXT NOT NULL, queue TEXT, payload TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS rev_node ON rev(node_id, seq);
CREATE TABLE IF NOT EXISTS head(            -- present revision of every node; `cut` = revision that cut it off
  node_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, queue TEXT, key TEXT NOT NULL, cut INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS head_queue ON head(queue, node_id) WHERE queue IS NOT NULL;
CREATE TABLE IF NOT EXISTS cut(seq INTEGER NOT NULL, node_id TEXT NOT NULL, generation INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS waits(on_id TEXT NOT NULL, waiter TEXT NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY(on_id, waiter)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lemma(           -- first proof of each canonical key that holds anywhere in this run
  key TEXT PRIMARY KEY, node_id TEXT NOT NULL, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS lemma_seq ON lemma(seq);
CREATE TABLE IF NOT EXISTS history(         -- what happened to a node; survives backtracking
  node_id TEXT NOT NULL, seq INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, entry TEXT NOT NULL,
  PRIMARY KEY(node_id, seq, n)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS history_kind ON history(kind);
CREATE TABLE IF NOT EXISTS verdict(seq INTEGER NOT NULL, verdict TEXT NOT NULL, reason TEXT NOT NULL, ref TEXT);
CREATE TABLE IF NOT EXISTS blob(hash TEXT NOT NULL, body TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS blob_hash ON blob(hash);
CREATE TABLE IF NOT EXISTS under_way(       -- jobs started and not yet collected; informational after a crash
  key TEXT PRIMARY KEY, agent TEXT NOT NULL, node_id TEXT NOT NULL, seq INTEGER NOT NULL, started REAL NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open ``proof.db``; raises :class:`StoreError` when it is not one or belongs to a newer version."""
    if not read_only and not path.exists():
        _begin(path)
    if is_no_file(path):
        raise StoreError(f"{path} is no file; --fresh begins the run anew")
    try:
        uri = f"{path.resolve().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        db = sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None, timeout=PATIENCE)
    except sqlite3.Error as exc:
        refuse(path, exc)
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise StoreError(f"{path} was written by a newer version (format {version}, ours {SCHEMA_VERSION})")
        if not read_only:
            if version < SCHEMA_VERSION:
                _lay_out(db)
            db.execute("PRAGMA journal_mode=WAL")
            # NORMAL survives kill -9 of this process; only a power loss may take the last commits with it.
            db.execute("PRAGMA synchronous=NORMAL")
    except sqlite3.Error as exc:
        db.close()
        refuse(path, exc)
    except StoreError:
        db.close()
        raise
    return db


def refuse(path: Path, error: sqlite3.Error) -> NoReturn:
    """Raise what SQLite said of a file as a `StoreError` that says what to do; a defect of ours as it is."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if is_unfinished(error):  # of our tables: the file is another one, or was emptied
        code = sqlite3.SQLITE_CORRUPT
    words = next((words for codes, words in _WHAT_TO_DO.items() if code in codes), None)
    if words is None:
        raise error
    raise StoreError(f"{path}: {words} ({error})") from error


@cache
def _empty() -> bytes:
    """A database without a row, as SQLite writes it: to copy one takes a third of the time that laying it out takes."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.executescript(f"{SCHEMA} PRAGMA user_version={SCHEMA_VERSION};")
        written = bytearray(db.serialize())
    written[_JOURNAL] = _WAL
    return bytes(written)


def _begin(path: Path) -> None:
    """An empty database, there at once or not at all; what the disk refuses SQLite will say."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
    with contextlib.suppress(OSError):
        try:
            beside.write_bytes(_empty())
            os.link(beside, path)
        finally:
            beside.unlink(missing_ok=True)


def _lay_out(db: sqlite3.Connection) -> None:
    """All tables in one commit, where no empty database could be copied: nobody ever sees some of them.

    Nobody waits for the disk either: what a power loss takes now is a run without a commit.
    """
    db.execute("PRAGMA synchronous=OFF")
    db.execute("PRAGMA journal_mode=WAL")
    db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;")
