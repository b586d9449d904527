"""The prover looks for a direct proof of one goal."""

from __future__ import annotations

from typing import Any

from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.languages.base import Outcome
from goedels_poetry.memory import export_subtree
from goedels_poetry.state import ProofNode, Queue
from goedels_poetry.store import Txn


@agent(queue=Queue.PROVE)
async def prover(node: ProofNode, deps: Deps) -> Apply:
    """One attempt: a candidate for the verifier, a counterexample, or a failure for the decider."""
    known = await deps.store.on_thread(find_proved, deps, node)
    if known is not None:
        return lambda txn: deps.moves(txn).set_adopted(node, known)
    outcome = deps.charge(await deps.language.prove(await deps.goal(node)))
    return lambda txn: settle_attempt(txn, deps, node, outcome, Queue.PROVE)


def find_proved(deps: Deps, node: ProofNode) -> list[dict[str, Any]] | None:
    """The same statement, proved elsewhere in this run or in the lemma bank, as a subtree to copy.

    Only for a goal that nobody has worked on yet, so that the tree is as if it had been proved here.
    """
    if node.parent is None or not node.key or node.attempts or node.generation or node.decomposition_attempts:
        return None
    found = deps.store.lemma(node.key)
    if found is not None and deps.store.get(found).statement == node.statement:
        return export_subtree(deps.store, found, origin=f"run:{found}")
    if deps.bank is not None:
        return deps.bank.find(node.key, node.statement, deps.bank_snapshot)
    return None


def settle_attempt(txn: Txn, deps: Deps, node: ProofNode, outcome: Outcome, queue: Queue) -> str:
    """Where a prover's or corrector's outcome leads."""
    moves = deps.moves(txn)
    if "refuted" in outcome.value:
        return moves.set_refuted(node, outcome.value["refuted"])
    if outcome.ok:
        return moves.set_candidate(node, outcome.value["candidate"])
    reason = outcome.words or "no proof found"
    exhausted = queue if outcome.exhausted else None
    return moves.set_failed_proof(node, reason, report=outcome.value.get("report"), exhausted=exhausted)


__all__ = ["find_proved", "prover", "settle_attempt"]
