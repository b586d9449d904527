"""The moves among which the decider chooses, and what an agent's exception or time-out costs its node.

``@agent(queue=..., on_failure=FailurePolicy.SKIP)``: one of the names below, or a function ``(txn, node, reason,
deps)`` that moves the node and returns the outcome word; for an agent of several queues also a mapping from queue to
either. An agent whose declaration is not understood is not loaded. Our own declare nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.tasks.base import FORMAL, Loop, set_unusable_reply
from goedels_poetry.search.tasks.claim import set_failed_formalization
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import Failure, ProofNode, Queue

MOVES = {
    "correct": "the attempt may be repaired with the verifier's report",
    "prove": "another attempt from the beginning is allowed",
    "sketch": "direct attempts are used up; decompose the goal",
    "resketch": "another sketch is allowed",
    "backtrack": "nothing is left to try here; an ancestor may be sketched differently",
    "keep": "no ancestor can be sketched again; the goal stays open while the others go on",
    "give_up": "no ancestor can be sketched again; the run stops",
}
"""move -> why it may be chosen."""

POLICY: dict[Failure, tuple[str, ...]] = {
    Failure.NONE: ("prove", "sketch", "resketch", "backtrack", "keep", "give_up"),
    Failure.PROOF: ("correct", "prove", "sketch", "backtrack", "keep", "give_up"),
    Failure.SKETCH: ("resketch", "backtrack", "keep", "give_up"),
}
"""kind of failure -> moves in order of preference; the first legal one is taken."""


MOST_DETOURS = 20
"""Attempts beyond those that are allowed: an agent with a queue of its own may fail between two stations, and the node
must not go there and back for ever."""


def legal_moves(store: ProofStore, settings: Settings, node: ProofNode) -> tuple[str, ...]:
    """Moves that the node's counters, the budgets and its ancestors allow; never empty."""
    proof, sketch = node.failure != Failure.SKETCH, node.failure == Failure.SKETCH
    attempts_left = node.attempts < settings.max_attempts
    in_pass = node.attempts % (1 + settings.prover_agent_max_self_corrections) != 0
    resketches = settings.decomposer_agent_max_self_corrections
    may_sketch = (
        Queue.SKETCH not in node.exhausted
        and node.depth < settings.budgets.depth
        and node.decomposition_attempts <= resketches
    )
    hopeless = not any(a.decomposition_attempts < resketches for a in store.ancestors(node))
    legal = {
        "correct": proof
        and attempts_left
        and in_pass
        and {"candidate", "report"} <= node.refs.keys()
        and Queue.CORRECT not in node.exhausted,
        "prove": proof and attempts_left and Queue.PROVE not in node.exhausted,
        "sketch": proof and may_sketch and node.attempts < settings.max_attempts + MOST_DETOURS,
        "resketch": sketch and may_sketch,
        "backtrack": not hopeless,
        "keep": hopeless and settings.when_hopeless == "keep",
        "give_up": hopeless,
    }
    return tuple(move for move, allowed in legal.items() if allowed)


def stopping_limit(settings: Settings, node: ProofNode) -> str:
    """The budget without which this node could go on, with its value: "depth 20", "attempts 2", or ""."""
    budgets = settings.budgets
    if node.depth >= budgets.depth and Queue.SKETCH not in node.exhausted:
        return f"depth {budgets.depth}"
    scheduled = settings.prover_agent_max_pass * (1 + settings.prover_agent_max_self_corrections)
    if node.attempts >= settings.max_attempts < scheduled and Queue.PROVE not in node.exhausted:
        return f"attempts {settings.max_attempts}"
    return ""


OnFailure = Callable[[Txn, ProofNode, str, Deps], str]
"""The move for a node whose agent failed, with the reason; returns the outcome word of the event."""
Declaration = str | OnFailure | Mapping[str, str | OnFailure] | None
"""What ``@agent(on_failure=...)`` takes."""

ERROR = "error"
"""Outcome of the event of a failed agent."""


class FailurePolicy(StrEnum):
    """The failure policies of a search for a proof."""

    FAIL_PROOF = "fail_proof"
    """One proof attempt of the goal is used up, and nothing is rejected; the decider is next."""
    FAIL_SKETCH = "fail_sketch"
    """One decomposition of the goal is used up; what a model has proposed is not held against it."""
    REJECT_FORMALIZATION = "reject_formalization"
    """One attempt to formalize the claim is used up; a theorem that was given formally goes on to the prover."""
    SKIP = "skip"
    """Nothing is used up: the search can do without this help, and the goal goes on to its next station."""
    DECIDE_BY_TABLE = "decide_by_table"
    """The first legal move of the decider's policy table is made."""


class Policy(NamedTuple):
    """What happens to a node of one queue when its agent fails."""

    name: str
    move: OnFailure


@dataclass(frozen=True, slots=True)
class FailureTable:
    """The policies that agents may declare by name, and what holds for those that declare none."""

    moves: Mapping[str, OnFailure]
    """name -> move."""
    defaults: Mapping[str, str]
    """queue -> name."""
    otherwise: str
    """Name of the default for a queue that a plug-in has brought."""
    only: Mapping[str, Collection[str]] = field(default_factory=dict)
    """name -> the queues in which alone it means something."""

    @classmethod
    def of(
        cls, by_queue: Mapping[str, OnFailure], otherwise: OnFailure, only: Mapping[str, Collection[str]] | None = None
    ) -> FailureTable:
        """Policies that are called what their functions are."""
        moves = {move.__name__: move for move in (*by_queue.values(), otherwise)}
        return cls(moves, {queue: move.__name__ for queue, move in by_queue.items()}, otherwise.__name__, only or {})

    def default(self, queue: str) -> Policy:
        """The policy of an agent that declares none."""
        name = self.defaults.get(queue, self.otherwise)
        return Policy(name, self.moves[name])

    def resolve(self, queues: Collection[str], declared: Declaration) -> dict[str, Policy]:
        """Queue -> policy, for each queue that an agent serves; raises ValueError with what is wrong."""
        if not isinstance(declared, Mapping):
            return {queue: self._one(queue, declared) for queue in queues}
        strangers = sorted(set(map(str, declared)) - set(queues))
        if strangers:
            raise ValueError(f"it declares a failure policy for {', '.join(strangers)}, which it does not serve")
        return {queue: self._one(queue, declared.get(queue)) for queue in queues}

    def _one(self, queue: str, declared: Any) -> Policy:
        if declared is None:
            return self.default(queue)
        if callable(declared):
            try:
                inspect.signature(declared).bind(None, None, "", None)
            except TypeError as exc:
                raise ValueError(f"its failure policy does not take (txn, node, reason, deps): {exc}") from exc
            return Policy(getattr(declared, "__name__", type(declared).__name__), declared)
        if not isinstance(declared, str) or declared not in self.moves:
            raise ValueError(f"{declared!r} is no failure policy; there are {', '.join(self.moves)}")
        if declared in self.only and queue not in self.only[declared]:
            where = ", ".join(self.only[declared])
            raise ValueError(f"the failure policy {declared} means nothing in the queue {queue}; it is for {where}")
        return Policy(str(declared), self.moves[declared])


def writes(loop: Loop) -> OnFailure:
    """The policy of an agent that writes: one attempt is used up, as by a reply that holds nothing."""

    def unusable_reply(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
        set_unusable_reply(txn, node, loop, reason, None)
        return ERROR

    return unusable_reply


# -- the policies of a search for a proof ----------------------------------------------------------------------

NEXT_STATION: dict[str, Queue] = {
    Queue.CHECK_SEMANTICS: Queue.PROVE,
    Queue.RETRIEVE: Queue.SKETCH,
    Queue.DECOMPOSITION_BACKTRACK: Queue.RETRIEVE,
}
"""Queues of help that a search can do without -> where a goal goes from there."""


def fail_proof(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`FailurePolicy.FAIL_PROOF`."""
    deps.moves(txn).set_failed_proof(replace(node, failure=Failure.PROOF), reason, fault=True)
    return ERROR


def fail_sketch(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`FailurePolicy.FAIL_SKETCH`."""
    deps.moves(txn).set_failed_sketch(node, reason, fault=True)
    return ERROR


def reject_formalization(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`FailurePolicy.REJECT_FORMALIZATION`."""
    if node.queue == Queue.CHECK_SEMANTICS and FORMAL not in node.refs:
        return skip(txn, node, reason, deps)
    stage = "formalizer" if node.queue == Queue.FORMALIZE else "judge"
    set_failed_formalization(txn, node, reason, most=deps.settings.schedule.max_attempts, stage=stage, fault=True)
    return ERROR


def skip(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`FailurePolicy.SKIP`."""
    txn.log(node.id, "note", reason=reason)
    txn.reason = reason
    txn.put(replace(node, queue=NEXT_STATION[node.queue or ""]))
    return ERROR


def decide_by_table(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """See :attr:`FailurePolicy.DECIDE_BY_TABLE`."""
    legal = legal_moves(deps.store, deps.settings, node)
    deps.moves(txn).set_decision(node, next(m for m in POLICY[node.failure] if m in legal), legal, reason)
    return ERROR


PROOF_FAILURES = FailureTable.of(
    {
        Queue.FORMALIZE: reject_formalization,
        Queue.CHECK_SEMANTICS: reject_formalization,
        Queue.VERIFY: fail_proof,
        Queue.CORRECT: fail_proof,
        Queue.DECIDE: decide_by_table,
        Queue.PROVE: fail_proof,
        Queue.RETRIEVE: skip,
        Queue.SKETCH: fail_sketch,
        Queue.VERIFY_SKETCH: fail_sketch,
        Queue.CORRECT_SKETCH: fail_sketch,
        Queue.DECOMPOSITION_BACKTRACK: skip,
        Queue.DECOMPOSE: fail_sketch,
    },
    otherwise=fail_proof,
    only={
        FailurePolicy.REJECT_FORMALIZATION: (Queue.FORMALIZE, Queue.CHECK_SEMANTICS),
        FailurePolicy.SKIP: tuple(NEXT_STATION),
    },
)
"""A plug-in that takes a queue over and declares nothing fails as our own agent of that queue does."""
