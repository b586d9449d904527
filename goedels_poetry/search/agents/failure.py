"""What an agent's exception or time-out costs its node: what stands in a table for its queue, or what it declares.

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
from goedels_poetry.search.agents.moves import POLICY, legal_moves
from goedels_poetry.search.tasks.attempts import Loop, set_unusable_reply
from goedels_poetry.search.tasks.base import FORMAL
from goedels_poetry.search.tasks.claim import set_failed_formalization
from goedels_poetry.store.state import Failure, ProofNode, Queue
from goedels_poetry.store.txn import Txn

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
        if declared is None or isinstance(declared, str) or callable(declared):
            return {queue: self._one(queue, declared) for queue in queues}
        if not isinstance(declared, Mapping):
            raise ValueError(f"{declared!r} is no failure policy; there are {', '.join(self.moves)}")
        strangers = sorted(set(map(str, declared)) - set(queues))
        if strangers:
            raise ValueError(f"it declares a failure policy for {', '.join(strangers)}, which it does not serve")
        return {queue: self._one(queue, declared.get(queue)) for queue in queues}

    def _one(self, queue: str, declared: Any) -> Policy:
        if declared is None:
            return self.default(queue)
        if callable(declared):
            return Policy(getattr(declared, "__name__", type(declared).__name__), _checked(declared))
        if not isinstance(declared, str) or declared not in self.moves:
            raise ValueError(f"{declared!r} is no failure policy; there are {', '.join(self.moves)}")
        if declared in self.only and queue not in self.only[declared]:
            where = ", ".join(self.only[declared])
            raise ValueError(f"the failure policy {declared} means nothing in the queue {queue}; it is for {where}")
        return Policy(str(declared), self.moves[declared])


def _checked(move: OnFailure) -> OnFailure:
    try:
        inspect.signature(move).bind(None, None, "", None)
    except TypeError as exc:
        raise ValueError(f"its failure policy does not take (txn, node, reason, deps): {exc}") from exc
    return move


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
    move = next(move for move in POLICY[node.failure] if move in legal)
    deps.moves(txn).set_decision(node, move, legal, reason)
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
