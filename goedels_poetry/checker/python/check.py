"""The check of a certificate about a Python function, from nothing.

A proof counts when the program's translation, made anew, is the theorem of a certificate in SMT-LIB that holds. A
refutation is an input on which CPython shows the fault. Checks that passed are run again. Each claim loads what it
rests on, and nothing of the others.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry.checker.certificate.archive import BadCertificate
from goedels_poetry.checker.certificate.report import CheckReport, TrustLevel
from goedels_poetry.checker.python.archive import PythonArchive, read_python
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import Program, read_program, with_contracts

if TYPE_CHECKING:
    from goedels_poetry.python.testing.checks import CheckResult, Checks, Effort, TestReport

Json = dict[str, Any]


def check_python(
    path: Path,
    against: str | None = None,
    *,
    function: str = "",
    second_seconds: float = math.inf,
    proofs: bool = False,
) -> CheckReport:
    """Check a certificate.

    Args:
        path: its folder.
        against: the text that it has to be about; None accepts the one inside it. That is the program; of a candidate
            for a task the task, as JSON; of a change the file as it was.
        function: the function that it has to be about; "" accepts the one that it names.
        second_seconds, proofs: as of `check_certificate`, for a proof.

    Returns:
        The report; it never raises on account of what the certificate contains.
    """
    began = time.monotonic()
    try:
        archive = read_python(Path(path))
        about, what = original(archive.source, archive.evidence)
        if against is not None and about != against:
            raise BadCertificate(f"the certificate is about another {what} than the one given")
        if function and archive.function != function:
            raise BadCertificate(f"the certificate is about the function {archive.function}, not about {function}")
        report = _of_claim(archive, began + second_seconds, proofs)
    except (BadCertificate, OutsideFragment, InvalidInput) as error:
        report = CheckReport(Verdict.UNKNOWN, refused=True, reasons=(str(error),))
    except PythonFault as fault:
        report = CheckReport(Verdict.INVALID, refused=True, reasons=(f"the program is not valid: {fault.message}",))
    except (RecursionError, MemoryError) as error:
        reason = f"the certificate is too deeply nested or too large ({type(error).__name__})"
        report = CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))
    return replace(report, seconds=time.monotonic() - began)


def _of_claim(archive: PythonArchive, until: float, proofs: bool) -> CheckReport:
    if archive.claim == "proved":
        from goedels_poetry.checker.python.proof import proved  # rests on a translation and on solvers

        return proved(archive, until, proofs)
    return refuted(archive) if archive.claim == "refuted" else tested(archive, until)


def original(source: str, evidence: Json) -> tuple[str, str]:
    """The text that a certificate of a program is about, and what it is."""
    task, change = evidence.get("task"), evidence.get("change")
    if task is None and change is None:
        return source, "program"
    case = change.get("case") if isinstance(change, dict) else None
    about = task if change is None else case.get("before") if isinstance(case, dict) and task is None else None
    if not isinstance(about, str):
        raise BadCertificate("the evidence is malformed")
    return about, "task" if change is None else "file before the change"


# Claims that rest on runs in CPython: an input that breaks a contract, checks that passed. What runs them is loaded in
# the functions that need it: a proof does not rest on it.

NO_PROOF = "every check passed{}; this is not a proof"
PRESSED = 5.0
"""With fewer seconds left, fewer inputs are tried where that is all there is to do."""
PROJECT = "the project, its tests, the error and the commands that show it are those of the certificate"


def refuted(archive: PythonArchive) -> CheckReport:
    """The report on an input that breaks the contract when CPython runs the function on it."""
    import asyncio

    from goedels_poetry.python.testing.candidate import replay

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
    from goedels_poetry.python.testing.checks import checks_of_task

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
    from goedels_poetry.python.testing.checks import checks_of

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
    from goedels_poetry.python.testing.checks import checks_of

    try:
        program = read_program(source)
    except PythonFault:
        return {}
    ran = {name: _run(source, checks_of(program, name), "quick") for name in with_contracts(program)}
    broken = [(name, result) for name, report in ran.items() for result in report.results if result.violates()]
    return {name: result.reason for name, result in broken}


def _run(source: str, checks: Checks, effort: Effort) -> TestReport:
    import asyncio

    from goedels_poetry.python.testing.candidate import test_candidate

    return asyncio.run(test_candidate(source, checks, effort=effort))
