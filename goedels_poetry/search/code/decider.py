"""The verifier of functions refuses what is banned or repeated and checks the others; the decider is a table.

A strategy that has just been banned is no longer corrected: then, and after two replies in a row that could not even be
run, the conversation begins afresh, with the bans.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, Signature
from typing import Any

from goedels_poetry.models.requests import object_of
from goedels_poetry.protocol.base import Outcome
from goedels_poetry.python.fingerprint.ban import Fingerprint
from goedels_poetry.python.testing.candidate import replay, test_candidate
from goedels_poetry.python.testing.checks import CheckResult, Checks
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.failure import ERROR, FailureTable, writes
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import Round, ask_once, outcome_of
from goedels_poetry.search.code.writer import ROLE as WRITER
from goedels_poetry.search.code.writer import (
    all_banned,
    broken_report,
    disputed_words,
    forbidden_strategies,
    is_exception,
    left_words,
    query_of,
    refused_report,
    report_on,
    why_banned,
)
from goedels_poetry.search.tasks.base import CONVERSATION, NO_REPLY, REPLY, REPORT, ended, set_report
from goedels_poetry.search.tasks.code import (
    BANNED,
    BEST,
    CANDIDATE,
    CODE,
    DISPUTED,
    EVIDENCE,
    FAILED,
    MODEL,
    PASSED,
    PROSECUTED,
    REPEATED,
    SYNTHESIS,
    UNTESTED,
    CodeTask,
    accept_passed,
    candidates,
    lift_oldest,
    set_disputed,
    set_move,
    set_prosecuted,
)
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ProofNode, Queue

PROSECUTOR = "judge"
"""Role of the model that writes tests which are to break a function."""

MOVES = {
    "prosecute": "it passed; hostile tests come next",
    "dispute": "it passed, and what the task's words are held against goes back to its author, once",
    "stand": "the function that had passed stays, disputed",
    "accept": "it passed, and nothing that counts has broken it",
    "correct": "the model is shown the report",
    "fresh": "another beginning, without what is banned",
    "ask_again": "the model is asked once more",
    "give_up": "all attempts are used up",
}
"""move -> why it may be chosen."""
_AFTER_FAILURE = ("stand", "correct", "fresh", "give_up")
POLICY: dict[str, tuple[str, ...]] = {
    PASSED: ("prosecute", "dispute", "accept"),
    NO_REPLY: ("stand", "ask_again", "give_up"),
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
    task = deps.task_as(CodeTask)
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
        disputed = store.load(node.refs[PROSECUTED]).get("disputed") if PROSECUTED in node.refs else ()
        conversed = left and last.get("by") == MODEL and CONVERSATION in node.refs
        legal = {
            "correct": conversed and not twice and not banned,
            "fresh": left or last.get("by") == SYNTHESIS,
            "ask_again": left,
            "prosecute": passed and prosecuted and PROSECUTED not in node.refs,
            "dispute": passed and conversed and DISPUTED not in node.refs and bool(disputed),
            "stand": not passed and DISPUTED in node.refs,
            "accept": passed,
        }
        move = next((m for m in POLICY[kind] if legal.get(m)), "give_up")
        why = MOVES[move] if by_model or move != "give_up" else "nothing is left to try without a language model"
        if move == "dispute":
            return set_disputed(txn, node, why, disputed_words(disputed))
        if move in ("accept", "stand"):
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
    task, store = deps.task_as(CodeTask), deps.store
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


MOST_TESTS, MAX_CALL = 8, 4_000
"""Proposals that are looked at, and characters of a call."""
SCHEMA = object_of(
    "tests", tests=[object_of("", required=("call",), call="string", expected={}, why="string", words="string")]
)
_UNREADABLE = (TypeError, ValueError, SyntaxError, RecursionError, MemoryError)


@dataclass(frozen=True, slots=True)
class HostileTest:
    """One proposal that can be run."""

    call: str
    arguments: dict[str, str]
    """Literals by parameter."""
    expected: str
    """A literal; "" where none is expected."""
    words: str = ""
    """Those of the task that decide it; "" where the proposal quotes none."""

    @property
    def name(self) -> str:
        """As the check of an example is named."""
        return f"{self.call} == {self.expected}"


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of the proposals."""

    counted: int = 0
    """Those whose input is allowed and about which the task says something."""
    broken: tuple[CheckResult, ...] = ()
    """Faults that count."""
    aside: tuple[str, ...] = ()
    """The others, in words."""
    disputed: tuple[dict[str, Any], ...] = ()
    """Calls on which the words of a task without a contract are said to contradict the candidate."""


async def tried(task: CodeTask, source: str, proposals: Sequence[Mapping[str, Any]], seed: int) -> Trial:
    """Run the proposals against a candidate that has passed every check."""
    tests, aside = read_tests(task, proposals)
    known = {str(_read(_arguments, task, call)): _read(_literal, expected) for call, expected in task.examples}
    checks, counted = task.checks, 0
    broken: list[CheckResult] = []
    undecided: list[HostileTest] = []
    for test in tests:
        example = known.get(str(test.arguments))
        if example is not None:
            if test.expected and not _same(example, test.expected):
                aside.append(f"{test.name} contradicts the example that says {example}")
            counted += 1  # the candidate has passed it
            continue
        shown = await replay(source, checks, test.arguments) if checks.has_contract() else None
        if shown is None or shown.passed:
            counted += shown is not None
            undecided.append(test)
        elif shown.violates() or shown.kind == "finishes":  # on an input that is small
            counted += 1
            broken.append(replace(shown, input=shown.input or test.arguments))
        else:  # an input that is not allowed, or one so large that time or stack were at an end
            aside.append(f"{test.call}: {shown.reason}")
    disputed: list[dict[str, Any]] = []
    wanted = {test.name: test for test in undecided if test.expected}
    for differs in await _differing(task, source, list(wanted.values()), seed) if wanted and not broken else ():
        reason, test = " ".join(differs.reason.split()), wanted[differs.name]
        if test.words and not checks.has_contract():
            said = {"call": test.call, "input": test.arguments, "expected": test.expected, "words": test.words}
            disputed.append({**said, "reason": reason[:300]})
        else:
            aside.append(f"the task does not decide it, but {reason} ({differs.name})")
    short = tuple(" ".join(each.split())[:300] for each in aside)
    return Trial(counted, tuple(broken), short, tuple(disputed))


def read_tests(task: CodeTask, proposals: Sequence[Mapping[str, Any]]) -> tuple[list[HostileTest], list[str]]:
    """The proposals that can be run, each once, and what is wrong with the others."""
    tests: list[HostileTest] = []
    aside: list[str] = []
    for proposal in proposals[:MOST_TESTS]:
        text, expected = str(proposal.get("call", "")).strip(), proposal.get("expected")
        is_open = expected in (None, "", "null") or any(str(expected).strip() == name for name, _ in task.raises)
        try:
            arguments, wanted = _arguments(task, text), "" if is_open else _literal(expected)
        except _UNREADABLE as error:
            aside.append(f"{text[:80]}: not a test that can be run ({error})")
            continue
        if all(arguments != other.arguments for other in tests):
            quoted = " ".join(str(proposal.get("words", ""))[:MAX_CALL].split())
            stated = " " in quoted and quoted.casefold() in " ".join(task.task.split()).casefold()
            tests.append(HostileTest(text[:200], arguments, wanted, quoted[:300] if stated else ""))
    return tests, aside


def _read(reader: Callable[..., Any], *given: Any) -> Any:
    """What is read; None where it cannot be."""
    try:
        return reader(*given)
    except _UNREADABLE:
        return None


def _arguments(task: CodeTask, call: str) -> dict[str, str]:
    """Literals by parameter, of a call of the task's function; raises what is in `_UNREADABLE`: it is no such call."""
    node = ast.parse(call[:MAX_CALL].strip().rstrip(";"), mode="eval").body
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != task.function:
        raise ValueError(f"it does not call {task.function}")
    # Each parameter by place or by name, with its default as it is written.
    kind, empty = Parameter.POSITIONAL_OR_KEYWORD, Parameter.empty
    given = [p for p in task.signed if "*" not in p.kind]
    listed = [Parameter(p.name, kind, default=empty if p.default is None else p.default) for p in given]
    signature = Signature(listed, __validate_parameters__=False)
    bound = signature.bind(*node.args, **{str(keyword.arg): keyword.value for keyword in node.keywords})
    bound.apply_defaults()
    return {name: repr(ast.literal_eval(value)) for name, value in bound.arguments.items()}


def _literal(expected: Any) -> str:
    if not isinstance(expected, str):
        return repr(expected)  # the model wrote the value instead of its text
    return expected.strip() if is_exception(expected.strip()) else repr(ast.literal_eval(expected.strip()))


def _same(one: str, other: str) -> bool:
    if is_exception(one) or is_exception(other):
        return one == other
    return bool(ast.literal_eval(one) == ast.literal_eval(other))


async def _differing(task: CodeTask, source: str, tests: Sequence[HostileTest], seed: int) -> list[CheckResult]:
    """Where the candidate gives something else than was expected, and no check of the task says which is right."""
    known, examples = task.checks, tuple((test.call, test.expected) for test in tests)
    checks = Checks(task.function, examples=examples, seconds=known.seconds, memory_mb=known.memory_mb)
    report = await test_candidate(source, checks, seed=seed, effort="quick")
    return [each for each in report.results if not each.passed and each.kind == "example"]


PROMPT = "code-prosecute"


@agent(queue=Queue.CHECK_SEMANTICS, name="prosecutor")
async def prosecutor(node: ProofNode, deps: Deps) -> Apply:
    """Tests that might break it; what does break it costs the attempt, and stays for later ones."""
    task, source = deps.task_as(CodeTask), str((await deps.load(node, CANDIDATE))["source"])
    if deps.has_model(PROSECUTOR):
        return await _by_model(node, deps, task, source)
    inputs = await deps.load(node, EVIDENCE) or []
    tested = await test_candidate(source, task.checks, seed=deps.settings.seed, inputs=inputs, effort="thorough")
    report = None if tested.passed else report_on(task, tested)
    note = f"nothing broke it on {tested.inputs_tried} inputs" if report is None else str(report["reason"])
    found = {"by": "inputs", "tests": tested.inputs_tried, "aside": [], "reason": note}
    return lambda txn: set_prosecuted(txn, node, found, report)


async def _by_model(node: ProofNode, deps: Deps, task: CodeTask, source: str) -> Apply:
    words = {"query": query_of(task), "candidate": source, "function": task.function}
    done = await ask_once(deps, node, PROSECUTOR, PROMPT, words, SCHEMA)
    proposals: Sequence[dict[str, Any]] = list(done.winner.value.get("tests", ())) if done.winner is not None else []
    trial = await tried(task, source, proposals, deps.settings.seed)
    report = broken_report(task, trial.broken, await deps.load(node, REPORT)) if trial.broken else None
    notes = {"aside": list(trial.aside), "disputed": list(trial.disputed), "reason": _reason(done, trial)}

    def apply(txn: Txn) -> str:
        done.log(txn, node)
        return set_prosecuted(txn, node, {"by": done.model, "tests": trial.counted, **notes}, report)

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
