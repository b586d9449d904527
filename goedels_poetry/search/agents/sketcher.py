"""Decomposition: a sketcher proposes sketches, a decomposer makes subgoals of them, a backtracker prepares another.

Plug-in strategies come first, then the language's own and the model's. With a model: what the symbolic agents can
finish with a few queries, then the model's sketches by the schedule, then what else the symbolic agents have.
"""

from __future__ import annotations

import json
from asyncio import CancelledError, current_task
from dataclasses import replace
from typing import Any

from goedels_poetry.errors import one_line
from goedels_poetry.models.requests import Reply
from goedels_poetry.protocol.base import Goal, ModelGuided, Outcome, Readable, Sequent
from goedels_poetry.search.agents.deps import Apply, Deps, logged
from goedels_poetry.search.agents.guidance import (
    PROOF_PROMPTS,
    SKETCH_PROMPTS,
    failed_subgoal,
    guide_of,
    request_for,
    rounds_so_far,
)
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.retriever import find_proved
from goedels_poetry.search.agents.rounds import (
    REFUTATION,
    Round,
    ask_readable,
    confirmed,
    refuted_with_subgoal,
    remembered,
    settle_refutation,
)
from goedels_poetry.search.strategies import Proposal, Strategy, StrategyGoal, UnusableSketch, fingerprint
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ProofNode, Queue, child_id

# What strategies of plug-ins and callers propose for a goal

HINT = 'goal.induct("x"), goal.cases("x"), goal.lemma("...") and, in Lean, goal.tactics("...") make complete ones'
_CHILD = frozenset({"statement", "candidate", "waits_for", "sketch", "words"})


async def from_strategies(goal: Goal, deps: Deps) -> dict[str, Any] | None:
    """The first sketch that is not banned, of those that past success puts first; None when there is none.

    What a strategy raises, or proposes in a form that is none, is noted as its fault and costs the goal nothing else.
    """
    order = list(goal.preferred)
    usable = [s for s in deps.strategies if s.speaks(deps.language.name)]
    usable.sort(key=lambda s: ([*order, s.name].index(s.name), s.name))
    if not usable:
        return None
    shown = StrategyGoal.of(goal, deps.language.name, await _sequent(goal, deps))
    for strategy in usable:
        try:
            sketch = await _sketch(strategy, await strategy.propose(shown), goal, deps)
        except (Exception, SystemExit, CancelledError) as exc:  # must not cost the goal its own strategies
            task = current_task()
            if task is not None and task.cancelling():  # it was we who have cancelled
                raise
            deps.note_fault(f"strategy {strategy.name}", exc, strategy.plugin)
            continue
        if sketch is not None and sketch["fingerprint"] not in goal.banned:
            return sketch
    return None


async def _sequent(goal: Goal, deps: Deps) -> Sequent:
    """The goal as data, as far as the language says it."""
    plain = goal.statement or deps.theorem.statement or goal.theorem
    try:
        if isinstance(deps.language, Readable):
            return await deps.language.sequent(goal)
        if isinstance(deps.language, ModelGuided):
            text = (await deps.language.describe(goal))["statement"].removesuffix(":= sorry").rstrip()
            return Sequent(goal.statement or text, text)
    except Exception as exc:  # noqa: BLE001  strategies that look at the text alone go on
        deps.note_fault("the goal as data", exc)
    return Sequent(plain, plain)


async def _sketch(strategy: Strategy, said: Any, goal: Goal, deps: Deps) -> dict[str, Any] | None:
    """The sketch that a strategy means; raises UnusableSketch."""
    if said is None:
        return None
    if isinstance(said, Proposal):
        if not isinstance(deps.language, ModelGuided):
            raise UnusableSketch(f"the language {deps.language.name} reads no proposals: return a sketch as a dict")
        read = deps.charge(await deps.language.read_sketch(goal, said.content))
        if not read.ok:
            raise UnusableSketch(read.reason)
        made = read.value["sketch"]
        own = str(made["fingerprint"]).rpartition(":")[2]
        return {**made, "strategy": strategy.name, "fingerprint": f"{strategy.name}:{own}", "deterministic": True}
    _check(said, getattr(deps.language, "sketch_needs", ()), deps.language.name)
    sketch = {"children": [], **said, "strategy": strategy.name}
    sketch.setdefault("fingerprint", fingerprint(strategy.name, sketch))
    return sketch


def _check(said: Any, needs: tuple[str, ...], language: str) -> None:
    """Raise UnusableSketch for a sketch that no language could read; the words name the key."""
    if not isinstance(said, dict):
        raise UnusableSketch(f"a sketch is a dict or a proposal, not {type(said).__name__}; {HINT}")
    children = said.get("children", () if needs and any(need in said for need in needs) else None)
    if not isinstance(children, list | tuple):
        raise UnusableSketch(f"the sketch has no `children`, a list; {HINT}")
    for number, child in enumerate(children):
        if not isinstance(child, dict) or not isinstance(child.get("statement"), str) or not child["statement"].strip():
            raise UnusableSketch(f"child {number} of the sketch has no `statement`, a text")
        odd = sorted(child.keys() - _CHILD)
        if odd:
            raise UnusableSketch(f"child {number} of the sketch has {odd[0]!r}; there are {', '.join(sorted(_CHILD))}")
        waits = child.get("waits_for", ())
        if not isinstance(waits, list | tuple) or any(type(w) is not int or not 0 <= w < number for w in waits):
            raise UnusableSketch(f"`waits_for` of child {number} is no list of positions of earlier children")
    if needs and not any(need in said for need in needs):
        one = " or ".join(f"`{need}`" for need in needs)
        raise UnusableSketch(f"the sketch has no {one}, with which a sketch in {language} says why it holds; {HINT}")
    if not isinstance(said.get("fingerprint", ""), str):
        raise UnusableSketch("the `fingerprint` of the sketch is no text")
    try:
        json.dumps(said, allow_nan=False)
    except (TypeError, ValueError) as exc:
        raise UnusableSketch(f"the sketch is not JSON: {one_line(exc)}") from exc


AGAIN = "that was proposed before, with the same rule and the same lemmas, and is not allowed on this goal any more"

LAST_RESORT = 5
"""How many times the queries of the first search the symbolic agents may pose when the model has no more rounds."""


@agent(queue=Queue.SKETCH)
@logged
async def sketcher(node: ProofNode, deps: Deps) -> Apply:
    """One sketch that is not banned, or the news that there is none left."""
    goal = await deps.goal(node, sketching=True)
    refuted = await refuted_with_subgoal(deps, goal)
    if refuted is not None:
        return lambda txn: settle_refutation(txn, deps, node, refuted.value)
    sketch = await from_strategies(goal, deps)
    if sketch is not None:
        return lambda txn: deps.moves(txn).set_sketch(node, sketch)
    guide = guide_of(deps, "prover", "sketcher")
    if guide is None:
        outcome = deps.charge(await deps.language.sketch(goal))
        return lambda txn: _settle(txn, deps, node, outcome)
    queries = deps.settings.symbolic_queries
    fresh = not rounds_so_far(goal, *SKETCH_PROMPTS, generation=node.generation)
    if fresh and (goal.scope or node.generation):  # there is something new since the prover has searched
        found = deps.charge(await guide.sketch_within(goal, queries, leave_open=False))
        if found.ok:
            return lambda txn: deps.moves(txn).set_sketch(node, found.value["sketch"])
    if deps.has_model("sketcher") and sketches_left(deps, node, goal):
        backtracked = failed_subgoal(goal) if fresh and node.generation else {}
        tried = rounds_so_far(goal, *PROOF_PROMPTS, *SKETCH_PROMPTS)
        prompt = "decomposer-backtrack" if backtracked else "decomposer-subsequent" if tried else "decomposer-initial"
        done = await ask_model(deps, guide, node, goal, "sketcher", prompt, backtracked)
        return lambda txn: settle_sketch_round(txn, deps, node, done)
    last = deps.charge(await guide.sketch_within(goal, LAST_RESORT * queries, leave_open=True))
    return lambda txn: _settle(txn, deps, node, last)


def _settle(txn: Txn, deps: Deps, node: ProofNode, outcome: Outcome) -> str:
    moves = deps.moves(txn)
    if outcome.ok:
        return moves.set_sketch(node, outcome.value["sketch"])
    if outcome.exhausted:
        return moves.set_sketch_exhausted(node, outcome.words or "no strategy is left to try")
    return moves.set_failed_sketch(node, outcome.reason or "no sketch found", report=outcome.value.get("report"))


# -- sketches by a model ---------------------------------------------------------------------------------------


def sketches_left(deps: Deps, node: ProofNode, goal: Goal) -> bool:
    """Whether the model may be asked for another sketch: by the schedule, and once more for every new start."""
    lifted = sum(entry["kind"] == "lift" for entry in goal.history)
    allowed = deps.settings.schedule.max_attempts + node.generation + lifted
    return rounds_so_far(goal, *SKETCH_PROMPTS) < int(allowed)


async def ask_model(
    deps: Deps,
    guide: ModelGuided,
    node: ProofNode,
    goal: Goal,
    role: str,
    prompt: str,
    variables: dict[str, str],
    *,
    proof: bool = False,
) -> Round:
    """One round of sketches by a model, or of proof attempts, of which each may be a sketch or a refutation, too.

    What comes of it is verified here, but for a sketch that is alone: that goes to the verifier as it is.
    """
    kind, prompts = ("proof", PROOF_PROMPTS) if proof else ("sketch", SKETCH_PROMPTS)
    schema, reader = guide.sketch_schema, guide.read_sketch
    if proof:
        schema, reader = guide.proof_schema, guide.read_candidate
    attempt, language = rounds_so_far(goal, *prompts), deps.language
    request = await request_for(deps, node, goal, role, prompt, attempt, schema, **variables)
    banned = {entry["fingerprint"]: entry["reason"] for entry in goal.history if entry["kind"] == "ban"}

    async def read(reply: Reply) -> Outcome:
        said = reply.parsed if reply.parsed is not None else reply.text
        found = await remembered(deps, guide, "validation", goal, [kind, said], lambda: reader(goal, said))
        sketch = found.value.get("sketch") if found.ok else None
        if sketch is None:
            return found
        name = str(sketch["fingerprint"])
        if not proof and name in goal.banned:
            return Outcome(False, {"banned": sketch}, f"{AGAIN}: {banned.get(name, '')}")
        return replace(found, value={"sketch": sketch, "key": name})

    async def check(proposal: dict[str, Any]) -> Outcome:
        if REFUTATION in proposal:
            return await confirmed(deps, goal, proposal[REFUTATION])
        is_candidate = "candidate" in proposal
        if request.samples == 1 and not is_candidate:
            return Outcome(True)
        made = proposal["candidate" if is_candidate else "sketch"]
        verify = language.verify if is_candidate else language.verify_sketch
        return await remembered(deps, guide, "verification", goal, made, lambda: verify(goal, made))

    return await ask_readable(deps, request, read, check)


def settle_winner(txn: Txn, deps: Deps, node: ProofNode, done: Round) -> str:
    """A proof or a sketch goes to the verifier, a refutation that holds ends the goal; "" without a winner."""
    if done.winner is None:
        return ""
    moves, value = deps.moves(txn), done.winner.value
    if "candidate" in value:
        return moves.set_candidate(node, value["candidate"])
    if REFUTATION in value:
        return settle_refutation(txn, deps, node, done.winner.report)
    return moves.set_sketch(node, value["sketch"])


def settle_sketch_round(txn: Txn, deps: Deps, node: ProofNode, done: Round) -> str:
    """The winner goes to the verifier; without one the round has cost one attempt."""
    rejected, moves = done.note(txn, deps, node), deps.moves(txn)
    settled = settle_winner(txn, deps, node, done)
    if settled:
        return settled
    node = replace(node, strategy=None, fingerprint=None)
    banned = next((sample.report["banned"] for sample in done.samples if "banned" in sample.report), None)
    if rejected:
        return moves.set_rejected_round(node, done.reason, rejected[0].value["sketch"], rejected[0].report)
    if banned is not None:
        return moves.set_sketch(node, banned)
    return moves.set_failed_sketch(node, done.reason, fault=done.fault)


@agent(queue=Queue.DECOMPOSE, quick=True)
async def decomposer(node: ProofNode, deps: Deps) -> Apply:
    """Children become nodes, unless the sketch is too deep or goes in a circle: then it has failed."""
    sketch = await deps.load(node, "sketch")
    specs: list[dict[str, Any]] = sketch["children"]
    keys = [await deps.language.canonical(deps.theorem, spec["statement"]) for spec in specs]

    def apply(txn: Txn) -> str:
        moves = deps.moves(txn)
        if specs and node.depth + 1 > deps.settings.budgets.depth:
            return moves.set_failed_sketch(node, f"maximum proof tree depth {deps.settings.budgets.depth} exceeded")
        children = [_child(txn, node, i, spec, keys[i]) for i, spec in enumerate(specs)]
        circular = next((c for c in children if _repeats_an_ancestor(deps, node, c)), None)
        if circular is not None:
            return moves.set_failed_sketch(node, f"subgoal {circular.id} is the goal again: the sketch is a circle")
        known = {c.id: find_proved(deps, c) for c in children if not c.refs}
        adopted = {name: subtree for name, subtree in known.items() if subtree is not None}
        return moves.set_decomposed(node, children, adopted=adopted)

    return apply


def _child(txn: Txn, node: ProofNode, index: int, spec: dict[str, Any], key: str) -> ProofNode:
    earlier = sorted(set(spec.get("waits_for", ())))
    if any(not 0 <= sibling < index for sibling in earlier):
        raise ValueError(f"subgoal {index} waits for {earlier}: only earlier subgoals can be waited for")
    ready = [part for part in ("candidate", "sketch") if spec.get(part) is not None]
    refs = {part: txn.save(spec[part]) for part in ready[:1]}
    sketch = spec["sketch"] if "sketch" in refs else {}
    return ProofNode(
        id=child_id(node.id, node.generation, index),
        statement=spec["statement"],
        parent=node.id,
        depth=node.depth + 1,
        language=node.language,
        waits_for=tuple(child_id(node.id, node.generation, sibling) for sibling in earlier),
        scoped=node.scoped or bool(earlier),
        key=key,
        strategy=sketch.get("strategy"),
        fingerprint=sketch.get("fingerprint"),
        refs=refs,
    )


def _repeats_an_ancestor(deps: Deps, node: ProofNode, child: ProofNode) -> bool:
    """Whether the child asks for what an ancestor asks for, with nothing more to cite."""
    if child.waits_for or not child.key:
        return False
    for ancestor in (node, *deps.store.ancestors(node)):
        if ancestor.key == child.key:
            return True
        if ancestor.waits_for:
            return False
    return False


class SketchBacktrackAgent:
    """Takes a node out of ``decomposition_backtrack`` and tells its next sketcher what failed and what is banned.

    The cut itself has happened in the transaction of the failure; this agent adds the lesson to the history.
    """

    async def __call__(self, node: ProofNode, deps: Deps) -> Apply:
        """The lesson, then retrieval with fresh queries, then a sketch of another kind."""

        def apply(txn: Txn) -> str:
            history = deps.store.history(node.id)
            rounds = [entry.entry for entry in history if entry.kind == "backtrack"]
            last = rounds[-1] if rounds else {}
            banned = [ban["strategy"] for ban in deps.store.bans(node.id).values()]
            txn.log(
                node.id,
                "note",
                reason="the last decomposition could not be proved; use a fundamentally different strategy",
                round=last.get("round", node.decomposition_attempts),
                failed=last.get("failed"),
                statement=last.get("statement"),
                because=last.get("reason"),
                banned=banned,
            )
            txn.reason = str(last.get("reason", ""))
            moves = deps.moves(txn)
            return moves.set_backtracked_sketches([w for w in moves.get_sketches_to_backtrack() if w.id == node.id])

        return apply


backtrack = SketchBacktrackAgent()
agent(queue=Queue.DECOMPOSITION_BACKTRACK, name="backtrack", quick=True)(backtrack)
