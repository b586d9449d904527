"""A finished proof becomes a certificate, and the certificate alone gives the verdict back."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import proofs
import pytest

from goedels_poetry.checker import (
    BadProof,
    FinishedProofExists,
    TrustLevel,
    check_certificate,
    write_certificate,
    write_counterexample,
)
from goedels_poetry.checker.certificate.writing import write_archive
from goedels_poetry.kernel.derivation import Derivation, Instance, Query, Step
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import FALSE, integer, not_
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import z3_binary


@pytest.mark.parametrize("name", proofs.ALL)
def test_a_real_proof_is_confirmed_by_both_solvers(certificates: dict[str, Path], name: str) -> None:
    report = check_certificate(certificates[name], proofs.ALL[name][0])
    assert report.verdict is Verdict.PROVED
    assert report.trust_level is TrustLevel.CONFIRMED, report
    assert report.obligations.total == report.obligations.first == report.obligations.second > 0
    assert not report.refused and not report.undecided_by_second and not report.assumptions


def test_without_the_second_solver_the_level_is_lower(certificates: dict[str, Path]) -> None:
    report = check_certificate(certificates["gauss"], second_solver=False)
    assert report.verdict is Verdict.PROVED
    assert report.trust_level is TrustLevel.NOT_VACUOUS
    assert report.obligations.second == 0


@pytest.mark.parametrize("name", proofs.ALL)
def test_the_obligations_replay_in_a_plain_solver(certificates: dict[str, Path], name: str) -> None:
    binary = z3_binary()
    if binary is None:
        pytest.skip("no z3 program beside the interpreter")
    script = certificates[name] / "obligations.smt2"
    said = subprocess.run([binary, "-T:20", str(script)], capture_output=True, text=True, check=False)
    assert said.stdout.split() == ["unsat"] * script.read_text().count("\n(check-sat)\n")


def test_writing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for place in ("a", "b"):
        write_certificate(proofs.GAUSS, proofs.gauss(), tmp_path / place)
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_a_finished_proof_is_not_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "proof.cert"
    write_certificate(proofs.GAUSS, proofs.gauss(), place, {"run": 1})
    write_certificate(proofs.GAUSS, proofs.gauss(), place, {"run": 2})
    assert json.loads((place / "manifest.json").read_text())["info"] == {"run": 1}
    with pytest.raises(FinishedProofExists):
        write_certificate(proofs.ADD_ASSOCIATIVE, proofs.add_associative(), place)
    write_certificate(proofs.GAUSS, proofs.gauss(), place, {"run": 3}, overwrite=True)
    assert json.loads((place / "manifest.json").read_text())["info"] == {"run": 3}
    assert [p.name for p in tmp_path.iterdir()] == ["proof.cert"]


@pytest.mark.parametrize("target", ["nowhere", "loop", "file", "folder"])
def test_a_link_at_the_place_is_neither_followed_nor_replaced(tmp_path: Path, target: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    place = tmp_path / "loop"
    place.symlink_to(tmp_path / target)
    with pytest.raises(FinishedProofExists):
        write_certificate(proofs.GAUSS, proofs.gauss(), place)
    assert place.is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder", "loop"]
    assert (tmp_path / "file").read_text() == "mine"
    assert not list((tmp_path / "folder").iterdir())


@pytest.mark.parametrize("overwrite", [False, True])
def test_who_is_slower_at_a_place_leaves_it_to_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overwrite: bool
) -> None:
    place, rename = tmp_path / "place", Path.rename
    if overwrite:
        place.mkdir()

    def late(self: Path, target: Path) -> Path:
        if target == place and self.name != "replaced":
            place.mkdir(exist_ok=True)
            (place / "theirs").touch()
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", late)
    with pytest.raises(FinishedProofExists):
        write_archive(place, {"ours": b""}, overwrite=overwrite)
    assert [p.name for p in tmp_path.iterdir()] == ["place"]
    assert [p.name for p in place.iterdir()] == ["theirs"]


def test_any_information_about_the_run_can_stand_in_the_manifest(tmp_path: Path) -> None:
    info = {"seconds": float("inf"), 7: {"a": Path("x")}, "b": [float("nan"), 1.5, None]}
    path = write_certificate(proofs.GAUSS, proofs.gauss(), tmp_path / "x", info)
    assert check_certificate(path, proofs.GAUSS, second_solver=False).accepted
    written = json.loads((path / "manifest.json").read_text())["info"]
    assert written == {"seconds": None, "7": {"a": "x"}, "b": [None, 1.5, None]}


def test_steps_that_are_no_proof_are_not_written(tmp_path: Path) -> None:
    proof = proofs.gauss()
    with pytest.raises(BadProof):
        write_certificate(proofs.GAUSS, Derivation(proof.steps[:-1]), tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_the_theorem_must_be_the_one_given(certificates: dict[str, Path]) -> None:
    text = proofs.GAUSS
    assert check_certificate(certificates["gauss"], text).accepted
    for other in (text + b"\n", text.replace(b">= n 0", b">= n 1"), proofs.ADD_ASSOCIATIVE, b""):
        report = check_certificate(certificates["gauss"], other)
        assert report.refused and report.verdict is Verdict.UNKNOWN


def test_a_lemma_may_be_used_as_an_instance(tmp_path: Path) -> None:
    text = proofs.GAUSS.replace(b"(prove", b"(prove (= (sum 3) 6)) ;")
    whole = proofs.gauss().steps
    goal = proofs.goal_of(parse_problem(text))
    cited = Instance("step", "goal", (parse_problem(text).goal.args[0].args[0],))
    query = Query(cites=("goal",), instances=(cited,), equations=False, quantified=False)
    path = write_certificate(text, Derivation((*whole, Step("three", goal, query))), tmp_path / "x")
    assert check_certificate(path, text).verdict is Verdict.PROVED
    uncited = replace(query, cites=())
    with pytest.raises(BadProof, match="not cited"):
        write_certificate(text, Derivation((*whole, Step("three", goal, uncited))), tmp_path / "y")


# ------------------------------------------------------------------------------------ premises, vacuity

CONTRADICTORY = b"""(declare-const x Int)
(assert (! (> x 3) :named big))
(assert (! (= (* 2 x) (* 2 x)) :named idle))
(assert (! (< x 2) :named small))
(prove (= x 17))
"""


def test_a_proof_from_contradictory_premises_is_reported_as_inconsistent_with_the_core(tmp_path: Path) -> None:
    path = write_certificate(CONTRADICTORY, proofs.direct(CONTRADICTORY), tmp_path / "x")
    report = check_certificate(path, CONTRADICTORY)
    assert report.verdict is Verdict.INCONSISTENT
    assert sorted(report.core) == ["big", "small"]


def test_contradictory_premises_have_a_certificate_of_their_own(tmp_path: Path) -> None:
    proof = Derivation((Step("1", Sequent((), (), FALSE), Query()),))
    path = write_certificate(CONTRADICTORY, proof, tmp_path / "x", claim="inconsistent")
    report = check_certificate(path, CONTRADICTORY)
    assert report.verdict is Verdict.INCONSISTENT and report.trust_level is TrustLevel.CONFIRMED
    assert sorted(report.core) == ["big", "small"]


def test_consistent_premises_are_not_inconsistent(tmp_path: Path) -> None:
    proof = Derivation((Step("1", Sequent((), (), FALSE), Query()),))
    path = write_certificate(proofs.PREMISES, proof, tmp_path / "x", claim="inconsistent")
    assert not check_certificate(path, proofs.PREMISES).accepted


# Only infinite orders satisfy these premises, which no solver here finds out.
HARD_PREMISE = b"""(declare-sort Point 0)
(declare-fun below (Point Point) Bool)
(declare-const here Point)
(assert (forall ((x Point)) (not (below x x))))
(assert (forall ((x Point) (y Point) (z Point)) (=> (and (below x y) (below y z)) (below x z))))
(assert (forall ((x Point)) (exists ((y Point)) (below x y))))
(prove (not (below here here)))
"""
SHORT = Limits(seconds=0.5)


def test_premises_that_nobody_can_show_consistent_cap_the_level(tmp_path: Path) -> None:
    path = write_certificate(HARD_PREMISE, proofs.direct(HARD_PREMISE), tmp_path / "x")
    report = check_certificate(path, HARD_PREMISE, limits=SHORT)
    assert report.verdict is Verdict.PROVED and report.trust_level is TrustLevel.REBUILT
    assert "consistency of the premises not shown" in report.notes


def test_a_goal_whose_own_hypotheses_contradict_is_noted_as_vacuous(tmp_path: Path) -> None:
    text = b"(prove (forall ((x Int)) (=> (and (< x 0) (> x 0)) (= x 17))))"
    path = write_certificate(text, proofs.direct(text), tmp_path / "x")
    report = check_certificate(path, text)
    assert report.verdict is Verdict.PROVED
    assert any("vacuous" in note for note in report.notes)


# ------------------------------------------------------------------------------------------- definitions

ILL_FOUNDED = b"(define-fun-rec f ((x Int)) Int (+ 1 (f x)))\n(prove (= 0 1))\n"
NOT_SHOWN = b"""(define-fun-rec c ((n Int)) Int
  (ite (<= n 1) 0 (ite (= (mod n 2) 0) (c (div n 2)) (c (+ (* 3 n) 1)))))
(prove (= (c 1) 0))
"""


def test_a_proof_from_an_ill_founded_definition_is_no_proof(tmp_path: Path) -> None:
    unfolded = Instance("def", "f", (integer(0),))
    proof = proofs.direct(ILL_FOUNDED, Query(instances=(unfolded,)))
    path = write_certificate(ILL_FOUNDED, proof, tmp_path / "x", assume_definitions=True)
    report = check_certificate(path, ILL_FOUNDED)
    assert report.verdict is Verdict.UNKNOWN and "terminate" in report.reasons[0]
    report = check_certificate(path, ILL_FOUNDED, assume_definitions=True)
    assert report.verdict is Verdict.INCONSISTENT


def test_definitions_are_assumed_only_when_certificate_and_caller_both_say_so(tmp_path: Path) -> None:
    unfolded = Instance("def", "c", (integer(1),))
    proof = proofs.direct(NOT_SHOWN, Query(instances=(unfolded,), equations=False))
    careful = write_certificate(NOT_SHOWN, proof, tmp_path / "a")
    bold = write_certificate(NOT_SHOWN, proof, tmp_path / "b", assume_definitions=True)
    assert check_certificate(careful, NOT_SHOWN).verdict is Verdict.UNKNOWN
    assert check_certificate(careful, NOT_SHOWN, assume_definitions=True).verdict is Verdict.UNKNOWN
    assert check_certificate(bold, NOT_SHOWN).verdict is Verdict.UNKNOWN
    report = check_certificate(bold, NOT_SHOWN, assume_definitions=True)
    assert report.verdict is Verdict.PROVED and report.trust_level is TrustLevel.REBUILT
    assert any("c:" in a for a in report.assumptions)


# ------------------------------------------------------------------------------------------- refutations


def test_a_counterexample_is_evaluated_and_confirmed(tmp_path: Path) -> None:
    one = ("succ", ("zero",))
    path = write_counterexample(proofs.ADD_IDEMPOTENT, {"a": one}, tmp_path / "x")
    report = check_certificate(path, proofs.ADD_IDEMPOTENT)
    assert report.verdict is Verdict.REFUTED and report.trust_level is TrustLevel.CONFIRMED
    assert report.counterexample == {"a": "(succ zero)"}
    with pytest.raises(BadProof):
        write_counterexample(proofs.ADD_IDEMPOTENT, {"a": ("zero",)}, tmp_path / "y")


def test_a_counterexample_has_to_satisfy_the_premises(tmp_path: Path) -> None:
    text = b"(declare-const k Int)\n(assert (> k 5))\n(prove (forall ((n Int)) (> (+ n n k) 0)))\n"
    constants = {"k": 6}
    path = write_counterexample(text, {"n": -9}, tmp_path / "x", interpret=lambda name, _: constants[name])
    assert check_certificate(path, text).verdict is Verdict.REFUTED
    constants["k"] = 5
    with pytest.raises(BadProof):
        write_counterexample(text, {"n": -9}, tmp_path / "y", interpret=lambda name, _: constants[name])


def test_a_refutation_by_negation_needs_consistent_premises(tmp_path: Path) -> None:
    text = proofs.PREMISES.replace(b"(prove (purrs tom))", b"(prove (not (purrs tom)))")

    def refute(text: bytes, place: str) -> Path:
        problem = parse_problem(text)
        proof = Derivation((Step("1", sequent_of(not_(problem.goal)), Query()),))
        return write_certificate(text, proof, tmp_path / place, claim="negation proved")

    report = check_certificate(refute(text, "x"), text)
    assert report.verdict is Verdict.REFUTED and report.trust_level is TrustLevel.CONFIRMED
    report = check_certificate(refute(CONTRADICTORY, "y"), CONTRADICTORY)
    assert report.verdict is Verdict.INCONSISTENT
    hard = HARD_PREMISE.replace(b"(prove (not (below here here)))", b"(prove (below here here))")
    assert check_certificate(refute(hard, "z"), hard, limits=SHORT).verdict is Verdict.UNKNOWN


def test_a_certificate_that_can_be_put_neither_in_place_nor_back_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, rename = tmp_path / "place", Path.rename
    place.mkdir()
    (place / "kept").touch()

    def refused(self: Path, target: Path) -> Path:
        if target == place:
            raise PermissionError("nobody may write here any more")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(PermissionError):
        write_archive(place, {"ours": b""}, overwrite=True)
    assert [found.name for found in tmp_path.glob(".place.old.*/replaced/*")] == ["kept"]
