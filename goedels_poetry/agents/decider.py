"""The decider chooses what to do after a failure, among the moves that code computed as legal.

The choice is a policy table: data, not code. A model, where there is one, is asked after a rejected proposal of
a model; an unreadable or illegal choice of it falls back to the table. Every decision is recorded with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.agents.guidance import guide_of, reported, request_for, rounds_so_far, shown, shown_sketch
from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.agents.rounds import Round, ask_round
from goedels_poetry.languages.base import Outcome
from goedels_poetry.models import Reply
from goedels_poetry.settings import Settings
from goedels_poetry.tree.state import Failure, ProofNode, Queue
from goedels_poetry.tree.store import ProofStore, Txn

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


ENDINGS = frozenset({"keep", "give_up"})
"""Moves after which nothing more is tried on the goal: not a model's to choose while there is another."""

SYNONYMS = {
    "correct": ("correct", "refine", "repair"),
    "prove": ("prove", "different approach", "retry"),
    "sketch": ("sketch", "decompose", "different approach"),
    "resketch": ("resketch", "re-sketch", "different approach", "refine"),
    "backtrack": ("backtrack", "roll back", "rollback"),
}
"""move -> words that a model may use for it."""

DECISION_SCHEMA: dict[str, Any] = {
    "title": "decision",
    "type": "object",
    "properties": {"reason": {"type": "string"}, "decision": {"type": "string"}},
    "required": ["reason", "decision"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Advice:
    """What a model was asked about a decision, and its choice when that is a legal one."""

    round: Round
    move: str = ""
    reason: str = ""


@agent(queue=Queue.DECIDE, quick=True, role="decider")
async def decider(node: ProofNode, deps: Deps) -> Apply:
    """The model's choice among the legal moves, or the first legal move of the policy table."""
    advice = await _ask(node, deps)

    def apply(txn: Txn) -> str:
        legal = legal_moves(deps.store, deps.settings, node)
        move = next(move for move in POLICY[node.failure] if move in legal)
        why = MOVES[move]
        if advice is not None:
            advice.round.log(txn, node)
            if advice.move in legal:
                move, why = advice.move, f"the model chose {advice.move}: {advice.reason}"
            else:
                why = f"{why} (by policy: the model's choice cannot be used: {advice.reason})"
        reason = f"{node.reason}; {why}" if node.reason else why
        return deps.moves(txn).set_decision(node, move, legal, reason, limit=stopping_limit(deps.settings, node))

    return apply


async def _ask(node: ProofNode, deps: Deps) -> Advice | None:
    """The model's advice; None when there is no model, no choice, or nothing of a model's that was rejected."""
    guide = guide_of(deps, "decider")
    if guide is None or "report" not in node.refs:
        return None
    legal = await deps.store.on_thread(legal_moves, deps.store, deps.settings, node)
    choices = [move for move in legal if move not in ENDINGS]
    sketch, candidate = await deps.load(node, "sketch"), await deps.load(node, "candidate")
    by_model = sketch is not None and not sketch.get("deterministic", True)
    if len(choices) < 2 or not (by_model or candidate is not None):
        return None
    goal = await deps.goal(node)
    words = {
        "candidate": shown_sketch(sketch) if by_model else shown(candidate),
        "report": reported(node.reason, await deps.load(node, "report")),
        "moves": "\n".join(f"- {move}: {MOVES[move]}" for move in choices),
    }
    attempt = rounds_so_far(goal, PROMPT)
    request = await request_for(deps, node, goal, "decider", PROMPT, attempt, DECISION_SCHEMA, **words)

    async def read(reply: Reply) -> Outcome:
        said = reply.parsed or {}
        move = chosen_move(str(said.get("decision", "")), choices)
        reason = " ".join(str(said.get("reason", "")).split())[:300]
        if not move:
            return Outcome(False, {}, f"{str(said.get('decision'))[:60]!r} is not one of {', '.join(choices)}")
        return Outcome(True, {"move": move, "reason": reason})

    done = await ask_round(deps, replace(request, samples=1), read)
    if done.winner is None:
        return Advice(done, reason=done.reason)
    return Advice(done, done.winner.value["move"], done.winner.value["reason"])


PROMPT = "post-modification-decision"


def chosen_move(words: str, legal: list[str]) -> str:
    """The legal move that a model's words name; "" for none."""
    said = words.strip().lower().replace("_", " ")
    return next((move for move in legal if said in SYNONYMS.get(move, (move,))), "")


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
        "sketch": proof and may_sketch,
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


__all__ = ["MOVES", "POLICY", "chosen_move", "decider", "legal_moves", "stopping_limit"]
