"""Opening the small databases that all runs and processes of a data directory share."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

PATIENCE = 30.0
"""Seconds to wait for another process."""


def connect(path: Path, schema: str) -> sqlite3.Connection:
    """Open or create a database in WAL mode; several processes may do so at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + PATIENCE
    while True:
        db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=PATIENCE)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.executescript(schema)
        except sqlite3.Error as exc:
            db.close()
            # SQLite does not wait by itself when two processes switch a new file to WAL at the same moment.
            if "locked" not in str(exc) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return db


__all__ = ["connect"]
