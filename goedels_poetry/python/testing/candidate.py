"""All checks of a candidate, and one input of a contract by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.testing.checks import CheckResult, Checks, Effort, TestReport
from goedels_poetry.python.testing.contracts import MEANS, ContractReport, ContractTester
from goedels_poetry.python.testing.literals import from_literal
from goedels_poetry.python.testing.reading import Subject, WrongSignature, read_subject
from goedels_poetry.python.testing.running import JudgeFailed
from goedels_poetry.python.testing.texts import doctests, plain_tests, properties, run_tests
from goedels_poetry.python.translate.faults import PythonFault

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
    given = [_given(one) for one in inputs]
    means = MEANS[effort]
    plain, proper, documented, contract = await asyncio.gather(
        run_tests(read, checks, plain_tests(checks), means, seed, part="tests"),
        run_tests(read, checks, properties(checks), means, seed, part="properties"),
        run_tests(read, checks, doctests(checks, read), means, seed, part="doctests"),
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
    shown = next((r for r in failed if r.input is not None), None)
    first = shown or failed[0]
    counterexample = (
        None
        if shown is None
        else {"check": shown.name, "kind": shown.kind, "input": shown.input, "reason": shown.reason}
    )
    return TestReport(False, tuple(results), tried, f"{first.name}: {first.reason}", counterexample, _fault(first))


def _fault(result: CheckResult) -> str:
    if result.kind == "finishes" or any(word in result.reason[:60] for word in _RESOURCES):
        return "resources"
    if result.kind in ("raised", "import", "unloadable") or result.reason.startswith("raised "):
        return "raised"
    return "check"
