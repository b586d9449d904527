"""The prosecutor tries to break a candidate that has passed every check of the task.

A model, where there is one, proposes tests, and `hostile` decides which of them count. Without one the checks are run
again with far more inputs, and with symbolic execution where that is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from goedels_poetry.models.requests import Reply, Request
from goedels_poetry.protocol.base import Outcome
from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.guidance import schedule
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import Round, ask_round
from goedels_poetry.search.code.failing import CodeFailure
from goedels_poetry.search.code.hostile import SCHEMA, Trial, tried
from goedels_poetry.search.code.reports import broken_report, report_on
from goedels_poetry.search.code.wording import query_of
from goedels_poetry.search.code.writer import task_of
from goedels_poetry.search.tasks.attempts import REPORT
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.search.tasks.code_moves import CANDIDATE, EVIDENCE, disputes_kept, set_broken, set_prosecuted
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

ROLE = "judge"
PROMPT = "code-prosecute"


@agent(queue=Queue.CHECK_SEMANTICS, name="prosecutor", on_failure=CodeFailure.NOT_PROSECUTED)
async def prosecutor(node: ProofNode, deps: Deps) -> Apply:
    """Tests that might break it; what does break it costs the attempt, and stays for later ones."""
    task, candidate = task_of(deps), await deps.load(node, CANDIDATE)
    source = str(candidate["source"])
    if deps.has_model(ROLE):
        return await _by_model(node, deps, task, source)
    return await _by_machine(node, deps, task, source)


async def _by_machine(node: ProofNode, deps: Deps, task: CodeTask, source: str) -> Apply:
    inputs = await deps.load(node, EVIDENCE) or []
    tested = await test_candidate(source, task.checks, seed=deps.settings.seed, inputs=inputs, effort="thorough")
    found = {"by": "inputs", "tests": tested.inputs_tried, "aside": []}
    if tested.passed:
        note = f"nothing broke it on {tested.inputs_tried} inputs"
        return lambda txn: set_prosecuted(txn, node, {**found, "reason": note})
    report = report_on(task, tested)
    return lambda txn: set_broken(txn, node, {**found, "reason": str(report["reason"])}, report)


async def _by_model(node: ProofNode, deps: Deps, task: CodeTask, source: str) -> Apply:
    request = Request(
        role=ROLE,
        prompt=PROMPT,
        variables={"query": query_of(task), "candidate": source, "function": task.function},
        attempt=node.attempts,
        schema=SCHEMA,
        node=node.id,
        seed=deps.settings.seed,
    )

    async def read(reply: Reply) -> Outcome:
        return Outcome(True, dict(reply.parsed or {}))

    done: Round = await ask_round(deps, replace(schedule(deps).scheduled(request), samples=1), read)
    proposals: Sequence[dict[str, Any]] = list(done.winner.value.get("tests", ())) if done.winner is not None else []
    earlier = await deps.store.on_thread(disputes_kept, deps.store, node)
    trial = await tried(task, source, [*earlier, *proposals], deps.settings.seed)
    before = await deps.load(node, REPORT)
    found = {
        "by": done.model,
        "tests": trial.counted,
        "aside": list(trial.aside),
        "disputed": list(trial.disputed),
        "reason": _reason(done, trial),
    }

    def apply(txn: Txn) -> str:
        done.log(txn, node)
        if trial.broken:
            return set_broken(txn, node, found, broken_report(task, trial.broken, before))
        return set_prosecuted(txn, node, found)

    return apply


def _reason(done: Round, trial: Trial) -> str:
    if done.winner is None:
        return f"no hostile tests: {done.reason}"
    aside = f", {len(trial.disputed)} disputed" if trial.disputed else ""
    aside += f", {len(trial.aside)} set aside" if trial.aside else ""
    if trial.broken:
        return f"broken by {len(trial.broken)} of {trial.counted} hostile tests{aside}"
    if not trial.counted:
        return f"no hostile test counts{aside}"
    tests = "test that counts" if trial.counted == 1 else "tests that count"
    return f"{trial.counted} hostile {tests} did not break it{aside}"
