"""The verifier refuses candidates that are banned or repeated, and runs every check on the others in the sandbox."""

from __future__ import annotations

from goedels_poetry.protocol.base import Outcome
from goedels_poetry.python.fingerprint.ban import Fingerprint
from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import outcome_of
from goedels_poetry.search.code.decider import untested
from goedels_poetry.search.code.wording import forbidden_strategies, left_words, refused_report, report_on, why_banned
from goedels_poetry.search.code.writer import task_of
from goedels_poetry.search.tasks.attempts import set_report
from goedels_poetry.search.tasks.code_moves import BANNED, CANDIDATE, CODE, EVIDENCE, REPEATED, candidates
from goedels_poetry.store.state import ProofNode, Queue


@agent(queue=Queue.VERIFY, name="verifier")
async def verifier(node: ProofNode, deps: Deps) -> Apply:
    """A banned strategy and a repeated program are refused; the inputs that broke earlier candidates come first."""
    task, store = task_of(deps), deps.store
    candidate = await deps.load(node, CANDIDATE)
    forbidden = forbidden_strategies(task, await store.on_thread(store.bans, node.id))
    named = candidate["strategy"]
    strategy = Fingerprint(str(named), frozenset(candidate["tags"])) if named else None
    why = why_banned(strategy, forbidden)
    if why:
        return lambda txn: set_report(txn, node, CODE, refused_report(BANNED, why, left_words(forbidden)))
    tried = candidates(await store.on_thread(store.history, node.id))
    again = next((entry["attempt"] for entry in tried if entry.get("digest") == candidate["digest"]), None)
    if again is not None:
        same = f"it is the same program as that of attempt {again}"
        return lambda txn: set_report(txn, node, CODE, refused_report(REPEATED, same))
    source, inputs = str(candidate["source"]), await deps.load(node, EVIDENCE) or []

    async def test() -> Outcome:
        tested = await test_candidate(source, task.checks, seed=deps.settings.seed, inputs=inputs, effort="normal")
        return Outcome(True, report_on(task, tested))

    found = await outcome_of(deps, "verifier", test)
    if found.fault:
        return lambda txn: untested(txn, node, found.reason, deps)
    return lambda txn: set_report(txn, node, CODE, dict(found.value))
