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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from goedels_poetry.trace.methods import worded_method
from goedels_poetry.trace.page.evidence import explanations, in_words, proof_files, result_of
from goedels_poetry.trace.page.log import Commit, Log, is_reference, read_log
from goedels_poetry.trace.wording import worded
from goedels_poetry.tree.state import ProofNode
from goedels_poetry.tree.store.reads import StoreReader

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
