"""Trust level L4: what a certificate may call a proof in Lean, and all that it may not."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import proofs
import pytest
from kept_lean import Kept

from goedels_poetry.checker import CheckReport, TrustLevel, check_certificate, write_certificate
from goedels_poetry.checker.certificate.archive import LEAN_PROOF, Archive, BadCertificate, canonical, read_archive
from goedels_poetry.checker.certificate.writing import add_files
from goedels_poetry.checker.smt import lean_proof
from goedels_poetry.checker.smt.lean_proof import NO_LEAN, with_lean
from goedels_poetry.kernel.reading.certificate import derivation_from_json
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.statement.theory import LeanTheory, translate
from goedels_poetry.lean.statement.vocabulary import NotTranslatable

TEXT = b"""
(declare-datatype N ((z) (s (p N))))
(define-fun-rec add ((a N) (b N)) N (match a ((z b) ((s c) (s (add c b))))))
(declare-fun f (N) Int)
(assert (> (f z) 0))
(prove (forall ((a N)) (and (= (add a z) a) (>= (f z) 1))))
"""
PROOF = "intro a\n  exact ⟨by induction a <;> simp_all [Smt.add], by omega⟩"
SHOWN = CheckReport(Verdict.PROVED, TrustLevel.CONFIRMED)


def archive(proof: str | bytes, claim: str = "proved") -> Archive:
    """A certificate of which all but the proof in Lean is of no interest."""
    data = proof.encode() if isinstance(proof, str) else proof
    return Archive(TEXT, canonical({"steps": []}), b"", {"claim": claim}, data)


@pytest.fixture(scope="module")
def theory() -> LeanTheory:
    return translate(parse_problem(TEXT))


def judged(lean: LeanPool, proof: str | bytes, report: CheckReport = SHOWN) -> CheckReport:
    return with_lean(report, archive(proof), parse_problem(TEXT), fresh=lambda: Kept(lean))  # type: ignore[return-value]


def test_a_proof_that_the_gate_accepts_lifts_the_level(lean: LeanPool, theory: LeanTheory) -> None:
    lemma = f"section\n{theory.context}\ntheorem step (a : Smt.N) : Smt.add a Smt.N.z = a := by\n"
    lemma += "  induction a <;> simp_all [Smt.add]\nend\n"
    report = judged(
        lean,
        f"{theory.header}{lemma}\n{theory.statement} := by\n"
        f"  intro a\n  exact ⟨step {' '.join(theory.arguments)} a, by omega⟩\n#print axioms goal\n",
    )
    assert report.trust_level is TrustLevel.STEP_BY_STEP and str(report.trust_level) == "L4"
    assert "Lean's kernel accepted the whole proof" in report.notes[-1]


def test_it_lifts_no_report_whose_premises_may_contradict_each_other(lean: LeanPool, theory: LeanTheory) -> None:
    proof = f"{theory.header}\n{theory.statement} := by\n  {PROOF}\n"
    report = judged(lean, proof, replace(SHOWN, trust_level=TrustLevel.REBUILT))
    assert report.trust_level is TrustLevel.REBUILT
    assert "stays L1" in report.notes[-1]


FALSE_GOAL = "theorem goal : (1 : Int) = 2"


def attacks(of: LeanTheory) -> dict[str, str]:
    """Texts by what is wrong with them, behind the rule that has to refuse them."""
    h, s, by = of.header, of.statement, f":= by\n  {PROOF}\n"
    other = h.replace("Smt.N.z => b", "Smt.N.z => Smt.N.z").replace("Smt.N.z, b => b", "Smt.N.z, b => Smt.N.z")
    return {
        "statement: another theorem": f"{h}\ntheorem goal : True := trivial\n",
        "statement: a weaker theorem": f"{h}\n{s.replace('≥ (1', '≥ (0')} {by}",
        "statement: one premise more": f"{h}\n{s.replace('theorem goal', 'theorem goal (more : False)')} {by}",
        "statement: a stronger premise": f"{h}\n{s.replace('> (0 : Int)', '> (1 : Int)')} {by}",
        "statement: another definition": f"{other}\n{s} := by\n  intro a; exact ⟨by cases a <;> sorry, by omega⟩\n",
        "statement: another datatype": f"{h.replace('| z', '| z | y')}\n{s} {by}",
        "statement: a hypothesis of a section": f"{h}\nvariable (more : False)\ninclude more in\n{s} := more.elim\n",
        "statement: another order": f"{h}\ninstance (priority := high) : LE Int := ⟨fun _ _ => True⟩\n{s} := by\n"
        "  intro a; exact ⟨by induction a <;> simp_all [Smt.add], trivial⟩\n",
        "missing: in another namespace": f"{h}\nnamespace Other\n{s} {by}end Other\n",
        "missing: a definition": f"{h}\ndef goal := 0\n",
        "axiom: an axiom": f"{h}\naxiom cheat : False\n{s} := cheat.elim\n",
        "sorry: left open": f"{h}\n{s} := sorry\n",
        "native: compiled code": f"{h}\ntheorem one : 1 = 1 := by native_decide\n{s} {by}",
        "option: no kernel": f"set_option debug.skipKernelTC true\n{h}\n{s} {by}",
        "notation: another meaning of a sign": f"{h}\nlocal macro_rules | `($a ≥ $b) => `(True)\n{s} {by}",
        "notation: an elaborator": f'{h}\nelab "now" : tactic => return\n{s} {by}',
        "compile: no proof": f"{h}\n{s} := by omega\n",
        "unterminated: a comment without end": f"{h}\n{s} {by}/- ",
    }


RULES = {"statement": ("statement", "compile", "sorry")}


@pytest.mark.parametrize("name", attacks(translate(parse_problem(TEXT))))
@pytest.mark.sample(10)
def test_the_certificate_is_refused(lean: LeanPool, theory: LeanTheory, name: str) -> None:
    report = judged(lean, attacks(theory)[name])
    assert report.refused and not report.accepted and report.verdict is Verdict.UNKNOWN
    rule = name.partition(":")[0]
    assert report.rule in RULES.get(rule, (rule,)), report.reasons
    assert report.reasons[0].startswith("proof.lean: ")


def test_bytes_that_are_no_text_are_refused(lean: LeanPool) -> None:
    with pytest.raises(BadCertificate, match="cannot prove this theorem"):
        judged(lean, b"\xff")


def test_only_a_proof_is_proved_in_lean() -> None:
    with pytest.raises(BadCertificate, match="only in the certificate of a proof"):
        with_lean(SHOWN, archive("", "counterexample"), parse_problem(TEXT))


def test_without_lean_the_level_stays_and_the_report_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lean_proof, "_is_there", lambda: False)
    report = with_lean(SHOWN, archive(""), parse_problem(TEXT))
    assert report.trust_level is TrustLevel.CONFIRMED
    assert report.notes == (NO_LEAN,) and "goedels-poetry lean install" in NO_LEAN


def test_nothing_is_said_of_lean_where_the_solvers_do_not_agree() -> None:
    refused = CheckReport(Verdict.UNKNOWN, refused=True)
    assert with_lean(refused, archive(""), parse_problem(TEXT)) is refused


def test_a_certificate_with_a_proof_in_lean_is_checked_from_nothing(
    lean: LeanPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lean_proof, "fresh_lean", lambda: Kept(lean))
    monkeypatch.setattr(lean_proof, "_is_there", lambda: True)
    path = write_certificate(proofs.GAUSS, proofs.gauss(), tmp_path / "certificate")
    problem = parse_problem(proofs.GAUSS)
    evidence = json.loads((path / "derivation.json").read_bytes())
    of = translate(problem, derivation_from_json(evidence, problem.signature))
    add_files(
        path,
        {LEAN_PROOF: f"{of.header}\n{of.statement} := by\n  intro n h\n  fun_induction Smt.sum n <;> grind\n".encode()},
    )
    assert str(check_certificate(path).trust_level) == "L4"
    text = (path / LEAN_PROOF).read_text()
    (path / LEAN_PROOF).write_text(text.replace("grind", "omega"))
    report = check_certificate(path)
    assert report.refused and "its hash is not the one in the manifest" in report.reasons[0]


def test_a_function_that_a_proof_brings_along_is_no_hypothesis_of_the_theorem() -> None:
    problem = parse_problem(TEXT)
    text = "(define-fun-rec wrong ((n Int)) Int (+ 1 (wrong n)))"
    step = {
        "id": "s",
        "sequent": "(sequent () () (= (wrong 0) (wrong 0)))",
        "query": {"cites": [], "instances": [], "equations": True, "quantified": True},
    }
    steps = {"auxiliary": [text], "measures": {"wrong": ["n"]}, "steps": [step]}
    with pytest.raises(NotTranslatable, match="functions of the proof"):
        translate(problem, derivation_from_json(steps, problem.signature))


def test_the_second_checker_leaves_the_file_aside_and_says_so(tmp_path: Path) -> None:
    path = write_certificate(proofs.GAUSS, proofs.gauss(), tmp_path / "certificate")
    add_files(path, {LEAN_PROOF: b"theorem goal : True := trivial\n"})
    script = Path(__file__).parents[2] / "scripts" / "verify_certificate.py"
    done = subprocess.run([sys.executable, script, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "proof.lean is left aside" in done.stdout
    (path / LEAN_PROOF).write_text("theorem goal : False := sorry\n")
    assert subprocess.run([sys.executable, script, path], capture_output=True, check=False).returncode == 1


def test_adding_a_proof_changes_nothing_else(tmp_path: Path) -> None:
    path = write_certificate(proofs.GAUSS, proofs.gauss(), tmp_path / "certificate", {"run": 7})
    before = read_archive(path)
    add_files(path, {LEAN_PROOF: b"theorem goal : True := trivial\n"})
    after = read_archive(path)
    assert after.lean_proof == b"theorem goal : True := trivial\n"
    assert (after.theorem, after.evidence, after.obligations) == (before.theorem, before.evidence, before.obligations)
    changed = ("files", "manifest_sha256")
    same = {key: value for key, value in before.manifest.items() if key not in changed}
    assert {key: value for key, value in after.manifest.items() if key not in changed} == same
