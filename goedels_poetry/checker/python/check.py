"""The check of a certificate about a Python function, from nothing.

A proof counts when the program's translation, made anew, is the theorem of a certificate in SMT-LIB that holds; and the
program is run, too: CPython and the translation are two accounts of what it means, and where they disagree nothing is
proved. A refutation is an input on which CPython shows the fault. Checks that passed are run again.
"""

from __future__ import annotations

import ast
import asyncio
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from goedels_poetry.checker.certificate.archive import THEOREM, BadCertificate, plain_bytes
from goedels_poetry.checker.certificate.report import CheckReport, TrustLevel
from goedels_poetry.checker.python.archive import PythonArchive, read_python
from goedels_poetry.checker.smt.check import check_certificate
from goedels_poetry.checker.smt.portfolio import Z3_OPTIONS
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.testing.candidate import replay, test_candidate
from goedels_poetry.python.testing.checks import CheckResult, Checks, Effort, TestReport, checks_of, checks_of_task
from goedels_poetry.python.translate.contracts import Clause, Contract
from goedels_poetry.python.translate.faults import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import Program, read_program, with_contracts
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.solvers.limits import Limits, SolverUnavailable
from goedels_poetry.solvers.z3_process import Z3Process

# Does a function accept any input? A contract whose conditions contradict each other promises nothing

LIMITS = Limits(rlimit=2_000_000, seconds=10.0)
"""For each attempt to show that no input is accepted: what counts is work, so that a check finds what a run found."""
ONE = "no input is accepted: requires {} never holds"
SEVERAL = "no input is accepted: these contradict each other: {}"


def contradictory(program: Program, function: str) -> tuple[str, ...]:
    """The conditions (texts) that no input satisfies together, as few as easily found; () where that is not shown.

    It is asked of a function whose contract has been proved: then its definitions, and with them those of the
    conditions, are known to mean something.
    """
    clauses = program.functions[function].contract.requires
    with suppress(SolverUnavailable), Z3Process() as solver:
        if not clauses or not _never_holds(solver, program, function, clauses):
            return ()
        core = list(clauses)
        for clause in clauses if len(clauses) > 1 else ():
            fewer = [c for c in core if c is not clause]
            if fewer and _never_holds(solver, program, function, fewer):
                core = fewer
        return tuple(c.text for c in core)
    return ()


def told(core: Sequence[str]) -> str:
    """The contradiction in a line."""
    return ONE.format(*core) if len(core) == 1 else SEVERAL.format("; ".join(f"requires {text}" for text in core))


def _never_holds(solver: Z3Process, program: Program, function: str, clauses: Sequence[Clause]) -> bool:
    """Whether ``requires`` these, ``ensures False`` is seen to hold: whatever the function does."""
    false = Clause("False", ast.Constant(False), 0, 0)
    functions = {  # what the others promise has been proved with the contract
        name: replace(f, contract=Contract(requires=f.contract.requires)) for name, f in program.functions.items()
    }
    contract = Contract(requires=tuple(clauses), ensures=(false,))
    functions[function] = replace(program.functions[function], contract=contract)
    problem = parse_problem(translate(replace(program, functions=MappingProxyType(functions)), function).text)
    goal = sequent_of(problem.goal, problem.signature.names)
    script = Context(problem).script_of(goal, Query(), {})
    return any(solver.ask(script, LIMITS, options=o).status == "unsat" for o in (Z3_OPTIONS[0], Z3_OPTIONS[-1]))


Json = dict[str, Any]

NO_PROOF = "every check passed{}; this is not a proof"
PRESSED = 5.0
"""With fewer seconds left, fewer inputs are tried where that is all there is to do."""
UNTAKEN = "no run in CPython was seen to take the branch at line {}"
RAN = "CPython kept the contract on {} inputs"
PROJECT = "the project, its tests, the error and the commands that show it are those of the certificate"
ALARM = "ALARM: the translation is proved, but CPython says otherwise ({}); no verdict"


DISAGREE = ("compile", "signature", "unloadable", "deterministic")
"""Kinds of results, besides broken contracts, that no program has of which the translation is true."""
UNFOLDED = "is unfolded only where"
"""In a note: a definition that has perhaps no solution, of which the proof used only a part."""


class _Refused(Exception):
    """The certificate does not show what it claims. ``args``: the reason."""


def check_python(
    path: Path, against: str | None = None, *, function: str = "", second_seconds: float = math.inf
) -> CheckReport:
    """Check a certificate.

    Args:
        path: its folder.
        against: the text that it has to be about; None accepts the one inside it. That is the program; of a candidate
            for a task the task, as JSON; of a change the file as it was.
        function: the function that it has to be about; "" accepts the one that it names.
        second_seconds: as of `check_certificate`, for a proof.

    Returns:
        The report; it never raises on account of what the certificate contains.
    """
    began = time.monotonic()
    try:
        archive = read_python(Path(path))
        about, what = original(archive.source, archive.evidence)
        if against is not None and about != against:
            raise _Refused(f"the certificate is about another {what} than the one given")
        if function and archive.function != function:
            raise _Refused(f"the certificate is about the function {archive.function}, not about {function}")
        report = _CLAIMS[archive.claim](archive, began + second_seconds)
    except (BadCertificate, _Refused, OutsideFragment, InvalidInput) as error:
        report = CheckReport(Verdict.UNKNOWN, refused=True, reasons=(str(error),))
    except PythonFault as fault:
        report = CheckReport(Verdict.INVALID, refused=True, reasons=(f"the program is not valid: {fault.message}",))
    except (RecursionError, MemoryError) as error:
        reason = f"the certificate is too deeply nested or too large ({type(error).__name__})"
        report = CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))
    return replace(report, seconds=time.monotonic() - began)


def _proved(archive: PythonArchive, until: float) -> CheckReport:
    assert archive.proof is not None
    program = read_program(archive.source)
    text = translate(program, archive.function).text.encode()
    if plain_bytes(archive.proof / THEOREM) != text:
        raise _Refused("the theorem that is proved is not the translation of the program")
    with ThreadPoolExecutor(1) as beside:  # the function runs in processes of its own, while solvers work
        running = beside.submit(_run, archive.source, _own(program, archive.function), "quick")
        report = check_certificate(archive.proof, text, second_seconds=until - time.monotonic())
        ran = running.result()
    report = replace(report, statement=f"{archive.function}: its contract holds")
    if report.verdict is not Verdict.PROVED:
        return replace(report, verdict=Verdict.UNKNOWN, trust_level=None, refused=True) if report.accepted else report
    if any(result.violates() or (result.kind in DISAGREE and not result.passed) for result in ran.results):
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(ALARM.format(ran.reason),))
    if ran.passed:
        untaken = tuple(UNTAKEN.format(line) for line in ran.untaken)
        return replace(report, reasons=(RAN.format(ran.inputs_tried),), notes=(*report.notes, *untaken))
    # Nothing was seen that the contract accepts: it may say nothing, and then every function keeps it.
    sure = not report.assumptions and not any(UNFOLDED in note for note in report.notes)
    core = contradictory(program, archive.function) if sure else ()
    if core:
        level, why = TrustLevel.REBUILT, (told(core),)  # what the proof says of the hypotheses is said by that
        about = f"{archive.function}: its contract"
        return replace(
            report, verdict=Verdict.INCONSISTENT, trust_level=level, reasons=why, core=core, notes=(), statement=about
        )
    note = f"it was not run in CPython: {ran.reason}"
    return replace(report, reasons=(note,), trust_level=TrustLevel.REBUILT)


def _refuted(archive: PythonArchive, until: float) -> CheckReport:
    arguments = archive.evidence.get("arguments")
    if not isinstance(arguments, dict) or not all(isinstance(v, str) for pair in arguments.items() for v in pair):
        raise _Refused("the evidence names no arguments")
    program = read_program(archive.source)
    shown = asyncio.run(replay(archive.source, _own(program, archive.function), arguments))
    if not shown.violates():
        raise _Refused(f"CPython does not break the contract on this input: {shown.reason}")
    return _broken(program, archive.function, shown)


def _tested(archive: PythonArchive, until: float) -> CheckReport:
    if "change" in archive.evidence:
        return _changed(archive)
    program = read_program(archive.source)
    effort: Effort = "normal" if until - time.monotonic() > PRESSED else "quick"
    wanted = [_own(program, archive.function)] if archive.function in with_contracts(program) else []
    wanted += [checks_of_task(archive.evidence["task"])] if "task" in archive.evidence else []
    if not wanted or any(checks.function != archive.function for checks in wanted):
        raise _Refused(f"nothing is said about what {archive.function or 'the program'} does")
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


def _own(program: Program, function: str) -> Checks:
    """The contract that the program itself states of a function."""
    if function not in with_contracts(program):
        raise _Refused(f"the program has no contract of {function!r}")
    return checks_of(program, function)


def _broken(program: Program, function: str, shown: CheckResult) -> CheckReport:
    """The report on an input that was seen to break the contract, with the place of the clause."""
    contract = program.functions[function].contract
    clause = next((c for c in contract.ensures if shown.name == f"ensures {c.text}"), None)
    return CheckReport(
        Verdict.REFUTED,
        TrustLevel.REBUILT,
        counterexample=dict(shown.input or {}),
        reasons=(f"line {clause.line}: {shown.reason}" if clause is not None else shown.reason,),
        statement=function,
    )


def _changed(archive: PythonArchive) -> CheckReport:
    """A changed file: the error is seen in what it was, and is gone; what worked is run on both."""
    change = archive.evidence["change"]
    if not isinstance(change, dict) or change.get("after") != archive.source or archive.function:
        raise _Refused("the evidence is about another text of the file")
    from goedels_poetry.python.changes import verify_change  # nothing else needs it

    report = verify_change(archive.evidence)
    if not report.is_tested:
        raise _Refused(report.reason)
    known = _violated(change["case"]["before"])
    for name, reason in _violated(archive.source).items():
        if name not in known:
            raise _Refused(f"the changed file breaks the contract of {name}: {reason}")
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


_CLAIMS: dict[str, Callable[[PythonArchive, float], CheckReport]] = {
    "proved": _proved,
    "refuted": _refuted,
    "tested": _tested,
}
