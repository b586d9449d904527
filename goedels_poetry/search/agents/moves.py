"""The moves among which the decider chooses: what each is for, the order of preference, which of them are legal."""

from __future__ import annotations

from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.state import Failure, ProofNode, Queue

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


MOST_DETOURS = 20
"""Attempts beyond those that are allowed: an agent with a queue of its own may fail between two stations, and the node
must not go there and back for ever."""


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
        "sketch": proof and may_sketch and node.attempts < settings.max_attempts + MOST_DETOURS,
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
