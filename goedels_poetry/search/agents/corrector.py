"""The corrector repairs a rejected proof attempt or sketch with the verifier's report: symbolically, or by a model."""

from __future__ import annotations

from typing import Any

from goedels_poetry.protocol.base import Goal, ModelGuided
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.guidance import guide_of
from goedels_poetry.search.agents.logged import logged
from goedels_poetry.search.agents.prover import ask_for_proof, proof_prompt, proofs_left, settle_attempt, settle_round
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import Round
from goedels_poetry.search.agents.sketcher import ask_for_sketch, settle_winner, sketches_left
from goedels_poetry.search.agents.story import NOT_REPAIRED, last_reply, reported, shown, shown_sketch
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

# The corrector's other half


async def correct_sketch(node: ProofNode, deps: Deps) -> Apply:
    """One corrected sketch, or the decider's turn."""
    goal = await deps.goal(node, sketching=True)
    sketch, report = await deps.load(node, "sketch"), await deps.load(node, "report")
    guide = guide_of(deps, "prover", "sketcher", "corrector")
    if guide is not None and not sketch.get("deterministic", True):
        if not deps.has_model("corrector") or not sketches_left(deps, node, goal):
            return lambda txn: deps.moves(txn).set_uncorrected_sketch(node, node.reason)
        prompt = "repair-false-lemma" if "refuted_child" in (report or {}) else "repair-gap"
        words = {
            "candidate": await last_reply(deps, goal, read=True) or shown_sketch(sketch),
            "report": reported(node.reason, report),
            "answer_format": (await guide.describe(goal))["sketch_format"],
        }
        done = await ask_for_sketch(deps, guide, node, goal, "corrector", prompt, **words)
        return lambda txn: _settle(txn, deps, node, done)
    outcome = deps.charge(await deps.language.correct_sketch(goal, sketch, report))

    def apply(txn: Txn) -> str:
        moves = deps.moves(txn)
        if outcome.ok:
            return moves.set_sketch(node, outcome.value["sketch"])
        return moves.set_uncorrected_sketch(node, outcome.reason or "the sketch could not be repaired")

    return apply


def _settle(txn: Txn, deps: Deps, node: ProofNode, done: Round) -> str:
    """Like a new sketch; when none holds, the decider sees the rejected one and what became of its repair."""
    done.log(txn, node)
    moves = deps.moves(txn)
    for sample in done.rejected(known=node.fingerprint or ""):
        moves.note_rejected_sketch(node, sample.value["sketch"], sample.reason)
    if done.winner is not None:
        return settle_winner(txn, deps, node, done.winner)
    return moves.set_uncorrected_sketch(node, f"{node.reason}{NOT_REPAIRED}{done.reason}")


@agent(
    queue=(Queue.CORRECT, Queue.CORRECT_SKETCH),
)
@logged
async def corrector(node: ProofNode, deps: Deps) -> Apply:
    """One corrected candidate or sketch, or one more failed attempt."""
    if node.queue == Queue.CORRECT_SKETCH:
        return await correct_sketch(node, deps)
    goal = await deps.goal(node)
    candidate, report = await deps.load(node, "candidate"), await deps.load(node, "report")
    outcome = deps.charge(await deps.language.correct(goal, candidate, report))
    guide = guide_of(deps, "corrector")
    if outcome.ok or guide is None or not proofs_left(deps, guide, goal):
        return lambda txn: settle_attempt(txn, deps, node, outcome, Queue.CORRECT)
    written = await last_reply(deps, goal)
    if not written:  # what was rejected is a query of the search's own: there is nothing in it to read, or to mend
        done = await ask_for_proof(deps, guide, node, goal, "corrector", proof_prompt(goal))
        return lambda txn: settle_round(txn, deps, node, guide, goal, done)
    words = {"candidate": written, "report": shown(report), "answer_format": await _format(guide, goal)}
    prompt = guide.repair_prompt or proof_fault(report, node.reason)
    done = await ask_for_proof(deps, guide, node, goal, "corrector", prompt, **words)
    return lambda txn: settle_round(txn, deps, node, guide, goal, done)


async def _format(guide: ModelGuided, goal: Goal) -> str:
    return (await guide.describe(goal))["proof_format"]


def proof_fault(report: Any, reason: str) -> str:
    """The repair prompt for a kind of error."""
    words = f"{reason} {shown(report)}".lower()
    if any(word in words for word in ("timeout", "timed out", "rlimit", "resource", "memory", "took longer")):
        return "repair-timeout"
    if any(word in words for word in ("unknown symbol", "unknown sort", "expected", "ill-sorted", "cannot be read")):
        return "repair-invalid"
    return "repair-unproved"
