"""Proof objects in certificates: all of them proofs make L4, and what is wrong with one is named, and helps nothing."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import proofs
import pytest
from trusted_base import certificate

from goedels_poetry.checker import check_certificate, write_certificate, write_counterexample
from goedels_poetry.checker.certificate.archive import MANIFEST, PROOFS, canonical, proof_name, read_archive, sha256
from goedels_poetry.checker.certificate.report import TrustLevel
from goedels_poetry.checker.certificate.writing import (
    add_files,
    report_from_json,
    report_to_json,
    sealed,
    write_archive,
)
from goedels_poetry.checker.limited import NO_PROOFS, check_within
from goedels_poetry.checker.python.archive import PROOF
from goedels_poetry.checker.smt import proof_objects
from goedels_poetry.kernel.verdict import Verdict

FIRST, SECOND = proof_name(1), proof_name(2)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_certificate(proofs.GAUSS, proofs.gauss(), tmp_path_factory.mktemp("proofs") / "certificate")
    add_files(path, {name: packed for _, name, packed in proof_objects.proofs_of(path)})
    return path


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


def put(path: Path, changed: Mapping[str, bytes | None]) -> None:
    """Replace files, or remove them, with hashes that fit."""
    kept = {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}
    files = {name: data for name, data in {**kept, **changed}.items() if data is not None and name != MANIFEST}
    manifest = json.loads(kept[MANIFEST]) | {"files": {name: sha256(data) for name, data in files.items()}}
    seal = sealed({key: value for key, value in manifest.items() if key != "manifest_sha256"})
    write_archive(path, {**files, MANIFEST: canonical(seal)}, overwrite=True)


def test_a_proof_for_each_obligation_makes_the_highest_level(made: Path) -> None:
    report = check_certificate(made, proofs.GAUSS, proofs=True)
    assert report.trust_level is TrustLevel.STEP_BY_STEP
    assert report.proofs is not None
    assert (report.proofs.checked, report.proofs.without) == (report.obligations.total, ())
    assert report_from_json(report_to_json(report)) == report_from_json(json.loads(json.dumps(report_to_json(report))))
    assert report_to_json(report)["proofs"] == {"checked": report.obligations.total, "without": []}
    assert gzip.decompress(read_archive(made).proofs[FIRST]).startswith(b"; cvc5 1.")


def test_without_being_asked_for_they_are_left_aside(made: Path) -> None:
    report = check_certificate(made)
    assert report.trust_level is TrustLevel.CONFIRMED
    assert report.proofs is None and "proofs" not in report_to_json(report)


def test_a_check_without_them_loads_nothing_of_their_checker(made: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from goedels_poetry.checker.smt.check import check_certificate\n"
        f"assert check_certificate(Path({str(made)!r})).accepted\n"
        "sys.exit(any('cpc' in name or 'proof_objects' in name for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda files: {FIRST: None}, "there is no proof object"),
        (lambda files: {FIRST: files[SECOND]}, "no assertion of the obligation"),
        (lambda files: {FIRST: files[FIRST][:-20]}, "cut off"),
        (lambda files: {FIRST: files[FIRST] + files[FIRST]}, "cut off"),
        (lambda files: {FIRST: b"(step @p1 false :rule trust)"}, "cannot be read"),
        (lambda files: {FIRST: gzip.compress(b"(step @p1 false :rule trust :args (false))")}, "the rule trust is not"),
        (lambda files: {FIRST: gzip.compress(b"")}, "does not end in false"),
        (lambda files: {FIRST: gzip.compress(b"\xff")}, "cannot be read"),
        (lambda files: {FIRST: gzip.compress(b"(" * 5_000 + b")" * 5_000)}, ""),
        (
            lambda files: {FIRST: gzip.compress(b"(define @t1 () " + b"(not " * 5_000 + b"true" + b")" * 5_001)},
            "nested",
        ),
    ],
)
def test_what_is_no_proof_is_named_and_the_level_stays(copied: Path, change, reason: str) -> None:
    put(copied, change(read_archive(copied).proofs))
    report = check_certificate(copied, proofs=True)
    assert report.verdict is Verdict.PROVED and report.trust_level is TrustLevel.CONFIRMED
    assert report.proofs is not None and report.proofs.checked == report.obligations.total - 1
    (without,) = report.proofs.without
    assert without.startswith("equation sum 1 (line ") and reason in without


def test_a_proof_larger_than_allowed_is_not_unpacked(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_objects, "MAX_BYTES", 1_000)
    put(copied, {FIRST: gzip.compress(b" " * 10_000_000)})
    report = check_certificate(copied, proofs=True)
    assert report.proofs is not None and "larger than 1000 bytes" in report.proofs.without[0]


def test_files_that_were_edited_or_put_there_refuse_the_certificate(copied: Path) -> None:
    (copied / FIRST).write_bytes(read_archive(copied).proofs[SECOND])
    assert "a file was edited" in check_certificate(copied).reasons[0]
    (copied / PROOFS / "notes.txt").write_bytes(b"")
    assert "no folder of files 001.cpc.gz" in check_certificate(copied).reasons[0]
    shutil.rmtree(copied / PROOFS)
    assert "a file was edited" in check_certificate(copied).reasons[0]
    (copied / PROOFS).symlink_to(copied)
    assert "no folder of files 001.cpc.gz" in check_certificate(copied).reasons[0]


def test_the_second_checker_leaves_them_aside(made: Path) -> None:
    script = Path(__file__).parents[2] / "scripts" / "verify_certificate.py"
    done = subprocess.run([sys.executable, script, made], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_certificate_without_them_stays_valid(tmp_path: Path) -> None:
    path = write_certificate(proofs.GAUSS, proofs.gauss(), tmp_path / "certificate")
    report = check_certificate(path, proofs=True)
    assert report.trust_level is TrustLevel.CONFIRMED
    assert report.proofs is not None and report.proofs.checked == 0
    assert len(report.proofs.without) == report.obligations.total


def test_premises_not_shown_to_be_consistent_keep_the_level_low(tmp_path: Path) -> None:
    text = b"(declare-fun f (Int) Int)(assert (forall ((x Int)) (> (f (f x)) (* x x x))))(prove (> (f (f 2)) 7))"
    path = write_certificate(text, proofs.direct(text), tmp_path / "certificate")
    add_files(path, {name: packed for _, name, packed in proof_objects.proofs_of(path)})
    report = check_certificate(path, proofs=True)
    if report.trust_level is TrustLevel.REBUILT:
        assert any("the trust level stays L1" in note for note in report.notes)
    assert report.proofs is not None and not report.proofs.without


def test_a_counterexample_has_none(tmp_path: Path) -> None:
    text = b"(prove (forall ((n Int)) (< n 5)))"
    path = write_counterexample(text, {"n": 7}, tmp_path / "certificate")
    report = check_within(60.0, path, proofs=True)
    assert report.verdict is Verdict.REFUTED and report.notes == (NO_PROOFS,)


def test_the_proof_of_a_python_function_reaches_the_level_as_well(tmp_path: Path) -> None:
    path = Path(certificate("Python proof", tmp_path / "certificate"))
    add_files(path / PROOF, {name: packed for _, name, packed in proof_objects.proofs_of(path / PROOF)})
    assert check_within(60.0, path).trust_level is TrustLevel.CONFIRMED
    report = check_within(60.0, path, proofs=True)
    assert report.trust_level is TrustLevel.STEP_BY_STEP and report.proofs is not None and report.proofs.checked == 1


def test_a_proof_is_also_checked_by_the_program_alone(copied: Path, tmp_path: Path) -> None:
    obligation, proof = tmp_path / "obligation.smt2", tmp_path / "proof.cpc"
    obligation.write_text("(declare-const a Bool)(assert a)(assert (not a))")
    proof.write_text("((assume @p1 a)(assume @p2 (not a))(step @p3 false :rule contra :premises (@p1 @p2)))")

    def run() -> tuple[int, str]:
        command = [sys.executable, "-m", "goedels_poetry.checker.cpc.check", str(obligation), str(proof)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    assert run() == (0, "holds: 1 steps\n")
    obligation.write_text("(declare-const a Bool)(assert a)")
    assert run() == (1, "rejected: line 1: assume @p2: what is assumed is no assertion of the obligation\n")


@pytest.mark.parametrize(
    ("says", "level"), [("correct", TrustLevel.STEP_BY_STEP), ("Error: @p7", TrustLevel.CONFIRMED)]
)
def test_where_ethos_is_installed_it_has_to_accept_each_proof_too(
    made: Path, says: str, level: TrustLevel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "deps" / "bin" / "ethos"  # as cvc5's own script installs it
    program.parent.mkdir(parents=True)
    rules = tmp_path / "proofs" / "eo" / "cpc" / "Cpc.eo"
    rules.parent.mkdir(parents=True)
    rules.write_text("")
    script = f"""#!/bin/sh
grep -q '^(include "{rules}")$' "$1" && grep -q '(step' "$1" && ! grep -q '^($' "$1" &&
printf '{says}\\n' && echo 'a warning' >&2
"""
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    report = check_certificate(made, proofs.GAUSS, proofs=True)
    assert report.trust_level is level and report.proofs is not None
    if level is TrustLevel.STEP_BY_STEP:
        assert any(note.startswith("ethos accepts ") for note in report.notes)
    else:
        assert "ethos does not accept the proof: Error: @p7" in report.proofs.without[0]
