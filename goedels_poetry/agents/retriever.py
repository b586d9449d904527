"""The retriever picks lemmas of earlier runs that may help a goal before it is sketched. It is optional help."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.memory import theory_of
from goedels_poetry.state import ProofNode, Queue
from goedels_poetry.store import Txn


@agent(queue=Queue.RETRIEVE)
async def retriever(node: ProofNode, deps: Deps) -> Apply:
    """Offer the lemmas that hold under the same definitions; without any the goal goes on to the sketcher."""
    bank, snapshot = deps.bank, deps.bank_snapshot
    lemmas: dict[str, list[dict[str, Any]]] = {}
    if bank is not None and snapshot and node.key:
        offers = await deps.store.on_thread(bank.offers, theory_of(node.key), snapshot)
        offers = [offer for offer in offers if offer["statement"] != node.statement]
        if offers:
            outcome = deps.charge(await deps.language.retrieve(await deps.goal(node, sketching=True), offers))
            offered = {offer["id"] for offer in offers}
            for lemma in outcome.value.get("lemmas", ()) if outcome.ok else ():
                body = await deps.store.on_thread(bank.load, lemma, snapshot) if lemma in offered else None
                if body is not None:
                    lemmas[lemma] = body

    def apply(txn: Txn) -> str:
        for lemma, body in lemmas.items():
            txn.remember(f"lemma:{lemma}", body)
        txn.put(replace(node, queue=Queue.SKETCH, lemmas=tuple(lemmas)))
        return f"{len(lemmas)} lemmas" if lemmas else "no lemmas"

    return apply


__all__ = ["retriever"]
