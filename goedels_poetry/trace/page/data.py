"""A run as one JSON value for its page: the commit log as changes of nodes, with every text once.

Keys of the value (``format`` 1); indices point into the same value, so updates are read like the whole:

- ``since``, ``seq``: it holds the commits after the first up to the second.
- ``run``: ``id``, ``name``, ``language``, ``kind``, ``theorem`` (the text), ``statement`` (worded), ``started``.
- ``result``: `RunResult` as JSON, or None while the run goes on; ``verdict``: what an agent recorded; ``proof``: files
  to read ``{name, kind, text}``; ``explanations``: node id -> `trace.explain.Explanation` as JSON, of open goals;
  ``spent``: what the run has used of its budgets by ``seq``.
- ``strings``, ``texts``: tables; ``nodes``: ``[parent or -1, name]``, a node's id being ``parent.name``.
- ``fields``: ``[name, kind]`` of what changes: kind ``s`` (index of a string), ``t`` (of a text), ``v`` (a value).
- ``commits``: ``[seq, agent, node, milliseconds since the start, outcome, reason, from, cost, revisions, cuts,
  history]``. ``from``: the commit after which the goal stood ready for the step, 0: unknown; ``cost``: ``[string,
  amount, ...]``; ``revisions``: ``[node, field, value, field, value, ...]`` each, null for the default; ``cuts``:
  ``[node, generation]``; ``history``: ``[node, kind, entry]``, an entry's references being indices of texts.
- ``under_way``: ``[agent, node id, milliseconds]``.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goedels_poetry.store.database import connect, refuse
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.state import NodeStatus, ProofNode
from goedels_poetry.trace.explain import explain
from goedels_poetry.trace.proof_text import proof_text
from goedels_poetry.trace.wording import worded, worded_method, worded_points

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


MOST_EXPLAINED = 60
"""Open goals that are explained; a page with thousands of them is read by none."""
MAX_FILE = 200_000
"""Characters shown of one file of a certificate."""
MOST_FILES = 8
_SHOWN = (".lean", ".py", ".smt2", ".json", ".txt")
"""Files of a certificate that are text, the likeliest to be read first."""
_FORMULAE = ("what", "left", "statement")
"""Parts of trials and explanations that may be a text of the language."""


def result_of(directory: Path) -> RunResult | None:
    """The result that the run had when it last ended or stopped; None while it goes on for the first time."""
    return RunDir(directory).result()


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
    files = [
        path
        for path in sorted(certificate.rglob("*"))
        if path.suffix in _SHOWN and path.is_file() and not path.is_symlink()
    ]
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
        return {name: _part_in_words(value, name, item, language) for name, item in value.items()}
    return value


def _part_in_words(trial: dict[str, Any], name: str, part: Any, language: str) -> Any:
    if name in _FORMULAE and isinstance(part, str):
        return worded_points(str(trial.get("strategy", "")), worded(part, language), language)
    return in_words(part, language)


FORMAT = 1
MAX_TEXT = 20_000
"""Characters shown of one text; a sketch of a large proof is longer, and nobody reads it here."""
MAX_TEXTS = 6_000_000
"""Characters of all attempts, sketches, reports and conversations together, so that a page stays below 20 MB."""
LEFT_OUT = "(left out: the page would become too large; `goedels-poetry trace RUN --format conversation` has it)"

SECONDS = "job_seconds"
"""Counter of a run: wall time of its agents' jobs."""
_STATIC = frozenset({"id", "parent", "depth", "language", "key", "refs"})
_KEY = re.compile(r".*@(\d+)")


class _Table:
    """Values with an index each, every value once."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self._index: dict[str, int] = {}

    def __call__(self, value: str) -> int:
        index = self._index.setdefault(value, len(self.values))
        if index == len(self.values):
            self.values.append(value)
        return index


class _Writer:
    """Turns rows of a log into the page's lists."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.language = str(log.meta.get("language") or "")
        self.strings = _Table()
        self.texts: list[str] = []
        self.nodes: list[tuple[int, str]] = []
        self.fields: list[tuple[str, str]] = []
        self._text_of: dict[str, int] = {}
        self._characters = 0
        self._node_of: dict[str, int] = {}
        self._field_of: dict[str, int] = {}

    def text(self, ref: str) -> int:
        """Index of a blob's text."""
        if ref not in self._text_of:
            body = cut_inside(self.log.blobs.get(ref, ""))
            self._characters += len(body)
            if self._characters > MAX_TEXTS:
                body = LEFT_OUT
            self._text_of[ref] = len(self.texts)
            self.texts.append(body)
        return self._text_of[ref]

    def node(self, node_id: str) -> int:
        """Index of a node, its ancestors before it."""
        missing = []
        while node_id not in self._node_of:
            missing.append(node_id)
            node_id, dot, _ = node_id.rpartition(".")
            if not dot:
                break
        for name in reversed(missing):
            parent, _, last = name.rpartition(".")
            self._node_of[name] = len(self.nodes)
            self.nodes.append((self._node_of[parent] if parent else -1, last))
        return self._node_of[missing[0] if missing else node_id]

    def field(self, name: str, kind: str) -> int:
        """Index of a field."""
        if name not in self._field_of:
            self._field_of[name] = len(self.fields)
            self.fields.append((name, kind))
        return self._field_of[name]

    def changes(self, old: dict[str, Any], new: dict[str, Any]) -> list[Any]:
        """``[field, value, ...]`` of what differs between two rows."""
        found: list[Any] = []
        for name in (*new, *(name for name in old if name not in new)):
            if name not in _STATIC and old.get(name) != new.get(name):
                value = new.get(name)
                kind = "s" if isinstance(old.get(name) if value is None else value, str) else "v"
                if name == "fingerprint" and isinstance(value, str):
                    value = worded_method(value, self.language)
                found += [self.field(name, kind), self.strings(cut(value)) if isinstance(value, str) else value]
        olds, news = old.get("refs", {}), new.get("refs", {})
        for name in (*news, *(name for name in olds if name not in news)):
            if olds.get(name) == news.get(name):
                continue
            ref = news.get(name)
            if name == "statement":
                formal = cut(self.log.blobs.get(ref, "")) if ref else ""
                found += [self.field("formal", "s"), self.strings(formal)]
                found += [self.field("statement", "s"), self.strings(worded(formal, self.language))]
            else:
                found += [self.field(f"ref:{name}", "t"), self.text(ref) if ref else None]
        return found

    def entry(self, entry: dict[str, Any]) -> dict[str, Any]:
        """A history entry with indices of texts in place of references."""
        return {
            name: self.text(value) if is_reference(name, value) else cut(value) if isinstance(value, str) else value
            for name, value in (in_words(entry, self.language) if "trials" in entry else entry).items()
        }

    def commits(self, started: float) -> list[list[Any]]:
        """The log's commits with what each has written."""
        written: dict[int, list[list[Any]]] = {}
        rows: dict[int, list[list[Any]]] = {commit.seq: [] for commit in self.log.commits}
        cuts: dict[int, list[list[Any]]] = {commit.seq: [] for commit in self.log.commits}
        last = dict(self.log.before)
        costs = list(_costs(self.log))
        for seq, node_id, row in self.log.revisions:
            rows[seq].append([self.node(node_id), *self.changes(last.get(node_id, {}), row)])
            last[node_id] = row
        for seq, node_id, generation in self.log.cuts:
            cuts[seq].append([self.node(node_id), generation])
        for seq, node_id, kind, entry in self.log.history:
            written.setdefault(seq, []).append([self.node(node_id), self.strings(kind), self.entry(entry)])
        return [
            [*self._head(commit, cost, started), rows[commit.seq], cuts[commit.seq], written.get(commit.seq, [])]
            for commit, cost in zip(self.log.commits, costs, strict=True)
        ]

    def _head(self, commit: Commit, amounts: Mapping[str, float], started: float) -> list[Any]:
        handed_out = _KEY.fullmatch(commit.key)
        cost = [part for name, amount in amounts.items() for part in (self.strings(name), amount)]
        return [
            commit.seq,
            self.strings(commit.agent),
            self.node(commit.node),
            _milliseconds(commit.ts, started),
            self.strings(commit.outcome),
            self.strings(cut(commit.reason)),
            int(handed_out[1]) if handed_out else 0,
            cost,
        ]


def run_data(store: StoreReader, since_seq: int = 0) -> dict[str, Any]:
    """What the page of a run shows, or what has become of it since a commit.

    Raises:
        StoreError: the run's file cannot be read.
    """
    log = read_log(store.path, max(0, since_seq))
    directory = store.path.parent
    result = result_of(directory)
    writer = _Writer(log)
    commits = writer.commits(log.began)
    kind = (log.meta.get("task") or ["theorem"])[0]
    statement = worded(cut(str(log.meta.get("statement") or "")), writer.language)
    return {
        "format": FORMAT,
        "since": log.since,
        "seq": log.seq,
        "run": {
            "id": str(log.meta.get("run_id") or directory.name),
            "name": str(log.meta.get("name") or ""),
            "language": writer.language,
            "kind": str(kind),
            "theorem": cut(str(log.meta.get("theorem") or "")),
            "statement": statement,
            "started": log.began,
        },
        "result": result.to_json() if result else None,
        "verdict": list(log.verdict) if log.verdict else None,
        "spent": log.commits[-1].spent if log.commits else None,
        "proof": proof_files(result, statement),
        "explanations": explanations(store, _touched(store, log)),
        "strings": writer.strings.values,
        "texts": writer.texts,
        "nodes": [list(node) for node in writer.nodes],
        "fields": [list(field) for field in writer.fields],
        "commits": commits,
        "under_way": [[agent, node, _milliseconds(ts, log.began)] for agent, node, ts in log.under_way],
    }


def _touched(store: StoreReader, log: Log) -> Iterable[ProofNode]:
    """The nodes that a log is about; of an update those that it has changed."""
    if not log.since:
        return store.nodes() if log.commits else ()
    found = (store.find(node_id) for node_id in dict.fromkeys(node_id for _, node_id, _ in log.revisions))
    return [node for node in found if node is not None and not store.is_cut(node.id)]


def _costs(log: Log) -> Iterator[dict[str, float]]:
    """Of every commit what it cost, with the wall time of its job where somebody has measured it."""
    before = log.spent_before.get(SECONDS, 0.0)
    for commit in log.commits:
        after = commit.spent.get(SECONDS, before)
        measured = {SECONDS: round(after - before, 6)} if after > before else {}
        yield {**commit.cost, **measured}
        before = after


def _milliseconds(ts: float, started: float) -> int:
    return round((ts - started) * 1000)


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
