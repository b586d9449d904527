"""The verifier puts the changed file into a copy of its project, and compares what it does with what was before."""

from __future__ import annotations

from goedels_poetry.agents.changes.common import baseline_in, change_of
from goedels_poetry.agents.changes.failing import ChangeFailure
from goedels_poetry.agents.deps import Apply, Deps
from goedels_poetry.agents.registry import agent
from goedels_poetry.languages.python.changes import verified
from goedels_poetry.tasks.change_moves import PENDING, set_report
from goedels_poetry.tree.state import ProofNode, Queue


@agent(queue=Queue.VERIFY, name="verifier", on_failure=ChangeFailure.NOT_VERIFIED)
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """Verify against what was before any change, whatever state the change was applied to."""
    task = change_of(deps)
    pending = await deps.load(node, PENDING)
    text = await deps.store.on_thread(deps.store.load, pending["text"])
    report = await verified(task.case, await baseline_in(deps, node), str(text))
    return lambda txn: set_report(txn, node, report, int(pending["step"]))
