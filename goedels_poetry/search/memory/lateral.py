"""Lateral thinking as data: what was tried on a goal, what is banned there, and the whole conversation of a run.

All of it is read from the store's history, which backtracking never erases; nothing here is kept twice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from goedels_poetry.store.reads import HistoryEntry, StoreReader
from goedels_poetry.store.state import NodeStatus, ProofNode

_STATUS = {NodeStatus.PROVED: "verified", NodeStatus.REFUTED: "rejected", NodeStatus.FAILED: "rejected"}
_OF_CODE = {"passed": "success"}
"""Outcome of a candidate for a function -> status of its trace; every other one has failed."""


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
    code = _code(store, current) if current else None
    if node.status is NodeStatus.PROVED:
        if traces and traces[-1].status == "pending":
            traces[-1] = replace(traces[-1], status="success")
        elif code is not None:
            traces.append(ExecutionTrace(store.seq, code, "accepted", "success"))
    status = "verified" if "solution" in node.refs else _STATUS.get(node.status, "pending")
    return NodeState(_query(store, node), code, status, tuple(traces), tuple(store.bans(node_id)))


def _query(store: StoreReader, node: ProofNode) -> str:
    """The goal; of a task in words these words."""
    kind, _ = store.meta("task") or ("", {})
    if kind != "code" or node.statement:
        return node.statement
    return str(json.loads(store.meta("theorem")).get("task", ""))


def _code(store: StoreReader, ref: str) -> str:
    """What a reference holds: of a candidate for a function its text, else JSON."""
    text = store.text(ref)
    value = json.loads(text)
    return str(value["source"]) if isinstance(value, dict) and value.keys() >= {"source", "digest"} else text


def _trace(store: StoreReader, traces: list[ExecutionTrace], entry: HistoryEntry) -> None:
    facts = entry.entry
    reason, strategy = str(facts.get("reason", "")), facts.get("fingerprint")
    match entry.kind:
        case "attempt":
            code = store.text(facts["candidate_ref"]) if "candidate_ref" in facts else ""
            traces.append(ExecutionTrace(entry.seq, code, reason, "failed"))
        case "sketch":
            code = store.text(facts["sketch_ref"])
            traces.append(ExecutionTrace(entry.seq, code, "", "pending", strategy))
        case "candidate":
            code = _code(store, facts["candidate_ref"]) if "candidate_ref" in facts else ""
            status = _OF_CODE.get(str(facts["outcome"]), "failed")
            if traces and traces[-1].status == "success" and code == traces[-1].code_generated:
                traces.pop()  # hostile tests broke what had passed: one attempt, with the last word on it
            traces.append(ExecutionTrace(entry.seq, code, reason, status, strategy or None))
        case "rejected" | "backtrack":
            if traces and traces[-1].status == "pending":
                traces[-1] = replace(traces[-1], status="failed", verifier_feedback=reason)
            else:
                traces.append(ExecutionTrace(entry.seq, "", reason, "failed", strategy))


def conversation(store: StoreReader) -> list[dict[str, Any]]:
    """Everything that was asked, answered, tried and decided in a run, in order, as JSON values.

    Each entry has ``seq``, ``node``, ``kind`` and what belongs to the kind; texts stand in full in place of the
    store's references. An exchange with a model has the kind ``model`` and ``exchange``: ``messages``, ``replies``. A
    step of an agent of which nothing more is kept, an accepted proof for instance, has the kind ``step``: ``agent``,
    ``outcome``, ``reason``.
    """
    said = [
        {"seq": seq, "node": node_id, "kind": kind, **_resolved(store, entry)}
        for seq, node_id, kind, entry in store.whole_history()
    ]
    said += [
        {"seq": step.seq, "node": step.node, "kind": "step", "agent": step.agent}
        | {"outcome": step.outcome, "reason": step.reason}
        for step in store.silent_steps()
    ]
    return sorted(said, key=lambda entry: entry["seq"])  # stable: what one commit says stays in its order


def _resolved(store: StoreReader, entry: dict[str, Any]) -> dict[str, Any]:
    """An entry with its texts in place of references; the variables of a prompt stand in the exchange's messages."""
    return {
        name.removesuffix("_ref"): store.load(value) if name == "exchange" or name.endswith("_ref") else value
        for name, value in entry.items()
        if name != "variables"
    }
