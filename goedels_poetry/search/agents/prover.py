"""Direct proofs of one goal: the prover (symbolic agents first, then the model), the verifier and the corrector.

With ``model_first`` the model has its turn before the symbolic agents. Verifier and corrector serve sketches, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.models.requests import Reply
from goedels_poetry.protocol.base import Goal, ModelGuided, Outcome
from goedels_poetry.search.agents.deps import Apply, Deps, logged
from goedels_poetry.search.agents.guidance import (
    NOT_REPAIRED,
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
from goedels_poetry.search.agents.retriever import find_proved, with_premises, with_shared_facts
from goedels_poetry.search.agents.rounds import Round, ask_readable, outcome_of, remembered
from goedels_poetry.search.agents.sketcher import ask_for_sketch, check_sketch, settle_winner, sketches_left
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

NOTHING_TRIED = "Nothing else has tried it yet."
"""In the place of what a language says has failed before a model is asked."""


@agent(queue=Queue.PROVE)
@logged
async def prover(node: ProofNode, deps: Deps) -> Apply:
    """One attempt: a candidate for the verifier, a counterexample, or a failure for the decider."""
    known = await deps.store.on_thread(find_proved, deps, node)
    if known is not None:
        return lambda txn: deps.moves(txn).set_adopted(node, known)
    goal = await deps.goal(node)
    guide = guide_of(deps, "prover", "sketcher")
    turn = node.attempts or deps.settings.model_first
    if guide is not None and turn and proofs_left(deps, guide, goal):
        shared = await with_shared_facts(deps, node, goal)
        done = await ask_for_proof(deps, guide, shared.node, shared.goal, "prover", proof_prompt(goal))

        def apply(txn: Txn) -> str:
            shared.keep(txn)
            return settle_round(txn, deps, shared.node, guide, shared.goal, done)

        return apply
    outcome = deps.charge(await deps.language.prove(goal))
    if guide is not None and not outcome.ok and "refuted" not in outcome.value:
        # A few queries of the symbolic agents come before a model is asked for anything.
        queries = deps.settings.symbolic_queries
        found = deps.charge(await guide.sketch_within(goal, queries, leave_open=False)) if queries else Outcome(False)
        if found.ok:
            return lambda txn: deps.moves(txn).set_sketch(node, found.value["sketch"])
        if proofs_left(deps, guide, goal):  # the symbolic prover may say that it can do no more: the model has its turn
            outcome = replace(outcome, reason=outcome.words, value={"report": outcome.words})
    return lambda txn: settle_attempt(txn, deps, node, outcome, Queue.PROVE)


def proofs_left(deps: Deps, guide: ModelGuided, goal: Goal) -> bool:
    """Whether the model may be asked for another direct proof of a goal."""
    return deps.has_model("prover") and rounds_so_far(goal, *PROOF_PROMPTS) < guide.proof_attempts


def proof_prompt(goal: Goal) -> str:
    """The first question about a goal, or one that speaks of earlier attempts."""
    return "prover-subsequent" if rounds_so_far(goal, *PROOF_PROMPTS) else "prover-initial"


async def ask_for_proof(
    deps: Deps, guide: ModelGuided, node: ProofNode, goal: Goal, role: str, prompt: str, **variables: str
) -> Round:
    """One round of proof attempts by a model; each is verified here, the winner once more by the verifier.

    A model that sees that lemmas or an induction are needed may say so at once: a reply may be a sketch.
    """
    attempt = rounds_so_far(goal, *PROOF_PROMPTS)
    goal = await with_premises(deps, goal)
    if not node.attempts:  # with ``model_first``
        variables = {"tried_proofs": NOTHING_TRIED, **variables}
    request = await request_for(deps, node, goal, role, prompt, attempt, guide.proof_schema, **variables)

    async def read(reply: Reply) -> Outcome:
        said = reply.parsed if reply.parsed is not None else reply.text
        found = await remembered(
            deps, guide, "validation", goal, ["proof", said], lambda: guide.read_candidate(goal, said)
        )
        sketch = found.value.get("sketch") if found.ok else None
        return found if sketch is None else replace(found, value={"sketch": sketch, "key": str(sketch["fingerprint"])})

    async def check(proposal: dict[str, Any]) -> Outcome:
        made = proposal.get("candidate")
        if made is None:
            return await check_sketch(deps, guide, goal, proposal, alone=request.samples == 1)
        return await remembered(deps, guide, "verification", goal, made, lambda: deps.language.verify(goal, made))

    return await ask_readable(deps, request, read, check)


def settle_round(txn: Txn, deps: Deps, node: ProofNode, guide: ModelGuided, goal: Goal, done: Round) -> str:
    """The winner goes to the verifier; without one the attempt has failed, with the first report."""
    done.note(txn, deps, node)
    moves, winner = deps.moves(txn), done.winner
    if winner is not None and "candidate" in winner.value:
        return moves.set_candidate(node, winner.value["candidate"])
    if winner is not None:
        return settle_winner(txn, deps, node, winner)
    rejected = next((sample for sample in done.samples if "candidate" in sample.value and not sample.fault), None)
    report: dict[str, Any] = {"report": done.reason}
    if rejected is not None:
        node = replace(node, refs={**node.refs, "candidate": txn.save(rejected.value["candidate"])})
        report = rejected.report or report
    if rounds_so_far(goal, *PROOF_PROMPTS) + 1 >= guide.proof_attempts:
        # A symbolic attempt that is still to come says itself when it was the last.
        over = (Queue.CORRECT,) if deps.settings.model_first else (Queue.PROVE, Queue.CORRECT)
        node = replace(node, exhausted=tuple(dict.fromkeys((*node.exhausted, *map(str, over)))))
    return moves.set_failed_proof(node, done.reason, report=report, fault=done.fault)


def settle_attempt(txn: Txn, deps: Deps, node: ProofNode, outcome: Outcome, queue: Queue) -> str:
    """Where a prover's or corrector's outcome leads."""
    moves = deps.moves(txn)
    if "refuted" in outcome.value:
        return moves.set_refuted(node, outcome.value["refuted"])
    if outcome.ok:
        return moves.set_candidate(node, outcome.value["candidate"])
    reason = outcome.words or "no proof found"
    exhausted = queue if outcome.exhausted else None
    return moves.set_failed_proof(node, reason, report=outcome.value.get("report"), exhausted=exhausted)


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
        return lambda txn: _settle_correction(txn, deps, node, done)
    outcome = deps.charge(await deps.language.correct_sketch(goal, sketch, report))

    def apply(txn: Txn) -> str:
        moves = deps.moves(txn)
        if outcome.ok:
            return moves.set_sketch(node, outcome.value["sketch"])
        return moves.set_uncorrected_sketch(node, outcome.reason or "the sketch could not be repaired")

    return apply


def _settle_correction(txn: Txn, deps: Deps, node: ProofNode, done: Round) -> str:
    """Like a new sketch; when none holds, the decider sees the rejected one and what became of its repair."""
    done.note(txn, deps, node, known=node.fingerprint or "")
    if done.winner is not None:
        return settle_winner(txn, deps, node, done.winner)
    return deps.moves(txn).set_uncorrected_sketch(node, f"{node.reason}{NOT_REPAIRED}{done.reason}")


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
    prompt, words = proof_prompt(goal), dict[str, str]()
    if written:  # else it was a query of the search's own that was rejected: there is nothing in it to read, or to mend
        prompt = guide.repair_prompt or proof_fault(report, node.reason)
        form = (await guide.describe(goal))["proof_format"]
        words = {"candidate": written, "report": shown(report), "answer_format": form}
    done = await ask_for_proof(deps, guide, node, goal, "corrector", prompt, **words)
    return lambda txn: settle_round(txn, deps, node, guide, goal, done)


REPAIRS = {
    "repair-timeout": ("timeout", "timed out", "rlimit", "resource", "memory", "took longer"),
    "repair-invalid": ("unknown symbol", "unknown sort", "expected", "ill-sorted", "cannot be read"),
}
"""Repair prompt -> what is in a report that it is about; any other proof is repaired as one that proves too little."""


def proof_fault(report: Any, reason: str) -> str:
    """The repair prompt for a kind of error."""
    words = f"{reason} {shown(report)}".lower()
    return next((prompt for prompt, signs in REPAIRS.items() if any(s in words for s in signs)), "repair-unproved")


@agent(
    queue=(Queue.VERIFY, Queue.VERIFY_SKETCH),
    checks=True,
)
@logged
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """Accept or reject, by what the node's queue asks for."""
    if node.queue == Queue.VERIFY:
        goal, candidate = await deps.goal(node), await deps.load(node, "candidate")
        outcome = await outcome_of(deps, "verifier", lambda: deps.language.verify(goal, candidate))
        return lambda txn: _settle_proof(txn, deps, node, outcome)
    goal, sketch = await deps.goal(node, sketching=True), await deps.load(node, "sketch")
    outcome = await outcome_of(deps, "verifier", lambda: deps.language.verify_sketch(goal, sketch))
    return lambda txn: _settle_sketch(txn, deps, node, outcome)


def _settle_proof(txn: Txn, deps: Deps, node: ProofNode, outcome: Outcome) -> str:
    moves = deps.moves(txn)
    if outcome.ok:
        return moves.set_proved(node, outcome.value["proof"])
    reason = outcome.reason or "the proof attempt was rejected"
    return moves.set_failed_proof(node, reason, report=outcome.value, fault=outcome.fault)


def _settle_sketch(txn: Txn, deps: Deps, node: ProofNode, outcome: Outcome) -> str:
    moves = deps.moves(txn)
    if outcome.ok:
        return moves.set_validated_sketch(node, outcome.value.get("sketch"))
    refuted = outcome.value.get("refuted_child")
    reason = outcome.reason or ("the sketch was rejected" if refuted is None else f"subgoal {refuted} is false")
    correctable = bool(outcome.value.get("correctable"))
    return moves.set_failed_sketch(node, reason, report=outcome.value, correctable=correctable, fault=outcome.fault)
