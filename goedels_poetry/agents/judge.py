"""The judge looks at the whole theorem before any search: contradictory premises? false outright?"""

from __future__ import annotations

from dataclasses import replace

from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.state import NodeStatus, ProofNode, Queue, Verdict
from goedels_poetry.store import Txn

_FINAL = {
    "inconsistent": (Verdict.INCONSISTENT, NodeStatus.FAILED, "the premises contradict each other"),
    "refuted": (Verdict.REFUTED, NodeStatus.REFUTED, "the goal is false"),
    "unknown": (Verdict.UNKNOWN, NodeStatus.FAILED, "the theorem cannot be judged"),
}


@agent(queue=Queue.CHECK_SEMANTICS)
async def judge(node: ProofNode, deps: Deps) -> Apply:
    """Ask the language about premises and goal; a theorem that stays open goes to the prover."""
    outcome = deps.charge(await deps.language.judge(deps.theorem))
    found = outcome.value.get("verdict", "open")

    def apply(txn: Txn) -> str:
        reason = outcome.value.get("reason") or outcome.reason
        if found not in _FINAL:
            txn.put(replace(node, queue=Queue.PROVE))
            txn.reason = reason
            return "open"
        verdict, status, default = _FINAL[found]
        txn.reason = reason or default
        txn.put(replace(node, queue=None, status=status, reason=txn.reason))
        txn.set_verdict(verdict, txn.reason, outcome.value)
        return str(verdict)

    return apply


__all__ = ["judge"]
