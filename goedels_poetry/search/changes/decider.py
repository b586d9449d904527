"""The decider chooses what is done with a verified change: keep, refine, another approach, roll back to a step.

Code computes the legal moves, a table prefers some. Keeping what breaks something that worked is never legal, nor is
keeping a change as progress that made nothing better. Where something is amiss a model is asked, if there is one; an
illegal choice gives way to the table. Every decision is recorded with its author and reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from goedels_poetry.models.requests import Reply, object_of
from goedels_poetry.protocol.base import Outcome
from goedels_poetry.python.changes import ChangeReport
from goedels_poetry.python.changes.comparing import MISSED, OPEN, REACHED
from goedels_poetry.search.agents.decider import PROMPT, Advice
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.failure import ERROR, FailureTable
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import ask_once
from goedels_poetry.search.changes.changer import PATCH, decision_variables, patches_of, used
from goedels_poetry.search.changes.changer import ROLE as AUTHOR
from goedels_poetry.search.tasks.attempts import REPORT
from goedels_poetry.search.tasks.change import (
    KEPT,
    PENDING,
    Change,
    Decision,
    Proposed,
    set_decision,
    set_no_change,
    set_proposed,
    set_report,
    state_text,
    states,
    steps_of,
)
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ROOT, ProofNode, Queue
from goedels_poetry.store.txn import Txn

MOVES = {
    "keep": "the change is kept, and the work is done",
    "keep_partial": "the change is kept as partial progress, and the next one builds on it",
    "refine": "the next change builds on this state of the file",
    "different": "the file goes back to the state that was kept last, for a different approach",
    "roll_back": "the file goes back to an earlier state: the one kept last, or say which: roll back to step N",
    "stop": "nobody has another change: the state that was kept last remains",
}
"""move -> what it does."""

SYNONYMS = {
    "keep": ("keep", "accept", "keep the change", "keep this change", "done"),
    "keep_partial": ("keep partial", "keep as partial progress", "partial", "partial progress", "keep progress"),
    "refine": ("refine", "make additional changes", "additional changes", "correct", "repair"),
    "different": ("different", "different approach", "another approach", "try another approach", "new approach"),
    "roll_back": ("roll back", "rollback", "revert", "undo"),
    "stop": ("stop", "give up"),
}
"""move -> words that a model may use for it."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What a decision is about."""

    report: ChangeReport
    goes_on: bool
    """Whether anybody can propose another change."""
    in_vain: int = 0
    """How many of the last changes, this one included, reached nothing and made nothing better."""
    is_same: bool = False
    """Whether the change leaves the file as the state that was kept last has it."""


def legal_moves(now: Situation) -> tuple[str, ...]:
    """Moves that may be made, in the order of :data:`MOVES`."""
    report = now.report
    sound = report.is_applied and not report.broken
    allowed = {
        "keep": sound and report.goal != MISSED and not (now.is_same and report.goal == OPEN),
        "keep_partial": sound and report.goal == MISSED and bool(report.better) and not now.is_same,
        "refine": now.goes_on,
        "different": now.goes_on,
        "roll_back": report.is_applied,
        "stop": not now.goes_on and not report.is_applied,
    }
    return tuple(move for move, is_legal in allowed.items() if is_legal)


def preferred(now: Situation) -> tuple[str, str]:
    """The move of the table, always a legal one, and why."""
    legal = legal_moves(now)
    return next(((move, why) for move, why in _wanted(now) if move in legal), (legal[-1], MOVES[legal[-1]]))


def _wanted(now: Situation) -> Sequence[tuple[str, str]]:
    report, back = now.report, "it makes nothing better"
    if not report.is_applied:
        return (("refine", "it could not be applied; another one is asked for"), ("stop", MOVES["stop"]))
    if report.is_clean:
        return (("keep", "the goal is reached and nothing broke"),)
    if report.broken:
        back = f"it breaks what worked ({report.broken[0]})"
        reached = report.goal == REACHED
        wanted = ("refine", f"the goal is reached, but {back}") if reached else ("different", back)
    elif report.doubts:
        back = f"nobody has said that this is meant: {report.doubts[0]}"
        wanted = ("refine", back)
    elif report.goal == OPEN:
        back = "it changes nothing"
        wanted = ("keep", "nothing broke, and whether the goal is reached cannot be checked here")
    elif report.better:
        wanted = ("keep_partial", f"the goal is not reached, but nothing broke and {report.better[0]}")
    elif now.in_vain > 1:
        wanted = ("different", "the last changes made nothing better")
    else:
        wanted = ("refine", "nothing broke, and the goal is not reached")
    return wanted, ("roll_back", back)


def chosen_move(words: str, legal: Sequence[str]) -> tuple[str, int | None]:
    """The legal move that a model's words name, and the step that it names with it; ("", None) for none."""
    said = " ".join(re.sub(r"[_\-:.!\"'`*]", " ", words.lower()).split())
    named = re.fullmatch(r"(.*?)(?: (?:to )?(?:the )?(?:step|state|state after step))? ?(?:to )?(\d+)", said)
    bare = named[1].removesuffix(" to") if named is not None else said
    move = next((m for m in legal if bare == m.replace("_", " ") or bare in SYNONYMS[m]), "")
    return move, int(named[2]) if named is not None and move == "roll_back" else None


def no_change(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """One attempt is used up, as by a change that cannot be applied."""
    set_proposed(txn, node, Proposed("nobody", "", reason=reason))
    return ERROR


def not_verified(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The change could not be verified: it counts as one that could not be applied."""
    step = int(txn.store.load(node.refs[PENDING])["step"])
    set_report(txn, node, ChangeReport(failed_application=f"it could not be verified: {reason}"), step)
    return ERROR


def stop(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The run ends with the state that was kept last."""
    set_no_change(txn, node, reason)
    return ERROR


FAILURES = FailureTable.of(
    {Queue.FORMALIZE: no_change, Queue.CORRECT: no_change, Queue.VERIFY: not_verified}, otherwise=stop
)

ROLE = "decider"

DECISION_SCHEMA = object_of("decision", closed=True, reason="string", decision="string")
"""No enumeration: a decision to go back names the step, in one's own words."""


@agent(queue=Queue.DECIDE, quick=True, role=ROLE, name="decider")
async def decider(node: ProofNode, deps: Deps) -> Apply:
    """The model's choice among the legal moves, or that of the table."""
    task = deps.task_as(Change)
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
    known = await deps.store.on_thread(states, deps.store)
    words = await deps.store.on_thread(decision_variables, deps.store, task, node)
    words["moves"] = "\n".join(f"- {move}: {MOVES[move]}" for move in choices)

    async def read(reply: Reply) -> Outcome:
        said = reply.parsed or {}
        move, to = chosen_move(str(said.get("decision", "")), choices)
        reason = " ".join(str(said.get("reason", "")).split())[:300]
        if not move:
            return Outcome(False, {}, f"{str(said.get('decision'))[:60]!r} is not one of {', '.join(choices)}")
        if to is not None and to not in known:
            return Outcome(False, {}, f"there is no state after step {to}")
        return Outcome(True, {"move": move, "to": to, "reason": reason})

    done = await ask_once(deps, node, ROLE, PROMPT, words, DECISION_SCHEMA, read=read)
    return Advice(done, reason=done.reason) if done.winner is None else Advice(done, **done.winner.value)


def goes_on(store: StoreReader, deps: Deps, task: Change) -> bool:
    """Whether anybody can propose another change."""
    if used(store, PATCH) < len(patches_of(store, task)):
        return True
    if not deps.has_model(AUTHOR):
        return False
    entries = store.history(ROOT)
    back = max((n for n, e in enumerate(entries) if e.kind == "decision" and e.entry.get("by") == "person"), default=-1)
    later = entries[back + 1 :]  # changes that were given are no attempts of the model's
    given = sum(e.kind == "change" and str(e.entry.get("source", "")).startswith(PATCH) for e in later)
    return store.root().attempts - given < task.max_attempts
