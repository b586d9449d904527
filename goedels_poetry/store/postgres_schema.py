"""Tables and views. What `store.database` has for one run in a file, this has for many runs in one database.

A table ends with the column ``run``, whose default is the run of the connection; the view of the same name shows the
rows of that run alone. So the statements of the store are the same for both, and none of them reaches another run.
"""

from __future__ import annotations

SCHEMA_VERSION = 1
NAME = "goedels_poetry"
"""Of the schema in the database, and how the setting that names the run of a connection begins."""
RUN = f"{NAME}.run"

_TEXT = 'text COLLATE "C" NOT NULL'  # node ids are compared byte by byte
_MAYBE = 'text COLLATE "C"'
_SEQ = "bigint NOT NULL"

TABLES: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "event": (
        {
            "seq": _SEQ,
            "key": _TEXT,
            "agent": _TEXT,
            "node_id": _TEXT,
            "ts": "double precision NOT NULL",
            **dict.fromkeys(("outcome", "reason", "queues", "spent", "cost"), _TEXT),
        },
        ("seq",),
    ),
    "rev": (
        {"node_id": _TEXT, "seq": _SEQ, "statement": _TEXT, "queue": _MAYBE, "payload": _TEXT},
        ("node_id", "seq"),
    ),
    "head": ({"node_id": _TEXT, "seq": _SEQ, "queue": _MAYBE, "key": _TEXT, "cut": "bigint"}, ("node_id",)),
    "cut": ({"seq": _SEQ, "node_id": _TEXT, "generation": "bigint NOT NULL"}, ()),
    "waits": ({"on_id": _TEXT, "waiter": _TEXT, "seq": _SEQ}, ("on_id", "waiter")),
    "lemma": ({"key": _TEXT, "node_id": _TEXT, "seq": _SEQ}, ("key",)),
    "history": (
        {"node_id": _TEXT, "seq": _SEQ, "n": "bigint NOT NULL", "kind": _TEXT, "entry": _TEXT},
        ("node_id", "seq", "n"),
    ),
    "verdict": ({"seq": _SEQ, "verdict": _TEXT, "reason": _TEXT, "ref": _MAYBE}, ()),
    "blob": ({"hash": _TEXT, "body": _TEXT}, ("hash",)),
    "under_way": (
        {"key": _TEXT, "agent": _TEXT, "node_id": _TEXT, "seq": _SEQ, "started": "double precision NOT NULL"},
        ("key",),
    ),
    "meta": ({"name": _TEXT, "value": _TEXT}, ("name",)),
}
"""View -> columns in the store's order, and those that are unique within a run."""

_INDEXES = (
    "CREATE UNIQUE INDEX ON all_event(run, key)",
    "CREATE INDEX ON all_head(run, queue, node_id) WHERE queue IS NOT NULL",
    "CREATE INDEX ON all_lemma(run, seq)",
    "CREATE INDEX ON all_history(run, kind)",
    "CREATE INDEX ON all_cut(run)",
    "CREATE INDEX ON all_verdict(run)",
)


def columns() -> dict[str, set[str]]:
    """Table or view -> its columns."""
    runs = {name: {*fields, "run"} for name, (fields, _) in TABLES.items()}
    every = {f"all_{name}": fields for name, fields in runs.items()}
    return {"format": {"version"}, "card": {"run", "card", "started"}, **every, **runs}


def statements() -> list[str]:
    """All that lays it out, for one transaction."""
    made = [f"CREATE SCHEMA IF NOT EXISTS {NAME}", f"SET LOCAL search_path = {NAME}"]
    for name, (columns, unique) in TABLES.items():
        fields = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        key = f", PRIMARY KEY ({', '.join(('run', *unique))})" if unique else ""
        made.append(f"CREATE TABLE all_{name} ({fields}, run {_TEXT} DEFAULT current_setting('{RUN}'){key})")
        shown = ", ".join((*columns, "run"))
        made.append(f"CREATE VIEW {name} AS SELECT {shown} FROM all_{name} WHERE run = current_setting('{RUN}')")
        made.append(f"ALTER VIEW {name} ALTER COLUMN run SET DEFAULT current_setting('{RUN}')")
    made += _INDEXES
    made.append(f"CREATE TABLE card (run {_TEXT} PRIMARY KEY, card {_TEXT}, started double precision NOT NULL)")
    made.append("CREATE TABLE format (version int NOT NULL)")
    made.append(f"INSERT INTO format VALUES ({SCHEMA_VERSION})")
    return made
