"""Answers that need not be asked for again: replies of models, verdicts on candidates, validity of inputs.

LRU in memory over one SQLite file that all runs of a data directory share. Every row of the file has the whole
question and a checksum of the answer, and both are compared on reading: no damaged page gives another question's
answer. In memory a question, which may be a prompt of many pages, is its SHA-256 alone, and answers are bounded by
their length besides their number. A file that cannot be used is put aside; the worst that happens is a miss.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter, OrderedDict
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from goedels_poetry.store.shared_database import SharedDatabase

Kind = Literal["generation", "verification", "validation"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS cache(
  n INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, key TEXT NOT NULL, question TEXT NOT NULL,
  answer TEXT NOT NULL, checksum TEXT NOT NULL, UNIQUE(kind, key));
"""
_WAIT_MS = 250
"""Patience with other processes: the caller is an event loop, and a miss is cheap."""

MOST_CHARACTERS = 1_000_000
"""Length of all answers of one kind that are kept in memory; what is longer by itself is in the file alone."""


class Asked:
    """A question (a JSON value) whose text is made once, however often it is looked for: prompts are long."""

    def __init__(self, value: Any) -> None:
        """``value``: everything that the answer depends on; it must not be changed any more."""
        self.value = value

    @cached_property
    def text(self) -> str:
        """The same for equal questions, and different for others."""
        return json.dumps(self.value, sort_keys=True, separators=(",", ":"), default=str)

    @cached_property
    def key(self) -> str:
        """By which the answer is found: the digest of the text."""
        return _digest(self.text)


class ExecutorCache:
    """The three caches. Thread-safe, and safe for several processes on one file.

    Args:
        path: the file; None: in memory only.
        max_generation, max_verification, max_validation: entries of each kind kept in memory.
        max_on_disk: entries kept in the file; the oldest go first, when it is opened.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        max_generation: int = 1000,
        max_verification: int = 1000,
        max_validation: int = 500,
        max_on_disk: int = 200_000,
    ) -> None:
        self._lookups: Counter[str] = Counter()
        self.problem = ""
        """Why the file is not used; "" when it is, or when there is none."""
        self._most: dict[Kind, int] = {
            "generation": max_generation,
            "verification": max_verification,
            "validation": max_validation,
        }
        self._memory: dict[Kind, OrderedDict[str, str]] = {kind: OrderedDict() for kind in self._most}
        self._characters: dict[Kind, int] = dict.fromkeys(self._most, 0)
        self._lock = threading.Lock()
        self._db: SharedDatabase | None = None
        if path is not None:
            try:
                self._db = SharedDatabase(path, _SCHEMA)
            except (sqlite3.Error, OSError) as problem:
                self.problem = f"{path}: {problem}"
            else:
                self._db.ask(f"PRAGMA busy_timeout={_WAIT_MS}")
                self._db.write("DELETE FROM cache WHERE n <= (SELECT max(n) FROM cache) - ?", [(max_on_disk,)])

    def get(self, kind: Kind, question: Any) -> Any | None:
        """The answer to exactly this question, or None.

        Args:
            kind: which of the three caches.
            question: an `Asked`, or the JSON value of one: text, model, parameters, versions.
        """
        value = self._recall(kind, question)
        self._lookups[f"{kind}_{'misses' if value is None else 'hits'}"] += 1
        return value

    def holds(self, kind: Kind, question: Any) -> bool:
        """Whether there is an answer; does not count as a hit or a miss."""
        return self._recall(kind, question) is not None

    def put(self, kind: Kind, question: Any, answer: Any) -> None:
        """Keep an answer (a JSON value, not None). Failing to write is not an error."""
        asked, body = _asked(question), json.dumps(answer, separators=(",", ":"))
        with self._lock:
            self._remember(kind, asked.key, body)
        if self._db is not None:
            row = (kind, asked.key, asked.text, body, _checksum(asked.text, body))
            self._db.write(
                "INSERT OR REPLACE INTO cache(kind, key, question, answer, checksum) VALUES(?,?,?,?,?)", [row]
            )

    def info(self) -> dict[str, Any]:
        """Hits, misses and hit rates (0 without any look-up) since the cache was opened, for the result."""
        told: dict[str, Any] = {}
        for kind in self._most:
            hits, misses = (self._lookups[f"{kind}_{what}"] for what in ("hits", "misses"))
            told |= {f"{kind}_hits": hits, f"{kind}_misses": misses}
            told[f"{kind}_hit_rate"] = round(hits / (hits + misses), 4) if hits + misses else 0.0
        return told

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _recall(self, kind: Kind, question: Any) -> Any | None:
        asked, memory = _asked(question), self._memory[kind]
        with self._lock:
            if asked.key in memory:
                memory.move_to_end(asked.key)
                return json.loads(memory[asked.key])
        sql = "SELECT question, answer, checksum FROM cache WHERE kind=? AND key=?"
        for known, answer, checksum in self._db.ask(sql, (kind, asked.key)) if self._db is not None else ():
            if known == asked.text and isinstance(answer, str) and checksum == _checksum(known, answer):
                with self._lock:
                    self._remember(kind, asked.key, answer)
                return json.loads(answer)
        return None

    def _remember(self, kind: Kind, key: str, answer: str) -> None:
        memory = self._memory[kind]
        self._characters[kind] += len(answer) - len(memory.pop(key, ""))
        memory[key] = answer
        while len(memory) > self._most[kind] or self._characters[kind] > MOST_CHARACTERS:
            self._characters[kind] -= len(memory.popitem(last=False)[1])


def _asked(question: Any) -> Asked:
    return question if isinstance(question, Asked) else Asked(question)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _checksum(question: str, answer: str) -> str:
    return _digest(f"{len(question)}:{question}{answer}")
