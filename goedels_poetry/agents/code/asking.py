"""One turn of the conversation about a function: what is sent, and the function in what comes back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from goedels_poetry.agents.code.extraction import function_in
from goedels_poetry.agents.code.strategies import digest_of, strategy_of
from goedels_poetry.agents.deps import Apply, Deps
from goedels_poetry.agents.guidance import schedule
from goedels_poetry.agents.rounds import Round, ask_round
from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.base import Outcome
from goedels_poetry.models.replies import UnusableReply
from goedels_poetry.models.requests import Reply, Request
from goedels_poetry.tasks.code import CodeTask
from goedels_poetry.tasks.code_moves import (
    CONVERSATION,
    MODEL,
    NO_REPLY,
    REPORT,
    Turn,
    set_unusable_reply,
    set_written,
)
from goedels_poetry.tree.state import ProofNode
from goedels_poetry.tree.store.txn import Txn

ROOM = 120_000
"""Characters of a conversation that are sent."""
MAX_SHOWN = 40_000
"""Characters of a reply that are shown to the model again."""
NOTE = "(Your last reply could not be used: {}. Answer with the whole function in one block fenced as python.)"


def task_of(deps: Deps) -> CodeTask:
    """The task that this run is about."""
    if not isinstance(deps.task, CodeTask):
        raise InvalidInput("there is no function to write")
    return deps.task


async def conversation(deps: Deps, node: ProofNode) -> tuple[Turn, ...]:
    """The turns so far."""
    return tuple((str(role), str(text)) for role, text in await deps.load(node, CONVERSATION) or ())


async def note_of(deps: Deps, node: ProofNode) -> str:
    """What to say about a reply that could not even be shown again; "" when there was none."""
    report = await deps.load(node, REPORT) or {}
    return NOTE.format(report["reason"]) if report.get("kind") == NO_REPLY else ""


async def ask_for_function(node: ProofNode, deps: Deps, request: Request, turns: tuple[Turn, ...]) -> Apply:
    """Send, and see what came: one attempt in any case.

    Args:
        request: role, prompt and variables.
        turns: the conversation so far, which the prompt goes on with.
    """
    task, chosen = task_of(deps), schedule(deps)
    request = replace(request, attempt=node.attempts, node=node.id, seed=deps.settings.seed, messages=_fitting(turns))
    warmth = chosen.step(node.attempts).temperature
    request = replace(chosen.scheduled(request), samples=1, temperature=warmth)

    async def read(reply: Reply) -> Outcome:
        try:  # a long text takes a while to be looked into
            return Outcome(True, await asyncio.to_thread(lambda: candidate_of(function_in(reply, task), task, MODEL)))
        except UnusableReply as problem:
            return Outcome(False, {}, str(problem))

    done = await ask_round(deps, request, read)
    # What is kept is what was said, not what there was room for.
    said = (*turns, *done.messages[len(request.messages) :]) if turns else done.messages

    def apply(txn: Txn) -> str:
        done.log(txn, node)
        text = _shown(done)
        if done.winner is not None:
            return set_written(txn, node, done.winner.value, (*said, ("assistant", text)))
        if not text or done.fault or any(sample.reply.error for sample in done.samples):
            return set_unusable_reply(txn, node, done.reason, None)
        return set_unusable_reply(txn, node, done.reason, (*said, ("assistant", text)))

    return apply


def candidate_of(function: str, task: CodeTask, by: str) -> dict[str, Any]:
    """A candidate as the store keeps it: ``{"source": the module that is tested, "by", "strategy", ...}``."""
    source = task.whole(function)
    found = strategy_of(source, task.function)
    return {
        "source": source,
        "by": by,
        "strategy": found.strategy if found is not None else "",
        "fingerprint": found.text if found is not None else "",
        "tags": sorted(found.tags) if found is not None else [],
        "digest": digest_of(source),
    }


def _shown(done: Round) -> str:
    text = done.samples[0].reply.text if done.samples else ""
    if len(text) <= MAX_SHOWN:
        return text
    return f"{text[: MAX_SHOWN // 2]}\n…\n{text[-MAX_SHOWN // 2 :]}"


def _fitting(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns that there is room for: the first prompt, and as many of the latest as fit."""
    start = next((n + 1 for n, (who, _) in enumerate(turns) if who == "user"), 0)
    head, tail = turns[:start], list(turns[start:])
    room = ROOM - sum(len(text) for _, text in head)
    while len(tail) > 1 and sum(len(text) for _, text in tail) > room:
        tail = tail[2:]  # in pairs, so that user and assistant go on taking turns
    return (*head, *tail)
