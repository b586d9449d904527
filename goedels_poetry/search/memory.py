"""What is kept across runs, proved lemmas and how well strategies did; and what one run has tried on each goal.

A run reads the lemma bank as it stood when the run began (a row number), so that a resumed run sees the same lemmas.
The bank is a cache, not evidence: the checker re-verifies whatever a certificate takes from it. What was tried is read
from the store's history, which backtracking never erases; nothing here is kept twice.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.trials import MOST_KEPT, NOT_APPLIED, Status, Trial, TrialLog, nearest, unfinished
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.derivation import scope_ids
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import HistoryEntry, StoreReader
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.shared_database import SharedDatabase
from goedels_poetry.store.state import NodeStatus, ProofNode, relocate
from goedels_poetry.store.state_manager import UNABLE

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


class LemmaBank(SharedDatabase):
    """The bank's file; see `SharedDatabase` for what it raises, and for what becomes of a damaged one."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _SCHEMA)

    def snapshot(self) -> int:
        """Number of the latest entry: what a run that begins now may see."""
        return sum(number for (number,) in self.ask("SELECT coalesce(max(n), 0) FROM lemma"))

    def find(self, language: str, key: str, statement: str, snapshot: int) -> list[dict[str, Any]] | None:
        """The proved subtree of a statement, or None. Keys are a language's own: another one's are never looked at."""
        return self.load(lemma_id(language, key, statement), snapshot)

    def load(self, lemma: str, snapshot: int) -> list[dict[str, Any]] | None:
        """The proved subtree of a lemma by its id, or None."""
        if not snapshot:  # there were no lemmas then, and every goal of a search is asked for
            return None
        rows = self.ask("SELECT body FROM lemma WHERE id=? AND n<=?", (lemma, snapshot))
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
        rows = self.ask(sql, (language, theory, snapshot, limit))
        return [{"id": lemma, "statement": statement, "strategy": strategy} for lemma, statement, strategy in rows]

    def add(self, lemmas: Iterable[Lemma]) -> int:
        """Add what is new; returns how many entries that were. Adding twice changes nothing."""
        rows = []
        for lemma in lemmas:
            text = json.dumps(lemma.stored(), separators=(",", ":"))
            theory = theory_of(lemma.key)
            rows.append((lemma.name, lemma.key, theory, lemma.language, lemma.statement, lemma.strategy, text))
        return self.write(
            "INSERT OR IGNORE INTO lemma(id, key, theory, language, statement, strategy, body) VALUES(?,?,?,?,?,?,?)",
            rows,
        )

    def forget(self, lemmas: Iterable[str]) -> None:
        """Remove lemmas whose proofs the checker did not accept."""
        self.write("DELETE FROM lemma WHERE id=?", ((lemma,) for lemma in lemmas))


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


class StrategyStatistics(SharedDatabase):
    """The statistics' file; see `SharedDatabase` for what it raises, and for what becomes of a damaged one."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _STRATEGIES)

    def record(self, run_id: str, language: str, counts: Mapping[tuple[str, str], tuple[int, int]]) -> None:
        """Store one run's counts: (strategy, shape) -> (times tried, times it led to a proof)."""
        rows = [(run_id, language, *name, *numbers) for name, numbers in counts.items()]
        self.write("INSERT OR REPLACE INTO strategy VALUES(?,?,?,?,?,?)", rows)

    def preferred(self, language: str, shape: str | None = None) -> tuple[str, ...]:
        """Strategy names by rate of success (with one imagined success and failure each), best first."""
        rows = self.ask(
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


TRIALS = "trials"
"""Kind of history entry: what one job has tried, ``{"agent", "trials", "more"}``."""
UNDER_WAY = "under_way"
"""Folder beside the store in which jobs under way write what they try."""
SHORT = 60
"""Characters of what a strategy was applied to that stand in a reason."""
MOST_NAMED = 6
STARTS = ("begun", "resumed")
"""How the outcome of the commit begins with which a process begins a run or goes on with it."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What was tried on one goal."""

    trials: tuple[Trial, ...]
    more: int
    """How many trials were not kept."""


def log_place(store: StoreReader, agent: str, node_id: str) -> str:
    """The file of the job of an agent on a goal; see `goedels_poetry.protocol.trials`."""
    return f"{store.folder}/{UNDER_WAY}/{agent}-{node_id}.jsonl"


def log_path(store: StoreReader, agent: str, node_id: str) -> Path:
    """The same, for who looks there."""
    return Path(log_place(store, agent, node_id))


def tried_on(store: StoreReader, node_id: str, *, as_of: int | None = None) -> Tried:
    """What was tried on a goal, oldest first; the most telling of it.

    ``as_of``: until that commit; None: until now, with what a job under way has written so far.
    """
    log = TrialLog()
    for entry in store.history(node_id, as_of=as_of):
        more = entry.entry.get("more", 0) if entry.kind == TRIALS else 0
        log.take({"trials": [trial.to_json() for trial in _trials(entry)], "more": more})
    for agent, at in store.under_way() if as_of is None else ():
        if at == node_id:
            log.take(unfinished(log_path(store, agent, node_id)).to_json())
    return Tried(log.trials[:MOST_KEPT], log.dropped)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What a job has tried that has never given a result."""

    agent: str
    node: str
    log: TrialLog

    @property
    def words(self) -> str:
        """What was under way when it was stopped."""
        last = next((trial for trial in self.log.trials if trial.status is Status.UNDER_WAY), None)
        what = f": {last.strategy}" if last is not None else ""
        return f"{self.agent} was stopped{what}"


def unfinished_on(store: StoreReader) -> list[Unfinished]:
    """The jobs of a run that were stopped, just now or by a crash; call it when nothing is under way."""
    try:
        paths = sorted((store.path.parent / UNDER_WAY).iterdir())
    except OSError:
        return []
    starts = [event.ts for event in store.events() if event.outcome.startswith(STARTS)] if paths else []
    found = []
    for path in paths:
        agent, _, node = path.stem.partition("-")
        crashed = bool(starts) and os.path.getmtime(path) < starts[-1]
        log = unfinished(path, now=None if crashed else time.time())
        if node and log.trials:
            found.append(Unfinished(agent, node, log))
    return found


def why_unproved(store: StoreReader, nodes: Sequence[ProofNode], reason: str) -> str:
    """A reason that a search has ended for, with what it has come to on the goal that it is about.

    That all decompositions are exhausted is said only where there was one.
    """
    if not reason.startswith(UNABLE):
        return reason
    failed = next((node for node in nodes if node.status in (NodeStatus.FAILED, NodeStatus.REFUTED)), None)
    if failed is None:
        return reason
    tried = tried_on(store, failed.id)
    counts = store.history_counts()
    if not counts["sketch"]:
        reason = f"goal {failed.id} was neither proved nor decomposed: {failed.reason}"
    near = nearest(tried.trials)
    if near is not None:
        applied = f"{near.strategy} on {near.what}" if near.what and len(near.what) < SHORT else near.strategy
        return f"{reason}; {applied} came nearest: {near.result}"
    worked = [trial for trial in tried.trials if trial.result != NOT_APPLIED and not trial.lemma]
    others = sum(trial.result == NOT_APPLIED for trial in tried.trials)
    steps = list(dict.fromkeys(trial.strategy for trial in worked))
    named = ", ".join(steps[:MOST_NAMED]) + (f" and {len(steps) - MOST_NAMED} more" if len(steps) > MOST_NAMED else "")
    beside = f" ({others} other strategies do not apply)" if others else ""
    return f"{reason}; tried: {named}{beside}" if steps else reason


def _trials(entry: HistoryEntry) -> Iterator[Trial]:
    facts = entry.entry
    reason, strategy = str(facts.get("reason") or ""), str(facts.get("strategy") or "sketch")
    match entry.kind:
        case "trials":
            yield from (Trial.from_json(trial) for trial in facts.get("trials", ()))
        case "rejected":
            yield Trial(strategy, _of(facts), Status.REJECTED, f"rejected: {reason}")
        case "backtrack":
            yield Trial(strategy, _of(facts), Status.OPEN, reason, left=str(facts.get("statement") or ""))
        case "fault":
            yield Trial(str(facts.get("who") or "agent"), "", Status.ERROR, f"failed: {reason}")
        case "model":  # one trial for each reason why replies of a round could not be used or did not hold
            asked = f"model {facts.get('model') or facts.get('role', '')}".strip()
            for why, times in Counter(map(str, facts.get("reasons", ()))).items():
                prompt = str(facts.get("prompt", ""))
                yield Trial(asked, prompt, Status.REJECTED, f"rejected: {why}", times=times)
        case "candidate":
            yield Trial("program", _of(facts), Status.FAILED, reason or str(facts.get("outcome", "")))


def _of(facts: dict[str, Any]) -> str:
    """What a strategy was applied to, from its fingerprint."""
    name, fingerprint = str(facts.get("strategy") or ""), str(facts.get("fingerprint") or "")
    inside = fingerprint.removeprefix(f"{name}(")
    return inside[:-1] if inside != fingerprint and inside.endswith(")") else ""


_STATUS = {NodeStatus.PROVED: "verified", NodeStatus.REFUTED: "rejected", NodeStatus.FAILED: "rejected"}


@dataclass(frozen=True, slots=True)
class ExecutionTrace:
    """One attempt on a goal and what the verifier said."""

    step_id: int
    """Commit that recorded the attempt."""
    code_generated: str
    """The candidate or sketch as JSON, a function as its text; "" when a reply could not be used."""
    verifier_feedback: str
    status: str
    """"success", "failed", or "pending" while its subgoals are open."""
    strategy_used: str | None = None
    """Fingerprint taken from the artefact; None for a direct proof, and for a function that cannot be read."""


@dataclass(frozen=True, slots=True)
class NodeState:
    """Everything that the search knows about its work on one goal."""

    input_query: str
    """The goal; "" for the theorem itself."""
    current_code: str | None = None
    """The proof, or the sketch or candidate under consideration, as JSON; a function as its text."""
    status: str = "pending"
    """pending, verified or rejected; a function that passed its checks is verified when the checker is asked."""
    history: tuple[ExecutionTrace, ...] = ()
    forbidden_strategies: tuple[str, ...] = field(default=())
    """Fingerprints that are banned on this goal now, oldest first."""

    @property
    def fail_count(self) -> int:
        """Number of failed attempts."""
        return sum(trace.status == "failed" for trace in self.history)


def node_state(store: StoreReader, node_id: str) -> NodeState:
    """The state of one goal, live or cut; raises KeyError when there is no such goal."""
    node = store.get(node_id)
    traces: list[ExecutionTrace] = []
    for entry in store.history(node_id):
        _trace(store, traces, entry)
    current = next((node.refs[name] for name in ("proof", "sketch", "candidate") if name in node.refs), None)
    code = _code(store, current) or None
    if node.status is NodeStatus.PROVED:
        if traces and traces[-1].status == "pending":
            traces[-1] = replace(traces[-1], status="success")
        elif code is not None:
            traces.append(ExecutionTrace(store.seq, code, "accepted", "success"))
    status = "verified" if "solution" in node.refs else _STATUS.get(node.status, "pending")
    query, (kind, _) = node.statement, store.meta("task") or ("", {})
    if kind == "code" and not query:  # of a task in words these words
        query = str(json.loads(store.meta("theorem")).get("task", ""))
    return NodeState(query, code, status, tuple(traces), tuple(store.bans(node_id)))


def _code(store: StoreReader, ref: str | None) -> str:
    """What a reference holds: of a candidate for a function its text, else JSON; "" without one."""
    text = store.text(ref) if ref is not None else ""
    value = json.loads(text) if text else None
    return str(value["source"]) if isinstance(value, dict) and value.keys() >= {"source", "digest"} else text


def _trace(store: StoreReader, traces: list[ExecutionTrace], entry: HistoryEntry) -> None:
    facts, pending = entry.entry, bool(traces) and traces[-1].status == "pending"
    reason, strategy = str(facts.get("reason", "")), facts.get("fingerprint")
    code = _code(store, facts.get("candidate_ref") or facts.get("sketch_ref"))
    match entry.kind:
        case "attempt":
            traces.append(ExecutionTrace(entry.seq, code, reason, "failed"))
        case "sketch":
            traces.append(ExecutionTrace(entry.seq, code, "", "pending", strategy))
        case "candidate":
            if traces and traces[-1].status == "success" and code == traces[-1].code_generated:
                traces.pop()  # hostile tests broke what had passed: one attempt, with the last word on it
            status = "success" if facts["outcome"] == "passed" else "failed"
            traces.append(ExecutionTrace(entry.seq, code, reason, status, strategy or None))
        case "rejected" | "backtrack" if pending:
            traces[-1] = replace(traces[-1], status="failed", verifier_feedback=reason)
        case "rejected" | "backtrack":
            traces.append(ExecutionTrace(entry.seq, "", reason, "failed", strategy))


def conversation(store: StoreReader) -> list[dict[str, Any]]:
    """Everything that was asked, answered, tried and decided in a run, in order, as JSON values.

    Each entry has ``seq``, ``node``, ``kind`` and what belongs to the kind; texts stand in full in place of the
    store's references. An exchange with a model has the kind ``model`` and ``exchange``: ``messages``, ``replies``. A
    step of an agent of which nothing more is kept, an accepted proof for instance, has the kind ``step``: ``agent``,
    ``outcome``, ``reason``.
    """
    said = [
        {"seq": seq, "node": node_id, "kind": kind, **resolved(store, entry, "exchange", without="variables")}
        for seq, node_id, kind, entry in store.whole_history()
    ]
    said += [
        {"seq": step.seq, "node": step.node, "kind": "step", "agent": step.agent}
        | {"outcome": step.outcome, "reason": step.reason}
        for step in store.silent_steps()
    ]
    return sorted(said, key=lambda entry: entry["seq"])  # stable: what one commit says stays in its order


def resolved(store: StoreReader, entry: dict[str, Any], *named: str, without: str = "") -> dict[str, Any]:
    """An entry with its values in place of references, those that are ``named`` included."""
    return {
        name.removesuffix("_ref"): store.load(value) if name in named or name.endswith("_ref") else value
        for name, value in entry.items()
        if name != without
    }
