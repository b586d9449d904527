"""A connection to PostgreSQL with the face of `sqlite3` that the proof store uses, and its errors as `StoreError`.

A connection that is lost is not opened again behind the store's back: whether the commit under way was done nobody can
know then, and the keys of the commits tell whoever goes on with the run.
"""

from __future__ import annotations

import importlib
import logging
import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NoReturn

from goedels_poetry.errors import MissingTool, StoreError
from goedels_poetry.store.postgres_schema import NAME, TABLES
from goedels_poetry.store.shared_database import PATIENCE

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
    f"the tables in the schema {NAME} there are not those of this program; name another database "
    "(GOEDELS_POETRY__STORE_URL), or rename that schema"
)
_WHAT_TO_DO = (
    ("28P01", "the password is wrong; give the right one in the URL, in PGPASSWORD or in ~/.pgpass"),
    ("28", "the server does not let this user in; look at the user's name, and at pg_hba.conf of the server"),
    ("3D", "there is no such database on the server; `createdb` makes one"),
    (
        "42501",
        "the user may not do that: GRANT CREATE ON DATABASE lets the first one lay the tables out, GRANT USAGE ON "
        f"SCHEMA {NAME} and GRANT ALL ON ALL TABLES IN it let others write there",
    ),
    ("533", f"the server has no connection left; once it has {GOES_ON}"),
    ("53", f"the server has no room left; once it has {GOES_ON}"),
    (
        "55P03",
        f"another session has held a lock on it for {PATIENCE:g} s (pg_stat_activity says whose it is); once that has "
        f"ended {GOES_ON}",
    ),
    (
        "57014",
        f"the server gives this user's statements too little time (statement_timeout); once it gives more {GOES_ON}",
    ),
    ("25P03", f"the server cut off a commit that paused (idle_in_transaction_session_timeout); {GOES_ON}"),
    ("57P05", f"the server cuts off this user when a solver works for long (idle_session_timeout); {GOES_ON}"),
    ("40", f"the server broke a commit off in favour of another; {GOES_ON}"),
    ("57", f"the server was stopped; once it runs again {GOES_ON}"),
    ("58", f"the server's disk failed; once it works again {GOES_ON}"),
    ("08", f"the connection was lost; once the server answers {GOES_ON}"),
    (
        "25006",
        "the server lets nothing be written: it is a standby, or default_transaction_read_only is on; name one that "
        f"does, or once it does {GOES_ON}",
    ),
    *((code, NOT_OURS) for code in ("42P01", "42P07", "42P10", "42703", "42804", "42809", "42883", "3F000")),
)
"""Beginning of an SQLSTATE -> what to do (PostgreSQL documentation, appendix A)."""
POOLED = (
    "a pooler such as PgBouncer answers there and shares its sessions, which hold a run's lock and say which run is "
    "meant; name the server itself"
)
_AT_THE_DOOR = (
    ("unsupported startup parameter", POOLED),
    ("no password supplied", "the server wants a password; give it in the URL, in PGPASSWORD or in ~/.pgpass"),
    ("password authentication failed", "the password is wrong, or there is no such user"),
    ("no pg_hba.conf entry", _WHAT_TO_DO[1][1]),
    ("starting up", f"the server is starting; once it runs {GOES_ON}"),
    ("shutting down", f"the server was stopped; once it runs again {GOES_ON}"),
    ("does not exist", "there is no such database on the server; `createdb` makes one"),
    ("too many", f"the server has no connection left; once it has {GOES_ON}"),
    ("", f"no server answers there; once one does {GOES_ON}"),
)
"""Who is not let in gets no SQLSTATE from the driver, only words; the first that are among them count."""
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
            words = next(words for part, words in _AT_THE_DOOR if part in str(problem))
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
        state = problem.sqlstate or ("08" if self._is_lost(problem) else "")
        words = next((words for code, words in _WHAT_TO_DO if state.startswith(code)), None)
        if words is None:
            raise problem
        raise StoreError(f"{self.place}: {words} ({problem.diag.message_primary or _first_line(problem)})") from None

    def _is_lost(self, problem: Any) -> bool:
        return isinstance(problem, (self._psycopg.OperationalError, self._psycopg.InterfaceError))


def _lines(problem: Exception) -> list[str]:
    return [line.strip() for line in str(problem).splitlines() if line.strip()] or [type(problem).__name__]


def _first_line(problem: Exception) -> str:
    return _lines(problem)[0]


def _last_line(problem: Exception) -> str:
    return _lines(problem)[-1]


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
        columns, unique = TABLES[table]
        key = ", ".join((*unique, "run"))
        changed = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in unique)
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
