"""Claims about a Python function that rest on runs in CPython: an input that breaks a contract, checks that passed."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from goedels_poetry.checker.certificate.archive import BadCertificate
from goedels_poetry.checker.certificate.report import CheckReport, TrustLevel
from goedels_poetry.checker.python.archive import PythonArchive
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.testing.candidate import replay, test_candidate
from goedels_poetry.python.testing.checks import CheckResult, Checks, Effort, TestReport, checks_of, checks_of_task
from goedels_poetry.python.translate.contracts import PythonFault
from goedels_poetry.python.translate.program import Program, read_program, with_contracts

Json = dict[str, Any]

NO_PROOF = "every check passed{}; this is not a proof"
PRESSED = 5.0
"""With fewer seconds left, fewer inputs are tried where that is all there is to do."""
PROJECT = "the project, its tests, the error and the commands that show it are those of the certificate"


def refuted(archive: PythonArchive) -> CheckReport:
    """The report on an input that breaks the contract when CPython runs the function on it."""
    arguments = archive.evidence.get("arguments")
    if not isinstance(arguments, dict) or not all(isinstance(v, str) for pair in arguments.items() for v in pair):
        raise BadCertificate("the evidence names no arguments")
    program = read_program(archive.source)
    shown = asyncio.run(replay(archive.source, _own(program, archive.function), arguments))
    if not shown.violates():
        raise BadCertificate(f"CPython does not break the contract on this input: {shown.reason}")
    return _broken(program, archive.function, shown)


def tested(archive: PythonArchive, until: float) -> CheckReport:
    """The report on checks, all of which are made again."""
    if "change" in archive.evidence:
        return _changed(archive)
    program = read_program(archive.source)
    effort: Effort = "normal" if until - time.monotonic() > PRESSED else "quick"
    wanted = [_own(program, archive.function)] if archive.function in with_contracts(program) else []
    wanted += [checks_of_task(archive.evidence["task"])] if "task" in archive.evidence else []
    if not wanted or any(checks.function != archive.function for checks in wanted):
        raise BadCertificate(f"nothing is said about what {archive.function or 'the program'} does")
    tried = 0
    for checks in wanted:
        ran = _run(archive.source, checks, effort)
        broken = next((result for result in ran.results if result.violates()), None)
        if broken is not None and checks.own:  # found only now, and as good as if it had been claimed
            return _broken(program, archive.function, broken)
        if not ran.passed:
            return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(ran.reason,))
        tried += ran.inputs_tried
    on = f" on {tried} inputs" if tried else ""
    return CheckReport(Verdict.TESTED, reasons=(NO_PROOF.format(on),), statement=wanted[-1].in_words())


def _own(program: Program, function: str) -> Checks:
    """The contract that the program itself states of a function."""
    if function not in with_contracts(program):
        raise BadCertificate(f"the program has no contract of {function!r}")
    return checks_of(program, function)


def _broken(program: Program, function: str, shown: CheckResult) -> CheckReport:
    """The report on an input that was seen to break the contract, with the place of the clause."""
    whole = program.functions[function]
    clause = next((c for c in whole.contract.ensures if shown.name == f"ensures {c.text}"), None)
    return CheckReport(
        Verdict.REFUTED,
        TrustLevel.REBUILT,
        counterexample=dict(shown.input or {}),
        reasons=(shown.reason,),
        place=(clause.line, clause.column) if clause is not None else (whole.line, 1),
        statement=function,
    )


def _changed(archive: PythonArchive) -> CheckReport:
    """A changed file: the error is seen in what it was, and is gone; what worked is run on both."""
    change = archive.evidence["change"]
    if not isinstance(change, dict) or change.get("after") != archive.source or archive.function:
        raise BadCertificate("the evidence is about another text of the file")
    from goedels_poetry.python.changes import verify_change  # nothing else needs it

    report = verify_change(archive.evidence)
    if not report.is_tested:
        raise BadCertificate(report.reason)
    known = _violated(change["case"]["before"])
    for name, reason in _violated(archive.source).items():
        if name not in known:
            raise BadCertificate(f"the changed file breaks the contract of {name}: {reason}")
    reason = f"{'; '.join(report.goal_words)}; nothing broke; this is not a proof"
    return CheckReport(
        Verdict.TESTED,
        reasons=(reason,),
        notes=report.unchecked,
        assumptions=(PROJECT,),
        statement=f"a change of {change['case']['file']}: {_to_mend(change['case'])}",
    )


def _to_mend(case: Json) -> str:
    """What a change is for, in a line: the end of the error, or the command that shows it."""
    lines = [line for line in str(case.get("error", "")).splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else " ".join(map(str, case.get("run", ())))[:200]


def _violated(source: str) -> dict[str, str]:
    """The functions of a file whose contracts an input was seen to break, with how."""
    try:
        program = read_program(source)
    except PythonFault:
        return {}
    ran = {name: _run(source, checks_of(program, name), "quick") for name in with_contracts(program)}
    broken = [(name, result) for name, report in ran.items() for result in report.results if result.violates()]
    return {name: result.reason for name, result in broken}


def _run(source: str, checks: Checks, effort: Effort) -> TestReport:
    return asyncio.run(test_candidate(source, checks, effort=effort))
