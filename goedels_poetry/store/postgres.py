"""Runs in a PostgreSQL database: a connection with the part of `sqlite3` that the store uses, tables, cards and locks.

Tables are those of `store.database`, each with a column ``run`` whose default is the run of the connection; the view of
the same name shows the rows of that run alone. So the statements of the store are the same for both, and none of them
reaches another run. A connection that is lost is not opened again behind the store's back: whether the commit under way
was done cannot be known then, and the keys of the commits tell when the run goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import logging
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NoReturn

from goedels_poetry.errors import MissingTool, RunLocked, StoreError
from goedels_poetry.store.database import TABLES
from goedels_poetry.store.shared_database import PATIENCE

SCHEMA_VERSION = 1
NAME = "goedels_poetry"
"""Of the schema in the database, and how the setting that names the run of a connection begins."""
RUN = f"{NAME}.run"
_TYPES = {"INTEGER": "bigint", "REAL": "double precision", "TEXT": 'text COLLATE "C"'}  # ids are compared by bytes
_KEYS = {name: table.key or (("seq",) if name == "event" else ()) for name, table in TABLES.items()}
INSTALL = "pip install 'goedels-poetry-prover[postgres]'"
CONNECT_SECONDS = 5
GOES_ON = "the same command goes on where this stopped"
OPTIONS: dict[str, Any] = {
    "connect_timeout": CONNECT_SECONDS,
    "application_name": "goedels-poetry",
    # Whoever is cut off holds its runs no longer than this: 30 s of silence, and two questions without an answer.
    # Who has locked what we need is waited for as long as whoever holds a file.
    "options": "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=2"
    f" -c lock_timeout={PATIENCE * 1000:.0f} -c {NAME}.direct=yes",
}
NEVER_IDLE = 140_000, "idle_session_timeout"
"""Since which version servers cut off who says nothing for a while, and the setting for how long: a run holds its lock
by its connection, and says nothing while a solver or a model works."""
NOT_OURS = (
    f"the tables in the schema {NAME} there are not those of this version of this program: use the one that has "
    "laid them out, or name another database (GOEDELS_POETRY__STORE_URL)"
)
_DEFECTS = ("22", "23", "42601")
"""SQLSTATEs (PostgreSQL documentation, appendix A) that are a fault of our statements."""
_WHAT_TO_DO = {
    "28": "look at the user's name and password (in the URL, in PGPASSWORD or in ~/.pgpass), and at pg_hba.conf there",
    "3D": "there is no such database on the server; `createdb` makes one",
    "42501": "the user may not do that: GRANT CREATE ON DATABASE lets the first one lay the tables out, GRANT USAGE ON "
    f"SCHEMA {NAME} and GRANT ALL ON ALL TABLES IN it let others write there",
    "42": NOT_OURS,
    "3F": NOT_OURS,
}
"""Beginning of an SQLSTATE -> what to do; of others it is for the server to be mended, and the same command goes on."""
POOLED = (
    "a pooler such as PgBouncer answers there and shares its sessions, which hold a run's lock and say which run is "
    "meant; name the server itself"
)
_AT_THE_DOOR = {
    "unsupported startup parameter": POOLED,
    "password": "the server wants the right password; give it in the URL, in PGPASSWORD or in ~/.pgpass",
    "does not exist": "there is no such database on the server; `createdb` makes one",
    "": f"no server answers there; once one does {GOES_ON}",
}
"""A refused login has no SQLSTATE in the driver, only words; the first that are among them count."""
_INSERT = re.compile(r"INSERT OR (REPLACE|IGNORE) INTO (\w+) (.*)", re.DOTALL)
_SILENT = logging.NullHandler()
_ESCAPE, _NUL, _OWN = "\x1b", "\x1bn", "\x1be"


def driver() -> Any:
    """The module psycopg; raises `MissingTool`."""
    try:
        module = importlib.import_module("psycopg")
    except ImportError as problem:
        raise MissingTool(
            f"a store in PostgreSQL needs psycopg, which is not installed here ({problem}): {INSTALL}"
        ) from None
    logging.getLogger("psycopg").addHandler(_SILENT)  # what it warns of is raised as well
    return module


def place_of(url: str) -> str:
    """A URL as it may be shown: host and database, without user and password; raises `StoreError`."""
    psycopg = driver()
    try:
        parts = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        parts = {}
    if not url.startswith(("postgresql://", "postgres://")) or not parts:
        raise StoreError("the store's URL is none of PostgreSQL: postgresql://USER@HOST:PORT/DATABASE")
    host, port = parts.get("host", "localhost"), parts.get("port", "5432")
    return f"postgresql://{host}:{port}/{parts.get('dbname', parts.get('user', ''))}"


def options_for(url: str, more: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
    """What a connection is opened with: our settings, ``more``, and what the URL or PGOPTIONS say beside them."""
    parts = driver().conninfo.conninfo_to_dict(url)
    given = parts.get("options") or os.environ.get("PGOPTIONS", "")
    settings = (given, OPTIONS["options"], *(f"-c {name}={value}" for name, value in more.items()))
    chosen = {name: parts[name] for name in OPTIONS if name in parts}
    return {**OPTIONS, **chosen, "options": " ".join(filter(None, settings))}


class Connection:
    """What the store needs of a `sqlite3.Connection`. Thread-safe as far as psycopg is: one statement at a time."""

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        """Raises `StoreError` or `MissingTool`; no message holds the password."""
        self.place = place_of(url)
        self._psycopg = driver()
        try:
            self._db = self._psycopg.connect(url, autocommit=True, **options_for(url))
        except self._psycopg.Error as problem:
            words = next(words for part, words in _AT_THE_DOOR.items() if part in str(problem))
            raise StoreError(f"{self.place}: {words} ({_last_line(problem)})") from None
        try:
            if self._db.execute("SELECT current_setting(%s, true)", [f"{NAME}.direct"]).fetchone() != ("yes",):
                self._db.close()
                raise StoreError(f"{self.place}: {POOLED}")
            for name, value in self.not_idle().items():
                self._db.execute(f"SET {name} = {value}")
            if read_only:
                self._db.execute("SET default_transaction_read_only = on")
        except self._psycopg.Error as problem:
            self.refuse(problem)

    def not_idle(self) -> dict[str, str]:
        """Settings by which this server cuts off nobody who says nothing for a while."""
        since, name = NEVER_IDLE
        return {name: "0"} if self._db.info.server_version >= since else {}

    @property
    def in_transaction(self) -> bool:
        """Whether there is something to roll back; not on a connection that is lost."""
        return not self._db.closed and self._db.info.transaction_status != self._psycopg.pq.TransactionStatus.IDLE

    def execute(self, sql: str, arguments: Iterable[Any] = ()) -> Any:
        """A statement as the store writes it; the cursor with its rows, texts as they were given."""
        given = [_written(value) for value in arguments]
        try:
            found = self._db.execute(translated(sql), given)
        except self._psycopg.Error as problem:
            self.refuse(problem)
        return _Rows(found)

    def executemany(self, sql: str, rows: Iterable[Iterable[Any]]) -> None:
        """The same statement for many rows, sent without waiting for each answer."""
        given = [[_written(value) for value in row] for row in rows]
        try:
            with self._db.cursor() as cursor:
                cursor.executemany(translated(sql), given)
        except self._psycopg.Error as problem:
            self.refuse(problem)

    def close(self) -> None:
        """Safe on a connection that is lost, and twice."""
        self._db.close()

    def refuse(self, problem: Any) -> NoReturn:
        """Raise what the server says as a `StoreError` that says what to do; a defect of ours as it is."""
        state = problem.sqlstate or ""
        lost = isinstance(problem, (self._psycopg.OperationalError, self._psycopg.InterfaceError))
        if state.startswith(_DEFECTS) or not (state or lost):
            raise problem
        words = next(
            (words for code, words in _WHAT_TO_DO.items() if state.startswith(code)), f"once that is mended {GOES_ON}"
        )
        raise StoreError(f"{self.place}: {problem.diag.message_primary or _first_line(problem)}; {words}") from None


def _first_line(problem: Exception) -> str:
    return next((line.strip() for line in str(problem).splitlines() if line.strip()), type(problem).__name__)


def _last_line(problem: Exception) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[-1].strip()


class _Rows:
    """A cursor whose texts are as they were given."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        self.rowcount: int = cursor.rowcount

    def fetchone(self) -> Any:
        row = self._cursor.fetchone()
        return row if row is None else tuple(map(_read, row))

    def fetchall(self) -> list[Any]:
        return [tuple(map(_read, row)) for row in self._cursor.fetchall()]


@cache
def translated(sql: str) -> str:
    """A statement of the store in PostgreSQL's words; what it means is the same."""
    if sql == "BEGIN IMMEDIATE":
        return "BEGIN"
    replacing = _INSERT.fullmatch(sql)
    if replacing is not None:
        how, table, rest = replacing.groups()
        key = ", ".join((*_KEYS[table], "run"))
        changed = ", ".join(f"{name} = excluded.{name}" for name in TABLES[table].columns if name not in _KEYS[table])
        action = "NOTHING" if how == "IGNORE" else f"UPDATE SET {changed}"
        sql = f"INSERT INTO {table} {rest} ON CONFLICT ({key}) DO {action}"
    return sql.replace("%", "%%").replace("?", "%s")


def _written(value: Any) -> Any:
    """A text without the character that PostgreSQL cannot hold: others stand for it, and equal texts stay equal."""
    if isinstance(value, str) and ("\0" in value or _ESCAPE in value):
        return value.replace(_ESCAPE, _OWN).replace("\0", _NUL)
    return value


def _read(value: Any) -> Any:
    """The inverse of `_written`."""
    if isinstance(value, str) and _ESCAPE in value:
        return value.replace(_NUL, "\0").replace(_OWN, _ESCAPE)
    return value


LAYOUT_PATIENCE = 30.0
"""Seconds for which another process may lay out LangGraph's tables, which takes one."""
LAID_OUT_BY_ANOTHER = (
    f"another process has been laying out its tables for {LAYOUT_PATIENCE:g} s (pg_stat_activity says whose session it "
    f"is); once that has ended {GOES_ON}"
)
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
                for sql in _statements():
                    db.execute(sql)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
        db.execute("SELECT pg_advisory_unlock(?)", (number,))
    _check(db)


def _check(db: Connection) -> None:
    """Raise `StoreError` where the tables are of another version."""
    try:
        versions = db.execute(f"SELECT version FROM {NAME}.format").fetchall()
    except StoreError:
        versions = []
    if versions != [(SCHEMA_VERSION,)]:
        raise StoreError(f"{db.place}: {NOT_OURS}")


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


def _statements() -> Iterator[str]:
    """All that lays the tables out, for one transaction."""
    text = _type("TEXT NOT NULL")
    yield f"CREATE SCHEMA IF NOT EXISTS {NAME}"
    yield f"SET LOCAL search_path = {NAME}"
    for name, table in TABLES.items():
        fields = ", ".join(f"{column} {_type(kind)}" for column, kind in table.columns.items())
        key = f", PRIMARY KEY ({', '.join(('run', *_KEYS[name]))})" if _KEYS[name] else ""
        yield f"CREATE TABLE all_{name} ({fields}, run {text} DEFAULT current_setting('{RUN}'){key})"
        shown = ", ".join((*table.columns, "run"))
        yield f"CREATE VIEW {name} AS SELECT {shown} FROM all_{name} WHERE run = current_setting('{RUN}')"
        yield f"ALTER VIEW {name} ALTER COLUMN run SET DEFAULT current_setting('{RUN}')"
    yield "CREATE UNIQUE INDEX ON all_event(run, key)"
    yield "CREATE INDEX ON all_head(run, queue, node_id) WHERE queue IS NOT NULL"
    for columns in ("lemma(run, seq)", "history(run, kind)", "cut(run)", "verdict(run)"):
        yield f"CREATE INDEX ON all_{columns}"
    yield f"CREATE TABLE card (run {text} PRIMARY KEY, card {text}, started double precision NOT NULL)"
    yield "CREATE TABLE format (version int NOT NULL)"
    yield f"INSERT INTO format VALUES ({SCHEMA_VERSION})"


def _type(kind: str) -> str:
    """A column's type in PostgreSQL's words; what is unique stands in the key or in an index."""
    word = kind.partition(" ")[0]
    return _TYPES[word] + (" NOT NULL" if kind != word else "")
