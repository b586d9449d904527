"""One turn of the conversation about a change: what is sent, and the change in what comes back.

The conversation is kept whole: the first prompt, every change, every report and decision. When it does not fit any
more the oldest exchanges behind the first prompt are left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.agents.changes.common import MODEL, ROLE, baseline_in, change_of, used
from goedels_poetry.agents.changes.wording import decided, first_variables, shown_file
from goedels_poetry.agents.deps import Apply, Deps
from goedels_poetry.agents.guidance import schedule
from goedels_poetry.agents.rounds import Round, ask_round
from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.base import Outcome
from goedels_poetry.languages.python.changes import ChangeReport, NotApplicable, apply, plain, read_proposal
from goedels_poetry.models.client import CHARACTERS_PER_TOKEN
from goedels_poetry.models.replies import UnusableReply
from goedels_poetry.models.requests import Reply, Request
from goedels_poetry.tasks.change import Change
from goedels_poetry.tasks.change_extraction import change_in
from goedels_poetry.tasks.change_moves import (
    CONVERSATION,
    REPORT,
    STATE,
    Proposed,
    Turn,
    set_proposed,
    state_of,
    state_text,
)
from goedels_poetry.tree.state import ProofNode
from goedels_poetry.tree.store.txn import Txn

ROOM = 200_000
"""Characters of a conversation that are sent, where the model's context is not known."""
MAX_REPLY = 60_000
"""Characters of a reply that the conversation keeps."""
NOTE = "(Your last reply could not be used: {}.)"


async def ask_for_change(node: ProofNode, deps: Deps) -> Apply:
    """Send, and see what came: one attempt in any case."""
    task = change_of(deps)
    turns = tuple((str(role), str(text)) for role, text in await deps.load(node, CONVERSATION) or ())
    text = await deps.store.on_thread(state_text, deps.store, node, STATE, task.text)
    base = int((await deps.store.on_thread(state_of, deps.store, node, STATE))["step"])
    prompt, words = await _message(node, deps, task, text, begun=bool(turns))
    request = Request(
        role=ROLE,
        prompt=prompt,
        variables=words,
        attempt=node.attempts,
        node=node.id,
        seed=deps.settings.seed,
        messages=_fitting(deps, turns, words),
    )
    warmth = schedule(deps).step(node.attempts).temperature
    request = replace(schedule(deps).scheduled(request), samples=1, temperature=warmth)

    async def read(reply: Reply) -> Outcome:
        try:
            return Outcome(True, {"change": change_in(reply)})
        except UnusableReply as problem:
            return Outcome(False, {}, str(problem))

    done = await ask_round(deps, request, read)
    source = f"{MODEL}, attempt {await deps.store.on_thread(used, deps.store, MODEL) + 1}"
    if done.winner is None:
        proposed = Proposed(source, "", base=base, reason=done.reason)
    else:
        proposed = proposal(task, done.winner.value["change"], text, source, base, pieces=True)
    said = (*turns, *done.messages[len(request.messages) :]) if turns else done.messages

    def apply_(txn: Txn) -> str:
        done.log(txn, node)
        reply = _shown(done)
        return set_proposed(txn, node, proposed, (*said, ("assistant", reply)) if reply else None)

    return apply_


async def _message(node: ProofNode, deps: Deps, task: Change, text: str, *, begun: bool) -> tuple[str, dict[str, str]]:
    """The prompt that is sent next, and its variables."""
    stored = await deps.load(node, REPORT)
    report = ChangeReport.from_json(stored) if stored is not None else None
    if not begun:
        words = first_variables(task, await baseline_in(deps, node), text)
        if report is not None:
            tried = f"A change was tried before, and this came of it:\n\n{report.words}"
            words["more"] = f"{words['more']}\n\n{tried}"
        return "change-initial", words
    said = await deps.store.on_thread(decided, deps.store)
    note = NOTE.format(report.failed_application) if report is not None and not report.is_applied else ""
    told = report.words if report is not None else "A person went back to an earlier state of the file."
    return "change-report", {"report": told, "decision": said, "text": shown_file(task, text), "note": note}


def proposal(task: Change, change: str, text: str, source: str, base: int, *, pieces: bool) -> Proposed:
    """A change applied to a text, or why it cannot be."""
    try:
        applied = apply(text, read_proposal(change, plain(text), task.file, link=task.link, pieces=pieces))
    except (InvalidInput, NotApplicable) as problem:
        return Proposed(source, change, base=base, reason=str(problem))
    return Proposed(source, change, applied.text, base, applied.notes)


def _shown(done: Round) -> str:
    text = done.samples[0].reply.text if done.samples else ""
    return text if len(text) <= MAX_REPLY else f"{text[: MAX_REPLY // 2]}\n[...]\n{text[-MAX_REPLY // 2 :]}"


def _fitting(deps: Deps, turns: tuple[Turn, ...], words: dict[str, str]) -> tuple[Turn, ...]:
    """The turns that there is room for: the first prompt, and as many of the latest as fit."""
    endpoint: Any = deps.models.endpoints.get(ROLE) if deps.models is not None else None
    context: int | None = endpoint.settings.context if endpoint is not None else None
    room = ROOM
    if endpoint is not None and context is not None:
        reply = int(endpoint.settings.max_tokens or schedule(deps).max_tokens or context // 4)
        room = max(0, (context - reply) * CHARACTERS_PER_TOKEN - 2_000)
    start = next((n + 1 for n, (who, _) in enumerate(turns) if who == "user"), 0)
    head, tail = turns[:start], list(turns[start:])
    room -= sum(len(text) for _, text in head) + sum(map(len, words.values()))
    kept = tail[:1]  # the answer to the first prompt, so that user and assistant go on taking turns
    rest = tail[1:]
    while rest and sum(len(text) for _, text in (*kept, *rest)) > room:
        rest = rest[2:]
    return (*head, *kept, *rest)
