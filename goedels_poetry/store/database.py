"""Schema and connections of ``proof.db``. No class names and no code on disk: only text, numbers and JSON."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple, NoReturn

from goedels_poetry.errors import StoreError
from goedels_poetry.files import is_no_file
from goedels_poetry.store.shared_database import PATIENCE, is_unfinished

SCHEMA_VERSION = 1

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

_INT, _REAL, _TEXT, _MAYBE = "INTEGER NOT NULL", "REAL NOT NULL", "TEXT NOT NULL", "TEXT"


class Table(NamedTuple):
    """Columns with their types, those that are unique together, and whether rows have numbers of their own."""

    columns: dict[str, str]
    key: tuple[str, ...] = ()
    rows: bool = False


def _texts(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, _TEXT)


TABLES: dict[str, Table] = {
    # One row a commit, the log that `trace` reads. spent: of the run so far; cost: of this step.
    "event": Table(
        {"seq": "INTEGER PRIMARY KEY", "key": f"{_TEXT} UNIQUE", **_texts("agent", "node_id"), "ts": _REAL}
        | _texts("outcome", "reason", "queues", "spent", "cost"),
        rows=True,
    ),
    # Immutable revisions; rows append.
    "rev": Table(
        {"node_id": _TEXT, "seq": _INT, "statement": _TEXT, "queue": _MAYBE, "payload": _TEXT}, ("node_id", "seq"), True
    ),
    # Present revision of every node; `cut`: the revision that cut it off.
    "head": Table({"node_id": _TEXT, "seq": _INT, "queue": _MAYBE, "key": _TEXT, "cut": "INTEGER"}, ("node_id",)),
    "cut": Table({"seq": _INT, "node_id": _TEXT, "generation": _INT}, rows=True),
    "waits": Table({"on_id": _TEXT, "waiter": _TEXT, "seq": _INT}, ("on_id", "waiter")),
    # First proof of each canonical key that holds anywhere in this run.
    "lemma": Table({"key": _TEXT, "node_id": _TEXT, "seq": _INT}, ("key",)),
    # What happened to a node; survives backtracking.
    "history": Table(
        {"node_id": _TEXT, "seq": _INT, "n": _INT, "kind": _TEXT, "entry": _TEXT}, ("node_id", "seq", "n")
    ),
    "verdict": Table({"seq": _INT, "verdict": _TEXT, "reason": _TEXT, "ref": _MAYBE}, rows=True),
    "blob": Table({"hash": _TEXT, "body": _TEXT}, ("hash",), True),
    # Jobs started and not yet collected; informational after a crash.
    "under_way": Table({**_texts("key", "agent", "node_id"), "seq": _INT, "started": _REAL}, ("key",)),
    "meta": Table(_texts("name", "value"), ("name",)),
}
_INDEXES = """
CREATE INDEX IF NOT EXISTS head_queue ON head(queue, node_id) WHERE queue IS NOT NULL;
CREATE INDEX IF NOT EXISTS lemma_seq ON lemma(seq);
CREATE INDEX IF NOT EXISTS history_kind ON history(kind);
"""


def _schema() -> str:
    """All tables in SQLite's words."""
    made = []
    for name, (columns, key, rows) in TABLES.items():
        fields = [f"{column} {kind}" for column, kind in columns.items()]
        if key and not rows:
            fields.append(f"PRIMARY KEY({', '.join(key)})")
        without = "" if rows else " WITHOUT ROWID"
        made.append(f"CREATE TABLE IF NOT EXISTS {name}({', '.join(fields)}){without};")
        if key and rows:
            made.append(f"CREATE UNIQUE INDEX IF NOT EXISTS {name}_{key[0]} ON {name}({', '.join(key)});")
    return "\n".join((*made, _INDEXES))


SCHEMA = _schema()


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open ``proof.db``; raises :class:`StoreError` when it is not one or belongs to a newer version."""
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


def _lay_out(db: sqlite3.Connection) -> None:
    """All tables in one commit: nobody ever sees some of them.

    Nobody waits for the disk either: what a power loss takes now is a run without a commit.
    """
    db.execute("PRAGMA synchronous=OFF")
    db.execute("PRAGMA journal_mode=WAL")
    db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;")
