"""How often each strategy led to a proof, per language and shape of goal; it orders the sketcher's choices."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from goedels_poetry.store.shared_database import SharedDatabase

_SCHEMA = """
CREATE TABLE IF NOT EXISTS strategy(        -- one row per run, so that recording a run twice changes nothing
  run_id TEXT NOT NULL, language TEXT NOT NULL, strategy TEXT NOT NULL, shape TEXT NOT NULL,
  tried INTEGER NOT NULL, proved INTEGER NOT NULL, PRIMARY KEY(run_id, language, strategy, shape)) WITHOUT ROWID;
"""


class StrategyStatistics:
    """The statistics' file; see `SharedDatabase` for what it raises, and for what becomes of a damaged one."""

    def __init__(self, path: Path) -> None:
        self._db = SharedDatabase(path, _SCHEMA)
        self.troubles = self._db.troubles
        self.close = self._db.close

    def record(self, run_id: str, language: str, counts: Mapping[tuple[str, str], tuple[int, int]]) -> None:
        """Store one run's counts: (strategy, shape) -> (times tried, times it led to a proof)."""
        rows = [(run_id, language, *name, *numbers) for name, numbers in counts.items()]
        self._db.write("INSERT OR REPLACE INTO strategy VALUES(?,?,?,?,?,?)", rows)

    def preferred(self, language: str, shape: str | None = None) -> tuple[str, ...]:
        """Strategy names by rate of success (with one imagined success and failure each), best first."""
        rows = self._db.ask(
            "SELECT strategy FROM strategy WHERE language=?1 AND (?2 IS NULL OR shape=?2) GROUP BY strategy"
            " ORDER BY (sum(proved) + 1.0) / (sum(tried) + 2.0) DESC, strategy",
            (language, shape),
        )
        return tuple(name for (name,) in rows)
