"""Plain data that everything shares: verdicts, queues, proof nodes, and what LangGraph checkpoints."""

from __future__ import annotations

import re
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from typing import Annotated, Any

from typing_extensions import TypedDict

from goedels_poetry.kernel.verdict import Verdict as Verdict

ROOT = "0"
"""Id of the root of every proof tree."""
UNNAMED = "unknown"
"""Name and fingerprint of a strategy that has none; it is never banned."""

_NODE_ID = re.compile(r"(?:0|L[0-9a-f]+)(?:\.\d+_\d{4})*")


class Queue(StrEnum):
    """Which agent must act next on a node. The order of the members is the order of urgency."""

    FORMALIZE = "formalize"
    CHECK_SEMANTICS = "check_semantics"
    VERIFY = "verify"
    CORRECT = "correct"
    DECIDE = "decide"
    PROVE = "prove"
    RETRIEVE = "retrieve"
    SKETCH = "sketch"
    VERIFY_SKETCH = "verify_sketch"
    CORRECT_SKETCH = "correct_sketch"
    DECOMPOSITION_BACKTRACK = "decomposition_backtrack"
    DECOMPOSE = "decompose"


class NodeStatus(StrEnum):
    """What is known about a node. ``failed``: no agent can do more for it under its parent's sketch."""

    OPEN = "open"
    PROVED = "proved"
    REFUTED = "refuted"
    FAILED = "failed"


class Failure(StrEnum):
    """What went wrong last on a node, for the decider."""

    NONE = ""
    PROOF = "proof"
    SKETCH = "sketch"


@dataclass(frozen=True)
class ProofNode:
    """One goal of the proof tree. Everything big is a reference into the store's blobs, so a row stays small.

    A node stands in at most one queue because the queue is a field. Counters only go up.
    """

    id: str
    """A path: child ``i`` of generation ``g`` of ``X`` is ``X.g_iiii``, so a subtree is one range of keys."""
    statement: str = ""
    """Text in the language; the root's is "" (the theorem itself)."""
    parent: str | None = None
    depth: int = 0
    generation: int = 0
    """How often this node's children were cut off by backtracking: the generation of its present children."""
    language: str = ""
    queue: str | None = None
    status: NodeStatus = NodeStatus.OPEN
    attempts: int = 0
    """Proof attempts used."""
    decomposition_attempts: int = 0
    """Sketches that failed: rejected, or given up by backtracking."""
    strategy: str | None = None
    fingerprint: str | None = None
    """Fingerprint of the present sketch."""
    pending: int = 0
    """Children of the present generation that are not yet proved."""
    blocked: int = 0
    """Nodes of ``waits_for`` that are not yet proved."""
    waits_for: tuple[str, ...] = ()
    """Earlier siblings that this goal may cite; it enters ``prove`` when all of them are proved."""
    scoped: bool = False
    """Whether this goal or an ancestor may cite anything: then its proof holds only in its place."""
    lemmas: tuple[str, ...] = ()
    """Retrieved lemmas that may be cited (ids of lemma roots in the store)."""
    key: str = ""
    """Canonical key of the statement."""
    failure: Failure = Failure.NONE
    exhausted: tuple[str, ...] = ()
    """Queues of which the language said that they can do no more for this node."""
    reason: str = ""
    """The last failure, one line."""
    limit: str = ""
    """The budget that stopped this node or one that was below it, e.g. "depth 20": a larger one reopens it."""
    origin: str = ""
    """Where an adopted proof comes from: "run:<node id>" or "bank:<lemma id>"."""
    refs: dict[str, str] = field(default_factory=dict)
    """Blob hashes: statement, sketch, candidate, proof, report."""

    def to_row(self) -> dict[str, Any]:
        """The row as stored: defaults and the statement's text left out."""
        values = self.__dict__
        return {name: value for name, default in _STORED if (value := values[name]) != default}

    @classmethod
    def from_row(cls, row: dict[str, Any], statement: str) -> ProofNode:
        """The inverse of :meth:`to_row`."""
        for name in ("waits_for", "lemmas", "exhausted"):
            if name in row:
                row[name] = tuple(row[name])
        if "status" in row:
            row["status"] = NodeStatus(row["status"])
        if "failure" in row:
            row["failure"] = Failure(row["failure"])
        return cls(statement=statement, **row)


_STORED = [
    (f.name, f.default_factory() if f.default_factory is not MISSING else f.default)
    for f in fields(ProofNode)
    if f.name != "statement"
]


QUEUE_HEAD = 2
"""Ids that the state shows of each queue: the nodes that are sent out first."""
STEP_REASON = 160
"""Characters of a step's reason in the state; the store has the whole."""


class QueueState(TypedDict):
    """One named queue as the supervisor saw it."""

    length: int
    head: list[str]
    """Ids of its first nodes, at most :data:`QUEUE_HEAD`, in the order in which they are sent out."""


class Step(TypedDict):
    """What one agent did to one node."""

    seq: int
    """Revision that the commit made; of work that was only started, the one that it goes out from."""
    agent: str
    node: str
    outcome: str
    reason: str


def later_revision(one: int, other: int) -> int:
    """Revisions only go up: of several, the latest is the present one."""
    return max(one, other)


def later_step(one: Step | None, other: Step | None) -> Step | None:
    """Of what several agents did at once, the commit that came last."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda step: step["seq"])


class GoedelsPoetryState(TypedDict, total=False):
    """What the supervisor and the agents share and LangGraph checkpoints: constant size, whatever the tree's.

    The store is the truth: before it decides anything the supervisor brings the state up to the store's revision.
    """

    run_id: str
    seq: Annotated[int, later_revision]
    """Store revision of this moment: the anchor for time travel."""
    queues: dict[str, QueueState]
    """Every queue that an agent serves, most urgent first, and any other that holds something."""
    spent: dict[str, float]
    """What the run has spent of its budgets: steps, nodes, attempts, wall_seconds, solver_seconds, model_calls, ..."""
    status: str
    """"running", or how the search ended: "proved" (every goal is; the verdict is the checker's), "finished",
    "exhausted", "out_of_budget"."""
    reason: str
    step: Annotated[Step | None, later_step]
    """What an agent did last."""
    verdict: str
    """The checker's; only in what is read of a run that has ended."""


def child_id(parent: str, generation: int, index: int) -> str:
    """Id of a child; raises ValueError beyond 10,000 children."""
    if not 0 <= index < 10_000:
        raise ValueError(f"a sketch has at most 10,000 children, not {index + 1}")
    return f"{parent}.{generation}_{index:04d}"


def subtree_range(node_id: str, generation: int | None = None) -> tuple[str, str]:
    """Half-open range of keys of all descendants of a node, or of those of one generation."""
    if generation is None:
        return f"{node_id}.", f"{node_id}/"
    return f"{node_id}.{generation}_", f"{node_id}.{generation}`"


def relocate(value: Any, old: str, new: str) -> Any:
    """JSON value in which every string that is the id of ``old``, or of a node below it, moves to ``new``."""
    if isinstance(value, str):
        inside = value == old or value.startswith(f"{old}.")
        return new + value[len(old) :] if inside and _NODE_ID.fullmatch(value) else value
    if isinstance(value, dict):
        return {relocate(k, old, new): relocate(v, old, new) for k, v in value.items()}
    if isinstance(value, list):
        return [relocate(item, old, new) for item in value]
    return value
