"""The formalizer states a claim in the proof language: a model writes, the language reads. It proves nothing."""

from __future__ import annotations

from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.replies import UnusableReply, blocks, code, parse_json_reply
from goedels_poetry.models.requests import Reply, Request, object_of
from goedels_poetry.protocol.base import Examinable, Formalizable, Outcome
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.guidance import schedule
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import ask_round
from goedels_poetry.search.agents.story import MAX_STORY, NOTHING
from goedels_poetry.search.tasks.claim import MAX_FORMAL, Claim, failures, set_failed_formalization, set_formalized
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

FORMAL_SCHEMA = object_of("", formal={"type": "string", "minLength": 1})
"""The other form of a reply that is understood: the text in a JSON object."""


@agent(queue=Queue.FORMALIZE)
async def formalizer(node: ProofNode, deps: Deps) -> Apply:
    """One round: the first text that the language can read goes to the semantics judge."""
    claim, language = deps.task, deps.language
    if not isinstance(claim, Claim) or not isinstance(language, Formalizable):
        raise InvalidInput("there is no claim to formalize")
    failed = failures(await deps.store.on_thread(deps.store.history, node.id))
    texts = {entry["formal_ref"]: deps.store.load(entry["formal_ref"]) for entry in failed if "formal_ref" in entry}
    earlier = [(str(texts.get(e.get("formal_ref"), "")), e["reason"]) for e in failed if not e.get("fault")]
    variables = questions(claim, language, earlier)
    seed, attempt = deps.settings.seed, len(failed)
    request = Request("formalizer", "formalizer", variables, attempt=attempt, node=node.id, seed=seed)

    async def read(reply: Reply) -> Outcome:
        try:
            text = formal_text(reply, language.formal_tags)
        except UnusableReply as problem:
            return Outcome(False, {}, str(problem))
        whole = f"{claim.context}\n{text}" if claim.context else text
        try:
            theorem = await deps.language.read(whole, deps.theorem.options)
        except InvalidInput as problem:
            return Outcome(False, {"formal": whole}, str(problem))
        key = await deps.language.canonical(theorem, "")
        return Outcome(True, {"formal": whole, "statement": theorem.statement, "key": key})

    async def examine(value: dict[str, Any]) -> Outcome:
        assert isinstance(deps.language, Examinable)
        theorem = await deps.language.read(value["formal"], deps.theorem.options)
        return await deps.language.sanity_tests(theorem, claim.context)

    check = examine if isinstance(language, Examinable) else None
    done = await ask_round(deps, schedule(deps).scheduled(request), read, check)

    def apply(txn: Txn) -> str:
        done.log(txn, node)
        if done.winner is not None:
            return set_formalized(txn, node, **done.winner.value, tests=done.winner.report.get("tests", ()))
        shown = [(sample.value or sample.report).get("formal", "") for sample in done.samples]
        stage = "tests" if any(sample.value for sample in done.samples) else "formalizer"
        most = deps.settings.schedule.max_attempts
        rejected = next(filter(None, shown), "")
        return set_failed_formalization(
            txn, node, done.reason, most=most, stage=stage, formal=rejected, fault=done.fault
        )

    return apply


def questions(claim: Claim, language: Formalizable, failed: list[tuple[str, str]]) -> dict[str, str]:
    """The variables of the formalizer's prompt; ``failed``: earlier texts and what was wrong with them."""
    lines = claim.context.count("\n") + 1
    given = f"{claim.context}\n\n(These {lines} lines stay in front of your text.)" if claim.context else NOTHING
    return {
        "question": claim.text,
        "context": given,
        "steps": "\n".join(f"{n}. {step}" for n, step in enumerate(claim.steps, 1)) or NOTHING,
        "language": language.formal_language,
        "history": _story(failed),
        "answer_format": language.formal_format,
    }


def formal_text(reply: Reply, tags: tuple[str, ...]) -> str:
    """The formal text in a reply: in a fenced block, as ``{"formal": ...}``, or all of it.

    Raises:
        UnusableReply: nothing there, too long, or cut off: half a statement may be readable, and another one.
    """
    fenced = blocks(reply.text)
    if (fenced and not fenced[-1].closed) or (not fenced and reply.finish == "length"):
        raise UnusableReply("the reply is cut off before the end of the formal text")
    if any(block.tag in tags for block in fenced):
        text = code(reply.text, tags)
    else:
        try:
            text = str(parse_json_reply(reply.text, FORMAL_SCHEMA)["formal"])
        except UnusableReply:
            text = code(reply.text, tags)
    if len(text) > MAX_FORMAL:
        raise UnusableReply(f"the formal text is longer than {MAX_FORMAL} characters")
    return text


def _story(failed: list[tuple[str, str]]) -> str:
    """Earlier texts and what was wrong with them, oldest first; the latest ones count when there is not room."""
    told: list[str] = []
    room = MAX_STORY
    for text, reason in reversed(failed):
        shown = f"{text[:MAX_STORY]}\n\n" if text else ""
        told.append(f"{shown}Rejected: {reason}")
        room -= len(told[-1])
        if room <= 0:
            break
    return "\n\n---\n\n".join(reversed(told)) or NOTHING
