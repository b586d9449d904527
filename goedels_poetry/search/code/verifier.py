"""The verifier decides whether a candidate may be run, and runs every check on it in the sandbox."""

from __future__ import annotations

from goedels_poetry.protocol.base import Outcome
from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.judging import outcome_of
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.code.failing import CodeFailure, untested
from goedels_poetry.search.code.reports import refused_report, report_on
from goedels_poetry.search.code.strategies import forbidden_strategies, known_strategy, why_banned
from goedels_poetry.search.code.wording import left_words
from goedels_poetry.search.code.writer import task_of
from goedels_poetry.search.tasks.code_moves import (
    BANNED,
    CANDIDATE,
    EVIDENCE,
    REPEATED,
    RESTORED,
    candidates,
    set_report,
)
from goedels_poetry.store.state import ProofNode, Queue


@agent(queue=Queue.VERIFY, name="verifier", on_failure=CodeFailure.UNTESTED)
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """A banned strategy and what was tried before are refused; the inputs that broke earlier candidates come first."""
    task, store = task_of(deps), deps.store
    candidate = await deps.load(node, CANDIDATE)
    source = str(candidate["source"])
    forbidden = forbidden_strategies(task, await store.on_thread(store.bans, node.id))
    why = why_banned(known_strategy(candidate), forbidden)
    restored = bool(candidate.get(RESTORED))  # it was run before, and is only held against later inputs
    if why and not restored:
        return lambda txn: set_report(txn, node, refused_report(BANNED, why, left_words(forbidden)))
    tried = candidates(await store.on_thread(store.history, node.id))
    again = next((entry["attempt"] for entry in tried if entry.get("digest") == candidate["digest"]), None)
    if again is not None and not restored:
        same = f"it is the same program as that of attempt {again}"
        return lambda txn: set_report(txn, node, refused_report(REPEATED, same))
    inputs = await deps.load(node, EVIDENCE) or []

    async def test() -> Outcome:
        tested = await test_candidate(source, task.checks, seed=deps.settings.seed, inputs=inputs, effort="normal")
        return Outcome(True, report_on(task, tested))

    found = await outcome_of(deps, "verifier", test)
    if found.fault:
        return lambda txn: untested(txn, node, found.reason, deps)
    report = dict(found.value)
    return lambda txn: set_report(txn, node, report)
