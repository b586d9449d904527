"""The surveyor measures what the file does before any change, the verifier what a changed file does in a copy."""

from __future__ import annotations

from goedels_poetry.python.changes import Baseline, baseline_for, verified
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.changes.common import baseline_in, change_of
from goedels_poetry.search.changes.failing import ChangeFailure
from goedels_poetry.search.tasks.change_moves import PENDING, SURVEY, set_report, set_surveyed
from goedels_poetry.store.state import ProofNode, Queue


@agent(queue=SURVEY, name="surveyor", on_failure=ChangeFailure.STOP)
async def surveyor(node: ProofNode, deps: Deps) -> Apply:
    """Run everything that there is to run, twice where it is tests."""
    task = change_of(deps)
    base = await baseline_for(task.case)
    return lambda txn: set_surveyed(txn, node, base.to_json(), _line(base))


def _line(base: Baseline) -> str:
    """One line for people."""
    found = base.measured
    parts = [f"{len(found.passing())} tests pass, {len(found.failing())} fail"] if found.tests else []
    if found.fault:
        parts.append(f"it does not compile: {found.fault}")
    if base.targets:
        parts.append(
            f"the error shows in {base.targets[0]}" + (f" and {n} more" if (n := len(base.targets) - 1) else "")
        )
    elif base.run and found.run is not None and found.run["code"] != 0:
        parts.append(f"the error shows in: {' '.join(base.run)}")
    return "; ".join([*parts, *base.notes]) or "nothing was found by which a change could be judged"


@agent(queue=Queue.VERIFY, name="verifier", on_failure=ChangeFailure.NOT_VERIFIED)
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """Verify against what was before any change, whatever state the change was applied to."""
    task = change_of(deps)
    pending = await deps.load(node, PENDING)
    text = await deps.store.on_thread(deps.store.load, pending["text"])
    report = await verified(task.case, await baseline_in(deps, node), str(text))
    return lambda txn: set_report(txn, node, report, int(pending["step"]))
