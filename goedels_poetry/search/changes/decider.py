"""The decider chooses what is done with a verified change: keep, refine, another approach, roll back to a step.

Where nothing is amiss there is nothing to choose. Otherwise a model is asked, where there is one, with the error, the
change, the file as it is, the report and everything that was tried and decided before it; a choice that is not legal
gives way to the table. Every decision is recorded with who made it and why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.models.requests import Reply, Request
from goedels_poetry.protocol.base import Outcome
from goedels_poetry.python.changes import ChangeReport
from goedels_poetry.python.changes.comparing import REACHED
from goedels_poetry.search.agents.decider import PROMPT
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.guidance import schedule
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import Round, ask_round
from goedels_poetry.search.changes.common import change_of, goes_on
from goedels_poetry.search.changes.failing import ChangeFailure
from goedels_poetry.search.changes.moves import MOVES, Situation, chosen_move, legal_moves, preferred
from goedels_poetry.search.changes.wording import decision_variables
from goedels_poetry.search.tasks.attempts import REPORT
from goedels_poetry.search.tasks.change import Change
from goedels_poetry.search.tasks.change_moves import KEPT, PENDING, Decision, set_decision, state_text, steps_of
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

ROLE = "decider"

DECISION_SCHEMA: dict[str, Any] = {
    "title": "decision",
    "type": "object",
    "properties": {"reason": {"type": "string"}, "decision": {"type": "string"}},
    "required": ["reason", "decision"],
    "additionalProperties": False,
}
"""No enumeration: a decision to go back names the step, in one's own words."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What a model was asked about a decision, and its choice where that is a legal one."""

    round: Round
    move: str = ""
    to: int | None = None
    reason: str = ""


@agent(queue=Queue.DECIDE, quick=True, role=ROLE, name="decider", on_failure=ChangeFailure.STOP)
async def decider(node: ProofNode, deps: Deps) -> Apply:
    """The model's choice among the legal moves, or that of the table."""
    task = change_of(deps)
    now = await deps.store.on_thread(situation, deps.store, deps, task, node)
    advice = await _ask(node, deps, task, now)

    def apply(txn: Txn) -> str:
        legal = legal_moves(now)
        move, why = preferred(now)
        by, to = "table", None
        if advice is not None:
            advice.round.log(txn, node)
            if advice.move:
                move, to, by, why = advice.move, advice.to, "model", advice.reason or MOVES[advice.move]
            else:
                why = f"{why} (the model's choice cannot be used: {advice.reason})"
        return set_decision(txn, node, task.case, Decision(move, why, by, to, now.goes_on), legal)

    return apply


def situation(store: StoreReader, deps: Deps, task: Change, node: ProofNode) -> Situation:
    """What the decision is about, as the store has it."""
    report = ChangeReport.from_json(store.load(node.refs[REPORT]))
    in_vain = 0
    for step in reversed(steps_of(store)[1:]):
        if step.get("goal") == REACHED or step.get("better") or step.get("move") == "different":
            break
        in_vain += 1
    kept = state_text(store, node, KEPT, task.text)
    same = PENDING in node.refs and store.load(store.load(node.refs[PENDING])["text"]) == kept
    return Situation(report, goes_on(store, deps, task), in_vain, same)


async def _ask(node: ProofNode, deps: Deps, task: Change, now: Situation) -> Advice | None:
    """The model's advice; None where there is no model, or nothing to choose."""
    choices = legal_moves(now)
    if not deps.has_model(ROLE) or now.report.is_clean or len(choices) < 2:
        return None
    known, words = await deps.store.on_thread(_told, deps.store, task, node, choices)
    request = Request(
        role=ROLE,
        prompt=PROMPT,
        variables=words,
        attempt=node.attempts,
        schema=DECISION_SCHEMA,
        node=node.id,
        seed=deps.settings.seed,
    )

    async def read(reply: Reply) -> Outcome:
        said = reply.parsed or {}
        move, to = chosen_move(str(said.get("decision", "")), choices)
        reason = " ".join(str(said.get("reason", "")).split())[:300]
        if not move:
            return Outcome(False, {}, f"{str(said.get('decision'))[:60]!r} is not one of {', '.join(choices)}")
        if to is not None and to not in known:
            return Outcome(False, {}, f"there is no state after step {to}")
        return Outcome(True, {"move": move, "to": to, "reason": reason})

    done = await ask_round(deps, replace(schedule(deps).scheduled(request), samples=1), read)
    if done.winner is None:
        return Advice(done, reason=done.reason)
    value = done.winner.value
    return Advice(done, value["move"], value["to"], value["reason"])


def _told(
    store: StoreReader, task: Change, node: ProofNode, choices: tuple[str, ...]
) -> tuple[frozenset[int], dict[str, str]]:
    """States that may be gone back to, and what the prompt says."""
    reached = {0} | {
        int(e.entry["step"]) for e in store.history(node.id) if e.kind == "change" and "file_ref" in e.entry
    }
    moves = "\n".join(f"- {move}: {MOVES[move]}" for move in choices)
    return frozenset(reached), {**decision_variables(store, task, node), "moves": moves}
