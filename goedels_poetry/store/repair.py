"""Repairing a run: what can be saved of a damaged ``proof.db`` takes its place; the damaged files are kept beside it.

What is saved is the longest beginning of its commits of which nothing is missing. Every table is read from both ends up
to what cannot be read. Then the commits are followed in their order: blobs are named by their hash, commits are
numbered without gaps, revisions were written in the order of the commits, and each commit says how long the queues were
after it. The first commit of which something may be missing ends what is saved. Nothing of it is evidence: a proof that
is saved is checked like any other when the run ends.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry.errors import StoreError, UnknownRun
from goedels_poetry.store.database import TABLES
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import IDENTITY, blob_hash
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.state import ProofNode, subtree_range

Row = tuple[Any, ...]

_SAVED = tuple(name for name in TABLES if name not in ("head", "under_way"))
"""``head`` follows from the rest, and what was under way is begun again."""
_IN_ORDER = ("rev", "cut")
"""Their rows were written in the order of the commits; after a gap the tree cannot be known."""
_JSON = {"event": ("queues", "spent", "cost"), "rev": ("payload",), "history": ("entry",), "meta": ("value",)}
_NEEDED = tuple(name for name in IDENTITY if name != "task")
"""Facts without which it is not known what the run is about."""


@dataclass(frozen=True, slots=True)
class Salvage:
    """What was saved."""

    commits: int
    """Commits of which nothing is missing, from the first on."""
    of: int
    """The latest commit that anything could be read of."""
    nodes: int = 0
    proved: int = 0
    lost: Mapping[str, int] = field(default_factory=dict)
    """Table -> rows that were read and are not in what is saved, or were seen to be damaged."""


def is_whole(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with the file, and it is a proof tree."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with closing(_opened(_copy(path, Path(folder)))) as db:
                tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
                found = db.execute("PRAGMA integrity_check(1)").fetchone()
                return found == ("ok",) and tables.issuperset(TABLES)
        except (sqlite3.Error, UnicodeDecodeError):
            return False


def salvage(path: Path, target: Path) -> Salvage:
    """Write what can be saved of ``path`` to a new store at ``target``; the damaged file is only read.

    Raises:
        StoreError: not one commit can be saved. OSError: the disk has no room for it.
    """
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".salvage-") as folder:
        rows, lost, limit = _rows_of(_copy(path, Path(folder)))
        good, last = _whole_commits(rows, limit)
        if not good or not set(_NEEDED) <= {name for name, _ in rows["meta"]}:
            raise StoreError(f"{path}: nothing of it can be saved; --fresh begins the run anew")
        between = Path(folder) / "rows.db"
        with ProofStore(between) as store, store._write() as db:
            for table in _SAVED:
                marks = ",".join("?" * len(TABLES[table].columns))
                db.executemany(f"INSERT OR IGNORE INTO {table} VALUES({marks})", rows[table])
            _wait_again(db, rows["rev"], good)
        with ProofStore(between) as store, store.fork(target, good) as saved:
            nodes = saved.nodes()
    lost.update({"event": sum(row[0] > good for row in rows["event"])})
    proved = sum(node.status == "proved" for node in nodes)
    return Salvage(good, last, len(nodes), proved, {name: number for name, number in lost.items() if number})


def _copy(path: Path, folder: Path) -> Path:
    """The file with its log, to be read elsewhere: SQLite writes while it opens them."""
    place = folder / "damaged.db"
    shutil.copyfile(path, place)
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        shutil.copyfile(log, place.with_name(f"{place.name}-wal"))
    return place


def _opened(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA trusted_schema=OFF")
    return db


def _rows_of(path: Path) -> tuple[dict[str, list[Row]], Counter[str], int]:
    """Every row that can be read and says something, by table; how many do not; the last commit before any gap."""
    rows: dict[str, list[Row]] = {}
    lost: Counter[str] = Counter()
    limit = 1 << 62
    with closing(_opened(path)) as db:
        db.text_factory = bytes
        for table in _SAVED:
            columns = tuple(TABLES[table].columns)
            kept: dict[Row, None] = {}
            latest = 1
            for raw in _from_both_ends(db, table):
                row = _sound(table, columns, raw) if raw else None
                if row is not None:
                    kept[row] = None
                    latest = row[columns.index("seq")] if "seq" in columns else latest
                    continue
                lost[table] += 1
                if table in _IN_ORDER:  # what is missing may belong to the commit of the row before it
                    limit = min(limit, latest - 1)
            rows[table] = list(kept)
    return rows, lost, limit


def _from_both_ends(db: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Rows from the front up to the damage, an empty row for that, and rows from the back down to it."""
    columns, key, has_numbers = TABLES[table]
    for order in ("ASC", "DESC"):
        by = ",".join(f"{name} {order}" for name in (("rowid",) if has_numbers else key))
        try:
            yield from db.execute(f"SELECT {','.join(columns)} FROM {table} ORDER BY {by}")
            return
        except sqlite3.Error:
            yield ()


def _sound(table: str, columns: tuple[str, ...], raw: Row) -> Row | None:
    """The row with its texts decoded; None where something in it cannot be."""
    try:
        row = tuple(value.decode("utf-8") if isinstance(value, bytes) else value for value in raw)
        for name in _JSON.get(table, ()):
            json.loads(row[columns.index(name)])
        if table == "blob" and blob_hash(row[1]) != row[0]:
            return None
        if "seq" in columns and not isinstance(row[columns.index("seq")], int):
            return None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return row


def _whole_commits(rows: Mapping[str, list[Row]], limit: int) -> tuple[int, int]:
    """The last commit of the longest beginning that is complete, at most ``limit``; and the last that there was."""
    events = {row[0]: row for row in rows["event"]}
    blobs = {row[0] for row in rows["blob"]}
    by_commit: dict[int, list[Row]] = {}
    cuts: dict[int, list[Row]] = {}
    for row in rows["rev"]:
        by_commit.setdefault(row[1], []).append(row)
    for row in rows["cut"]:
        cuts.setdefault(row[0], []).append(row)
    queue_of: dict[str, str] = {}
    known: set[str] = set()
    lengths: Counter[str] = Counter()
    good = 0
    while (event := events.get(good + 1)) is not None and good < limit:
        written = by_commit.get(good + 1, ())
        known.update(row[0] for row in written)
        if not all(_fits(row, known, blobs) for row in written):
            break
        for node_id, _, _, queue, _ in written:
            if node_id in queue_of:
                lengths[queue_of.pop(node_id)] -= 1
            if queue is not None:
                queue_of[node_id] = queue
                lengths[queue] += 1
        for _, node_id, generation in cuts.get(good + 1, ()):
            low, high = subtree_range(node_id, generation)
            for each in [each for each in queue_of if low <= each < high]:
                lengths[queue_of.pop(each)] -= 1
        if {name: n for name, n in lengths.items() if n} != json.loads(event[7]):
            break
        good += 1
    return good, max(events, default=0)


def _fits(row: Row, known: set[str], blobs: set[str]) -> bool:
    """Whether everything that a revision names is there."""
    _, _, statement, _, payload = row
    try:
        node = ProofNode.from_row(json.loads(payload), "")
    except (KeyError, TypeError, ValueError):
        return False
    return (
        statement in blobs
        and all(ref in blobs for ref in node.refs.values())
        and (node.parent is None or node.parent in known)
    )


def _wait_again(db: sqlite3.Connection, revisions: list[Row], good: int) -> None:
    """Who waits for whom, as the nodes themselves say it: rows about it may be lost."""
    for node_id, seq, _, _, payload in revisions:
        if seq <= good:
            waits = [(on_id, node_id, seq) for on_id in ProofNode.from_row(json.loads(payload), "").waits_for]
            db.executemany("INSERT OR IGNORE INTO waits VALUES(?,?,?)", waits)


_TAILS = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done."""

    run_id: str
    saved: Salvage | None
    """None: nothing was wrong, and nothing was changed."""
    aside: Path | None = None
    """Where the damaged proof tree is now."""


def repair(run: RunDir) -> Repair:
    """Save what can be read of a run's proof tree; the run goes on from there like one that was stopped.

    Its result and certificate stay as they are. The record of the graph belongs to commits that may be lost, and is put
    aside with the damaged tree.

    Raises:
        UnknownRun: it has no proof tree. RunLocked: a process is working on it. StoreError: nothing can be saved.
        OSError: the folder may not be written, or has no room.
    """
    if run.database is not None:
        raise UnknownRun(
            f"run {run.run_id} is in a PostgreSQL database: what is wrong there its server says and repairs"
        )
    if not run.proof_db.is_file():
        raise UnknownRun(f"run {run.run_id} has no proof tree that is a file; begin it again from its theorem")
    with run.lock():
        if is_whole(run.proof_db):
            return Repair(run.run_id, None)
        fresh = run.proof_db.with_name("proof.db.saved")
        for tail in _TAILS:
            fresh.with_name(fresh.name + tail).unlink(missing_ok=True)
        try:
            saved = salvage(run.proof_db, fresh)
            aside = _put_aside(run.proof_db)
            fresh.replace(run.proof_db)  # at once: at no moment is there none, or an old log beside the new one
        finally:
            for tail in _TAILS:
                fresh.with_name(fresh.name + tail).unlink(missing_ok=True)
        if run.graph_db.exists():
            _put_aside(run.graph_db)
            run.graph_db.unlink()
        return Repair(run.run_id, saved, aside)


def _put_aside(file: Path) -> Path:
    """Give a database another name, and take its log there; returns the name. The file itself is still there, too."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    number, aside = 1, file.with_name(f"{file.name}.damaged-{stamp}")
    while aside.exists():
        number += 1
        aside = file.with_name(f"{file.name}.damaged-{stamp}-{number}")
    os.link(file, aside)
    for tail in _TAILS[1:]:
        old = file.with_name(file.name + tail)
        if old.exists():
            old.replace(aside.with_name(aside.name + tail))
    return aside
