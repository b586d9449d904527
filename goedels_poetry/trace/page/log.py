"""What a store has written since a commit: one consistent snapshot, as plain rows.

A connection of its own, in one read transaction: the run may go on meanwhile, in this process or in another.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goedels_poetry.tree.store.database import connect, refuse

MANY = 500
"""Blobs that are asked for at once; SQLite bounds the number of parameters."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One row of the log."""

    seq: int
    key: str
    """Idempotency key ``agent:node@seq``: the revision at which the goal was handed out."""
    agent: str
    node: str
    ts: float
    outcome: str
    reason: str
    cost: dict[str, float]
    spent: dict[str, float]
    """Of the run so far."""


@dataclass(frozen=True, slots=True)
class Log:
    """Everything that commits later than ``since`` have written."""

    since: int
    seq: int
    began: float
    """When the first commit of all was made; seconds since the epoch, 0 before it."""
    commits: tuple[Commit, ...]
    revisions: tuple[tuple[int, str, dict[str, Any]], ...]
    """(commit, node id, row), in order of commits and ids."""
    spent_before: dict[str, float]
    """Of the run when ``since`` was made."""
    before: dict[str, dict[str, Any]]
    """Rows that those nodes had after ``since``."""
    cuts: tuple[tuple[int, str, int], ...]
    """(commit, node id, generation of the children that it cut off)."""
    history: tuple[tuple[int, str, str, dict[str, Any]], ...]
    """(commit, node id, kind, entry)."""
    under_way: tuple[tuple[str, str, float], ...]
    """(agent, node id, started) of jobs that are not collected."""
    verdict: tuple[str, str] | None
    """(verdict, reason) that an agent has recorded."""
    meta: dict[str, Any]
    blobs: dict[str, str]
    """Texts by hash, of all that is referred to above."""


def read_log(path: Path, since: int = 0) -> Log:
    """The log of the store at ``path`` from the commit after ``since`` on; raises :class:`StoreError`."""
    with closing(connect(path, read_only=True)) as db:
        try:
            db.execute("BEGIN")
            return _read(db, since)
        except sqlite3.Error as exc:
            refuse(path, exc)


def _read(db: sqlite3.Connection, since: int) -> Log:
    commits = tuple(
        Commit(seq, key, agent, node, ts, outcome, reason, json.loads(cost), json.loads(spent))
        for seq, key, agent, node, ts, outcome, reason, cost, spent in db.execute(
            "SELECT seq, key, agent, node_id, ts, outcome, reason, cost, spent FROM event WHERE seq>? ORDER BY seq",
            (since,),
        )
    )
    revisions = tuple(
        (seq, node, json.loads(row))
        for seq, node, row in db.execute(
            "SELECT seq, node_id, payload FROM rev WHERE seq>? ORDER BY seq, node_id", (since,)
        )
    )
    before = {}
    for node in {node for _, node, _ in revisions} if since else ():
        sql = "SELECT payload FROM rev WHERE node_id=? AND seq<=? ORDER BY seq DESC LIMIT 1"
        row = db.execute(sql, (node, since)).fetchone()
        if row is not None:
            before[node] = json.loads(row[0])
    history = tuple(
        (seq, node, kind, json.loads(entry))
        for seq, node, kind, entry in db.execute(
            "SELECT seq, node_id, kind, entry FROM history WHERE seq>? ORDER BY seq, n", (since,)
        )
    )
    verdict = db.execute("SELECT verdict, reason FROM verdict ORDER BY seq DESC LIMIT 1").fetchone()
    hashes = {ref for _, _, row in revisions for ref in row.get("refs", {}).values()}
    hashes |= {ref for *_, entry in history for name, ref in entry.items() if is_reference(name, ref)}
    first = db.execute("SELECT ts FROM event ORDER BY seq LIMIT 1").fetchone()
    spent = db.execute("SELECT spent FROM event WHERE seq<=? ORDER BY seq DESC LIMIT 1", (since,)).fetchone()
    return Log(
        since=since,
        spent_before=json.loads(spent[0]) if spent else {},
        began=first[0] if first else 0.0,
        seq=commits[-1].seq if commits else int(db.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0]),
        commits=commits,
        revisions=revisions,
        before=before,
        cuts=tuple(db.execute("SELECT seq, node_id, generation FROM cut WHERE seq>? ORDER BY seq", (since,))),
        history=history,
        under_way=tuple(db.execute("SELECT agent, node_id, started FROM under_way ORDER BY started, key")),
        verdict=(verdict[0], verdict[1]) if verdict else None,
        meta={name: json.loads(value) for name, value in db.execute("SELECT name, value FROM meta")},
        blobs=_blobs(db, hashes),
    )


def is_reference(name: str, value: Any) -> bool:
    """Whether a value of a history entry is the hash of a blob."""
    return isinstance(value, str) and (name.endswith("_ref") or name == "exchange")


def _blobs(db: sqlite3.Connection, hashes: Iterable[str]) -> dict[str, str]:
    wanted, found = list(hashes), dict[str, str]()
    for i in range(0, len(wanted), MANY):
        some = wanted[i : i + MANY]
        marks = ",".join("?" * len(some))
        found.update(db.execute(f"SELECT hash, body FROM blob WHERE hash IN ({marks})", some))
    return found
