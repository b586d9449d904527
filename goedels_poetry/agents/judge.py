"""The judge looks at the whole theorem before any search: contradictory premises? false outright?

A theorem that a model wrote for a claim is first compared with the claim by another model, where there is one. That
model's yes opens the way to the search and nothing more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.agents.guidance import schedule
from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.agents.rounds import MAX_REASON, ask_round
from goedels_poetry.formalization import (
    FORMAL,
    JUDGEMENT,
    Claim,
    failures,
    set_failed_formalization,
    set_judged_faithful,
    set_stated,
)
from goedels_poetry.languages.base import Outcome
from goedels_poetry.models import Reply, Request
from goedels_poetry.state import NodeStatus, ProofNode, Queue, Verdict
from goedels_poetry.store import Txn

_FINAL = {
    "inconsistent": (Verdict.INCONSISTENT, NodeStatus.FAILED, "the premises contradict each other"),
    "refuted": (Verdict.REFUTED, NodeStatus.REFUTED, "the goal is false"),
    "unknown": (Verdict.UNKNOWN, NodeStatus.FAILED, "the theorem cannot be judged"),
}

_FAULTS_OF_A_FORMALIZATION = ("inconsistent", "unknown")
"""What says nothing about the claim when the premises and definitions are a model's."""

JUDGE_SCHEMA: dict[str, Any] = {
    "title": "judgement",
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "same": {"type": "boolean"},
        "differences": {"type": "array", "items": {"type": "string"}},
        "advice": {"type": "string"},
    },
    "required": ["same"],
}


@agent(queue=Queue.CHECK_SEMANTICS)
async def judge(node: ProofNode, deps: Deps) -> Apply:
    """Ask the language about premises and goal; a theorem that stays open goes to the prover."""
    claim = deps.claim if FORMAL in node.refs else None
    if claim is not None and JUDGEMENT not in node.refs and deps.has_model("judge"):
        return await _compare(node, deps, claim)
    outcome = deps.charge(await deps.language.judge(deps.theorem))
    found = outcome.value.get("verdict", "open")

    def apply(txn: Txn) -> str:
        reason = outcome.value.get("reason") or outcome.reason
        if found not in _FINAL:
            txn.reason = reason
            if claim is not None:
                return set_stated(txn, node, claim)
            txn.put(replace(node, queue=Queue.PROVE))
            return "open"
        verdict, status, default = _FINAL[found]
        txn.reason = reason or default
        if claim is not None and found in _FAULTS_OF_A_FORMALIZATION:
            core = "; ".join(outcome.value.get("core") or ())
            words = f"{txn.reason}: {core}" if core else txn.reason
            most = deps.settings.schedule.max_attempts
            detail = outcome.value if verdict is Verdict.INCONSISTENT else None
            return set_failed_formalization(
                txn, node, words, most=most, stage="premises", verdict=verdict, detail=detail
            )
        txn.put(replace(node, queue=None, status=status, reason=txn.reason))
        txn.set_verdict(verdict, txn.reason, outcome.value)
        return str(verdict)

    return apply


async def _compare(node: ProofNode, deps: Deps, claim: Claim) -> Apply:
    """Ask the model of the role judge once; only a readable yes lets the formal text pass."""
    failed = failures(await deps.store.on_thread(deps.store.history, node.id))
    variables = {"question": claim.text, "statement": deps.theorem.text}
    request = schedule(deps).scheduled(
        Request(
            role="judge",
            prompt="semantics-judge",
            variables=variables,
            attempt=len(failed),
            schema=JUDGE_SCHEMA,
            node=node.id,
            seed=deps.settings.seed,
        )
    )

    async def read(reply: Reply) -> Outcome:
        return Outcome(True, dict(reply.parsed or {}))

    # One sample: of several, the most lenient one would win.
    done = await ask_round(deps, replace(request, samples=1), read)

    def apply(txn: Txn) -> str:
        done.log(txn, node)
        most = deps.settings.schedule.max_attempts
        if done.winner is None:
            reason = f"the judge's answer cannot be used: {done.reason}"
            return set_failed_formalization(txn, node, reason, most=most, stage="judge")
        said = done.winner.value
        reason = _words(said)
        if said["same"]:
            return set_judged_faithful(txn, node, reason)
        reason = f"it does not say what the claim says: {reason}" if reason else "it does not say what the claim says"
        return set_failed_formalization(txn, node, reason, most=most, stage="judge")

    return apply


def _words(said: dict[str, Any]) -> str:
    parts = [said.get("reason", ""), *said.get("differences", ()), said.get("advice", "")]
    return "; ".join(" ".join(part.split()) for part in parts if part.strip())[: 2 * MAX_REASON]


__all__ = ["judge"]
