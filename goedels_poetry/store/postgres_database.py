"""The runs of a PostgreSQL database: cards and locks of all, and the tree of each."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from hashlib import sha256
from typing import Any

from goedels_poetry.errors import MissingTool, RunLocked, StoreError
from goedels_poetry.store.postgres_connection import (
    GOES_ON,
    INSTALL,
    NOT_OURS,
    Connection,
    driver,
    options_for,
    place_of,
)
from goedels_poetry.store.postgres_schema import NAME, RUN, SCHEMA_VERSION, TABLES, columns, statements

LAYOUT_PATIENCE = 30.0
"""Seconds for which another process may lay out LangGraph's tables, which takes one."""
LAID_OUT_BY_ANOTHER = (
    f"another process has been laying out its tables for {LAYOUT_PATIENCE:g} s (pg_stat_activity says whose session it "
    f"is); once that has ended {GOES_ON}"
)
_UNFINISHED = """SELECT indexrelid::regclass::text AS index FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
 WHERE NOT indisvalid AND relnamespace = %s::regnamespace"""
"""Indexes whose making was broken off."""
_COLUMNS = """SELECT relname, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
 JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = ? AND attnum > 0 AND NOT attisdropped"""
"""Tables and views of a schema, with their columns."""
_RESERVED = "{}"
"""The card of a run that nobody has begun yet."""
LOCK_PATIENCE = 0.5
"""Seconds, as `store.runs.LOCK_PATIENCE`; a lock that its holder took with it into a lost connection takes longer."""


class Database:
    """Thread-safe; connections are opened when they are first needed. Close it after use.

    Args:
        url: ``postgresql://USER:PASSWORD@HOST:PORT/DATABASE``; it is in no message and no repr.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._guard = threading.RLock()
        self._cards: Connection | None = None
        self._checkpoints_are_laid_out = False

    def __repr__(self) -> str:
        return "Database(...)"

    def close(self) -> None:
        """Close what was opened here; trees and locks are closed by who has opened them."""
        with self._guard:
            if self._cards is not None:
                self._cards.close()
                self._cards = None

    # -- trees -------------------------------------------------------------------------------------------------
    def tree(self, run_id: str, *, read_only: bool) -> Connection:
        """A connection that sees the tree of one run. Who may write is the only one, as long as the connection lives.

        Raises:
            RunLocked: another writes it. StoreError.
        """
        self._shared()
        db = Connection(self._url, read_only=read_only)
        try:
            self._look_at(db, run_id)
            if not read_only:
                self._take(db, _number("tree", run_id), run_id)
        except BaseException:
            db.close()
            raise
        return db

    def has_tree(self, run_id: str) -> bool:
        """Whether anything was ever committed to the run, or noted about it."""
        return bool(self._ask(f"SELECT 1 FROM {NAME}.all_meta WHERE run = ? LIMIT 1", run_id))

    def fork(self, run_id: str, other: str, seq: int) -> None:
        """Copy a tree as it was after commit ``seq`` to a run that has none; see `ProofStore.fork`."""
        with contextlib.closing(self.tree(other, read_only=False)) as db:
            db.execute("BEGIN")
            for name, (columns, _) in TABLES.items():
                if name in ("under_way", "head"):
                    continue
                fields = ", ".join(columns)
                until = " AND seq <= ?" if "seq" in columns else ""
                db.execute(
                    f"INSERT INTO all_{name} ({fields}, run) SELECT {fields}, ? FROM all_{name} WHERE run = ?{until}",
                    (other, run_id, seq) if until else (other, run_id),
                )
            db.execute(
                "INSERT INTO head SELECT DISTINCT ON (node_id) node_id, seq, queue,"
                " coalesce(payload::json->>'key', ''), NULL::bigint FROM rev ORDER BY node_id, seq DESC"
            )
            db.execute(
                "UPDATE head SET queue=NULL, cut=c.seq FROM (SELECT h.node_id, min(cut.seq) AS seq FROM head h"
                " JOIN cut ON h.node_id >= cut.node_id || '.' || cut.generation || '_'"
                " AND h.node_id < cut.node_id || '.' || cut.generation || '`' GROUP BY h.node_id) AS c"
                " WHERE head.node_id = c.node_id"
            )
            db.execute("COMMIT")

    def delete(self, run_id: str) -> None:
        """All of a run, its checkpoints too, in one transaction."""
        with self._guard:
            db = self._shared()
            db.execute("BEGIN")
            try:
                for name in (*(f"all_{name}" for name in TABLES), "card"):
                    db.execute(f"DELETE FROM {NAME}.{name} WHERE run = ?", (run_id,))
                for name in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
                    if db.execute("SELECT to_regclass(?)", (f"{NAME}.{name}",)).fetchone()[0]:
                        db.execute(f"DELETE FROM {NAME}.{name} WHERE thread_id = ?", (run_id,))
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    # -- cards -------------------------------------------------------------------------------------------------
    def card(self, run_id: str) -> str | None:
        """The card of a run as JSON, or None."""
        rows = self._ask(f"SELECT card FROM {NAME}.card WHERE run = ?", run_id)
        return str(rows[0][0]) if rows else None

    def write_card(self, run_id: str, card: dict[str, Any]) -> None:
        """Put a card in the place of the one that is there; its writer has the run's lock."""
        self._ask(
            f"INSERT INTO {NAME}.card VALUES (?, ?, ?)"
            " ON CONFLICT (run) DO UPDATE SET card = excluded.card, started = excluded.started RETURNING 1",
            run_id,
            json.dumps(card, sort_keys=True),
            float(card.get("started", 0.0)),
        )

    def reserve(self, run_id: str) -> bool:
        """Begin a card, so that nobody on any machine begins the same run anew; False when there is one."""
        sql = f"INSERT INTO {NAME}.card VALUES (?, ?, 0) ON CONFLICT (run) DO NOTHING RETURNING 1"
        return bool(self._ask(sql, run_id, _RESERVED))

    def run_ids(self, prefix: str = "") -> list[str]:
        """Runs that have a card and whose id begins so, latest first."""
        return self._ids("starts_with(run, ?)", prefix)

    def begun(self) -> list[str]:
        """Runs whose card somebody has written, latest first: not those that were reserved and came to nothing."""
        return self._ids("card <> ?", _RESERVED)

    def _ids(self, which: str, argument: str) -> list[str]:
        sql = f"SELECT run FROM {NAME}.card WHERE {which} ORDER BY started DESC, run"
        return [str(name) for (name,) in self._ask(sql, argument)]

    # -- checkpoints of LangGraph --------------------------------------------------------------------------------
    def has_checkpoints(self, run_id: str) -> bool:
        """Whether any was written of the run."""
        if not self._ask("SELECT to_regclass(?)", f"{NAME}.checkpoints")[0][0]:
            return False
        return bool(self._ask(f"SELECT 1 FROM {NAME}.checkpoints WHERE thread_id = ? LIMIT 1", run_id))

    @contextlib.asynccontextmanager
    async def checkpointer(self, serde: Any) -> AsyncIterator[Any]:
        """Who writes them; what goes wrong with the server, then or later, is a StoreError."""
        await asyncio.to_thread(self._lay_out_checkpoints)
        psycopg, aio = driver(), _saver("aio")
        try:
            async with await psycopg.AsyncConnection.connect(self._url, **self._for_checkpoints()) as db:
                yield aio.AsyncPostgresSaver(db, serde=serde)
        except psycopg.Error as problem:
            self._shared().refuse(problem)

    @contextlib.contextmanager
    def checkpoints(self, serde: Any) -> Iterator[Any]:
        """Who reads them."""
        psycopg, saver = driver(), _saver()
        try:
            with psycopg.connect(self._url, **self._for_checkpoints()) as db:
                yield saver.PostgresSaver(db, serde=serde)
        except psycopg.Error as problem:
            self._shared().refuse(problem)

    def _lay_out_checkpoints(self) -> None:
        """LangGraph's own migrations, one process at a time: two at once would fail each other."""
        with self._guard:
            if self._checkpoints_are_laid_out:
                return
            psycopg, saver = driver(), _saver()
            number, until = _number("checkpoints", ""), time.monotonic() + LAYOUT_PATIENCE
            self._shared()
            try:
                with psycopg.connect(self._url, **self._for_checkpoints()) as db:
                    if _are_current(db, len(saver.PostgresSaver.MIGRATIONS)):
                        self._checkpoints_are_laid_out = True
                        return  # to lay them out again would need rights that who only writes has no use for
                    while not db.execute("SELECT pg_try_advisory_lock(%s) AS taken", (number,)).fetchone()["taken"]:
                        if time.monotonic() >= until:
                            raise StoreError(f"{place_of(self._url)}: {LAID_OUT_BY_ANOTHER}")
                        time.sleep(0.05)  # no wait inside the server: an index that is built there waits for it
                    for row in db.execute(_UNFINISHED, (NAME,)).fetchall():
                        db.execute(f"DROP INDEX {row['index']}")  # else it would pass for the one that is to be made
                    saver.PostgresSaver(db).setup()
            except psycopg.Error as problem:
                self._shared().refuse(problem)
            self._checkpoints_are_laid_out = True

    def _for_checkpoints(self) -> dict[str, Any]:
        settings: dict[str, str] = {"search_path": NAME, **self._shared().not_idle()}
        rows = driver().rows.dict_row
        return {**options_for(self._url, settings), "autocommit": True, "prepare_threshold": 0, "row_factory": rows}

    # -- locks -------------------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def lock(self, run_id: str) -> Iterator[None]:
        """Hold a run for this process, on whichever machine; the server frees it when the connection ends.

        Raises:
            RunLocked: another process has it. StoreError.
        """
        self._shared()
        with contextlib.closing(Connection(self._url)) as db:
            self._take(db, _number("run", run_id), run_id)
            yield

    def is_locked(self, run_id: str) -> bool:
        """Whether a process works on the run now."""
        number = _number("run", run_id)
        with contextlib.closing(Connection(self._url)) as db:
            return not db.execute("SELECT pg_try_advisory_lock_shared(?)", (number,)).fetchone()[0]

    def _take(self, db: Connection, number: int, run_id: str) -> None:
        until = time.monotonic() + LOCK_PATIENCE
        while not db.execute("SELECT pg_try_advisory_lock(?)", (number,)).fetchone()[0]:
            if time.monotonic() >= until:
                raise RunLocked(
                    f"run {run_id} is being worked on by another process, on this machine or another; wait for it, "
                    "stop it, or begin a separate run with --fresh"
                )
            time.sleep(0.02)

    # -- inside ------------------------------------------------------------------------------------------------
    def _ask(self, sql: str, *arguments: Any) -> list[Any]:
        """Rows of one statement, which is its own transaction. A connection that was lost meanwhile is made anew."""
        with self._guard:
            try:
                return list(self._shared().execute(sql, arguments).fetchall())
            except StoreError:
                self.close()
            return list(self._shared().execute(sql, arguments).fetchall())

    def _shared(self) -> Connection:
        with self._guard:
            if self._cards is None:
                db = Connection(self._url)
                try:
                    _lay_out(db)
                except BaseException:
                    db.close()
                    raise
                self._cards = db
            return self._cards

    def _look_at(self, db: Connection, run_id: str) -> None:
        db.execute(f"SET search_path = {NAME}")
        db.execute("SELECT set_config(?, ?, false)", (RUN, run_id))


def _lay_out(db: Connection) -> None:
    """All tables in one commit, whoever comes first; raises `StoreError` for a database of a newer version."""
    if not _is_laid_out(db):
        number = _number("schema", "")
        db.execute("SELECT pg_advisory_lock(?)", (number,))
        # Asked again in a transaction of its own: only then does the server look at what others have made meanwhile.
        if not _is_laid_out(db):
            db.execute("BEGIN")
            try:
                for sql in statements():
                    db.execute(sql)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
        db.execute("SELECT pg_advisory_unlock(?)", (number,))
    _check(db)


def _check(db: Connection) -> None:
    """Raise `StoreError` where the tables are another version's, or nobody's that we know."""
    there: dict[str, set[str]] = {}
    for table, column in db.execute(_COLUMNS, (NAME,)).fetchall():
        there.setdefault(table, set()).add(column)
    ours = columns()
    versions = []
    if there.get("format", set()) >= ours["format"]:
        versions = [version for (version,) in db.execute(f"SELECT version FROM {NAME}.format").fetchall()]
    if len(versions) == 1 and isinstance(versions[0], int) and versions[0] != SCHEMA_VERSION:
        age = "a newer" if versions[0] > SCHEMA_VERSION else "an older"
        raise StoreError(
            f"{db.place} was laid out by {age} version (format {versions[0]}, ours {SCHEMA_VERSION}): use that, or "
            "name another database (GOEDELS_POETRY__STORE_URL)"
        )
    lacking = next((name for name, fields in ours.items() if not there.get(name, set()) >= fields), None)
    if lacking is not None or versions != [SCHEMA_VERSION]:
        raise StoreError(f"{db.place}: {NOT_OURS} (look at {NAME}.{lacking or 'format'})")


def _are_current(db: Any, migrations: int) -> bool:
    """Whether LangGraph's tables are those of its version here."""
    if db.execute("SELECT to_regclass('checkpoint_migrations') AS there").fetchone()["there"] is None:
        return False
    done: int = db.execute("SELECT count(*) AS done FROM checkpoint_migrations").fetchone()["done"]
    return done >= migrations


def _is_laid_out(db: Connection) -> bool:
    return bool(db.execute("SELECT to_regclass(?)", (f"{NAME}.format",)).fetchone()[0])


def _saver(name: str = "") -> Any:
    """LangGraph's module for checkpoints in PostgreSQL; raises `MissingTool`."""
    try:
        return importlib.import_module(".".join(filter(None, ("langgraph.checkpoint.postgres", name))))
    except ImportError as problem:
        raise MissingTool(
            f"checkpoints in PostgreSQL need a package that is not installed ({problem}): {INSTALL}"
        ) from None


def _number(what: str, run_id: str) -> int:
    """Number of an advisory lock: 64 bits of a hash."""
    return int.from_bytes(sha256(f"{NAME}:{what}:{run_id}".encode()).digest()[:8], signed=True)
