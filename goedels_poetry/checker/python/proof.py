"""The proof of a Python function: its translation, made anew, is the theorem of a certificate in SMT-LIB that holds.

The function is run as well: CPython and the translation are two accounts of what it means, and where they disagree
nothing is proved. A run only withdraws a proof, or its level: it is made by a process of its own (`cross_check`), and
what a proof rests on is not what makes inputs.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from goedels_poetry.checker.certificate.archive import THEOREM, BadCertificate, plain_bytes
from goedels_poetry.checker.certificate.report import CheckReport, TrustLevel
from goedels_poetry.checker.python.archive import PythonArchive
from goedels_poetry.checker.smt.check import check_certificate
from goedels_poetry.checker.smt.portfolio import Z3_OPTIONS
from goedels_poetry.errors import InvalidInput, Unavailable
from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.translate.contracts import Clause, Contract, OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import Program, read_program, with_contracts
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.solvers.child import Child, ChildDied, ChildFlood, ChildTimeout, start_module
from goedels_poetry.solvers.limits import Limits, SolverUnavailable
from goedels_poetry.solvers.process import BrokenFrame, is_whole, last_output, pack, unpack
from goedels_poetry.solvers.z3_process import Z3Process

UNTAKEN = "no run in CPython was seen to take the branch at line {}"
RAN = "CPython kept the contract on {} inputs"
ALARM = "ALARM: the translation is proved, but CPython says otherwise ({}); no verdict"
UNFOLDED = "is unfolded only where"
"""In a note: a definition that has perhaps no solution, of which the proof used only a part."""


def proved(archive: PythonArchive, until: float, proofs: bool = False) -> CheckReport:
    """The report on a proof; ``proofs``: also on its proof objects."""
    assert archive.proof is not None
    running = _cross_check(archive.source, archive.function)
    next(running)  # beside all that follows
    program = read_program(archive.source)
    text = translate(program, archive.function).text.encode()
    if plain_bytes(archive.proof / THEOREM) != text:
        raise BadCertificate("the theorem that is proved is not the translation of the program")
    if archive.function not in with_contracts(program):
        raise BadCertificate(f"the program has no contract of {archive.function!r}")
    report = check_certificate(archive.proof, text, second_seconds=until - time.monotonic(), proofs=proofs)
    ran = next(running)
    report = replace(report, statement=f"{archive.function}: its contract holds")
    if report.verdict is not Verdict.PROVED:
        return replace(report, verdict=Verdict.UNKNOWN, trust_level=None, refused=True) if report.accepted else report
    if ran["contradicts"]:
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(ALARM.format(ran["reason"]),))
    if ran["passed"]:
        untaken = tuple(UNTAKEN.format(line) for line in ran["untaken"])
        reasons, notes = (RAN.format(ran["inputs"]),), (*report.notes, *untaken)
        return replace(report, reasons=reasons, notes=notes, unneeded=unneeded(program, archive.function))
    # Nothing was seen that the contract accepts: it may say nothing, and then every function keeps it.
    sure = not report.assumptions and not any(UNFOLDED in note for note in report.notes)

    core = contradictory(program, archive.function) if sure else ()
    if core:
        level, why = TrustLevel.REBUILT, (told(core),)  # what the proof says of the hypotheses is said by that
        about = f"{archive.function}: its contract"
        return replace(
            report, verdict=Verdict.INCONSISTENT, trust_level=level, reasons=why, core=core, notes=(), statement=about
        )
    note = f"it was not run in CPython: {ran['reason']}"
    return replace(report, reasons=(note,), trust_level=TrustLevel.REBUILT)


_TESTER = f"{__package__}.cross_check"
_SECONDS = 3600.0
_REPLY_BYTES = 1 << 20
_idle: list[Child] = []
"""The process that ran the last function waits for the next one, as its own sandboxes keep one from another."""


def _cross_check(source: str, function: str) -> Iterator[dict[str, Any]]:
    """First that runs in CPython have begun, then what came of them; see `cross_check`.

    Raises:
        Unavailable: there is no sandbox, or the process ended without a report.
        InvalidInput: the contract cannot be tested.
    """
    try:
        tester = _idle.pop() if _idle and _idle[-1].alive else start_module(_TESTER)
        for request in ({"source": source, "function": function}, {}):
            until = time.monotonic() + _SECONDS
            found = unpack(tester.exchange(pack(request), is_whole, until, _REPLY_BYTES))
            if request:
                yield found
    except (OSError, RuntimeError, ChildDied, ChildTimeout, ChildFlood, BrokenFrame) as error:
        last = last_output(error).rpartition("\n")[2] if isinstance(error, ChildDied) else ""
        raise Unavailable(f"the function could not be run in CPython: {last or error}") from error
    _idle.append(tester)
    if "unavailable" in found:
        raise Unavailable(found["unavailable"])
    if "invalid" in found:
        raise InvalidInput(found["invalid"])
    yield found


LIMITS = Limits(rlimit=2_000_000, seconds=10.0)
"""For each attempt to show that no input is accepted: what counts is work, so that a check finds what a run found."""
FEWER = Limits(rlimit=500_000, seconds=2.0)
"""For each attempt to do without a condition."""
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


def unneeded(program: Program, function: str) -> tuple[str, ...]:
    """Conditions without all of which the contract is seen to hold as well; what needs an induction is not seen."""
    contract = program.functions[function].contract
    spared: list[Clause] = []
    with suppress(SolverUnavailable, OutsideFragment, PythonFault, InvalidInput), Z3Process() as solver:
        for clause in contract.requires:
            fewer = tuple(c for c in contract.requires if c is not clause and c not in spared)
            if _holds(solver, program, function, replace(contract, requires=fewer), FEWER, Z3_OPTIONS[:1]):
                spared.append(clause)
    return tuple(f"requires {clause.text} (line {clause.line})" for clause in spared)


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
    changed = replace(program, functions=MappingProxyType(functions))
    return _holds(solver, changed, function, contract, LIMITS, (Z3_OPTIONS[0], Z3_OPTIONS[-1]))


def _holds(
    solver: Z3Process,
    program: Program,
    function: str,
    contract: Contract,
    limits: Limits,
    ways: Sequence[Mapping[str, str]],
) -> bool:
    """Whether a solver sees at once that the function keeps this contract instead of its own."""
    functions = {**program.functions, function: replace(program.functions[function], contract=contract)}
    problem = parse_problem(translate(replace(program, functions=MappingProxyType(functions)), function).text)
    goal = sequent_of(problem.goal, problem.signature.names)
    script = Context(problem).script_of(goal, Query(), {})
    return any(solver.ask(script, limits, options=o).status == "unsat" for o in ways)
