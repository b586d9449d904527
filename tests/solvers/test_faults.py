"""The table of published solver faults is true of the solvers that are installed, and is shown where it matters."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from goedels_poetry.cli import report
from goedels_poetry.solvers import versions
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.versions import SolverFault, faults_here, published_faults, solver_versions
from goedels_poetry.solvers.z3_process import Z3Process

PROCESSES = {"z3": Z3Process, "cvc5": Cvc5Process}


@pytest.mark.parametrize("fault", published_faults(), ids=lambda fault: fault.issue.rpartition("/")[2])
def test_the_solvers_here_are_wrong_just_where_the_table_says_so(fault: SolverFault) -> None:
    with PROCESSES[fault.solver]() as solver:
        answer = solver.ask(f"(set-logic ALL)\n{fault.script}", Limits(rlimit=0, seconds=20.0))
    assert (answer.status == "unsat") is fault.is_in(solver_versions()[fault.solver])


@pytest.mark.parametrize(
    ("version", "wrong"),
    [("4.15.3.0", False), ("4.15.4.0", True), ("4.16.0.0", True), ("5.0.0.0", True), ("5.1.0.0", False), ("", False)],
)
def test_versions_between_two_that_are_wrong_count_as_wrong(version: str, wrong: bool) -> None:
    assert published_faults()[0].is_in(version) is wrong


def test_a_proof_that_rests_on_one_solver_names_the_faults_of_its_theory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(versions, "solver_versions", lambda: {"z3": "5.0.0.0", "cvc5": "1.4.2"})
    (tmp_path / "obligations.smt2").write_text('(assert (= (str.len "a") 2))')
    shown = {level: io.StringIO() for level in ("L2", "L3")}
    for level, out in shown.items():
        report.say_faults(Console(file=out, width=200), tmp_path, level)
    assert "strings, z3 4.15.4 to 5.0.0" in shown["L2"].getvalue() and not shown["L3"].getvalue()
    assert [fault.theory for fault in faults_here("(declare-const x Real)")] == []
