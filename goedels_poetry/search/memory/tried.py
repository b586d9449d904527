"""What a run has tried on a goal, read from its history: trials of jobs, of models and of plug-ins, in one form."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from goedels_poetry.protocol.trials import MOST_KEPT, NOT_APPLIED, Status, Trial, TrialLog, nearest, unfinished
from goedels_poetry.store.reads import HistoryEntry, StoreReader
from goedels_poetry.store.state import NodeStatus, ProofNode
from goedels_poetry.store.state_manager import UNABLE

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
