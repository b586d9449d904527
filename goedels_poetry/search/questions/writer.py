"""The formalizer writes the program that answers a question, the corrector a better one in the same conversation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.requests import Reply
from goedels_poetry.search.agents.conversation import Message, correction, note_of, say
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.questions.extraction import program_in, says_unchanged
from goedels_poetry.search.questions.failing import QuestionFailure
from goedels_poetry.search.questions.wording import first_prompt, variables
from goedels_poetry.search.tasks.question import PROGRAM, Question, set_unusable_reply, set_written
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

ROLE, REPORT_PROMPT = "formalizer", "question-report"
NOTE = (
    "(Your last reply could not be used: {}. Answer with the whole program in one fenced block, and keep the text "
    "around it short.)"
)


def question_of(deps: Deps) -> Question:
    """The question that this run is about."""
    if not isinstance(deps.task, Question):
        raise InvalidInput("there is no question to answer")
    return deps.task


def sentences_of(question: Question) -> list[str]:
    """The sentences with a number, in their order; none without a text to rely on."""
    return [s.text for s in question.sentences if s.number is not None] if question.has_text else []


@agent(queue=Queue.FORMALIZE, name="formalizer", on_failure=QuestionFailure.UNUSABLE_REPLY)
async def formalizer(node: ProofNode, deps: Deps) -> Apply:
    """Ask for a program; the prompt says what was wrong with a reply that was none."""
    question = question_of(deps)
    note = await note_of(deps, node, NOTE)
    prompt = first_prompt(question)
    words = variables(question, note, deps.models.prompts if deps.models is not None else None)
    if question.conversation and deps.models is not None:
        first = deps.models.prompts.get(prompt).messages(words)
        *earlier, (_, last) = question.conversation
        again = Message(ROLE, REPORT_PROMPT, {"report": last, "note": note}, (*first, *earlier))
        return await _program(node, deps, again)
    return await _program(node, deps, Message(ROLE, prompt, words))


@agent(queue=Queue.CORRECT, name="corrector", on_failure=QuestionFailure.UNUSABLE_REPLY)
async def corrector(node: ProofNode, deps: Deps) -> Apply:
    """One more turn."""
    return await _program(node, deps, await correction(deps, node, REPORT_PROMPT, NOTE))


async def _program(node: ProofNode, deps: Deps, message: Message) -> Apply:
    question = question_of(deps)
    earlier = str(await deps.load(node, PROGRAM) or "")

    def read(reply: Reply) -> dict[str, Any]:
        unchanged = bool(earlier) and says_unchanged(reply)
        return {"program": earlier if unchanged else program_in(reply, question.backend)}

    schema = _schema(deps, message.role, question)
    done = await say(node, deps, replace(message, sample=question.sample, schema=schema), read)

    def apply(txn: Txn) -> str:
        done.round.log(txn, node)
        if done.value is not None and done.turns is not None:
            return set_written(txn, node, done.value["program"], done.turns)
        return set_unusable_reply(txn, node, done.round.reason, done.turns)

    return apply


def _schema(deps: Deps, role: str, question: Question) -> dict[str, Any] | None:
    """The schema that the server holds the reply to, where the settings say that it always should.

    Otherwise none: a model that may think in words before it writes the program writes a better one.
    """
    endpoint = deps.models.endpoints.get(role) if deps.models is not None else None
    if question.backend != "json" or endpoint is None or endpoint.settings.structured != "on":
        return None
    from goedels_poetry.questions.json.schema import STRUCTURED_SCHEMA

    return STRUCTURED_SCHEMA
