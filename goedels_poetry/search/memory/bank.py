"""What runs leave for later ones: a lemma bank, shared by all runs of a data directory; the success of strategies.

A run reads the bank as it stood when the run began (a row number), so that a resumed run sees the same
lemmas. The bank is a cache, not evidence: the checker re-verifies whatever a certificate takes from it. How often each
strategy led to a proof, per language and shape of goal, is kept in a file of its own. It helps; nothing depends on it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.derivation import scope_ids
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.shared_database import SharedDatabase
from goedels_poetry.store.state import NodeStatus, ProofNode, relocate

_SCHEMA = """
CREATE TABLE IF NOT EXISTS lemma(
  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL, theory TEXT NOT NULL,
  language TEXT NOT NULL, statement TEXT NOT NULL, strategy TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS lemma_key ON lemma(key);
CREATE INDEX IF NOT EXISTS lemma_theory ON lemma(theory, n);
"""


class Lemma(NamedTuple):
    """One entry of the bank."""

    key: str
    language: str
    statement: str
    strategy: str
    body: list[dict[str, Any]]
    """The proved subtree, see :func:`export_subtree`."""

    @property
    def name(self) -> str:
        """Its id, see `lemma_id`."""
        return lemma_id(self.language, self.key, self.statement)

    def stored(self) -> list[dict[str, Any]]:
        """The subtree as it is kept outside of the tree in which it was proved."""
        body = relocate(self.body, self.body[0]["id"], self.name)
        return [{**item, "origin": f"bank:{self.name}"} for item in body]


def theory_of(key: str) -> str:
    """The part of a canonical key that names definitions and premises."""
    return key.partition(":")[0]


def lemma_id(language: str, key: str, statement: str) -> str:
    """Id of a lemma: the root of its subtree wherever it is stored outside a proof tree."""
    return "L" + sha256(f"{language}\n{key}\n{statement}".encode()).hexdigest()[:16]


def export_subtree(store: StoreReader, node_id: str, *, origin: str) -> list[dict[str, Any]]:
    """A proved node and its descendants as JSON, root first; depths count from the root.

    Each item: ``{"id", "origin", "statement", "row", "proof"?, "sketch"?}``.
    """
    nodes, found = store.subtree(node_id), []
    for node in nodes:
        row = {**node.to_row(), "depth": node.depth - nodes[0].depth}
        refs = row.pop("refs", {})
        parts = {name: store.load(refs[name]) for name in ("proof", "sketch") if name in refs}
        found.append({"id": node.id, "origin": origin, "statement": node.statement, "row": row, **parts})
    return found


class LemmaBank:
    """The bank's file; see `SharedDatabase` for what it raises, and for what becomes of a damaged one."""

    def __init__(self, path: Path) -> None:
        self._db = SharedDatabase(path, _SCHEMA)
        self.troubles = self._db.troubles
        self.close = self._db.close

    def snapshot(self) -> int:
        """Number of the latest entry: what a run that begins now may see."""
        return sum(number for (number,) in self._db.ask("SELECT coalesce(max(n), 0) FROM lemma"))

    def find(self, language: str, key: str, statement: str, snapshot: int) -> list[dict[str, Any]] | None:
        """The proved subtree of a statement, or None. Keys are a language's own: another one's are never looked at."""
        return self.load(lemma_id(language, key, statement), snapshot)

    def load(self, lemma: str, snapshot: int) -> list[dict[str, Any]] | None:
        """The proved subtree of a lemma by its id, or None."""
        if not snapshot:  # there were no lemmas then, and every goal of a search is asked for
            return None
        rows = self._db.ask("SELECT body FROM lemma WHERE id=? AND n<=?", (lemma, snapshot))
        try:
            return list(json.loads(rows[0][0])) if rows else None
        except ValueError:  # damaged where SQLite does not look: in the text itself
            self.forget([lemma])
            return None

    def offers(self, language: str, theory: str, snapshot: int, limit: int = 200) -> list[dict[str, Any]]:
        """Lemmas that hold under the same definitions, shortest statements first."""
        sql = (
            "SELECT id, statement, strategy FROM lemma WHERE language=? AND theory=? AND n<=?"
            " ORDER BY length(statement), n LIMIT ?"
        )
        rows = self._db.ask(sql, (language, theory, snapshot, limit))
        return [{"id": lemma, "statement": statement, "strategy": strategy} for lemma, statement, strategy in rows]

    def add(self, lemmas: Iterable[Lemma]) -> int:
        """Add what is new; returns how many entries that were. Adding twice changes nothing."""
        rows = []
        for lemma in lemmas:
            text = json.dumps(lemma.stored(), separators=(",", ":"))
            theory = theory_of(lemma.key)
            rows.append((lemma.name, lemma.key, theory, lemma.language, lemma.statement, lemma.strategy, text))
        return self._db.write(
            "INSERT OR IGNORE INTO lemma(id, key, theory, language, statement, strategy, body) VALUES(?,?,?,?,?,?,?)",
            rows,
        )

    def forget(self, lemmas: Iterable[str]) -> None:
        """Remove lemmas whose proofs the checker did not accept."""
        self._db.write("DELETE FROM lemma WHERE id=?", ((lemma,) for lemma in lemmas))


# -- what a run gives to it ------------------------------------------------------------------------------------

MOST_NODES_OF_A_LEMMA = 500
"""Larger proofs are not worth carrying about."""


def proved_in_run(
    store: StoreReader,
    language: str,
    *,
    cut_ones: bool,
    latest: int | None = None,
    wanted: Callable[[str, str], bool] = lambda key, node_id: True,
) -> Iterator[Lemma]:
    """Each goal below the root whose proof stands by itself, in the order in which they were proved."""
    for key, node_id in store.lemmas(latest):
        if not wanted(key, node_id):
            continue
        node = store.get(node_id)
        if node.parent is None or node.origin.startswith("bank:") or (store.is_cut(node_id) and not cut_ones):
            continue
        body = export_subtree(store, node_id, origin="")
        if len(body) <= MOST_NODES_OF_A_LEMMA and not _rests_on_others(store, node, body):
            yield Lemma(key, language, node.statement, node.strategy or "", body)


def _rests_on_others(store: StoreReader, node: ProofNode, body: list[dict[str, Any]]) -> bool:
    """Whether the proof of a subtree cites what does not stand in it: a lemma of the bank, or one proved beside it."""
    if any("lemmas" in item["row"] for item in body):
        return True
    inside = {item["id"] for item in body}
    outside = [fact for fact in scope_ids(store, node) if fact not in inside]
    if not outside:
        return False
    parts = [item[name] for item in body for name in ("proof", "sketch") if item.get(name)]
    cited = {cite for part in parts for cite in part.get("cites", ())}
    text = json.dumps(parts)  # where citations are keys, they are long enough to stand for nothing else
    for fact in outside:
        lemma = store.meta(f"lemma:{fact}")
        key = store.get(fact).key if lemma is None else lemma[0]["row"]["key"]
        if fact in cited or str(key).rpartition(":")[2] in text:
            return True
    return False


# -- strategies --------------------------------------------------------------------------------------------------

_STRATEGIES = """
CREATE TABLE IF NOT EXISTS strategy(        -- one row per run, so that recording a run twice changes nothing
  run_id TEXT NOT NULL, language TEXT NOT NULL, strategy TEXT NOT NULL, shape TEXT NOT NULL,
  tried INTEGER NOT NULL, proved INTEGER NOT NULL, PRIMARY KEY(run_id, language, strategy, shape)) WITHOUT ROWID;
"""


class StrategyStatistics:
    """The statistics' file; see `SharedDatabase` for what it raises, and for what becomes of a damaged one."""

    def __init__(self, path: Path) -> None:
        self._db = SharedDatabase(path, _STRATEGIES)
        self.troubles = self._db.troubles
        self.close = self._db.close

    def record(self, run_id: str, language: str, counts: Mapping[tuple[str, str], tuple[int, int]]) -> None:
        """Store one run's counts: (strategy, shape) -> (times tried, times it led to a proof)."""
        rows = [(run_id, language, *name, *numbers) for name, numbers in counts.items()]
        self._db.write("INSERT OR REPLACE INTO strategy VALUES(?,?,?,?,?,?)", rows)

    def preferred(self, language: str, shape: str | None = None) -> tuple[str, ...]:
        """Strategy names by rate of success (with one imagined success and failure each), best first."""
        rows = self._db.ask(
            "SELECT strategy FROM strategy WHERE language=?1 AND (?2 IS NULL OR shape=?2) GROUP BY strategy"
            " ORDER BY (sum(proved) + 1.0) / (sum(tried) + 2.0) DESC, strategy",
            (language, shape),
        )
        return tuple(name for (name,) in rows)


class Memory(NamedTuple):
    """What earlier runs left, as far as it can be used."""

    bank: LemmaBank | None = None
    statistics: StrategyStatistics | None = None
    problems: tuple[str, ...] = ()

    def troubles(self) -> list[str]:
        """What went wrong with them since this was asked last, for the warnings."""
        return [trouble for file in (self.bank, self.statistics) if file is not None for trouble in file.troubles()]


class MemoryFiles:
    """The databases in the data directory, opened when a run first needs them. They help, nothing depends on them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._bank: LemmaBank | None = None
        self._statistics: StrategyStatistics | None = None

    def open(self) -> Memory:
        """What can be used now; what cannot be opened is left out and named."""
        if not self._settings.use_memory:
            return Memory()
        home, problems = self._settings.data_dir, []
        try:
            self._bank = self._bank or LemmaBank(home / "lemmas.db")
        except (sqlite3.Error, OSError) as exc:
            problems.append(f"the lemma bank {home / 'lemmas.db'} is not used: {exc}")
        try:
            self._statistics = self._statistics or StrategyStatistics(home / "strategies.db")
        except (sqlite3.Error, OSError) as exc:
            problems.append(f"the statistics {home / 'strategies.db'} are not used: {exc}")
        return Memory(self._bank, self._statistics, tuple(problems))

    def close(self) -> None:
        """Close them; they are opened again when they are needed again."""
        for memory in (self._bank, self._statistics):
            if memory is not None:
                memory.close()
        self._bank = self._statistics = None


def fill_memory(
    memory: Memory, store: ProofStore, run_id: str, result: RunResult, retry: bool, ours: frozenset[str]
) -> list[str]:
    """Give later runs what this one has learnt; a full disk must not take the result with it.

    That is what the checker has accepted, and what else was proved where nobody but our own agents says so.

    Returns:
        What went wrong, for the warnings.
    """
    if memory.statistics is not None:
        memory.statistics.record(run_id, result.language, _strategy_counts(store))
    if memory.bank is not None:
        nodes, ours_alone, accepted = store.nodes(), store.agents() <= ours, result.verdict is Verdict.PROVED
        if store.root().status is NodeStatus.PROVED and not accepted and not retry:
            taken = {node.origin.removeprefix("bank:") for node in nodes if node.origin.startswith("bank:")}
            memory.bank.forget(taken | {lemma for node in nodes for lemma in node.lemmas})
        elif accepted or ours_alone:
            # Even this is no more than a hint: the checker looks at whatever a later proof takes from the bank.
            memory.bank.add(proved_in_run(store, result.language, cut_ones=ours_alone))
    return memory.troubles()


def _strategy_counts(store: ProofStore) -> dict[tuple[str, str], tuple[int, int]]:
    tried: Counter[tuple[str, str]] = Counter()
    proved: Counter[tuple[str, str]] = Counter()
    last_shape: dict[tuple[str, str], str] = {}
    for node_id, entry in store.history_of_kind("sketch"):
        name = (entry["strategy"], entry["shape"])
        tried[name] += 1
        last_shape[node_id, entry["strategy"]] = entry["shape"]
    for node in store.nodes():
        if node.status is NodeStatus.PROVED and node.strategy is not None:
            shape = last_shape.get((node.id, node.strategy))
            if shape is not None:
                proved[node.strategy, shape] += 1
    return {name: (count, proved[name]) for name, count in tried.items()}
