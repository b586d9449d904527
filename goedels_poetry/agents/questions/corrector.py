"""The corrector shows the model what came of its program, in the same conversation, and asks for a better one."""

from __future__ import annotations

from goedels_poetry.agents.deps import Apply, Deps
from goedels_poetry.agents.questions.asking import Message, ask_for_program, conversation, note_of
from goedels_poetry.agents.questions.failing import QuestionFailure
from goedels_poetry.agents.registry import agent
from goedels_poetry.tasks.question import ANSWERED, REPORT
from goedels_poetry.tree.state import ProofNode, Queue


@agent(queue=Queue.CORRECT, name="corrector", on_failure=QuestionFailure.UNUSABLE_REPLY)
async def corrector(node: ProofNode, deps: Deps) -> Apply:
    """One more turn."""
    turns = await conversation(deps, node)
    told = await deps.load(node, ANSWERED if ANSWERED in node.refs else REPORT)
    words = {"report": str(told["words"]), "note": await note_of(deps, node)}
    role = "corrector" if deps.has_model("corrector") else "formalizer"
    return await ask_for_program(node, deps, role, Message("question-report", words, turns))
