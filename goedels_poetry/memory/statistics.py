"""How often each strategy led to a proof, per language and shape of goal; it orders the sketcher's choices."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from goedels_poetry.tree.shared_database import connect

_SCHEMA = """
CREATE TABLE IF NOT EXISTS strategy(        -- one row per run, so that recording a run twice changes nothing
  run_id TEXT NOT NULL, language TEXT NOT NULL, strategy TEXT NOT NULL, shape TEXT NOT NULL,
  tried INTEGER NOT NULL, proved INTEGER NOT NULL, PRIMARY KEY(run_id, language, strategy, shape)) WITHOUT ROWID;
"""


class StrategyStatistics:
    """The statistics' file. Thread-safe, and safe for several processes at once."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._db = connect(path, _SCHEMA)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def record(self, run_id: str, language: str, counts: Mapping[tuple[str, str], tuple[int, int]]) -> None:
        """Store one run's counts: (strategy, shape) -> (times tried, times it led to a proof)."""
        rows = [(run_id, language, *name, *numbers) for name, numbers in counts.items()]
        with self._lock:
            self._db.executemany("INSERT OR REPLACE INTO strategy VALUES(?,?,?,?,?,?)", rows)

    def preferred(self, language: str, shape: str | None = None) -> tuple[str, ...]:
        """Strategy names by rate of success (with one imagined success and failure each), best first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT strategy FROM strategy WHERE language=?1 AND (?2 IS NULL OR shape=?2) GROUP BY strategy"
                " ORDER BY (sum(proved) + 1.0) / (sum(tried) + 2.0) DESC, strategy",
                (language, shape),
            ).fetchall()
        return tuple(name for (name,) in rows)


__all__ = ["StrategyStatistics"]
