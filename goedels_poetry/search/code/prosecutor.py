"""The prosecutor tries to break a candidate that has passed every check of the task.

A model, where there is one, proposes tests, and `hostile` decides which of them count. Without one the checks are run
again with far more inputs, and with symbolic execution where that is installed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.models.requests import object_of
from goedels_poetry.python.testing.candidate import replay, test_candidate
from goedels_poetry.python.testing.checks import CheckResult
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import Round, ask_once
from goedels_poetry.search.code.decider import PROSECUTOR
from goedels_poetry.search.code.wording import broken_report, is_exception, query_of, report_on
from goedels_poetry.search.code.writer import task_of
from goedels_poetry.search.tasks.attempts import REPORT
from goedels_poetry.search.tasks.code import CANDIDATE, EVIDENCE, CodeTask, set_prosecuted
from goedels_poetry.store.state import ProofNode, Queue
from goedels_poetry.store.txn import Txn


class NotAValue(ValueError):
    """It is no call of the function with literals."""


MOST_TESTS = 8
MAX_CALL = 4_000
"""Characters of a call that is looked at."""

SCHEMA = object_of(
    "tests", tests=[object_of("", required=("call",), call="string", expected={}, why="string", words="string")]
)


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
    broken: list[CheckResult] = []
    counted = 0
    open_tests: list[HostileTest] = []
    for test in tests:
        known = _of_example(task, test)
        if known is not None:
            if test.expected and not _same(known, test.expected):
                aside.append(f"{test.call} == {test.expected} contradicts the example that says {known}")
            counted += 1  # the candidate has passed it
            continue
        if not task.checks.has_contract():
            open_tests.append(test)
            continue
        shown = await replay(source, task.checks, test.arguments)
        if shown.violates() or shown.kind == "finishes":  # on an input that is small
            counted += 1
            broken.append(shown if shown.input else replace(shown, input=test.arguments))
        elif shown.passed:
            counted += 1
            open_tests.append(test)
        else:  # an input that is not allowed, or one so large that time or stack were at an end
            aside.append(f"{test.call}: {shown.reason}")
    wanted, disputed = {f"{test.call} == {test.expected}": test for test in open_tests}, list[dict[str, Any]]()
    for differs in [] if broken else await _differing(task, source, open_tests, seed):
        reason, test = " ".join(differs.reason.split()), wanted[differs.name]
        if test.words and not task.checks.has_contract():
            told = {"call": test.call, "input": test.arguments, "expected": test.expected or None, "words": test.words}
            disputed.append({**told, "reason": reason[:300]})
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
            arguments, wanted = arguments_of(task, text), "" if is_open else _literal(expected)
        except (NotAValue, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            aside.append(f"{text[:80]}: not a test that can be run ({error})")
            continue
        if all(arguments != other.arguments for other in tests):
            quoted = " ".join(str(proposal.get("words", ""))[:MAX_CALL].split())
            stated = " " in quoted and quoted.casefold() in " ".join(task.task.split()).casefold()
            tests.append(HostileTest(text[:200], arguments, wanted, quoted[:300] if stated else ""))
    return tests, aside


def arguments_of(task: CodeTask, call: str) -> dict[str, str]:
    """Literals by parameter, of a call of the task's function; raises NotAValue, SyntaxError: it is no such call."""
    if len(call) > MAX_CALL:
        raise NotAValue("the call is too long")
    node = ast.parse(call.strip().rstrip(";"), mode="eval").body
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != task.function:
        raise NotAValue(f"it does not call {task.function}")
    given = dict(zip(task.parameters, node.args, strict=False))
    if len(node.args) > len(task.parameters):
        raise NotAValue("it has too many arguments")
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in given or keyword.arg not in task.parameters:
            raise NotAValue(f"it has no parameter {keyword.arg}")
        given[keyword.arg] = keyword.value
    missing = [name for name in task.parameters if name not in given and name not in task.defaults]
    if missing:
        raise NotAValue(f"it lacks {', '.join(missing)}")
    values = {name: given.get(name) or task.defaults[name] for name in task.parameters}
    return {name: repr(_value(value)) for name, value in values.items()}


def _value(written: ast.expr | str) -> Any:
    try:
        return ast.literal_eval(written)
    except (TypeError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise NotAValue(f"no literal: {error}"[:100]) from None


def _literal(expected: Any) -> str:
    if not isinstance(expected, str):
        return repr(expected)  # the model wrote the value instead of its text
    if is_exception(expected.strip()):
        return expected.strip()
    return repr(_value(expected.strip()))


def _of_example(task: CodeTask, test: HostileTest) -> str | None:
    """What the task's examples say about the call."""
    for call, expected in task.examples:
        try:
            if arguments_of(task, call) == test.arguments:
                return _literal(expected)
        except (NotAValue, SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _same(one: str, other: str) -> bool:
    if is_exception(one) or is_exception(other):
        return one == other
    return bool(ast.literal_eval(one) == ast.literal_eval(other))


async def _differing(task: CodeTask, source: str, tests: Sequence[HostileTest], seed: int) -> list[CheckResult]:
    """Where the candidate gives something else than was expected, and no check of the task says which is right."""
    pairs = tuple((test.call, test.expected) for test in tests if test.expected)
    if not pairs:
        return []
    checks = replace(
        task.checks, requires=(), ensures=(), raises=(), examples=pairs, assertions=(), properties=(), doctests=False
    )
    report = await test_candidate(source, checks, seed=seed, effort="quick")
    return [each for each in report.results if not each.passed and each.kind == "example"]


PROMPT = "code-prosecute"


@agent(queue=Queue.CHECK_SEMANTICS, name="prosecutor")
async def prosecutor(node: ProofNode, deps: Deps) -> Apply:
    """Tests that might break it; what does break it costs the attempt, and stays for later ones."""
    task, candidate = task_of(deps), await deps.load(node, CANDIDATE)
    source = str(candidate["source"])
    if deps.has_model(PROSECUTOR):
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
    return lambda txn: set_prosecuted(txn, node, {**found, "reason": str(report["reason"])}, report)


async def _by_model(node: ProofNode, deps: Deps, task: CodeTask, source: str) -> Apply:
    words = {"query": query_of(task), "candidate": source, "function": task.function}
    done = await ask_once(deps, node, PROSECUTOR, PROMPT, words, SCHEMA)
    proposals: Sequence[dict[str, Any]] = list(done.winner.value.get("tests", ())) if done.winner is not None else []
    trial = await tried(task, source, proposals, deps.settings.seed)
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
            return set_prosecuted(txn, node, found, broken_report(task, trial.broken, before))
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
