"""One turn of the conversation about a question: what is sent, and the program in what comes back.

The conversation is kept whole: the prompt, every program, every report. When it does not fit any more the oldest
exchanges between the prompt and the last program are left out, never the prompt itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.agents.deps import Apply, Deps
from goedels_poetry.agents.guidance import schedule
from goedels_poetry.agents.questions.extraction import program_in, says_unchanged
from goedels_poetry.agents.rounds import Round, ask_round
from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.base import Outcome
from goedels_poetry.models.client import CHARACTERS_PER_TOKEN
from goedels_poetry.models.replies import UnusableReply
from goedels_poetry.models.requests import Reply, Request
from goedels_poetry.tasks.question import (
    CONVERSATION,
    NO_REPLY,
    PROGRAM,
    REPORT,
    Question,
    Turn,
    set_unusable_reply,
    set_written,
)
from goedels_poetry.tree.state import ProofNode
from goedels_poetry.tree.store.txn import Txn

ROOM = 200_000
"""Characters of a conversation that are sent, where the model's context is not known."""
MAX_REPLY = 40_000
"""Characters of a reply without a program that are shown to the model again."""
NOTE = (
    "(Your last reply could not be used: {}. Answer with the whole program in one fenced block, and keep the text "
    "around it short.)"
)
STRIDE = 7_919
"""Between the seeds of two samples: attempts of one sample are far fewer."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is to be said next: a prompt with its variables, after the turns so far."""

    prompt: str
    variables: dict[str, str]
    turns: tuple[Turn, ...] = ()


def question_of(deps: Deps) -> Question:
    """The question that this run is about."""
    if not isinstance(deps.task, Question):
        raise InvalidInput("there is no question to answer")
    return deps.task


def sentences_of(question: Question) -> list[str]:
    """The sentences with a number, in their order; none without a text to rely on."""
    return [s.text for s in question.sentences if s.number is not None] if question.has_text else []


async def conversation(deps: Deps, node: ProofNode) -> tuple[Turn, ...]:
    """The turns so far."""
    return tuple((str(role), str(text)) for role, text in await deps.load(node, CONVERSATION) or ())


async def note_of(deps: Deps, node: ProofNode) -> str:
    """What to say about a reply that could not even be shown again; "" when there was none."""
    report = await deps.load(node, REPORT) or {}
    return NOTE.format(report["reason"]) if report.get("kind") == NO_REPLY else ""


async def ask_for_program(node: ProofNode, deps: Deps, role: str, message: Message) -> Apply:
    """Send, and see what came: one attempt in any case."""
    question = question_of(deps)
    chosen = schedule(deps)
    request = Request(
        role=role,
        prompt=message.prompt,
        variables=message.variables,
        attempt=node.attempts,
        node=node.id,
        seed=deps.settings.seed + STRIDE * question.sample,
        messages=_fitting(deps, role, message),
        schema=_schema(deps, role, question),
    )
    warmth = chosen.step(node.attempts + question.sample).temperature
    request = replace(chosen.scheduled(request), samples=1, temperature=warmth)

    earlier = str(await deps.load(node, PROGRAM) or "")

    async def read(reply: Reply) -> Outcome:
        if earlier and says_unchanged(reply):
            return Outcome(True, {"program": earlier})
        try:
            return Outcome(True, {"program": program_in(reply, question.backend)})
        except UnusableReply as problem:
            return Outcome(False, {}, str(problem))

    done = await ask_round(deps, request, read)
    # What is kept is what was said, not what there was room for.
    said = (*message.turns, *done.messages[len(request.messages) :]) if message.turns else done.messages

    def apply(txn: Txn) -> str:
        done.log(txn, node)
        if done.winner is not None:
            turns = (*said, ("assistant", _shown(done)))
            return set_written(txn, node, done.winner.value["program"], turns)
        return _unusable(txn, node, done, said)

    return apply


def _schema(deps: Deps, role: str, question: Question) -> dict[str, Any] | None:
    """The schema that the server holds the reply to, where the settings say that it always should.

    Otherwise none: a model that may think in words before it writes the program writes a better one.
    """
    endpoint = deps.models.endpoints.get(role) if deps.models is not None else None
    if question.backend != "json" or endpoint is None or endpoint.settings.structured != "on":
        return None
    from goedels_poetry.languages.json_logic.schema import STRUCTURED_SCHEMA

    return STRUCTURED_SCHEMA


def _unusable(txn: Txn, node: ProofNode, done: Round, said: tuple[Turn, ...]) -> str:
    """A reply with words is answered; one without, or an error of the server, leaves the conversation as it was."""
    text = _shown(done)
    broken = done.request.schema is None and any(sample.reply.error for sample in done.samples)
    if broken or done.fault or not text:
        return set_unusable_reply(txn, node, done.reason, None)
    return set_unusable_reply(txn, node, done.reason, (*said, ("assistant", text)))


def _shown(done: Round) -> str:
    text = done.samples[0].reply.text if done.samples else ""
    if len(text) <= MAX_REPLY:
        return text
    return f"{text[: MAX_REPLY // 2]}\n…\n{text[-MAX_REPLY // 2 :]}"


def _fitting(deps: Deps, role: str, message: Message) -> tuple[Turn, ...]:
    """The turns that there is room for: the first prompt, and as many of the latest as fit."""
    turns = message.turns
    room = _room(deps, role) - sum(map(len, message.variables.values()))
    start = next((n + 1 for n, (who, _) in enumerate(turns) if who == "user"), 0)
    head, tail = turns[:start], list(turns[start:])
    room -= sum(len(text) for _, text in head)
    # In pairs, so that user and assistant go on taking turns.
    while len(tail) > 1 and sum(len(text) for _, text in tail) > room:
        tail = tail[2:]
    return (*head, *tail)


def _room(deps: Deps, role: str) -> int:
    endpoint: Any = deps.models.endpoints.get(role) if deps.models is not None else None
    context: int | None = endpoint.settings.context if endpoint is not None else None
    if context is None:
        return ROOM
    reply = int(endpoint.settings.max_tokens or schedule(deps).max_tokens or context // 4)
    return max(0, (context - reply) * CHARACTERS_PER_TOKEN - 2_000)
