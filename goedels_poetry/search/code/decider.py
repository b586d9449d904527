"""The verifier of functions refuses what is banned or repeated and checks the others; the decider is a table.

A strategy that has just been banned is no longer corrected: then, and after two replies in a row that could not even be
run, the conversation begins afresh, with the bans.
"""

from __future__ import annotations

from goedels_poetry.protocol.base import Outcome
from goedels_poetry.python.fingerprint.ban import Fingerprint
from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.failure import ERROR, FailureTable, writes
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import outcome_of
from goedels_poetry.search.code.wording import (
    all_banned,
    forbidden_strategies,
    left_words,
    refused_report,
    report_on,
    why_banned,
)
from goedels_poetry.search.code.writer import ROLE as WRITER
from goedels_poetry.search.code.writer import task_of
from goedels_poetry.search.tasks.attempts import CONVERSATION, NO_REPLY, REPLY, REPORT, ended, set_report
from goedels_poetry.search.tasks.code import (
    BANNED,
    BEST,
    CANDIDATE,
    CODE,
    EVIDENCE,
    FAILED,
    MODEL,
    PASSED,
    PROSECUTED,
    REPEATED,
    SYNTHESIS,
    UNTESTED,
    accept_passed,
    candidates,
    lift_oldest,
    set_move,
    set_prosecuted,
)
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn

PROSECUTOR = "judge"
"""Role of the model that writes tests which are to break a function."""

MOVES = {
    "prosecute": "it passed; hostile tests come next",
    "accept": "it passed, and nothing that counts has broken it",
    "correct": "the model is shown the report",
    "fresh": "another beginning, without what is banned",
    "ask_again": "the model is asked once more",
    "give_up": "all attempts are used up",
}
"""move -> why it may be chosen."""
_AFTER_FAILURE = ("correct", "fresh", "give_up")
POLICY: dict[str, tuple[str, ...]] = {
    PASSED: ("prosecute", "accept"),
    NO_REPLY: ("ask_again", "give_up"),
    **dict.fromkeys((FAILED, UNTESTED, BANNED, REPEATED, REPLY), _AFTER_FAILURE),
}
"""kind of report -> moves in order of preference; the first legal one is taken."""
NOT_RUN = frozenset({BANNED, REPEATED, REPLY})
"""Kinds of which two in a row end a conversation."""


def untested(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The candidate could not be tested, so it has not passed; the decider is next."""
    words = f"Your function could not be tested: {reason}"
    set_report(txn, node, CODE, {"kind": UNTESTED, "words": words, "reason": f"not tested: {reason}"})
    return ERROR


def not_prosecuted(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """Nothing is used up: the candidate has passed every check, with a note that there were no hostile tests."""
    words = f"nobody tried to break the function: {reason}"
    set_prosecuted(txn, node, {"by": "", "tests": 0, "aside": [words], "reason": words})
    return ERROR


def give_up(txn: Txn, node: ProofNode, reason: str, deps: Deps) -> str:
    """The run ends without a function."""
    ended(txn, node, reason)
    return ERROR


FAILURES = FailureTable.of(
    {
        Queue.FORMALIZE: writes(CODE),
        Queue.CORRECT: writes(CODE),
        Queue.VERIFY: untested,
        Queue.CHECK_SEMANTICS: not_prosecuted,
    },
    otherwise=give_up,
)


@agent(queue=Queue.DECIDE, quick=True, name="decider")
async def decider(node: ProofNode, deps: Deps) -> Apply:
    """The first legal move of the table."""
    task = task_of(deps)
    by_model = deps.has_model(WRITER)
    prosecuted = task.prosecuted and (deps.has_model(PROSECUTOR) or task.has_contract)

    def apply(txn: Txn) -> str:
        store = txn.store
        report, past, bans = store.load(node.refs[REPORT]), candidates(store.history(node.id)), store.bans(node.id)
        kind, last = report["kind"], past[-1] if past else {}
        left = by_model and sum(entry.get("by") == MODEL for entry in past) < task.max_attempts
        twice = len(past) > 1 and {kind, past[-2]["outcome"]} <= NOT_RUN
        banned = kind != BANNED and last.get("fingerprint") in bans
        passed = kind == PASSED and CANDIDATE in node.refs
        conversed = left and last.get("by") == MODEL and CONVERSATION in node.refs
        legal = {
            "correct": conversed and not twice and not banned,
            "fresh": left or last.get("by") == SYNTHESIS,
            "ask_again": left,
            "prosecute": passed and prosecuted and PROSECUTED not in node.refs,
            "accept": passed,
        }
        move = next((m for m in POLICY[kind] if legal.get(m)), "give_up")
        why = MOVES[move] if by_model or move != "give_up" else "nothing is left to try without a language model"
        if move == "accept":
            return accept_passed(txn, node, task.checks.to_json(), task.text, why)
        if move == "give_up":
            told = str(past[-1]["reason"]) if past else "no candidate was found"
            if BEST in node.refs:
                best = store.load(store.load(node.refs[BEST])["report"])
                checks = f"{best.get('passed', 0)} of {best.get('total', 0)} checks"
                told = f"the best candidate passes {checks}: {best['reason']}"
            return set_move(txn, node, move, f"{why}; {told}")
        if move == "fresh" and all_banned(task, bans) and (lifted := lift_oldest(txn, node)):
            why = f"every strategy is banned, so the oldest ban is lifted once: {lifted}"
        return set_move(txn, node, move, f"{node.reason}; {why}" if node.reason else why)

    return apply


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
