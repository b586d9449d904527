"""The corrector shows the model what came of its function, in the same conversation, and asks for a better one."""

from __future__ import annotations

from goedels_poetry.agents.code.asking import ask_for_function, conversation, note_of
from goedels_poetry.agents.code.failing import CodeFailure
from goedels_poetry.agents.deps import Apply, Deps
from goedels_poetry.agents.registry import agent
from goedels_poetry.models.requests import Request
from goedels_poetry.tasks.code_moves import ANSWERED, REPORT
from goedels_poetry.tree.state import ProofNode, Queue

PROMPT = "code-report"


@agent(queue=Queue.CORRECT, name="corrector", on_failure=CodeFailure.UNUSABLE_REPLY)
async def corrector(node: ProofNode, deps: Deps) -> Apply:
    """One more turn."""
    told = await deps.load(node, ANSWERED if ANSWERED in node.refs else REPORT)
    role = "corrector" if deps.has_model("corrector") else "formalizer"
    request = Request(
        role=role, prompt=PROMPT, variables={"report": str(told["words"]), "note": await note_of(deps, node)}
    )
    return await ask_for_function(node, deps, request, await conversation(deps, node))
