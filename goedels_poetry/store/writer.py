"""Rows on their way into ``proof.db``: a statement for each costs more than the row, so that many go at once.

Nobody sees the difference: whoever asks the database for anything is answered when it has been told of all rows.
"""

from __future__ import annotations

import sqlite3
from typing import Any

Row = tuple[Any, ...]
Pending = dict[str, list[Row]]

_STATEMENTS = {
    "under_way": "DELETE FROM under_way WHERE key=?",
    "blob": "INSERT OR IGNORE INTO blob VALUES(?,?)",
    "rev": "INSERT OR REPLACE INTO rev VALUES(?,?,?,?,?)",
    "head": "INSERT OR REPLACE INTO head VALUES(?,?,?,?,NULL)",
    "waits": "INSERT OR REPLACE INTO waits VALUES(?,?,?)",
    "lemma": "INSERT OR IGNORE INTO lemma VALUES(?,?,?)",
    "history": "INSERT INTO history VALUES(?,?,?,?,?)",
    "event": "INSERT INTO event VALUES(?,?,?,?,?,?,?,?,?,?)",
}
"""Table -> what a row of it does. No row of one says anything about another table's: they go table by table."""


class Writer:
    """The rows of one transaction, and of the step in it that may have to be undone alone.

    A step is set apart in the database (by a savepoint) only when the database has to know of it before it is done.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._kept: Pending = {}
        """Of steps that are done."""
        self._own: Pending = {}
        """Of the step under way, or of a transaction without steps."""
        self._keys: set[tuple[str, str]] = set()
        """Table and first column of the rows that are pending."""
        self._in_step = self._saved = False
        self.lost: BaseException | None = None
        """Why rows of a step that was done could not be written: the whole transaction has to be undone."""

    def add(self, table: str, *row: Any, key: str | None = None) -> None:
        """One row of a table, when the time comes; it is found by its first column, or by ``key``."""
        self._own.setdefault(table, []).append(row)
        self._keys.add((table, row[0] if key is None else key))

    def tell(self) -> None:
        """The database is told of everything."""
        if self._kept:
            try:
                self._tell(self._kept)
            except BaseException as problem:
                self.lost = self.lost or problem
                raise
        if self._own:
            self._set_apart()
            self._tell(self._own)

    def database(self) -> sqlite3.Connection:
        """The connection, which has been told of everything, to be told of more."""
        self.tell()
        self._set_apart()
        return self._db

    def _set_apart(self) -> None:
        if self._in_step and not self._saved:
            self._db.execute("SAVEPOINT step")
            self._saved = True

    def holds(self, table: str, key: str) -> bool:
        """Whether a row of that key may be pending."""
        return (table, key) in self._keys

    def find(self, table: str, key: str, sql: str) -> Any:
        """The row of a table by its key; the database is told of nothing but what it has to be for that."""
        if self.holds(table, key):
            self.tell()
        return self._db.execute(sql, (key,)).fetchone()

    def begin_step(self) -> None:
        """What is added from now on may be undone alone."""
        self._in_step = True

    def end_step(self) -> None:
        """It is done."""
        if self._saved:
            self._tell(self._own)
            self._db.execute("RELEASE SAVEPOINT step")
        for table, rows in self._own.items():
            self._kept.setdefault(table, []).extend(rows)
        self._own.clear()
        self._in_step = self._saved = False

    def undo_step(self, problem: BaseException) -> None:
        """It is as if it had never begun."""
        self._own.clear()
        if not self._db.in_transaction:  # of some faults SQLite has rolled back everything itself
            self.lost = self.lost or problem
        elif self._saved:
            self._db.execute("ROLLBACK TO SAVEPOINT step")
            self._db.execute("RELEASE SAVEPOINT step")
        self._in_step = self._saved = False

    def forget(self) -> None:
        """The transaction has ended, one way or the other."""
        self._kept.clear()
        self._own.clear()
        self._keys.clear()
        self._in_step = self._saved = False
        self.lost = None

    def _tell(self, pending: Pending) -> None:
        for table, rows in pending.items():
            self._db.executemany(_STATEMENTS[table], rows)
        pending.clear()
