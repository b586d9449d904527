"""The verifier checks proof attempts and sketches alike, through the language's own verifier."""

from __future__ import annotations

from goedels_poetry.protocol.base import Outcome
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.logged import logged
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import outcome_of
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn


@agent(
    queue=(Queue.VERIFY, Queue.VERIFY_SKETCH),
    checks=True,
)
@logged
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """Accept or reject, by what the node's queue asks for."""
    if node.queue == Queue.VERIFY:
        goal, candidate = await deps.goal(node), await deps.load(node, "candidate")
        outcome = await outcome_of(deps, "verifier", lambda: deps.language.verify(goal, candidate))
        return lambda txn: _settle_proof(txn, deps, node, outcome)
    goal, sketch = await deps.goal(node, sketching=True), await deps.load(node, "sketch")
    outcome = await outcome_of(deps, "verifier", lambda: deps.language.verify_sketch(goal, sketch))
    return lambda txn: _settle_sketch(txn, deps, node, outcome)


def _settle_proof(txn: Txn, deps: Deps, node: ProofNode, outcome: Outcome) -> str:
    moves = deps.moves(txn)
    if outcome.ok:
        return moves.set_proved(node, outcome.value["proof"])
    reason = outcome.reason or "the proof attempt was rejected"
    return moves.set_failed_proof(node, reason, report=outcome.value, fault=outcome.fault)


def _settle_sketch(txn: Txn, deps: Deps, node: ProofNode, outcome: Outcome) -> str:
    moves = deps.moves(txn)
    if outcome.ok:
        return moves.set_validated_sketch(node, outcome.value.get("sketch"))
    refuted = outcome.value.get("refuted_child")
    reason = outcome.reason or ("the sketch was rejected" if refuted is None else f"subgoal {refuted} is false")
    correctable = bool(outcome.value.get("correctable"))
    return moves.set_failed_sketch(node, reason, report=outcome.value, correctable=correctable, fault=outcome.fault)
