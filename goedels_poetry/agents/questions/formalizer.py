"""The formalizer writes the program that answers a question: the first turn of the conversation."""

from __future__ import annotations

from goedels_poetry.agents.deps import Apply, Deps
from goedels_poetry.agents.questions.asking import Message, ask_for_program, note_of, question_of
from goedels_poetry.agents.questions.failing import QuestionFailure
from goedels_poetry.agents.questions.wording import first_prompt, variables
from goedels_poetry.agents.registry import agent
from goedels_poetry.tree.state import ProofNode, Queue

ROLE = "formalizer"


@agent(queue=Queue.FORMALIZE, name="formalizer", on_failure=QuestionFailure.UNUSABLE_REPLY)
async def formalizer(node: ProofNode, deps: Deps) -> Apply:
    """Ask for a program; the prompt says what was wrong with a reply that was none."""
    question = question_of(deps)
    note = await note_of(deps, node)
    prompt = first_prompt(question)
    told = variables(question, note, deps.models.prompts if deps.models is not None else None)
    if question.conversation and deps.models is not None:
        first = deps.models.prompts.get(prompt).messages(told)
        *earlier, (_, last) = question.conversation
        return await ask_for_program(
            node, deps, ROLE, Message("question-report", {"report": last, "note": note}, (*first, *earlier))
        )
    return await ask_for_program(node, deps, ROLE, Message(prompt, told))
