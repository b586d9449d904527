"""A run as one JSON value for its page: the commit log as changes of nodes, with every text once.

Keys of the value (``format`` 1); indices point into the same value, so updates are read like the whole:

- ``since``, ``seq``: it holds the commits after the first up to the second.
- ``run``: ``id``, ``name``, ``language``, ``kind``, ``theorem`` (the text), ``statement`` (worded), ``started``.
- ``result``: `RunResult` as JSON, or None while the run goes on; ``text``: its verdict for people; ``verdict``: what an
  agent recorded; ``proof``: files to read ``{name, kind, text}``; ``explanations``: node id ->
  `trace.explain.Explanation` as JSON, of open goals; ``spent``: what the run has used of its budgets by ``seq``.
- ``strings``, ``texts``: tables; ``nodes``: ``[parent or -1, name]``, a node's id being ``parent.name``.
- ``fields``: ``[name, kind]`` of what changes: kind ``s`` (index of a string), ``t`` (of a text), ``v`` (a value).
- ``commits``: ``[seq, agent, node, milliseconds since the start, outcome, reason, from, cost, revisions, cuts,
  history]``. ``from``: the commit after which the goal stood ready for the step, 0: unknown; ``cost``: ``[string,
  amount, ...]``; ``revisions``: ``[node, field, value, field, value, ...]`` each, null for the default; ``cuts``:
  ``[node, generation]``; ``history``: ``[node, kind, entry]``, an entry's references being indices of texts.
- ``under_way``: ``[agent, node id, milliseconds]``.
"""

from __future__ import annotations

import base64
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from goedels_poetry.store.database import connect, refuse
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import ADVISED, ONLY_ADVICE, RunResult
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.state import NodeStatus, ProofNode
from goedels_poetry.trace.explain import explain
from goedels_poetry.trace.proof_text import proof_text
from goedels_poetry.trace.wording import worded, worded_method, worded_points

FORMAT = 1
MAX_TEXT = 20_000
"""Characters shown of one text; a sketch of a large proof is longer, and unreadable on a page."""
MAX_TEXTS = 6_000_000
"""Characters of all attempts, sketches, reports and conversations together, so that a page stays below 20 MB."""
LEFT_OUT = "(left out: the page would become too large; `goedels-poetry trace RUN --format conversation` has it)"
MOST_EXPLAINED = 60
"""Open goals that are explained."""
MAX_FILE = 200_000
"""Characters shown of one file of a certificate."""
MOST_FILES = 8
_SHOWN = (".lean", ".py", ".smt2", ".json", ".txt")
"""Files of a certificate that are text, the likeliest to be read first."""
_FORMULAE = ("what", "left", "statement")
"""Parts of trials and explanations that may be a text of the language."""
SECONDS = "job_seconds"
"""Counter of a run: wall time of its agents' jobs."""
_STATIC = frozenset({"id", "parent", "depth", "language", "key", "refs"})
_KEY = re.compile(r".*@(\d+)")

Row = dict[str, Any]


def run_data(store: StoreReader, since_seq: int = 0) -> dict[str, Any]:
    """What the page of a run shows, or what has become of it since a commit; raises StoreError."""
    with closing(connect(store.path, read_only=True)) as db:
        try:
            db.execute("BEGIN")  # one moment of the run
            log = _Log(db, max(0, since_seq)).to_json()
        except sqlite3.Error as exc:
            refuse(store.path, exc)
    log["run"]["id"] = log["run"]["id"] or store.path.parent.name
    result = RunDir(store.path.parent).result()
    touched = log.pop("touched")
    found = (store.find(node_id) for node_id in touched) if log["since"] else iter(store.nodes())
    nodes = (node for node in found if node is not None and not (log["since"] and store.is_cut(node.id)))
    return {
        "format": FORMAT,
        **log,
        "result": result.to_json() if result else None,
        "text": result.verdict_text if result else None,
        "proof": proof_files(result, log["run"]["statement"]),
        "explanations": explanations(store, nodes),
    }


class _Table:
    """Values with an index each, every value once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._index: dict[Any, int] = {}

    def __call__(self, value: Any) -> int:
        index = self._index.setdefault(value, len(self.values))
        if index == len(self.values):
            self.values.append(value)
        return index


class _Log:
    """The commits after ``since`` and all that they have written, as the page's lists."""

    def __init__(self, db: sqlite3.Connection, since: int) -> None:
        self._db = db
        self._since = since
        self._meta = {name: json.loads(value) for name, value in db.execute("SELECT name, value FROM meta")}
        self._language = str(self._meta.get("language") or "")
        first = db.execute("SELECT ts FROM event ORDER BY seq LIMIT 1").fetchone()
        self._began = first[0] if first else 0.0
        self._strings, self._fields, self._refs = _Table(), _Table(), _Table()
        self._texts: list[str] = []
        self._characters = 0
        self._nodes: list[tuple[int, str]] = []
        self._node_of: dict[str, int] = {}

    def to_json(self) -> dict[str, Any]:
        """The parts of `run_data` that the log says, and the ids of nodes that it has ``touched``."""
        touched: dict[str, None] = {}
        commits = list(self._commits(touched))
        meta, since = self._meta, self._since
        spent = self._spent_at(commits[-1][0]) if commits else None
        verdict = self._db.execute("SELECT verdict, reason FROM verdict ORDER BY seq DESC LIMIT 1").fetchone()
        under_way = self._db.execute("SELECT agent, node_id, started FROM under_way ORDER BY started, key")
        last = self._db.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0]
        return {
            "since": since,
            "seq": int(last),
            "run": {
                "id": str(meta.get("run_id") or ""),
                "name": str(meta.get("name") or ""),
                "language": self._language,
                "kind": str((meta.get("task") or ["theorem"])[0]),
                "theorem": cut(str(meta.get("theorem") or "")),
                "statement": worded(cut(str(meta.get("statement") or "")), self._language),
                "started": self._began,
            },
            "verdict": list(verdict) if verdict else None,
            "spent": spent,
            "strings": self._strings.values,
            "texts": self._texts,
            "nodes": [list(node) for node in self._nodes],
            "fields": [list(field) for field in self._fields.values],
            "commits": commits,
            "under_way": [[agent, node, self._milliseconds(ts)] for agent, node, ts in under_way],
            "touched": touched,
        }

    def _spent_at(self, seq: int) -> dict[str, float]:
        row = self._db.execute("SELECT spent FROM event WHERE seq<=? ORDER BY seq DESC LIMIT 1", (seq,)).fetchone()
        return dict(json.loads(row[0])) if row else {}

    def _commits(self, touched: dict[str, None]) -> Iterator[list[Any]]:
        """Every commit with what it has written."""
        rows, cuts, written = self._revisions(touched), self._cuts(), self._history()
        before = self._spent_at(self._since).get(SECONDS, 0.0)
        sql = "SELECT seq, key, agent, node_id, ts, outcome, reason, cost, spent FROM event WHERE seq>? ORDER BY seq"
        for seq, key, agent, node, ts, outcome, reason, cost, spent in self._db.execute(sql, (self._since,)):
            after = json.loads(spent).get(SECONDS, before)
            amounts = {**json.loads(cost), **({SECONDS: round(after - before, 6)} if after > before else {})}
            before = after
            handed_out = _KEY.fullmatch(key)
            yield [
                seq,
                self._strings(agent),
                self._node(node),
                self._milliseconds(ts),
                self._strings(ADVISED if reason == ONLY_ADVICE else outcome),
                self._strings(cut(reason)),
                int(handed_out[1]) if handed_out else 0,
                [part for name, amount in amounts.items() for part in (self._strings(name), amount)],
                rows.get(seq, []),
                cuts.get(seq, []),
                written.get(seq, []),
            ]

    def _since_commit(self, table: str, columns: str, order: str) -> Iterator[tuple[Any, ...]]:
        """Rows that were written after ``since``: a commit, a node, and the columns."""
        sql = f"SELECT seq, node_id, {columns} FROM {table} WHERE seq>? ORDER BY seq, {order}"
        yield from self._db.execute(sql, (self._since,)).fetchall()

    def _revisions(self, touched: dict[str, None]) -> dict[int, list[list[Any]]]:
        found: dict[int, list[list[Any]]] = {}
        last: dict[str, Row] = {}
        before = "SELECT payload FROM rev WHERE node_id=? AND seq<=? ORDER BY seq DESC LIMIT 1"
        for seq, node_id, payload in self._since_commit("rev", "payload", "node_id"):
            if node_id not in last:  # {} where it was not there
                row = self._db.execute(before, (node_id, self._since)).fetchone()
                last[node_id] = json.loads(row[0]) if row else {}
            new = json.loads(payload)
            found.setdefault(seq, []).append([self._node(node_id), *self._changes(last[node_id], new)])
            last[node_id] = new
            touched[node_id] = None
        return found

    def _cuts(self) -> dict[int, list[list[Any]]]:
        found: dict[int, list[list[Any]]] = {}
        for seq, node_id, generation in self._since_commit("cut", "generation", "node_id"):
            found.setdefault(seq, []).append([self._node(node_id), generation])
        return found

    def _history(self) -> dict[int, list[list[Any]]]:
        found: dict[int, list[list[Any]]] = {}
        for seq, node_id, kind, entry in self._since_commit("history", "kind, entry", "n"):
            found.setdefault(seq, []).append([self._node(node_id), self._strings(kind), self._entry(json.loads(entry))])
        return found

    def _entry(self, entry: Row) -> Row:
        """A history entry with indices of texts in place of references."""
        found = dict(in_words(entry, self._language) if "trials" in entry else entry)
        for name, value in found.items():
            if isinstance(value, str):
                is_reference = name.endswith("_ref") or name == "exchange"
                found[name] = self._text(value) if is_reference else cut(value)
        return found

    def _changes(self, old: Row, new: Row) -> list[Any]:
        """``[field, value, ...]`` of what differs between two rows."""
        found: list[Any] = []
        for name in dict.fromkeys((*new, *old)):
            if name not in _STATIC and old.get(name) != new.get(name):
                value = new.get(name)
                kind = "s" if isinstance(old.get(name) if value is None else value, str) else "v"
                if name == "fingerprint" and isinstance(value, str):
                    value = worded_method(value, self._language)
                found += [self._fields((name, kind)), self._strings(cut(value)) if isinstance(value, str) else value]
        olds, news = old.get("refs", {}), new.get("refs", {})
        for name in dict.fromkeys((*news, *olds)):
            ref = news.get(name)
            if olds.get(name) == ref:
                continue
            if name == "statement":
                formal = cut(self._blob(ref)) if ref else ""
                found += [self._fields(("formal", "s")), self._strings(formal)]
                found += [self._fields(("statement", "s")), self._strings(worded(formal, self._language))]
            else:
                found += [self._fields((f"ref:{name}", "t")), self._text(ref) if ref else None]
        return found

    def _blob(self, ref: str) -> str:
        row = self._db.execute("SELECT body FROM blob WHERE hash=?", (ref,)).fetchone()
        return str(row[0]) if row else ""

    def _text(self, ref: str) -> int:
        """Index of a blob's text."""
        index = self._refs(ref)
        if index == len(self._texts):
            body = cut_inside(self._blob(ref))
            self._characters += len(body)
            self._texts.append(body if self._characters <= MAX_TEXTS else LEFT_OUT)
        return index

    def _node(self, node_id: str) -> int:
        """Index of a node, its ancestors before it."""
        if node_id not in self._node_of:
            parent, _, last = node_id.rpartition(".")
            above = self._node(parent) if parent else -1
            self._node_of[node_id] = len(self._nodes)
            self._nodes.append((above, last))
        return self._node_of[node_id]

    def _milliseconds(self, ts: float) -> int:
        return round((ts - self._began) * 1000)


def proof_files(result: RunResult | None, statement: str) -> list[dict[str, Any]]:
    """The finished proof for reading, then the files of its certificate: ``{"name", "kind", "text"}``."""
    if result is None or result.certificate is None:
        return []
    outline = proof_text(result, statement)
    found = [{"name": outline.of, "kind": outline.kind, "text": _bounded(outline.text)}] if outline else []
    for path in list(_texts(result.certificate))[:MOST_FILES]:
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                text = _bounded(file.read(MAX_FILE + 1), path.stat().st_size)
        except OSError:
            continue  # gone in the meantime: the page has one file less
        name = path.relative_to(result.certificate).as_posix()
        found.append({"name": name, "kind": path.suffix.removeprefix("."), "text": text})
    return found


def _texts(certificate: Path) -> Iterator[Path]:
    """Regular files of a certificate that are to be shown; links are not followed."""
    shown = [path for path in sorted(certificate.rglob("*")) if path.suffix in _SHOWN]
    files = [path for path in shown if path.is_file() and not path.is_symlink()]
    yield from sorted(files, key=lambda path: _SHOWN.index(path.suffix))


def _bounded(text: str, size: int | None = None) -> str:
    total = len(text) if size is None else max(size, len(text))
    return text if len(text) <= MAX_FILE else f"{text[:MAX_FILE]}\n… cut here, of {total} characters"


def explanations(store: StoreReader, nodes: Iterable[ProofNode]) -> dict[str, Any]:
    """What was tried on open goals without open subgoals, how near it came and what would help, by node."""
    waiting = [node for node in nodes if node.status is not NodeStatus.PROVED and not node.pending]
    found: dict[str, Any] = {}
    for node in waiting[:MOST_EXPLAINED]:
        with suppress(ValueError, KeyError, TypeError):  # trials of another version: the rest of the page is as good
            found[node.id] = in_words(explain(store, node).to_json(), node.language)
    return found


def in_words(value: Any, language: str = "") -> Any:
    """The value with formulae of trials as people write them."""
    if isinstance(value, list):
        return [in_words(item, language) for item in value]
    if isinstance(value, dict):
        strategy, found = str(value.get("strategy", "")), {}
        for name, part in value.items():
            if name in _FORMULAE and isinstance(part, str):
                found[name] = worded_points(strategy, worded(part, language), language)
            else:
                found[name] = in_words(part, language)
        return found
    return value


def cut_inside(body: str) -> str:
    """A text, or JSON whose texts are of bounded length, so that it stays JSON."""
    if len(body) > MAX_TEXT:
        with suppress(ValueError, RecursionError):
            shorter = json.dumps(_shorter(json.loads(body)), ensure_ascii=False, separators=(",", ":"))
            return shorter if len(shorter) <= 3 * MAX_TEXT else cut(body)
    return cut(body)


def _shorter(value: Any) -> Any:
    if isinstance(value, str) and len(value) > MAX_TEXT // 4:
        return f"{value[: MAX_TEXT // 4]}\n… and {len(value) - MAX_TEXT // 4} more characters"
    if isinstance(value, list):
        return [_shorter(item) for item in value]
    if isinstance(value, dict):
        return {_shorter(name): _shorter(item) for name, item in value.items()}
    return value


def cut(text: str) -> str:
    """A text of bounded length; what is missing is counted."""
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}\n… and {len(text) - MAX_TEXT} more characters"


# The run's data and the page's own style and script as one text that needs nothing else

SCRIPTS = ("model.js", "highlight.js", "tree.js", "detail.js", "timeline.js", "main.js")
"""Parts of the script, in this order."""
_SPELLED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What must not stand in a script element, as JSON spells it."""
_TO_SPELL = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Live:
    """Where a page gets updates: addresses on its own origin."""

    events: str
    """Of server-sent events: each unnamed message is an update, one named ``end`` says that no further one comes."""
    home: str | None = None
    """Where the link to all runs leads."""
    stop: str | None = None
    """POSTed, without a body, to stop the run."""


def render(data: dict[str, Any], *, title: str, live: Live | None = None) -> str:
    """The page of a run."""
    log = {name: value for name, value in data.items() if name != "texts"}
    # Attempts, sketches and conversations are most of the data, and read only when somebody asks for them.
    parts = {"run": log, "texts": data["texts"], "live": asdict(live) if live else None}
    blocks = "".join(
        f'<script type="application/json" id="{name}">{_json(part)}</script>' for name, part in parts.items()
    )
    body = (
        '<noscript>This page draws the run with a script of its own; please allow it.</noscript><div id="page"></div>'
    )
    return document(title, f"{body}{blocks}<script>{_script()}</script>", content_security_policy(live is not None))


def document(title: str, body: str, policy: str) -> str:
    """A page with our style. ``policy``: what it may do."""
    visible = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in title)
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="referrer" content="no-referrer">'
        f'<link rel="icon" href="{_ICON}">'
        f"<title>{escape(visible)}</title>"
        f"<style>{_style()}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def content_security_policy(live: bool = False) -> str:
    """What the page may do: run its own script, use its own style, and with ``live`` ask its own origin."""
    connect = "; connect-src 'self'" if live else ""
    return (
        f"default-src 'none'; script-src '{_digest(_script())}'; style-src '{_digest(_style())}'; img-src data:"
        f"{connect}; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


@cache
def _style() -> str:
    return _asset("page.css")


@cache
def _script() -> str:
    """All parts in one function: the page has no names in common with others."""
    return "(() => {\n'use strict';\n" + "\n".join(map(_asset, SCRIPTS)) + "\n})();\n"


def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")


def _json(value: Any) -> str:
    """JSON that may stand in a script element: no tag, no comment and no line end of JavaScript's is in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _TO_SPELL.sub(lambda found: _SPELLED.get(found[0], f"\\u{ord(found[0]):04x}"), text)


_ICON = "data:image/svg+xml," + (
    "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Cpath d='M3 13V3h4a3 3 0 0 1 0 6H5.5m1.5 0 5 4' fill='none' stroke='%232f7d4f' stroke-width='2'/%3E%3C/svg%3E"
)
