"""All checks of a candidate, and one input of a contract by itself.

Tests run in a judge's process, where the function is a table of answers. A round collects what they ask, the candidate
answers it in its own process, and so on until nothing is open; a test that still asks after some rounds has failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.testing.checks import CheckResult, Checks, Effort, TestReport, from_literal, to_literal
from goedels_poetry.python.testing.contracts import (
    MEANS,
    ContractReport,
    ContractTester,
    Means,
    answer,
    arguments_in_words,
    import_failed,
)
from goedels_poetry.python.testing.reading import Subject, WrongSignature, read_subject
from goedels_poetry.python.testing.running import JudgeFailed, Outcome, judge
from goedels_poetry.python.translate.contracts import PythonFault

Test = dict[str, str]
_ROUNDS = 8  # of tests
_SECONDS = 5.0  # for a test's own work, without the calls


async def run_tests(
    subject: Subject, checks: Checks, tests: list[Test], means: Means, seed: int, *, part: str
) -> tuple[CheckResult, ...]:
    """A result for each test; ``part``: whose definitions of the module they are judged with.

    Raises:
        InvalidInput: what the tests name cannot be run.
        Unavailable: no sandbox could be had.
    """
    if not tests:
        return ()
    table: dict[str, Outcome] = {}
    task = {"do": "texts", "tests": tests, "seconds": _SECONDS, "examples": means.examples, "seed": seed % 2**32}
    limit = (3 * _SECONDS if part == "properties" else _SECONDS) + 2
    verdicts: list[dict[str, Any]] = []
    try:
        for _ in range(_ROUNDS):
            judged = await judge(subject, checks, [task], table=table, seconds=limit, part=part)
            verdicts = _well_formed(judged.done[0], len(tests))
            if not judged.pending or all(v["v"] != "pending" for v in verdicts):
                break  # of a property that fails, smaller inputs may be open
            loaded = await answer(subject, checks, judged.pending, table, means.playing)
            if loaded["k"] != "returned":
                bad = import_failed(loaded)
                return tuple(replace(bad, name=_name(test)) for test in tests)
    except JudgeFailed as error:
        if len(tests) == 1:
            return (CheckResult(_name(tests[0]), tests[0]["kind"], False, str(error)),)
        results = [await run_tests(subject, checks, [test], means, seed, part=part) for test in tests]
        return tuple(result for some in results for result in some)
    return tuple(_result(subject, checks, test, verdict) for test, verdict in zip(tests, verdicts, strict=True))


def _well_formed(verdicts: Any, number: int) -> list[dict[str, Any]]:
    """The judge's words on so many tests: what the tests name of the candidate's module runs beside it."""

    def is_one(verdict: Any) -> bool:
        known = isinstance(verdict, dict) and verdict.get("v") in ("ok", "failed", "pending")
        return known and (verdict["v"] != "ok" or type(verdict.get("calls")) is int)

    if not isinstance(verdicts, list) or len(verdicts) != number or not all(map(is_one, verdicts)):
        raise JudgeFailed("the checks could not be evaluated: the judge's answer is malformed")
    return [{**verdict, "why": str(verdict.get("why", ""))} for verdict in verdicts]


def _name(test: Test) -> str:
    if test["kind"] == "example":
        return f"{test['text']} == {test['expected']}"
    if test["kind"] == "doctest":
        return "doctests"
    lines = [line for line in test["text"].strip().splitlines() if line.strip()]
    wanted = ("def ",) if test["kind"] == "property" else ("assert ", "assert(")  # not how it is set up
    lines = [line for line in lines if line.lstrip().startswith(wanted)] or lines
    return " ".join(lines[0].split())[:200] if lines else "an empty text"


def _result(subject: Subject, checks: Checks, test: Test, verdict: dict[str, Any]) -> CheckResult:
    name, kind = _name(test), test["kind"]
    if verdict["v"] == "ok":
        calls = verdict["calls"]
        return CheckResult(name, kind, True, f"{calls:,} call{'' if calls == 1 else 's'}")
    if verdict["v"] != "failed":
        return CheckResult(name, kind, False, "the test asks for ever more calls, and was given up")
    shown = _arguments(subject, verdict.get("call"))
    why = _said(checks, verdict, arguments_in_words(shown))
    if verdict.get("input"):
        why = f"{why}, with {arguments_in_words(verdict['input'])}"
    return CheckResult(name, kind, False, why, verdict.get("input") or shown)


def _said(checks: Checks, verdict: dict[str, Any], on: str) -> str:
    outcome, why = verdict.get("outcome") or {}, str(verdict["why"])
    match outcome:
        case {"k": "time"}:
            return f"did not finish within {outcome['t']:g} s on {on}"
        case {"k": "gone"}:
            return f"{outcome['why']}, on {on}"
        case {"k": "raised", "mro": ["MemoryError", *_]} if why.startswith("MemoryError"):
            return f"used more than {checks.memory_mb} MB on {on}"
        case {"k": "raised", "mro": [error, *_]} if why.startswith(error):
            line = f" (line {outcome['line']})" if outcome["line"] else ""
            return f"raised {error}: {outcome['message']}{line} on {on}"
        case {"k": "returned", "v": {"t": [*_, result]}} if "fails" in why:
            return f"{why}; {checks.function} on {on} returned {to_literal(result)[:200]}"
    return why


def _arguments(subject: Subject, call: Any) -> dict[str, str] | None:
    """The first call of a chain as literals by parameter."""
    if not call:
        return None
    args, named = call[0]
    positional = [p.name for p in subject.parameters if p.kind != "named"]
    return {name: to_literal(data) for name, data in [*zip(positional, args, strict=False), *named]}


_RESOURCES = ("did not finish", "used more than", "RecursionError", "MemoryError")


async def test_candidate(
    source: str,
    checks: Checks,
    *,
    seed: int = 0,
    inputs: Sequence[Mapping[str, str]] = (),
    effort: Effort = "normal",
) -> TestReport:
    """Make every check of a candidate in the sandbox.

    Args:
        source: the whole text of its module. checks: what it has to satisfy. seed: of generated inputs. inputs:
        Python literals by parameter that are tried first, as far as they are in the contract's domain. effort:
        ``quick`` about 1.5 s of processor time, ``normal`` 5 s, ``thorough`` 20 s, for a candidate that is right.

    Raises:
        InvalidInput: the checks cannot be read: a condition that is no expression, a helper that is not there.
        Unavailable: no sandbox could be had.
    """
    read = _read(source, checks, [text for one in inputs for text in one.values()])
    if isinstance(read, TestReport):
        return read
    first = [CheckResult("it compiles", "compile", True)]
    if checks.signature:
        first.append(CheckResult(checks.signature, "signature", True))
    if checks.is_empty():
        first.append(CheckResult("what it does", "check", False, "there is no check of what it does"))
        return _report(first, 0)
    given, means = list(map(_given, inputs)), MEANS[effort]
    examples = [{"kind": "example", "text": text, "expected": expected} for text, expected in checks.examples]
    assertions = [{"kind": "assertion", "text": text} for text in checks.assertions]
    properties = [{"kind": "property", "text": text} for text in checks.properties]
    # The candidate's own docstring is a program of the candidate's: it is judged in a process of its own.
    doctests = [{"kind": "doctest", "doc": read.docstring}] if checks.doctests else []
    plain, proper, documented, contract = await asyncio.gather(
        run_tests(read, checks, [*examples, *assertions], means, seed, part="tests"),
        run_tests(read, checks, properties, means, seed, part="properties"),
        run_tests(read, checks, doctests, means, seed, part="doctests"),
        _contract(read, checks, effort, seed, given),
    )
    report = _report([*first, *contract.results, *plain, *documented, *proper], contract.tried)
    return replace(report, untaken=contract.untaken)


test_candidate.__test__ = False  # type: ignore[attr-defined]  # not a test of pytest's


async def replay(source: str, checks: Checks, arguments: Mapping[str, str]) -> CheckResult:
    """Try one input on a contract, twice in one fresh process and nothing else.

    Returns:
        a result that ``violates()`` if CPython breaks the contract on it; ``passed`` if the contract held. Neither if
        the input is outside of the domain (kind ``domain``) or if time or stack ended on a large one (``resources``).

    Raises:
        InvalidInput: the checks cannot be read, or the arguments are no literals for the parameters.
        Unavailable: no sandbox could be had.
    """
    read = _read(source, checks, arguments.values())
    if isinstance(read, TestReport):
        return next(result for result in read.results if not result.passed)
    names = {p.name for p in read.parameters}
    needed = {p.name for p in read.parameters if p.default is None}
    if not needed <= set(arguments) <= names:
        raise InvalidInput(f"{checks.function} has the parameters {', '.join(sorted(names)) or 'none'}")
    given = _given(arguments)
    tester = ContractTester(read, checks, "normal", 0)
    try:
        return await tester.replay(given)
    except JudgeFailed as error:
        return CheckResult("contract", "resources", False, str(error), dict(arguments))


async def _contract(
    subject: Subject, checks: Checks, effort: Effort, seed: int, given: list[dict[str, Any]]
) -> ContractReport:
    if not checks.has_contract():
        return ContractReport((), 0)
    try:
        return await ContractTester(subject, checks, effort, seed).test(given)
    except JudgeFailed as error:
        return ContractReport((CheckResult("contract", "ensures", False, str(error)),), 0)


def _read(source: str, checks: Checks, literals: Iterable[str]) -> Subject | TestReport:
    try:
        return read_subject(source, checks, literals)
    except PythonFault as fault:
        where = f"line {fault.line}: " if fault.line else ""
        result = CheckResult("it compiles", "compile", False, f"{where}{fault.message}")
        return TestReport(False, (result,), 0, result.reason, None, "syntax")
    except WrongSignature as wrong:
        results = (
            CheckResult("it compiles", "compile", True),
            CheckResult(checks.signature or f"it defines {checks.function}", "signature", False, str(wrong)),
        )
        return TestReport(False, results, 0, str(wrong), None, "signature")


def _given(arguments: Mapping[str, str]) -> dict[str, Any]:
    return {name: from_literal(text) for name, text in arguments.items()}


def _report(results: list[CheckResult], tried: int) -> TestReport:
    failed = [r for r in results if not r.passed]
    if not failed:
        few = next((f"; {r.reason}" for r in results if r.reason.startswith("only ")), "")
        return TestReport(True, tuple(results), tried, f"every check passed ({len(results)}){few}", None, "")
    first = next((r for r in failed if r.input is not None), failed[0])
    counterexample = {"check": first.name, "kind": first.kind, "input": first.input, "reason": first.reason}
    if first.kind == "finishes" or any(word in first.reason[:60] for word in _RESOURCES):
        fault = "resources"
    else:
        raised = first.kind in ("raised", "import", "unloadable") or first.reason.startswith("raised ")
        fault = "raised" if raised else "check"
    said = f"{first.name}: {first.reason}"
    return TestReport(False, tuple(results), tried, said, None if first.input is None else counterexample, fault)
