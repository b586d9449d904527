"""What an agent may do to the tree inside its one transaction."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from goedels_poetry.errors import BudgetExceeded
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ProofNode, subtree_range

if TYPE_CHECKING:
    import sqlite3

IDENTITY = ("theorem", "language", "options", "task")
"""Facts that determine a run."""

# `json.dumps` makes such an encoder at each call that does not want the usual one.
_ESCAPED = json.JSONEncoder(separators=(",", ":")).encode
_READABLE = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def compact(row: dict[str, Any]) -> str:
    """JSON of a small record that every step writes, in a tenth of the time that `json` takes."""
    try:
        return orjson.dumps(row).decode()
    except TypeError:  # lone surrogates, or an integer of more than 64 bits
        return _ESCAPED(row)


def blob_hash(body: str) -> str:
    """Name of a blob: the first 128 bits of its SHA-256."""
    return sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Txn:
    """Writes of one commit. Reads through :attr:`store` see them at once; all of it happens or none."""

    def __init__(self, store: StoreReader, db: sqlite3.Connection, seq: int, max_nodes: int | None) -> None:
        """``max_nodes``: how many nodes the run may ever create."""
        self.store = store
        self.seq = seq
        self.reason = ""
        """One line for the event of this commit."""
        self.cuts: list[str] = []
        """Key prefixes that this commit cut off: jobs under way below them are void."""
        self.moved: Counter[str] = Counter()
        """Changes of queue lengths."""
        self.spent: Counter[str] = Counter()
        """Amounts to add to the run's counters; they only go up."""
        self._db = db
        self._max_nodes = max_nodes
        self._entries = 0

    # -- nodes ---------------------------------------------------------------------------------------------
    def get(self, node_id: str) -> ProofNode:
        """The node as this transaction sees it; raises KeyError."""
        return self.store.get(node_id)

    def put(self, node: ProofNode) -> ProofNode:
        """Write a new revision of a node; returns it (with its statement's reference filled in)."""
        if "statement" not in node.refs:
            node = replace(node, refs={**node.refs, "statement": self.save_text(node.statement)})
        before = self._db.execute("SELECT queue FROM head WHERE node_id=?", (node.id,)).fetchone()
        if before is None:
            self._count_new_node()
        elif before[0] is not None:
            self.moved[before[0]] -= 1
        queue = str(node.queue) if node.queue is not None else None
        if queue is not None:
            self.moved[queue] += 1
        revision = (node.id, self.seq, node.refs["statement"], queue, compact(node.to_row()))
        self._db.execute("INSERT OR REPLACE INTO rev VALUES(?,?,?,?,?)", revision)
        self._db.execute("INSERT OR REPLACE INTO head VALUES(?,?,?,?,NULL)", (node.id, self.seq, queue, node.key))
        return node

    def _count_new_node(self) -> None:
        self.spent["nodes"] += 1
        limit = self._max_nodes
        if limit is not None and self.store.spent().get("nodes", 0) + self.spent["nodes"] > limit:
            raise BudgetExceeded("nodes", f"the run may create {limit} nodes")

    def cut(self, node_id: str, generation: int) -> int:
        """Cut off all descendants of a node's generation, out of every queue; returns how many."""
        low, high = subtree_range(node_id, generation)
        span = "node_id>=? AND node_id<? AND cut IS NULL"
        queued = self._db.execute(
            f"SELECT queue, count(*) FROM head WHERE {span} AND queue IS NOT NULL GROUP BY queue", (low, high)
        )
        for queue, count in queued.fetchall():
            self.moved[queue] -= count
        cursor = self._db.execute(f"UPDATE head SET queue=NULL, cut=? WHERE {span}", (self.seq, low, high))
        self._db.execute("INSERT INTO cut VALUES(?,?,?)", (self.seq, node_id, generation))
        self.cuts.append(low)
        return cursor.rowcount

    def wait(self, waiter: str, on_id: str) -> None:
        """Record that ``waiter`` waits until ``on_id`` is proved."""
        self._db.execute("INSERT OR REPLACE INTO waits VALUES(?,?,?)", (on_id, waiter, self.seq))

    def waiters(self, on_id: str) -> list[str]:
        """Live nodes that wait for ``on_id``."""
        sql = "SELECT w.waiter FROM waits w JOIN head h ON h.node_id=w.waiter WHERE w.on_id=? AND h.cut IS NULL"
        return [waiter for (waiter,) in self._db.execute(sql, (on_id,)).fetchall()]

    # -- the rest ------------------------------------------------------------------------------------------
    def save_text(self, body: str) -> str:
        """Store a text once, by content; returns its hash."""
        ref = blob_hash(body)
        self._db.execute("INSERT OR IGNORE INTO blob VALUES(?,?)", (ref, body))
        return ref

    def save(self, value: Any) -> str:
        """Store a JSON value once, by content; returns its hash."""
        return self.save_text(_CANONICAL(value))

    def log(self, node_id: str, kind: str, **entry: Any) -> None:
        """Append to the history of a node that there is, or that the same step puts into the tree."""
        row = (node_id, self.seq, self._entries, kind, _READABLE(entry))
        self._db.execute("INSERT INTO history VALUES(?,?,?,?,?)", row)
        self._entries += 1

    def add_lemma(self, key: str, node_id: str) -> None:
        """Remember a proof that holds on its own; the first one of a key stays."""
        self._db.execute("INSERT OR IGNORE INTO lemma VALUES(?,?,?)", (key, node_id, self.seq))

    def remember(self, name: str, value: Any) -> None:
        """Record a fact about the run that stays true whatever happens, e.g. a lemma of an earlier run.

        Raises:
            ValueError: it is one that determines the run.
        """
        if name in IDENTITY:
            raise ValueError(f"a run cannot be given another {name}")
        row = (name, json.dumps(value))
        self._db.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", row)

    def set_verdict(self, verdict: Verdict, reason: str, detail: dict[str, Any] | None = None) -> None:
        """End the run with a verdict other than ``proved``, which the root says; the checker looks at each."""
        if verdict is Verdict.PROVED:
            raise ValueError("only the checker may say so")
        ref = self.save(detail) if detail else None
        self._db.execute("INSERT INTO verdict VALUES(?,?,?,?)", (self.seq, str(verdict), reason, ref))

    def clear_verdict(self) -> None:
        """Take back an earlier verdict: the run goes on with larger budgets."""
        self._db.execute("DELETE FROM verdict")
