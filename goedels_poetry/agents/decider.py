"""The decider chooses what to do after a failure, among the moves that code computed as legal.

The choice is a policy table: data, not code. A model, where there is one, is asked after a rejected proposal of
a model; an unreadable or illegal choice of it falls back to the table. Every decision is recorded with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.agents.failure import FailurePolicy
from goedels_poetry.agents.guidance import guide_of, reported, request_for, rounds_so_far, shown, shown_sketch
from goedels_poetry.agents.moves import MOVES, POLICY, legal_moves, stopping_limit
from goedels_poetry.agents.registry import Apply, Deps, agent
from goedels_poetry.agents.rounds import Round, ask_round
from goedels_poetry.languages.base import Outcome
from goedels_poetry.models import Reply
from goedels_poetry.tree.state import ProofNode, Queue
from goedels_poetry.tree.store import Txn

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


@agent(queue=Queue.DECIDE, quick=True, role="decider", on_failure=FailurePolicy.DECIDE_BY_TABLE)
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


__all__ = ["MOVES", "POLICY", "chosen_move", "decider", "legal_moves", "stopping_limit"]
