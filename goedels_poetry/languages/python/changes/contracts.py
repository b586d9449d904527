"""Contracts of a file's functions, tested in CPython: which of them hold as far as tests can tell."""

from __future__ import annotations

from dataclasses import replace

from goedels_poetry.kernel.python.faults import PythonFault
from goedels_poetry.kernel.python.program import read_program, with_contracts

MOST = 12
"""Functions of one file that are looked at."""


async def contracts_that_hold(text: str) -> dict[str, bool]:
    """Function with a contract -> whether no input was found that breaks it; those that cannot be run are left out."""
    return {name: not reason for name, reason in (await contract_faults(text)).items()}


async def contract_faults(text: str) -> dict[str, str]:
    """Function with a contract -> how which input breaks it, "" for none."""
    try:
        program = read_program(text)
        names = with_contracts(program)[:MOST]
    except PythonFault:
        return {}
    if not names:
        return {}
    from goedels_poetry.languages.python.testing.candidate import test_candidate
    from goedels_poetry.languages.python.testing.checks import checks_of

    found: dict[str, str] = {}
    for name in names:
        apart = replace(checks_of(program, name), own=False)  # a model may have written the function: it is no judge
        report = await test_candidate(text, apart, effort="quick")
        if report.counterexample is not None:
            found[name] = report.reason
        elif report.passed:
            found[name] = ""
        elif report.fault == "raised" or report.fault == "check":
            found[name] = report.reason
    return found
