"""The prover looks for a direct proof of one goal: the symbolic agents first, then the model.

With ``model_first`` the model has its turn before them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.models.requests import Reply
from goedels_poetry.protocol.base import Goal, ModelGuided, Outcome
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.guidance import guide_of, request_for
from goedels_poetry.search.agents.logged import logged
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.retriever import with_premises
from goedels_poetry.search.agents.rounds import Round, ask_readable, remembered
from goedels_poetry.search.agents.sharing import with_shared_facts
from goedels_poetry.search.agents.sketcher import check_sketch, settle_winner
from goedels_poetry.search.agents.story import PROOF_PROMPTS, rounds_so_far
from goedels_poetry.search.memory import export_subtree
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
    if guide is None or outcome.ok or "refuted" in outcome.value:
        return lambda txn: settle_attempt(txn, deps, node, outcome, Queue.PROVE)
    return await _search(deps, guide, node, goal, outcome)


async def _search(deps: Deps, guide: ModelGuided, node: ProofNode, goal: Goal, direct: Outcome) -> Apply:
    """What the symbolic agents find with a few queries, before a model is asked for anything."""
    queries = deps.settings.symbolic_queries
    found = deps.charge(await guide.sketch_within(goal, queries, leave_open=False)) if queries else Outcome(False)
    if found.ok:
        return lambda txn: deps.moves(txn).set_sketch(node, found.value["sketch"])
    # The symbolic prover may say that it can do no more; the model has its turn all the same.
    more = proofs_left(deps, guide, goal)
    left = replace(direct, reason=direct.words, value={"report": direct.words}) if more else direct
    return lambda txn: settle_attempt(txn, deps, node, left, Queue.PROVE)


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
    done.log(txn, node)
    moves = deps.moves(txn)
    winner = done.winner
    for sample in done.rejected():
        moves.note_rejected_sketch(node, sample.value["sketch"], sample.reason)
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


def find_proved(deps: Deps, node: ProofNode) -> list[dict[str, Any]] | None:
    """The same statement, proved elsewhere in this run or in the lemma bank, as a subtree to copy.

    Only for a goal that nobody has worked on yet, so that the tree is as if it had been proved here.
    """
    if node.parent is None or not node.key or node.attempts or node.generation or node.decomposition_attempts:
        return None
    found = deps.store.lemma(node.key)
    if found is not None and deps.store.get(found).statement == node.statement:
        return export_subtree(deps.store, found, origin=f"run:{found}")
    if deps.bank is not None:
        return deps.bank.find(deps.language.name, node.key, node.statement, deps.bank_snapshot)
    return None


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
