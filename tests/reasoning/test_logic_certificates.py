"""Certificates of logic programs that somebody forged: the checker believes nothing in them, and never raises."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.checker.certificate.archive import MANIFEST, canonical, sha256
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.logic.check import LogicArchive, check_logic, write_logic
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.program import statement_of
from goedels_poetry.questions.reading import read_program
from goedels_poetry.smt.notation.infix import render

TWO = "(declare-const p Bool)(declare-const q Bool)"
CHOICES = f"{TWO}(assert p)(assert (not q))(define-fun goal-A () Bool p)(define-fun goal-B () Bool q)"
FOLLOWS = f"{TWO}(assert p)(define-fun goal () Bool p)"


def certified(folder: Path, program: str, claim: str = "proved", choice: str = "", world: str = "open") -> Path:
    """A certificate with all its hashes right, whatever it claims."""
    statement = statement_of(read_program(program, "smt2"))
    write_logic(folder, LogicArchive(program, "smt2", claim, choice, world, 5_000, 5_000, statement, {}), {})
    return folder


def edited(folder: Path, **entries: Any) -> CheckReport:
    """What the checker says when entries of the manifest are changed and its hash is made to fit."""
    manifest = {**json.loads((folder / MANIFEST).read_text("utf-8")), **entries}
    del manifest["manifest_sha256"]
    manifest["manifest_sha256"] = sha256(canonical(manifest))
    copy = folder.with_name("edited")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    (copy / MANIFEST).write_bytes(canonical(manifest))
    return check_logic(copy)


@pytest.mark.parametrize(
    ("program", "claim", "choice", "world", "found"),
    [
        (FOLLOWS, "refuted", "", "open", Verdict.UNKNOWN),
        (f"{TWO}(assert p)(assert (not p))(define-fun goal () Bool p)", "proved", "", "open", Verdict.INCONSISTENT),
        (f"{TWO}(assert p)(define-fun goal () Bool q)", "refuted", "", "open", Verdict.UNKNOWN),
        (CHOICES, "proved", "", "open", Verdict.UNKNOWN),
        (CHOICES, "proved", "B", "open", Verdict.UNKNOWN),
        ("(declare-const x Int)(assert (> x 3))(maximize x)", "proved", "", "open", Verdict.UNKNOWN),
    ],
)
def test_a_claim_that_does_not_hold_is_not_accepted(
    tmp_path: Path, program: str, claim: str, choice: str, world: str, found: Verdict
) -> None:
    report = check_logic(certified(tmp_path / "c", program, claim, choice, world))
    assert (report.verdict, report.accepted) == (found, False)


def test_the_report_says_which_choice_follows_and_what_the_optimum_is(tmp_path: Path) -> None:
    report = check_logic(certified(tmp_path / "choice", CHOICES, choice="A"))
    assert report.accepted
    assert "of the choices only A follows" in report.notes
    report = check_logic(certified(tmp_path / "best", "(declare-const x Int)(assert (< x 3))(maximize x)"))
    assert report.accepted
    assert "maximum of x: 2" in report.notes
    both = "(declare-const x Int)(assert (> x 3))(maximize x)(define-fun goal () Bool (> x 2))"
    assert "maximum of x: none is shown (unbounded)" in check_logic(certified(tmp_path / "both", both)).notes


def test_a_manifest_of_wrong_kinds_is_refused_and_a_limit_without_end_is_none(tmp_path: Path) -> None:
    folder = certified(tmp_path / "c", FOLLOWS)
    for entries in ({"dialect": {}}, {"claim": []}, {"world": 5}, {"choice": None}, {"milliseconds": True}):
        assert edited(folder, **entries).refused, entries
    assert edited(folder, statement="q").refused
    assert edited(folder, milliseconds=10**400).accepted


def test_things_that_differ_in_pairs_are_not_shown_as_a_chain() -> None:
    assert render("(distinct a b c)") == "distinct(a, b, c)"
    assert render("(distinct a b)") == "a != b"
