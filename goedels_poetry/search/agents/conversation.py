"""One turn of a conversation with a model that writes something, for every task: what is sent, and what comes back.

The conversation is kept whole: the first prompt, every artifact, every report. When it does not fit any more,
the oldest exchanges behind the first prompt are left out of what is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.models.client import CHARACTERS_PER_TOKEN
from goedels_poetry.models.replies import UnusableReply
from goedels_poetry.models.requests import Reply, Request
from goedels_poetry.protocol.base import Outcome
from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.agents.guidance import schedule
from goedels_poetry.search.agents.rounds import STRIDE, Round, ask_round
from goedels_poetry.search.tasks.base import (
    ANSWERED,
    CONVERSATION,
    NO_REPLY,
    REPORT,
    Loop,
    Turn,
    set_unusable_reply,
    set_written,
)
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ProofNode

ROOM = 200_000
"""Characters of a conversation that are sent, where the model's context is not known."""
MAX_SHOWN = 40_000
"""Characters of a reply that are shown to the model again."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is said next: a prompt with its variables, after the turns so far."""

    role: str
    prompt: str
    variables: dict[str, str]
    turns: tuple[Turn, ...] = ()
    sample: int = 0
    schema: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Turned:
    """What came back."""

    round: Round
    turns: tuple[Turn, ...] | None
    """The conversation with the reply; None where there is nothing that could be shown again."""

    @property
    def value(self) -> Mapping[str, Any] | None:
        """What was read in the reply."""
        return self.round.winner.value if self.round.winner is not None else None


async def conversation(deps: Deps, node: ProofNode) -> tuple[Turn, ...]:
    """The turns so far."""
    return tuple((str(role), str(text)) for role, text in await deps.load(node, CONVERSATION) or ())


async def note_of(deps: Deps, node: ProofNode, note: str) -> str:
    """``note`` with the fault of a reply that could not even be shown again; "" when there was none."""
    report = await deps.load(node, REPORT) or {}
    return note.format(report["reason"]) if report.get("kind") == NO_REPLY else ""


async def correction(deps: Deps, node: ProofNode, prompt: str, note: str) -> Message:
    """The next turn: what came of the last attempt."""
    report = await deps.load(node, ANSWERED if ANSWERED in node.refs else REPORT)
    variables = {"report": str(report["words"]), "note": await note_of(deps, node, note)}
    role = "corrector" if deps.has_model("corrector") else "formalizer"
    return Message(role, prompt, variables, await conversation(deps, node))


async def say(node: ProofNode, deps: Deps, message: Message, read: Callable[[Reply], Mapping[str, Any]]) -> Turned:
    """Send, and read what comes: one attempt in any case."""
    chosen = schedule(deps)
    request = Request(
        role=message.role,
        prompt=message.prompt,
        variables=message.variables,
        attempt=node.attempts,
        node=node.id,
        seed=deps.settings.seed + STRIDE * message.sample,
        messages=_fitting(deps, message),
        schema=message.schema,
    )
    warmth = chosen.step(node.attempts + message.sample).temperature
    request = replace(chosen.scheduled(request), samples=1, temperature=warmth)

    async def outcome(reply: Reply) -> Outcome:
        try:
            return Outcome(True, dict(await asyncio.to_thread(read, reply)))
        except UnusableReply as problem:
            return Outcome(False, {}, str(problem))

    done = await ask_round(deps, request, outcome)
    # What is kept is what was said, not what there was room for.
    said = (*message.turns, *done.messages[len(request.messages) :]) if message.turns else done.messages
    text = done.samples[0].reply.text if done.samples else ""
    if len(text) > MAX_SHOWN:
        text = f"{text[: MAX_SHOWN // 2]}\n…\n{text[-MAX_SHOWN // 2 :]}"
    broken = done.fault or (message.schema is None and any(sample.reply.error for sample in done.samples))
    if done.winner is None and (broken or not text):
        return Turned(done, None)
    return Turned(done, (*said, ("assistant", text)))


async def write(
    node: ProofNode, deps: Deps, loop: Loop, message: Message, read: Callable[[Reply], Any]
) -> Callable[[Txn], str]:
    """One turn of a task's loop: the artifact that ``read`` finds in the reply is checked next."""
    done = await say(node, deps, message, lambda reply: {loop.artifact: read(reply)})

    def apply(txn: Txn) -> str:
        done.round.log(txn, node)
        if done.value is not None and done.turns is not None:
            return set_written(txn, node, loop, done.value[loop.artifact], done.turns)
        return set_unusable_reply(txn, node, loop, done.round.reason, done.turns)

    return apply


def _fitting(deps: Deps, message: Message) -> tuple[Turn, ...]:
    """The turns that there is room for: the first prompt, and as many of the latest as fit."""
    endpoint: Any = deps.models.endpoints.get(message.role) if deps.models is not None else None
    context: int | None = endpoint.settings.context if endpoint is not None else None
    room = ROOM
    if context is not None:
        reply = int(endpoint.settings.max_tokens or schedule(deps).max_tokens or context // 4)
        room = max(0, (context - reply) * CHARACTERS_PER_TOKEN - 2_000)
    turns = message.turns
    start = next((n + 1 for n, (who, _) in enumerate(turns) if who == "user"), 0)
    head, tail = turns[:start], list(turns[start:])
    room -= sum(map(len, message.variables.values())) + sum(len(text) for _, text in head)
    while len(tail) > 1 and sum(len(text) for _, text in tail) > room:
        tail = tail[2:]  # in pairs, so that user and assistant go on taking turns
    return (*head, *tail)
