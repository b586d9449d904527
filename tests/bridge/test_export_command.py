"""The commands: `export` writes the Lean file of a certificate, `prove --lean` puts it into the certificate."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import kept_lean
import pytest
from called import call
from forge import forge

from goedels_poetry.checker import CheckReport, check_certificate
from goedels_poetry.checker.lean.certify import CONTRADICTORY, PROVED, REFUTED, LeanArchive, write_lean
from goedels_poetry.checker.smt import lean_proof
from goedels_poetry.checker.smt.check import VERDICTS
from goedels_poetry.cli import export
from goedels_poetry.interfaces.proof_levels import remember
from goedels_poetry.kernel.derivation import Derivation, Query, Step
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.gate.compare import second_opinion
from goedels_poetry.lean.gate.data import read as read_stream
from goedels_poetry.lean.runtime.embedded import node_command
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.smt_proofs.export import Exported
from goedels_poetry.settings.declared import LeanSettings
from goedels_poetry.smt.notation.text import derivation_to_json
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.runs import RunDir

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "export-v1.json").read_text("utf-8"))
TEXT = """(set-logic ALL)
(declare-datatypes ((N 0)) (((z) (s (p N)))))
(define-fun-rec add ((x N) (y N)) N (match x ((z y) ((s k) (s (add k y))))))
(assert (not (forall ((a N)) (= (add (s z) a) {result}))))
(check-sat)
"""
TRUE, FALSE = TEXT.format(result="(s a)"), TEXT.format(result="a")

OPEN_LEAN = "goedels_poetry.lean.runtime.opening.open_lean"


def certificate(folder: Path, text: str = TRUE) -> Path:
    """What an honest prover writes down; of the false theorem one that claims a query which no solver answers so."""
    problem = parse_problem(text.encode())
    steps = Derivation((Step("1", sequent_of(problem.goal), Query()),))
    forge(folder, text.encode(), derivation_to_json(steps))
    return folder


@pytest.fixture
def env(tmp_path: Path, lean: LeanPool, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    kept_lean.for_all(lean, monkeypatch)
    return {"GOEDELS_POETRY__HOME": str(tmp_path / "home")}


def test_export_prints_the_file_and_its_progress(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = call(["export", str(certificate(tmp_path / "c")), "--to", "lean"], monkeypatch, capsys, env)
    assert code == 0
    assert "theorem goal" in out
    assert out.startswith("-- (set-logic ALL)")
    assert "Lean accepted 1 of 1 steps" in err


def test_export_writes_the_file_and_says_so_as_json(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made, target = certificate(tmp_path / "c"), tmp_path / "proof.lean"
    code, out, err = call(["export", str(made), "--save", str(target), "--json"], monkeypatch, capsys, env)
    said = json.loads(out)
    jsonschema.validate(said, SCHEMA)
    assert (code, err, said["file"], said["text"], said["step"]) == (0, "", str(target), None, None)
    assert "theorem goal" in target.read_text("utf-8")


def test_a_step_that_lean_does_not_accept_is_shown(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made, target = certificate(tmp_path / "c", FALSE), tmp_path / "proof.lean"
    code, out, err = call(["export", str(made), "--save", str(target)], monkeypatch, capsys, env)
    assert (code, out) == (1, "")
    assert not target.exists()
    assert "step 1 of 1" in err
    assert "the step: theorem" in err
    assert "tried: grind" in err
    code, out, err = call(["export", str(made), "--save", str(target), "--json"], monkeypatch, capsys, env)
    said = json.loads(out)
    jsonschema.validate(said, SCHEMA)
    assert (code, err, said["file"], said["step"], "grind" in said["tried"][0]) == (1, "", None, "1", True)
    assert said["goal"].startswith("theorem") and said["reason"].startswith("step 1 of 1")


def test_when_its_time_is_used_up_it_says_how_to_give_it_more(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = certificate(tmp_path / "c", FALSE)
    code, out, err = call(["export", str(made), "--lean-timeout", "0.01"], monkeypatch, capsys, env)
    assert (code, out) == (1, "")
    assert "0.01 s are used up" in err
    assert "--lean-timeout 0.02s" in err


@pytest.mark.parametrize("what", ["nothing", "a file", "an empty folder"])
def test_what_is_no_certificate_is_refused(
    what: str, tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "c"
    if what == "a file":
        place.write_text("x")
    elif what == "an empty folder":
        place.mkdir()
    code, out, err = call(["export", str(place)], monkeypatch, capsys, env)
    assert (code, out) == (2, "")
    assert err.count(str(place)) == 1


@pytest.mark.parametrize(
    ("written", "warning"),
    [
        (Exported(None, "there is no Lean"), "there is no Lean"),
        (Exported("theorem goal : True := trivial\n"), "not accepted"),
    ],
)
async def test_without_a_lean_file_that_the_gate_accepts_the_certificate_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: Exported, warning: str
) -> None:
    async def exported(*_: object) -> Exported:
        return written

    def refused(*_: object, **__: object) -> CheckReport:  # what the gate refuses is tested with the gate
        assert (made / "proof.lean").is_file()
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=("proof.lean: missing",))

    monkeypatch.setattr(export, "exported", exported)
    monkeypatch.setattr(export, "check_within", refused)
    made = certificate(tmp_path / "c")
    before = {file.name: file.read_bytes() for file in made.iterdir()}
    result = RunResult("t", Verdict.PROVED, language="smt", certificate=made, trust_level="L3")
    found = await export.with_lean_proof(result, TRUE, LeanSettings(), None, False, lambda line: None)
    assert (found.trust_level, found.verdict) == ("L3", Verdict.PROVED)
    assert warning in found.warnings[0]
    assert {file.name: file.read_bytes() for file in made.iterdir()} == before


async def test_an_accepted_lean_file_makes_the_level_l4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lean: LeanPool
) -> None:
    monkeypatch.setattr(OPEN_LEAN, lambda *_, **__: kept_lean.Kept(lean))
    made, told = certificate(tmp_path / "c"), []
    result = RunResult("t", Verdict.PROVED, language="smt", certificate=made, trust_level="L3")
    found = await export.with_lean_proof(result, TRUE, LeanSettings(), None, False, told.append)
    assert (found.trust_level, found.warnings) == ("L4", ())
    assert "theorem goal" in (made / "proof.lean").read_text("utf-8")
    assert told


DENIED = "(set-logic ALL)(declare-fun f (Int) Int)(assert (> (f 0) 3))(assert (not (< (f 0) 0)))\n(check-sat)\n"
ABSURD = DENIED.replace("(assert (>", "(assert (< (f 0) 0))(assert (>")
CLAIMS = {
    "negation proved": (DENIED, "(sequent () () (not (< (f 0) 0)))", "(¬ "),
    "inconsistent": (ABSURD, "(sequent () () false)", ":\n    False"),
}


def claimed(folder: Path, claim: str) -> Path:
    """The certificate of what is claimed of a goal, by one question to solvers."""
    text, stated, _ = CLAIMS[claim]
    query = {"cites": [], "instances": [], "equations": True, "quantified": True}
    forge(folder, text.encode(), {"steps": [{"id": "1", "sequent": stated, "query": query}]}, claim=claim)
    return folder


@pytest.mark.sample(1)
@pytest.mark.parametrize("claim", CLAIMS)
async def test_what_is_proved_of_a_goal_that_does_not_hold_is_a_theorem_of_lean_too(
    claim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lean: LeanPool
) -> None:
    def here(seconds: float, path: Path, against: str, *, assume_definitions: bool) -> CheckReport:
        """The same check without a process and a Lean of its own, which the level of a proof is tested with."""
        return check_certificate(path, against.encode(), assume_definitions=assume_definitions)

    monkeypatch.setattr(OPEN_LEAN, lambda *_, **__: kept_lean.Kept(lean))
    monkeypatch.setattr(lean_proof, "fresh_lean", lambda: kept_lean.Kept(lean))
    monkeypatch.setattr(lean_proof, "_is_there", lambda: True)
    monkeypatch.setattr(export, "check_within", here)
    text, _, statement = CLAIMS[claim]
    made, verdict = claimed(tmp_path / "c", claim), VERDICTS[claim]
    result = RunResult("t", verdict, language="smt", certificate=made, trust_level="L3")
    found = await export.with_lean_proof(result, text, LeanSettings(), None, False, lambda line: None)
    assert (found.trust_level, found.verdict, found.warnings) == ("L4", verdict, ())
    proof = (made / "proof.lean").read_text("utf-8")
    assert statement in proof.partition("theorem goal")[2]
    assert proof.startswith("-- ; What is proved here is ")


async def test_a_counterexample_has_no_proof_to_write(tmp_path: Path) -> None:
    made = forge(tmp_path / "c", TRUE.encode(), {"values": {}, "table": []}, script=b"", claim="counterexample")
    result = RunResult("t", Verdict.REFUTED, language="smt", certificate=made, trust_level="L3")
    assert await export.with_lean_proof(result, TRUE, LeanSettings(), None, False, lambda line: None) is result


def test_the_run_knows_the_level_that_its_certificate_has_now(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "0123456789ab")
    run.path.mkdir()
    result = RunResult("t", Verdict.PROVED, run_id=run.run_id, language="smt", trust_level="L3", run_dir=run.path)
    run.write_card(result=result.to_json())
    remember(result, "L4")
    known = run.result()
    assert known is not None and known.trust_level == "L4"
    remember(replace(result, verdict=Verdict.REFUTED), "L1")  # another's result stays what it is
    assert run.result() == known
    with run.lock():
        remember(result, "L2")
    assert run.result() == known


@pytest.mark.parametrize(("claim", "witness"), [(PROVED, ""), (REFUTED, "t.disproof")])
def test_a_certificate_of_lean_becomes_a_project_for_the_comparator(
    claim: str, witness: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = LeanArchive(
        "theorem t : p := sorry\n", "theorem t : p := q\n", claim, "t", witness, "p", {"lean": "4.28"}
    )
    write_lean(tmp_path / "cert", archive, {})
    to = ["--to", "comparator", "--save", str(tmp_path / "judged")]
    code, _, said = call(["export", str(tmp_path / "cert"), *to], monkeypatch, capsys, {})
    assert code == 0, said
    config = json.loads((tmp_path / "judged" / "config.json").read_text())
    assert config["theorem_names"] == ["t"] and config["allow_disproofs"] is (claim == REFUTED)
    assert sorted(config["permitted_axioms"]) == ["Classical.choice", "Quot.sound", "propext"]
    for module, text in (("challenge", archive.original), ("solution", archive.proof)):
        assert (tmp_path / "judged" / f"{config[f'{module}_module']}.lean").read_text() == text


async def test_a_certificate_of_lean_becomes_data_that_a_kernel_accepts_by_itself(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stated = "theorem t (n : Nat) : 0 + n = n"
    proof = f"{stated} := by induction n with\n | zero => rfl\n | succ n ih => rw [← Nat.add_assoc, ih]\n"
    for folder, words in (("good", stated), ("other", f"{stated} + 0")):
        archive = LeanArchive(f"{stated} := by sorry\n", proof, PROVED, "t", "", words, {"lean": "4.28"})
        write_lean(tmp_path / folder, archive, {})
    file = tmp_path / "t.ndjson"
    command = ["export", str(tmp_path / "other"), "--to", "ndjson", "--save", str(file)]
    code, _, said = await asyncio.to_thread(call, command, monkeypatch, capsys, env)
    assert code == 1 and "not accepted" in said and not file.exists()
    command[1] = str(tmp_path / "good")
    code, _, said = await asyncio.to_thread(call, command, monkeypatch, capsys, env)
    assert code == 0, said
    meta, _, data = file.read_text().partition("\n")
    assert json.loads(meta)["meta"]["format"] == {"version": "3.1.0"}
    stream = read_stream(data)
    assert stream.declarations[-1].name == "t" and not any(d.kind == "assumed" for d in stream.declarations)
    axioms = [d.name for d in stream.declarations if d.kind == "axiom"]
    opinion = await second_opinion(node_command(), "", data, axioms, 30.0)
    assert opinion.verdict == "accepted", opinion.reason
    *rows, last = data.splitlines()
    wrong = json.loads(last)
    wrong["thm"]["value"] -= 1  # a part of the proof is none
    opinion = await second_opinion(node_command(), "", "\n".join([*rows, json.dumps(wrong)]), axioms, 30.0)
    assert opinion.verdict == "refused"
    vacuous, absurd = "theorem t (n : Nat) (h : n < 0) : n = 9", "theorem r : ∀ n : Nat, n < 0 → False := by omega\n"
    archive = LeanArchive(f"{vacuous} := sorry\n", absurd, CONTRADICTORY, "t", "r", vacuous, {"lean": "4.28"})
    write_lean(tmp_path / "absurd", archive, {})
    command[1] = str(tmp_path / "absurd")
    code, _, said = await asyncio.to_thread(call, command, monkeypatch, capsys, env)
    assert code == 0, said


def test_the_comparator_needs_a_folder_and_a_certificate_of_lean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["export", str(certificate(tmp_path)), "--to", "comparator"]
    for more, words in (([], "--save DIR"), (["--save", str(tmp_path / "judged")], "missing or unknown files")):
        code, _, said = call([*command, *more], monkeypatch, capsys, {})
        assert code == 2 and words in said
    assert not (tmp_path / "judged").exists()
