"""An index of premises in SQLite: BM25 as its full-text engine computes it, on disk or in memory.

What BM25 finds is ranked again: a lemma that concludes something about functions that the goal has not is of little
use, however many others it shares. The tokens are ours, ranking and storage are SQLite's: no library besides, and a
file of 40,000 theorems is open at once instead of being read.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from goedels_poetry.protocol.base import Citable, Premise
from goedels_poetry.search.retrieval.tokens import encoded, symbols_of, tokens_of, words_of

FORMAT = "1"
"""Part of the name of every file, so that a newer program builds its own."""
MOST_TOKENS = 120
_SCHEMA = """
CREATE TABLE premise(n INTEGER PRIMARY KEY, name TEXT NOT NULL, statement TEXT NOT NULL, docstring TEXT NOT NULL,
  source TEXT NOT NULL, symbols TEXT NOT NULL);
CREATE VIRTUAL TABLE found USING fts5(conclusion, context, words, content='', tokenize="unicode61 tokenchars '_'");
"""
_SEARCH = """
SELECT name, statement, docstring, source, symbols, bm25(found, 3.0, 1.0, 0.7) AS misfit
FROM found JOIN premise ON premise.n = found.rowid WHERE found MATCH ? ORDER BY misfit, n LIMIT ?
"""
REGARDED = 200
"""How many of the best by BM25 are ranked again by how much of their conclusion the query knows."""
UNKNOWN_COUNTS = 0.3
"""What a premise is worth whose conclusion speaks of nothing in the query, against 1.3 for one all known."""


class Index:
    """Premises that can be searched, from any thread."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._lock = threading.Lock()

    @classmethod
    def of(cls, entries: Iterable[Citable]) -> Index:
        """An index in memory."""
        database = sqlite3.connect(":memory:", check_same_thread=False)
        _fill(database, entries)
        return cls(database)

    @classmethod
    def at(cls, file: Path) -> Index | None:
        """The index in a file; None when there is none that can be read."""
        if not file.is_file():
            return None
        try:
            database = sqlite3.connect(
                f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            database.execute("SELECT count(*) FROM premise").fetchone()
        except sqlite3.Error:
            return None
        return cls(database)

    @staticmethod
    def write(file: Path, entries: Iterable[Citable]) -> None:
        """Build an index in a file, whole or not at all; raises OSError and sqlite3.Error."""
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
        os.close(handle)
        try:
            database = sqlite3.connect(name)
            try:
                database.execute("PRAGMA journal_mode=OFF")
                _fill(database, entries)
            finally:
                database.close()
            Path(name).replace(file)
        finally:
            Path(name).unlink(missing_ok=True)

    def search(self, query: str, limit: int) -> list[Premise]:
        """The premises that fit best, best first."""
        tokens = tokens_of(query)[:MOST_TOKENS]
        if not tokens:
            return []
        asked = " OR ".join(f'"{token}"' for token in tokens)
        with self._lock:
            rows = self._database.execute(_SEARCH, (asked, max(limit, REGARDED))).fetchall()
        known = set(tokens)

        def misfit(row: tuple[Any, ...]) -> float:
            symbols = row[4].split()
            share = sum(symbol in known for symbol in symbols) / len(symbols) if symbols else 1.0
            return float(row[5]) * (UNKNOWN_COUNTS + share)

        return [Premise(*row[:4]) for row in sorted(rows, key=misfit)[:limit]]

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()


def _fill(database: sqlite3.Connection, entries: Iterable[Citable]) -> None:
    with database:
        database.executescript(_SCHEMA)
        for number, entry in enumerate(entries, start=1):
            conclusion = encoded(entry.conclusion or symbols_of(entry.statement))
            row = (number, entry.name, entry.statement, entry.docstring, entry.source, conclusion)
            database.execute("INSERT INTO premise VALUES(?, ?, ?, ?, ?, ?)", row)
            words = words_of(f"{entry.name} {entry.docstring} {entry.statement}")
            database.execute(
                "INSERT INTO found(rowid, conclusion, context, words) VALUES(?, ?, ?, ?)",
                (number, conclusion, encoded(entry.context), " ".join(words)),
            )
