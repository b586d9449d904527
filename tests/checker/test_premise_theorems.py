"""Premises that the definitions imply: a proof that uses them is not vacuous, and nothing else passes for one."""

from pathlib import Path
from typing import Any

import pytest
from drive import verdict
from forge import evidence_of, forge

from goedels_poetry.checker import check_certificate
from goedels_poetry.checker.certificate.archive import read_archive
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.solvers.limits import Limits

FUNCTIONS = """(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(define-fun-rec add ((x N) (y N)) N (match x ((zero y) ((next a) (next (add a y))))))
"""
COMMUTES = "(assert (! (forall ((x N) (y N)) (= (add x y) (add y x))) :named commutes))"
GOAL = "(prove (forall ((x N) (y N)) (= (add x (next y)) (next (add y x)))))"


def certificate(folder: Path) -> Path:
    found = verdict(f"{FUNCTIONS}{COMMUTES}{GOAL}", folder)
    assert (found["verdict"], found["trust_level"]) == ("proved", "L3"), found
    return Path(found["path"])


def changed(path: Path, evidence: Any, folder: Path, script: bytes | None = None) -> Path:
    """The certificate with other evidence, all hashes right."""
    archive = read_archive(path)
    return forge(folder, archive.theorem, evidence, script=script or archive.obligations)


def test_a_premise_that_the_definitions_imply_is_proved_in_the_certificate(tmp_path: Path) -> None:
    path = certificate(tmp_path)
    assert evidence_of(path)["premises"]["names"] == ["commutes"]
    assert check_certificate(path).verdict is Verdict.PROVED


def test_without_the_proof_of_its_premises_a_certificate_is_not_the_same(tmp_path: Path) -> None:
    path = certificate(tmp_path)
    evidence = evidence_of(path)
    del evidence["premises"]
    assert check_certificate(changed(path, evidence, tmp_path / "less")).refused


@pytest.mark.parametrize("names", [[], ["other"], ["commutes", "commutes"]])
def test_premises_that_are_not_proved_do_not_count(names: list[str], tmp_path: Path) -> None:
    path = certificate(tmp_path)
    evidence = evidence_of(path)
    evidence["premises"]["names"] = names
    assert check_certificate(changed(path, evidence, tmp_path / "other")).refused


def test_a_premise_that_contradicts_the_definitions_is_not_proved(tmp_path: Path) -> None:
    wrong = "(assert (! (forall ((x N)) (= (add x zero) (next x))) :named wrong))"
    found = verdict(f"{FUNCTIONS}{wrong}(prove (= zero (next zero)))", tmp_path)
    assert found["verdict"] != "proved"


def test_an_empty_proof_of_premises_is_refused(tmp_path: Path) -> None:
    path = certificate(tmp_path)
    evidence = evidence_of(path)
    evidence["premises"]["proof"]["steps"] = []
    report = check_certificate(changed(path, evidence, tmp_path / "empty"), limits=Limits(seconds=1))
    assert report.refused


def test_the_report_names_the_premises_that_a_proof_needs(tmp_path: Path) -> None:
    told = "(declare-fun f (N) N) (assert (! (forall ((x N)) (= (f x) (next x))) :named told))"
    idle = "(assert (! (= (f zero) (next zero)) :named idle))"
    found = verdict(f"{FUNCTIONS}{told}{idle}(prove (= (f (next zero)) (next (next zero))))", tmp_path)
    report = check_certificate(Path(found["path"]))
    assert (report.needed, report.unneeded) == (("told",), ("idle",))
