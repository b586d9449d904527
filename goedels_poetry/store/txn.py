"""What an agent may do to the tree inside its one transaction."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from typing import Any

import orjson

from goedels_poetry.errors import BudgetExceeded
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.changed import changed
from goedels_poetry.store.present import PresentNodes
from goedels_poetry.store.queues import WorkItem
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ProofNode, subtree_range
from goedels_poetry.store.writer import Writer

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

    def __init__(
        self, store: StoreReader, writer: Writer, present: PresentNodes, seq: int, max_nodes: int | None
    ) -> None:
        """``present``: what the store knows of its nodes. ``max_nodes``: how many nodes the run may ever create."""
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
        self._writer = writer
        self._present = present
        self._max_nodes = max_nodes
        self._entries = 0
        self._empty = ("", "")
        """A range of ids in which no node was when this step began."""

    # -- nodes ---------------------------------------------------------------------------------------------
    def get(self, node_id: str) -> ProofNode:
        """The node as this transaction sees it; raises KeyError."""
        return self.store.get(node_id)

    def put(self, node: ProofNode) -> ProofNode:
        """Write a new revision of a node; returns it (with its statement's reference filled in)."""
        if "statement" not in node.refs:
            node = changed(node, refs={**node.refs, "statement": self.save_text(node.statement)})
        self._leave_queue(node.id)
        queue = str(node.queue) if node.queue is not None else None
        if queue is not None:
            self.moved[queue] += 1
            self._present.enters(queue, WorkItem(node.id, self.seq, node.key))
        payload = compact(node.to_row())
        statement = node.refs["statement"]
        self._writer.add("rev", node.id, self.seq, statement, queue, payload)
        self._writer.add("head", node.id, self.seq, queue, node.key)
        self._present.keep(node, self.seq)
        return node

    def begin_generation(self, node_id: str, generation: int) -> None:
        """Nodes of a new generation come next: one look for all of them."""
        span = subtree_range(node_id, generation)
        found = self._writer.database().execute("SELECT 1 FROM head WHERE node_id>=? AND node_id<? LIMIT 1", span)
        if found.fetchone() is None:
            self._empty = span

    def _is_new(self, node_id: str) -> bool:
        return self._empty[0] <= node_id < self._empty[1] and not self._writer.holds("head", node_id)

    def _leave_queue(self, node_id: str) -> None:
        known = self._present.get(node_id)
        if known is not None:
            old = known.node.queue
        else:
            row = None
            if not self._is_new(node_id):
                row = self._writer.find("head", node_id, "SELECT queue FROM head WHERE node_id=?")
            if row is None:
                self._count_new_node()
                if not self._writer.holds("history", node_id):
                    self._present.silent(node_id)
                return
            old = row[0]
        if old is not None:
            self.moved[str(old)] -= 1
            self._present.leaves(str(old), node_id)

    def _count_new_node(self) -> None:
        self.spent["nodes"] += 1
        limit = self._max_nodes
        if limit is not None and self.store.spent().get("nodes", 0) + self.spent["nodes"] > limit:
            raise BudgetExceeded("nodes", f"the run may create {limit} nodes")

    def cut(self, node_id: str, generation: int) -> int:
        """Cut off all descendants of a node's generation, out of every queue; returns how many."""
        low, high = subtree_range(node_id, generation)
        span = "node_id>=? AND node_id<? AND cut IS NULL"
        db = self._writer.database()
        queued = db.execute(
            f"SELECT queue, count(*) FROM head WHERE {span} AND queue IS NOT NULL GROUP BY queue", (low, high)
        )
        for queue, count in queued.fetchall():
            self.moved[queue] -= count
        cursor = db.execute(f"UPDATE head SET queue=NULL, cut=? WHERE {span}", (self.seq, low, high))
        db.execute("INSERT INTO cut VALUES(?,?,?)", (self.seq, node_id, generation))
        self._present.forget()
        self.cuts.append(low)
        return cursor.rowcount

    def wait(self, waiter: str, on_id: str) -> None:
        """Record that ``waiter`` waits until ``on_id`` is proved."""
        self._writer.add("waits", on_id, waiter, self.seq)
        if self._present.waited_for is not None:
            self._present.waited_for.add(on_id)

    def waiters(self, on_id: str) -> list[str]:
        """Live nodes that wait for ``on_id``."""
        if self._present.waited_for is None:
            everyone = self._writer.database().execute("SELECT DISTINCT on_id FROM waits").fetchall()
            self._present.waited_for = {each for (each,) in everyone}
        if on_id not in self._present.waited_for:
            return []
        sql = "SELECT w.waiter FROM waits w JOIN head h ON h.node_id=w.waiter WHERE w.on_id=? AND h.cut IS NULL"
        return [waiter for (waiter,) in self._writer.database().execute(sql, (on_id,)).fetchall()]

    # -- the rest ------------------------------------------------------------------------------------------
    def save_text(self, body: str) -> str:
        """Store a text once, by content; returns its hash."""
        ref = blob_hash(body)
        self._writer.add("blob", ref, body)
        self._present.keep_text(ref, body)
        return ref

    def save(self, value: Any) -> str:
        """Store a JSON value once, by content; returns its hash."""
        return self.save_text(_CANONICAL(value))

    def log(self, node_id: str, kind: str, **entry: Any) -> None:
        """Append to the history of a node that there is, or that the same step puts into the tree."""
        body = _READABLE(entry)
        self._writer.add("history", node_id, self.seq, self._entries, kind, body)
        self._present.speaks(node_id)
        self._entries += 1

    def add_lemma(self, key: str, node_id: str) -> None:
        """Remember a proof that holds on its own; the first one of a key stays."""
        self._writer.add("lemma", key, node_id, self.seq)
        if self._present.lemma_keys is not None:
            self._present.lemma_keys.add(key)

    def remember(self, name: str, value: Any) -> None:
        """Record a fact about the run that stays true whatever happens, e.g. a lemma of an earlier run.

        Raises:
            ValueError: it is one that determines the run.
        """
        if name in IDENTITY:
            raise ValueError(f"a run cannot be given another {name}")
        row = (name, json.dumps(value))
        self._writer.database().execute("INSERT OR REPLACE INTO meta VALUES(?,?)", row)

    def set_verdict(self, verdict: Verdict, reason: str, detail: dict[str, Any] | None = None) -> None:
        """End the run with a verdict other than ``proved``, which the root says; the checker looks at each."""
        if verdict is Verdict.PROVED:
            raise ValueError("only the checker may say so")
        ref = self.save(detail) if detail else None
        self._writer.database().execute("INSERT INTO verdict VALUES(?,?,?,?)", (self.seq, str(verdict), reason, ref))

    def clear_verdict(self) -> None:
        """Take back an earlier verdict: the run goes on with larger budgets."""
        self._writer.database().execute("DELETE FROM verdict")
