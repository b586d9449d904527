"""The generator writes a candidate, or takes one that was enumerated; the corrector asks for a better one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.requests import Reply
from goedels_poetry.search.agents.conversation import Message, correction, note_of, say
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.code import strategies
from goedels_poetry.search.code.extraction import function_in
from goedels_poetry.search.code.failing import CodeFailure
from goedels_poetry.search.code.strategies import Forbidden, candidate_of
from goedels_poetry.search.code.symbolic import MOST_ROUNDS, Known, enumerated
from goedels_poetry.search.code.wording import context_of, evidence_words, forbidden_words, history_words, query_of
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.search.tasks.code_moves import (
    EVIDENCE,
    MODEL,
    candidates,
    rounds_of,
    set_enumerated,
    set_move,
    set_unusable_reply,
    set_written,
)
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

ROLE = "formalizer"
NOTE = "(Your last reply could not be used: {}. Answer with the whole function in one block fenced as python.)"
NOTHING_LEFT = "no small function that was found passes every check, and there is no language model to ask"


def task_of(deps: Deps) -> CodeTask:
    """The task that this run is about."""
    if not isinstance(deps.task, CodeTask):
        raise InvalidInput("there is no function to write")
    return deps.task


@agent(queue=Queue.FORMALIZE, name="generator", on_failure=CodeFailure.UNUSABLE_REPLY)
async def generator(node: ProofNode, deps: Deps) -> Apply:
    """Enumerate where that may help and has not been done; then ask for a function, with what is not allowed."""
    task, by_model = task_of(deps), deps.has_model(ROLE)
    history = await deps.store.on_thread(deps.store.history, node.id)
    bans = await deps.store.on_thread(deps.store.bans, node.id)
    forbidden = strategies.forbidden_strategies(task, bans)
    failing = await deps.load(node, EVIDENCE) or []
    if may_enumerate(task, rounds_of(history), by_model=by_model):
        digests = frozenset(str(entry.get("digest")) for entry in candidates(history))
        known = Known(deps.settings.seed, digests, tuple(failing))
        found = await enumerated(task, forbidden, known, brief=by_model)
        return lambda txn: set_enumerated(txn, node, found.candidate, found.note, passes=found.passes)
    if not by_model:
        reason = f"{NOTHING_LEFT}; {node.reason}" if node.reason else NOTHING_LEFT
        return lambda txn: set_move(txn, node, "give_up", reason)
    known_so_far = (context_of(task), history_words(candidates(history)), evidence_words(task.function, failing))
    context = "\n\n".join(filter(None, (*known_so_far, await note_of(deps, node, NOTE))))
    return await _function(node, deps, generate_solution(query_of(task), context, forbidden))


@agent(queue=Queue.CORRECT, name="corrector", on_failure=CodeFailure.UNUSABLE_REPLY)
async def corrector(node: ProofNode, deps: Deps) -> Apply:
    """One more turn: what came of the last function."""
    return await _function(node, deps, await correction(deps, node, "code-report", NOTE))


def may_enumerate(task: CodeTask, rounds: Sequence[bool], *, by_model: bool) -> bool:
    """Whether small functions are enumerated now; ``rounds``: whether what earlier ones found passed."""
    if not task.can_be_synthesised or (by_model and task.model_first):
        return False
    return not rounds or (not by_model and rounds[-1] and len(rounds) < MOST_ROUNDS)


def generate_solution(query: str, context: str = "", forbidden_strategies: Sequence[Forbidden | str] = ()) -> Message:
    """The request for a function.

    Args:
        query: what is wanted and how it is checked, in words.
        context: code that stands before it, and what is known of earlier attempts.
        forbidden_strategies: what must not be used, each with the evidence where there is some.
    """
    forbidden = [each if isinstance(each, Forbidden) else Forbidden(each) for each in forbidden_strategies]
    variables = {"query": query, "context": context, "forbidden": forbidden_words(forbidden)}
    return Message(ROLE, "code-generate", variables)


async def _function(node: ProofNode, deps: Deps, message: Message) -> Apply:
    task = task_of(deps)

    def read(reply: Reply) -> dict[str, Any]:
        return candidate_of(function_in(reply, task), task, MODEL)

    done = await say(node, deps, message, read)

    def apply(txn: Txn) -> str:
        done.round.log(txn, node)
        if done.value is not None:
            return set_written(txn, node, done.value, done.turns)
        return set_unusable_reply(txn, node, done.round.reason, done.turns)

    return apply
