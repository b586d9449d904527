"""The decider chooses what to do after a failure, among the moves that code computed as legal.

The choice is a policy table: data, not code. A model, where there is one, is asked after a rejected proposal of
a model; an unreadable or illegal choice of it falls back to the table. Every decision is recorded with its reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from goedels_poetry.models.requests import Reply, object_of
from goedels_poetry.protocol.base import Goal, ModelGuided, Outcome, Refutable
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.failure import MOVES, POLICY, legal_moves, stopping_limit
from goedels_poetry.search.agents.guidance import (
    PROOF_PROMPTS,
    guide_of,
    last_reply,
    reported,
    request_for,
    rounds_so_far,
    shown,
    shown_sketch,
)
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import REFUTATION, Round, ask_round, confirmed, settle_refutation
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ProofNode, Queue

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

REFUTED = "refuted"
"""What a model may choose besides the moves, where the language can find out whether it is so."""

REFUTED_WORDS = (
    'the goal is false or does not follow; add "refuted", in the form in which a reply about the goal says it: '
    "it is checked, and then the goal ends"
)


@dataclass(frozen=True, slots=True)
class Advice:
    """What a model was asked about a decision, and its choice when that is a legal one."""

    round: Round
    move: str = ""
    reason: str = ""
    to: int | None = None
    """The step to whose state a roll back goes, where the choice names one."""
    refutation: dict[str, Any] = field(default_factory=dict)
    """What a refutation of the goal came to that holds."""


@agent(queue=Queue.DECIDE, quick=True, role="decider")
async def decider(node: ProofNode, deps: Deps) -> Apply:
    """The model's choice among the legal moves, or the first legal move of the policy table."""
    advice = await _ask(node, deps)

    def apply(txn: Txn) -> str:
        if advice is not None and advice.refutation:
            advice.round.log(txn, node)
            return settle_refutation(txn, deps, node, advice.refutation)
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
    rounds = rounds_so_far(goal, *PROOF_PROMPTS)
    if not by_model and not rounds:
        return None  # the candidate is the symbolic agents' own: there is nothing of a model's to judge
    if "correct" in choices and rounds == 1:
        return None  # whoever is shown the report of a first reply may mend it, begin anew or say that it is false
    offered = {move: MOVES[move] for move in choices}
    if isinstance(deps.language, Refutable):
        offered[REFUTED] = REFUTED_WORDS
    attempted = shown_sketch(sketch) if by_model else shown(candidate)
    described = await guide.describe(goal)
    # Whether it looks false, nobody can say without what the goal rests on.
    parts = {"Definitions": "definitions", "Premises": "premises", "Facts that are proved already": "facts"}
    basis = [f"{title}:\n\n{described[name]}\n" for title, name in parts.items() if described[name] != "(none)"]
    words = {
        "statement": "\n".join([*basis, f"Goal:\n\n{described['statement']}"]),
        "candidate": await last_reply(deps, goal, read=by_model) or attempted,
        "report": reported(node.reason, await deps.load(node, "report")),
        "moves": "\n".join(f'- "{move}": {why}' for move, why in offered.items()),
    }
    attempt = rounds_so_far(goal, PROMPT)
    request = await request_for(deps, node, goal, "decider", PROMPT, attempt, decision_schema(offered), **words)

    async def read(reply: Reply) -> Outcome:
        said = reply.parsed or {}
        reason = " ".join(str(said.get("reason", "")).split())[:300]
        if said.get(REFUTED) or said.get("decision") == REFUTED:
            return await _refuted(deps, guide, goal, said.get(REFUTED), reason)
        move = chosen_move(str(said.get("decision", "")), choices)
        if not move:
            return Outcome(False, {}, f"{str(said.get('decision'))[:60]!r} is not one of {', '.join(offered)}")
        return Outcome(True, {"move": move, "reason": reason})

    done = await ask_round(deps, replace(request, samples=1), read)
    if done.winner is None:
        return Advice(done, reason=done.reason)
    return Advice(done, **done.winner.value)


async def _refuted(deps: Deps, guide: ModelGuided, goal: Goal, claim: Any, reason: str) -> Outcome:
    """The choice to end the goal as false, when that is confirmed."""
    if not claim:
        return Outcome(False, {}, 'the choice "refuted" needs a "refuted" beside it that says why')
    found = deps.charge(await guide.read_sketch(goal, {REFUTED: claim}))
    if found.ok:
        found = deps.charge(await confirmed(deps, goal, found.value[REFUTATION]))
    if not found.ok:
        return Outcome(False, {}, f"that the goal is false was not confirmed: {found.words}")
    return Outcome(True, {"move": REFUTED, "reason": reason, REFUTATION: found.value})


def decision_schema(offered: Iterable[str]) -> dict[str, Any]:
    """JSON schema of a decision among these moves."""
    names = dict.fromkeys(name for move in offered for name in (move, *SYNONYMS.get(move, ())))
    moves = {"type": "string", "enum": list(names)}
    return object_of("decision", required=("decision",), reason="string", decision=moves, refuted={})


PROMPT = "post-modification-decision"


def chosen_move(words: str, legal: list[str]) -> str:
    """The legal move that a model's words name; "" for none."""
    said = words.strip().lower().replace("_", " ")
    return next((move for move in legal if said in SYNONYMS.get(move, (move,))), "")
