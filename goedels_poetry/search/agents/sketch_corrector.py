"""The corrector's other half: a rejected sketch is repaired with the verifier's report."""

from __future__ import annotations

from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.guidance import guide_of
from goedels_poetry.search.agents.rounds import Round
from goedels_poetry.search.agents.sketcher import ask_for_sketch, settle_winner, sketches_left
from goedels_poetry.search.agents.story import NOT_REPAIRED, last_reply, reported, shown_sketch
from goedels_poetry.store.state import ProofNode
from goedels_poetry.store.txn import Txn


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
