"""Direct proofs of one goal: the prover (symbolic agents first, then the model), the verifier and the corrector.

With ``model_first`` the model has its turn before the symbolic agents. Verifier and corrector serve sketches, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.protocol.base import Goal, InOrder, ModelGuided, Outcome
from goedels_poetry.search.agents.deps import Apply, Deps, logged
from goedels_poetry.search.agents.guidance import (
    NOT_REPAIRED,
    PROOF_PROMPTS,
    guide_of,
    last_reply,
    reported,
    rounds_so_far,
    shown,
    shown_sketch,
)
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.retriever import find_proved, with_premises, with_shared_facts
from goedels_poetry.search.agents.rounds import Round, outcome_of
from goedels_poetry.search.agents.sketcher import ask_model, settle_winner, sketches_left
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ProofNode, Queue

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
    hint = deps.language.hint(goal) if isinstance(deps.language, InOrder) else None
    if hint is not None and not any(entry.get("fingerprint") == hint["fingerprint"] for entry in goal.history):
        return lambda txn: deps.moves(txn).set_sketch(node, hint)
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
    """One round of proof attempts by a model; each is verified at once, the winner once more by the verifier."""
    if not node.attempts:  # with ``model_first``
        variables = {"tried_proofs": NOTHING_TRIED, **variables}
    goal = await with_premises(deps, goal)
    return await ask_model(deps, guide, node, goal, role, prompt, variables, proof=True)


def settle_round(txn: Txn, deps: Deps, node: ProofNode, guide: ModelGuided, goal: Goal, done: Round) -> str:
    """The winner goes to the verifier; without one the attempt has failed, with the first report."""
    done.note(txn, deps, node)
    settled = settle_winner(txn, deps, node, done)
    if settled:
        return settled
    rejected = next((sample for sample in done.samples if "candidate" in sample.value and not sample.fault), None)
    report: dict[str, Any] = {"report": done.reason}
    if rejected is not None:
        node = replace(node, refs={**node.refs, "candidate": txn.save(rejected.value["candidate"])})
        report = rejected.report or report
    if rounds_so_far(goal, *PROOF_PROMPTS) + 1 >= guide.proof_attempts:
        # A symbolic attempt that is still to come says itself when it was the last.
        over = (Queue.CORRECT,) if deps.settings.model_first else (Queue.PROVE, Queue.CORRECT)
        node = replace(node, exhausted=tuple(dict.fromkeys((*node.exhausted, *map(str, over)))))
    return deps.moves(txn).set_failed_proof(node, done.reason, report=report, fault=done.fault)


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
    if guide is None or sketch.get("deterministic", True):
        outcome = deps.charge(await deps.language.correct_sketch(goal, sketch, report))
        if outcome.ok:
            return lambda txn: deps.moves(txn).set_sketch(node, outcome.value["sketch"])
        reason = outcome.reason or "the sketch could not be repaired"
        return lambda txn: deps.moves(txn).set_uncorrected_sketch(node, reason)
    if not deps.has_model("corrector") or not sketches_left(deps, node, goal):
        return lambda txn: deps.moves(txn).set_uncorrected_sketch(node, node.reason)
    prompt = "repair-false-lemma" if "refuted_child" in (report or {}) else "repair-gap"
    words = {
        "candidate": await last_reply(deps, goal, read=True) or shown_sketch(sketch),
        "report": reported(node.reason, report),
        "answer_format": (await guide.describe(goal))["sketch_format"],
    }
    done = await ask_model(deps, guide, node, goal, "corrector", prompt, words)

    def apply(txn: Txn) -> str:
        done.note(txn, deps, node, known=node.fingerprint or "")
        unmended = f"{node.reason}{NOT_REPAIRED}{done.reason}"  # for the decider, with the sketch that was rejected
        return settle_winner(txn, deps, node, done) or deps.moves(txn).set_uncorrected_sketch(node, unmended)

    return apply


@agent(queue=(Queue.CORRECT, Queue.CORRECT_SKETCH))
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


@agent(queue=(Queue.VERIFY, Queue.VERIFY_SKETCH), checks=True)
@logged
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """Accept or reject, by what the node's queue asks for."""
    of_proof = node.queue == Queue.VERIFY
    goal, made = (
        await deps.goal(node, sketching=not of_proof),
        await deps.load(node, "candidate" if of_proof else "sketch"),
    )
    check = deps.language.verify if of_proof else deps.language.verify_sketch
    found = await outcome_of(deps, "verifier", lambda: check(goal, made))

    def apply(txn: Txn) -> str:
        moves, value = deps.moves(txn), found.value
        if of_proof and found.ok:
            return moves.set_proved(node, value["proof"])
        if of_proof:
            reason = found.reason or "the proof attempt was rejected"
            return moves.set_failed_proof(node, reason, report=value, fault=found.fault)
        if found.ok:
            return moves.set_validated_sketch(node, value.get("sketch"))
        refuted, correctable = value.get("refuted_child"), bool(value.get("correctable"))
        reason = found.reason or ("the sketch was rejected" if refuted is None else f"subgoal {refuted} is false")
        return moves.set_failed_sketch(node, reason, report=value, correctable=correctable, fault=found.fault)

    return apply
