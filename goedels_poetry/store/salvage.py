"""What can be saved of a damaged ``proof.db``: the longest beginning of its commits of which nothing is missing.

Every table is read row by row, past what cannot be read. Then the commits are followed in their order: blobs are named
by the hash of what is in them, commits are numbered without gaps, revisions were written in the order of the commits,
and each commit says how long the queues were after it. The first commit of which something may be missing ends what is
saved. Nothing of it is evidence: a proof that is saved is checked like any other when the run ends.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry.errors import StoreError
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.state import ProofNode, subtree_range
from goedels_poetry.store.txn import IDENTITY, blob_hash

Row = tuple[Any, ...]

TABLES: Mapping[str, tuple[str, ...]] = {
    "event": ("seq", "key", "agent", "node_id", "ts", "outcome", "reason", "queues", "spent", "cost"),
    "rev": ("node_id", "seq", "statement", "queue", "payload"),
    "cut": ("seq", "node_id", "generation"),
    "waits": ("on_id", "waiter", "seq"),
    "lemma": ("key", "node_id", "seq"),
    "history": ("node_id", "seq", "n", "kind", "entry"),
    "verdict": ("seq", "verdict", "reason", "ref"),
    "blob": ("hash", "body"),
    "meta": ("name", "value"),
}
"""What is saved, with its columns; ``head`` follows from the rest, and ``under_way`` is begun again."""
_IN_ORDER = ("rev", "cut")
"""Rows stand in the order of the commits; with a gap nobody knows what the tree was like afterwards."""
_WITHOUT_ROWID = ("waits", "lemma", "history", "meta")
_JSON = {"event": ("queues", "spent", "cost"), "rev": ("payload",), "history": ("entry",), "meta": ("value",)}
MOST_ROWS = 1 << 40
"""Further than that nobody looks for a row."""
_NEEDED = tuple(name for name in IDENTITY if name != "task")
"""Facts without which nobody knows what the run is about."""


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
            for table, columns in TABLES.items():
                marks = ",".join("?" * len(columns))
                db.executemany(f"INSERT OR IGNORE INTO {table}({','.join(columns)}) VALUES({marks})", rows[table])
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


# -- reading past damage ---------------------------------------------------------------------------------------
def _rows_of(path: Path) -> tuple[dict[str, list[Row]], Counter[str], int]:
    """Every row that can be read and says something, by table; how many do not; the last commit before any gap."""
    rows: dict[str, list[Row]] = {}
    lost: Counter[str] = Counter()
    limit = MOST_ROWS
    with closing(_opened(path)) as db:
        db.text_factory = bytes
        for table, columns in TABLES.items():
            read = _by_rowid if table not in _WITHOUT_ROWID else _from_both_ends
            kept: dict[Row, None] = {}
            latest = 1
            for raw in read(db, table, columns):
                row = _sound(table, columns, raw) if raw else None
                if row is not None:
                    kept[row] = None
                    latest = row[columns.index("seq")] if "seq" in columns else latest
                    continue
                lost[table] += bool(raw)
                if table in _IN_ORDER:  # what is missing may belong to the commit of the row before it
                    limit = min(limit, latest - 1)
            rows[table] = list(kept)
    return rows, lost, limit


def _by_rowid(db: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> Iterator[Row]:
    """Rows in order, past pages that cannot be read: in the place of each gap stands an empty row."""
    sql = f"SELECT rowid, {','.join(columns)} FROM {table} WHERE rowid>? ORDER BY rowid"

    def can_begin(after: int) -> bool:
        try:
            return bool(db.execute(sql, (after,)).fetchone())
        except sqlite3.Error:
            return False

    last: int | None = 0
    while last is not None:
        try:
            for rowid, *row in db.execute(sql, (last,)):
                last = rowid
                yield tuple(row)
        except sqlite3.Error:
            last = _beyond(last, can_begin)
            yield ()
        else:
            return


def _beyond(last: int, can_begin: Callable[[int], bool]) -> int | None:
    """The first row number after ``last`` behind which there is a row that can be read; None: there is none.

    Steps get longer until one does, so that a long stretch of damage takes few of them; then the shortest such step is
    looked for. Good rows between two bad pages may be jumped over.
    """
    step = 1
    while not can_begin(last + step):
        if step > MOST_ROWS:
            return None
        step *= 2
    bad, good = last + step // 2, last + step
    while good - bad > 1:
        middle = (bad + good) // 2
        bad, good = (bad, middle) if can_begin(middle) else (middle, good)
    return good


def _from_both_ends(db: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> Iterator[Row]:
    """Rows of a table without row numbers: from the front up to the damage, and from the back down to it."""
    keys = ",".join(name for _, name in sorted((n, name) for name, n in _key_of(db, table)))
    for order in ("ASC", "DESC"):
        by = ",".join(f"{key} {order}" for key in keys.split(",")) if keys else f"1 {order}"
        with suppress(sqlite3.Error):
            for row in db.execute(f"SELECT {','.join(columns)} FROM {table} ORDER BY {by}"):
                yield tuple(row)


def _key_of(db: sqlite3.Connection, table: str) -> Iterator[tuple[str, int]]:
    with suppress(sqlite3.Error):
        for _, name, _, _, _, place in db.execute(f"PRAGMA table_info({table})"):
            if place:
                yield name.decode() if isinstance(name, bytes) else str(name), int(place)


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


# -- what fits together ----------------------------------------------------------------------------------------
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
