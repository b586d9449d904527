"""All that can be asked of a proof store, and what an agent may do to it inside its one transaction."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from goedels_poetry.errors import BudgetExceeded
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.database import refuse
from goedels_poetry.store.results import Event
from goedels_poetry.store.state import ROOT, ProofNode, subtree_range

if TYPE_CHECKING:
    import sqlite3


_NOW = 1 << 62
_PAGE = 128
RECORDED = "SELECT 1 FROM event WHERE key=?"
_SILENT = "FROM event WHERE agent != 'framework' AND seq NOT IN (SELECT seq FROM history)"
"""Commits of agents without an entry in the history."""


class WorkItem(NamedTuple):
    """A node in a queue, and the revision at which it was read."""

    node_id: str
    seq: int
    key: str


class HistoryEntry(NamedTuple):
    """One thing that happened to a node."""

    seq: int
    kind: str
    """attempt, decision, sketch, rejected, failure, fault, ban, lift, backtrack, note."""
    entry: dict[str, Any]


class StoreReader:
    """Reads of a ``proof.db``. Thread-safe; the caller closes it. What the file refuses is a :class:`StoreError`."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self.folder = path.parent
        self._db = db
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close the connection. The file stays."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> StoreReader:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _rows(self, sql: str, *args: Any) -> list[Any]:
        with self._lock:
            try:
                return self._db.execute(sql, args).fetchall()
            except sqlite3.Error as exc:
                refuse(self.path, exc)

    def _row(self, sql: str, *args: Any) -> Any:
        with self._lock:
            try:
                return self._db.execute(sql, args).fetchone()
            except sqlite3.Error as exc:
                refuse(self.path, exc)

    # -- nodes ---------------------------------------------------------------------------------------------
    @property
    def seq(self) -> int:
        """Number of the latest commit; 0 for an empty store."""
        return int(self._row("SELECT coalesce(max(seq), 0) FROM event")[0])

    def find(self, node_id: str, *, as_of: int | None = None) -> ProofNode | None:
        """The node, also a cut one, or None. ``as_of``: as it was after that commit."""
        row = self._row(
            "SELECT r.payload, b.body FROM rev r JOIN blob b ON b.hash=r.statement"
            " WHERE r.node_id=? AND r.seq<=? ORDER BY r.seq DESC LIMIT 1",
            node_id,
            _NOW if as_of is None else as_of,
        )
        return ProofNode.from_row(json.loads(row[0]), row[1]) if row else None

    def get(self, node_id: str, *, as_of: int | None = None) -> ProofNode:
        """Like :meth:`find`; raises KeyError when there is no such node."""
        node = self.find(node_id, as_of=as_of)
        if node is None:
            raise KeyError(node_id)
        return node

    def revision(self, node_id: str) -> int | None:
        """Commit that wrote the node's present revision; None when it is cut off or unknown."""
        row = self._row("SELECT seq FROM head WHERE node_id=? AND cut IS NULL", node_id)
        return int(row[0]) if row else None

    def is_cut(self, node_id: str) -> bool:
        """Whether the node was cut off by backtracking (or never was)."""
        return self.revision(node_id) is None

    def nodes(self, *, as_of: int | None = None) -> list[ProofNode]:
        """The live tree in depth-first order, now or as it was after commit ``as_of``."""
        if as_of is None:
            rows = self._rows(
                "SELECT r.payload, b.body FROM head h JOIN rev r ON r.node_id=h.node_id AND r.seq=h.seq"
                " JOIN blob b ON b.hash=r.statement WHERE h.cut IS NULL ORDER BY h.node_id"
            )
            return [ProofNode.from_row(json.loads(payload), body) for payload, body in rows]
        rows = self._rows(
            "SELECT r.payload, b.body FROM rev r JOIN blob b ON b.hash=r.statement WHERE r.seq="
            "(SELECT max(seq) FROM rev WHERE node_id=r.node_id AND seq<=?) ORDER BY r.node_id",
            as_of,
        )
        cuts = [subtree_range(*cut) for cut in self._rows("SELECT node_id, generation FROM cut WHERE seq<=?", as_of)]
        nodes = (ProofNode.from_row(json.loads(payload), body) for payload, body in rows)
        return [node for node in nodes if not any(low <= node.id < high for low, high in cuts)]

    def subtree(self, node_id: str) -> list[ProofNode]:
        """A node with its present descendants, even when it has been cut off itself (for its proof)."""
        node = self.get(node_id)
        low, high = subtree_range(node_id)
        rows = self._rows(
            "SELECT r.payload, b.body FROM head h JOIN rev r ON r.node_id=h.node_id AND r.seq=h.seq"
            " JOIN blob b ON b.hash=r.statement WHERE h.node_id>=? AND h.node_id<? ORDER BY h.node_id",
            low,
            high,
        )
        kept = {node.id: node}
        for payload, body in rows:
            child = ProofNode.from_row(json.loads(payload), body)
            parent = kept.get(child.parent or "")
            # A descendant of an earlier generation was replaced before its ancestor was proved.
            if parent is not None and child.id.startswith(subtree_range(parent.id, parent.generation)[0]):
                kept[child.id] = child
        return list(kept.values())

    def children(self, node: ProofNode) -> list[ProofNode]:
        """The node's present children, in order."""
        low, high = subtree_range(node.id, node.generation)
        ids = self._rows("SELECT node_id FROM head WHERE node_id>=? AND node_id<? AND cut IS NULL", low, high)
        return [self.get(node_id) for (node_id,) in ids if "." not in node_id[len(low) :]]

    def ancestors(self, node: ProofNode) -> Iterator[ProofNode]:
        """Parent, grandparent, ... root."""
        parent = node.parent
        while parent is not None:
            found = self.get(parent)
            yield found
            parent = found.parent

    # -- queues and work -------------------------------------------------------------------------------------
    def queue_lengths(self) -> dict[str, int]:
        """Lengths of the queues that hold something."""
        sql = "SELECT queue, count(*) FROM head WHERE queue IS NOT NULL GROUP BY queue"
        return dict(self._rows(sql))

    def peek(self, queue: str, limit: int) -> list[WorkItem]:
        """The first items of a queue, in depth-first order; all of them when ``limit`` is negative."""
        return list(islice(self.waiting(queue), limit if limit >= 0 else None))

    def waiting(self, queue: str) -> Iterator[WorkItem]:
        """The items of a queue in the same order, read a page at a time as far as somebody goes; nobody may write."""
        sql = "SELECT node_id, seq, key FROM head WHERE queue=? AND node_id>? ORDER BY node_id LIMIT ?"
        page = [WorkItem("", 0, "")]
        while page:
            page = [*map(WorkItem._make, self._rows(sql, queue, page[-1].node_id, _PAGE))]
            yield from page

    def under_way(self) -> list[tuple[str, str]]:
        """(agent, node id) of every job that was started and is not collected."""
        return [(agent, node) for agent, node in self._rows("SELECT agent, node_id FROM under_way ORDER BY key")]

    # -- log ---------------------------------------------------------------------------------------------------
    def events(self, after: int = 0) -> list[Event]:
        """Every commit later than ``after``, in order."""
        sql = "SELECT seq, ts, agent, node_id, outcome, queues, reason FROM event WHERE seq>? ORDER BY seq"
        return [
            Event(seq, ts, agent, node, outcome, json.loads(queues), reason)
            for seq, ts, agent, node, outcome, queues, reason in self._rows(sql, after)
        ]

    def agents(self) -> set[str]:
        """Names of everybody who has committed anything."""
        return {str(name) for (name,) in self._rows("SELECT DISTINCT agent FROM event")}

    def recorded(self, key: str) -> bool:
        """Whether a commit with this idempotency key exists."""
        return self._row(RECORDED, key) is not None

    def history(self, node_id: str, *, as_of: int | None = None) -> list[HistoryEntry]:
        """What happened to a node, oldest first; it survives backtracking."""
        sql = "SELECT seq, kind, entry FROM history WHERE node_id=? AND seq<=? ORDER BY seq, n"
        rows = self._rows(sql, node_id, _NOW if as_of is None else as_of)
        return [HistoryEntry(seq, kind, json.loads(entry)) for seq, kind, entry in rows]

    def bans(self, node_id: str, *, as_of: int | None = None) -> dict[str, dict[str, Any]]:
        """Strategy fingerprints banned on a node, oldest first, each with its evidence."""
        return bans_in(self.history(node_id, as_of=as_of))

    def history_counts(self) -> Counter[str]:
        """How many history entries of each kind the run has."""
        return Counter(dict(self._rows("SELECT kind, count(*) FROM history GROUP BY kind")))

    def whole_history(self) -> list[tuple[int, str, str, dict[str, Any]]]:
        """(commit, node id, kind, entry) of everything that happened to any node, cut ones included, in order."""
        rows = self._rows("SELECT seq, node_id, kind, entry FROM history ORDER BY seq, n")
        return [(seq, node_id, kind, json.loads(entry)) for seq, node_id, kind, entry in rows]

    def history_of_kind(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        """(node id, entry) of every history entry of a kind, in commit order."""
        rows = self._rows("SELECT node_id, entry FROM history WHERE kind=? ORDER BY seq, n", kind)
        return [(node_id, json.loads(entry)) for node_id, entry in rows]

    def silent_steps(self) -> list[Event]:
        """Commits of agents that say nothing more than their outcome: there is no history entry of them."""
        silent = {seq for (seq,) in self._rows(f"SELECT seq {_SILENT}")}
        return [event for event in self.events() if event.seq in silent] if silent else []

    def spent(self, *, as_of: int | None = None) -> dict[str, float]:
        """What the run has spent: steps, nodes, attempts, wall_seconds, solver_seconds, solver_calls, ..."""
        sql = "SELECT spent FROM event WHERE seq<=? ORDER BY seq DESC LIMIT 1"
        row = self._row(sql, _NOW if as_of is None else as_of)
        return dict(json.loads(row[0])) if row else {}

    def costs(self, *, as_of: int | None = None) -> dict[str, dict[str, float]]:
        """What was spent on each node, live or cut: steps, solver_seconds, solver_calls, cpu_seconds, ..."""
        costs: dict[str, Counter[str]] = {}
        sql = "SELECT node_id, cost FROM event WHERE cost != '{}' AND seq<=?"
        for node_id, cost in self._rows(sql, _NOW if as_of is None else as_of):
            costs.setdefault(node_id, Counter()).update(json.loads(cost))
        return {node_id: dict(cost) for node_id, cost in costs.items()}

    def verdict(self, *, as_of: int | None = None) -> tuple[Verdict, str, dict[str, Any]] | None:
        """(verdict, reason, detail) recorded by an agent, e.g. ``inconsistent``; never ``proved``."""
        sql = "SELECT verdict, reason, ref FROM verdict WHERE seq<=? ORDER BY seq DESC LIMIT 1"
        row = self._row(sql, _NOW if as_of is None else as_of)
        return (Verdict(row[0]), row[1], self.load(row[2]) if row[2] else {}) if row else None

    def get_graph_stats(self) -> dict[str, int]:
        """Lateral thinking in numbers: failed approaches, banned ones now in force, entries of the conversation."""
        counts = self.history_counts()
        silent = int(self._row(f"SELECT count(*) {_SILENT}")[0])
        return {
            "approach_failures": counts["failure"],
            "forbidden_approaches": counts["ban"] - counts["lift"],
            "conversation_entries": sum(counts.values()) + silent,
        }

    # -- blobs, lemmas, meta -------------------------------------------------------------------------------------
    def text(self, ref: str) -> str:
        """A stored text by its hash; raises KeyError."""
        row = self._row("SELECT body FROM blob WHERE hash=?", ref)
        if row is None:
            raise KeyError(ref)
        return str(row[0])

    def load(self, ref: str) -> Any:
        """A stored JSON value by its hash; raises KeyError."""
        return json.loads(self.text(ref))

    def lemma(self, key: str) -> str | None:
        """Id of a node, live or cut, that was proved in this run and holds wherever ``key`` does."""
        row = self._row("SELECT node_id FROM lemma WHERE key=?", key)
        return str(row[0]) if row else None

    def lemmas(self, latest: int | None = None) -> list[tuple[str, str]]:
        """(key, node id) of what was proved in this run and holds on its own, oldest first: all, or the ``latest``."""
        most = _NOW if latest is None else latest
        return self._rows("SELECT key, node_id FROM lemma ORDER BY seq DESC, key DESC LIMIT ?", most)[::-1]

    def meta(self, name: str) -> Any:
        """A fact about the run, or None: ``run_id``, ``theorem``, ``language``, ``options``, ..."""
        row = self._row("SELECT value FROM meta WHERE name=?", name)
        return json.loads(row[0]) if row else None

    def root(self) -> ProofNode:
        """The root of the tree."""
        return self.get(ROOT)

    def digest(self) -> str:
        """Hash of the live tree: what must be equal for two runs to have the same result."""
        h = hashlib.sha256()
        for node in self.nodes():
            row = node.to_row()
            row["refs"] = {name: row["refs"][name] for name in ("statement", "proof", "sketch") if name in row["refs"]}
            for volatile in ("reason", "origin"):
                row.pop(volatile, None)
            h.update(json.dumps(row, sort_keys=True).encode() + b"\n")
        return h.hexdigest()


def bans_in(history: Iterable[HistoryEntry]) -> dict[str, dict[str, Any]]:
    """The same from the history of the node, oldest first."""
    banned: dict[str, dict[str, Any]] = {}
    for _, kind, entry in history:
        if kind == "ban":
            banned[entry["fingerprint"]] = entry
        elif kind == "lift":
            banned.pop(entry["fingerprint"], None)
    return banned


# What an agent may do to the tree inside its one transaction

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
