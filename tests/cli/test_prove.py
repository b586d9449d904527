"""`prove`: verdicts, exit codes, JSON, batches, certificates."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "result-v1.json").read_text("utf-8"))
EASY = "(declare-const p Bool)\n(prove (or p (not p)))\n"
EXIT_CODES = {
    "swap_twice.smt2": ("proved", 0),
    "not_a_definition.smt2": ("unknown", 1),
    "reverse_append_wrong.smt2": ("refuted", 3),
    "rumour.smt2": ("inconsistent", 4),
    "odd_perfect.smt2": ("out_of_budget", 5),
}


@pytest.mark.parametrize(("name", "expected"), EXIT_CODES.items(), ids=EXIT_CODES)
def test_the_exit_code_says_the_verdict(cli: Any, theorems: Path, name: str, expected: tuple[str, int]) -> None:
    seconds = "1" if expected[0] == "out_of_budget" else "2"  # it takes all that there are
    ran = cli("prove", theorems / name, "--timeout", seconds, "--json")
    (result,) = ran.objects()
    assert (result["verdict"], ran.code) == expected
    assert result["exit_code"] == ran.code


def test_every_verdict_fits_the_published_schema(cli: Any, theorems: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.smt2").write_text("(prove (= 1", "utf-8")
    names = [theorems / name for name in EXIT_CODES]
    ran = cli("prove", *names, "broken.smt2", "missing.smt2", "--json", "--timeout", "2", "--jobs", "2")
    results = ran.objects()
    for result in results:
        jsonschema.validate(result, SCHEMA)
    assert {result["verdict"] for result in results} == {word for word, _ in EXIT_CODES.values()} | {"invalid"}
    assert len(results) == len(EXIT_CODES) + 2
    assert ran.code == 2, "the worst of several is the code of the whole"
    by_input = {Path(result["input"]).name: result for result in results}
    assert by_input["reverse_append_wrong.smt2"]["counterexample"]["values"].keys() == {"xs", "ys"}
    core = [premise.split(":")[0] for premise in by_input["rumour.smt2"]["core"]]
    assert core == ["premise-1 (line 10)", "premise-2 (line 11)", "premise-3 (line 12)"]
    assert by_input["broken.smt2"]["location"]["line"] == 1
    assert by_input["missing.smt2"]["reason"].endswith("No such file or directory")
    assert by_input["odd_perfect.smt2"]["open_goals"][0]["statement"]
    assert by_input["odd_perfect.smt2"]["resume"].endswith("--resume --timeout 4")


def test_a_proof_is_printed_with_its_lemma_its_cases_and_its_certificate(
    cli: Any, program: Any, theorems: Path
) -> None:
    ran = program("prove", theorems / "reverse_twice.smt2", "--out", "proofs")
    assert ran.code == 0
    assert "induction" in ran.out
    assert "lemma: " in ran.out
    assert "trust level L3" in ran.out
    certificate = next(line.split(": ", 1)[1] for line in ran.out.splitlines() if "certificate:" in line)
    assert Path(certificate).is_relative_to("proofs")
    assert "decomposed into" in ran.err, "plain progress when piped"
    checked = cli("check", certificate, "--against", theorems / "reverse_twice.smt2", "--json")
    (report,) = checked.objects()
    assert (checked.code, report["verdict"], report["trust_level"]) == (0, "proved", "L3")
    assert report["obligations"]["total"] == report["obligations"]["cvc5"] > 0


def test_a_tampered_certificate_or_another_theorem_is_refused(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "easy.smt2").write_text(EASY, "utf-8")
    (tmp_path / "other.smt2").write_text(EASY.replace("or p", "and p"), "utf-8")
    (result,) = cli("prove", "easy.smt2", "--json", "--out", "proofs").objects()
    certificate = tmp_path / result["certificate"]
    assert cli("check", certificate, "--against", "easy.smt2").code == 0
    other = cli("check", certificate, "--against", "other.smt2")
    assert other.code == 1
    assert "refused" in other.out
    obligations = certificate / "obligations.smt2"
    obligations.write_text(obligations.read_text("utf-8").replace("p", "q", 1), "utf-8")
    assert cli("check", certificate, "--against", "easy.smt2").code == 1
    assert cli("check", "nowhere", "--against", "easy.smt2").code == 2
    assert cli("check", certificate, "--against", "nowhere.smt2").code == 2


def test_a_batch_skips_what_is_proved_and_says_so(cli: Any, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "easy.smt2").write_text(EASY, "utf-8")
    (folder / "bad.smt2").write_text(")", "utf-8")
    (folder / "notes.txt").write_text("not a theorem", "utf-8")
    first = {Path(r["input"]).name: r for r in cli("prove", folder, "--json", "--out", "proofs").objects()}
    assert {name: r["verdict"] for name, r in first.items()} == {"easy.smt2": "proved", "bad.smt2": "invalid"}
    again = {Path(r["input"]).name: r for r in cli("prove", folder, "--json", "--out", "proofs").objects()}
    assert again["easy.smt2"]["skipped"]
    assert not first["easy.smt2"]["skipped"]
    assert again["easy.smt2"]["certificate"] == first["easy.smt2"]["certificate"]
    assert Path(again["easy.smt2"]["certificate"]).is_relative_to(Path("proofs/deep"))
    assert "proved earlier, re-checked now" in cli("prove", folder, "--out", "proofs").out


def test_a_remembered_proof_counts_only_while_its_certificate_holds(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "easy.smt2").write_text(EASY, "utf-8")
    (first,) = cli("prove", "easy.smt2", "--json").objects()
    evidence = Path(first["certificate"]) / "derivation.json"
    evidence.write_text("{}", "utf-8")
    (second,) = cli("prove", "easy.smt2", "--json").objects()
    assert second["verdict"] == "proved"
    assert not second["skipped"]
    assert second["run_id"] != first["run_id"]
    assert evidence.read_text("utf-8") == "{}", "what is on disk is never overwritten"


def test_a_finished_proof_is_never_overwritten(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "easy.smt2"
    file.write_text(EASY, "utf-8")
    certificates = [cli("prove", file, "--json", "--out", "proofs").objects()[0]["certificate"]]
    kept = {path: path.read_bytes() for path in (tmp_path / certificates[0]).iterdir()}
    certificates += [cli("prove", file, "--json", "--out", "proofs", "--fresh").objects()[0]["certificate"]]
    file.write_text(EASY + "; edited\n", "utf-8")
    certificates += [cli("prove", file, "--json", "--out", "proofs").objects()[0]["certificate"]]
    assert len(set(certificates)) == 3
    assert kept == {path: path.read_bytes() for path in (tmp_path / certificates[0]).iterdir()}


def test_resume_needs_a_run_and_fresh_begins_a_new_one(cli: Any, theorems: Path) -> None:
    hard = theorems / "odd_perfect.smt2"
    (none,) = cli("prove", hard, "--resume", "--json").objects()
    assert none["verdict"] == "unknown"
    assert "no run" in none["reason"]
    (first,) = cli("prove", hard, "--max-steps", "2", "--json").objects()
    (second,) = cli("prove", hard, "--resume", "--max-steps", "4", "--json").objects()
    (third,) = cli("prove", hard, "--fresh", "--max-steps", "2", "--json").objects()
    assert [r["verdict"] for r in (first, second, third)] == ["out_of_budget"] * 3
    assert first["run_id"] == second["run_id"] != third["run_id"]
    assert first["metrics"]["steps"] == 2
    assert second["metrics"]["steps"] == 4
    assert "--max-steps 4" in first["resume"]
    assert cli("prove", hard, "--fresh", "--resume").code == 2


@pytest.mark.parametrize("flag", [("--max-nodes", "1"), ("--max-depth", "0"), ("--max-solver-seconds", "0.001")])
def test_every_budget_stops_the_run_and_the_command_to_go_on_raises_it(
    cli: Any, theorems: Path, flag: tuple[str, str]
) -> None:
    (result,) = cli("prove", theorems / "reverse_twice.smt2", *flag, "--no-bank", "--json").objects()
    assert result["verdict"] == "out_of_budget"
    if flag[0] != "--max-depth":
        assert flag[0] in result["resume"]


def test_standard_input_is_a_theorem_too(cli: Any, program: Any) -> None:
    ran = program("prove", "-", "--json", stdin=EASY.encode())
    (result,) = ran.objects()
    assert (ran.code, result["input"], result["verdict"]) == (0, "-", "proved")
    (empty,) = cli("prove", "-", "--json").objects()
    assert empty["verdict"] == "invalid"


def test_assumed_definitions_stand_in_the_result_and_in_the_certificate(cli: Any, tmp_path: Path) -> None:
    text = "(define-fun-rec f ((x Int)) Int (ite (= x 0) 0 (f (* x x))))\n(prove (= (f 0) 0))\n"
    (tmp_path / "f.smt2").write_text(text, "utf-8")
    (plain,) = cli("prove", "f.smt2", "--json").objects()
    assert plain["verdict"] == "unknown"
    (assumed,) = cli("prove", "f.smt2", "--assume-definitions", "--json").objects()
    assert (assumed["verdict"], assumed["trust_level"]) == ("proved", "L1")
    assert any(warning.startswith("assumed: ") for warning in assumed["warnings"])
    certificate = assumed["certificate"]
    assert cli("check", certificate, "--against", "f.smt2").code == 1
    (report,) = cli("check", certificate, "--against", "f.smt2", "--assume-definitions", "--json").objects()
    assert report["verdict"] == "proved"
    assert report["assumptions"]


def test_a_copied_theorem_with_odd_names_is_proved(program: Any, theorems: Path, tmp_path: Path) -> None:
    names = ["two words.smt2", "line\nbreak.smt2", "[red]markup[bold].smt2", "-dash.smt2", "\x1b[31mred.smt2", "ü.smt2"]
    folder = tmp_path / "odd"
    folder.mkdir()
    for name in names:
        (folder / name).write_text(EASY, "utf-8")
    shutil.copy(folder / "ü.smt2", bytes(folder) + b"/\xff.smt2")
    ran = program("prove", folder, "--out", "proofs", "--jobs", "2")
    assert ran.code == 0
    assert ran.out.count("trust level") == len(names) + 1
    assert "\x1b" not in ran.out
    assert "[red]markup[bold]" in ran.out
    everything = list((tmp_path / "proofs").iterdir())
    assert len(everything) == len(names) + 1


def test_a_function_that_was_not_shown_to_end_is_told_at_once_and_at_the_end(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "below_zero.smt2"
    down = "(define-fun-rec f ((n Int)) Int (ite (= n 0) 0 (+ 1 (f (- n 1)))))"
    other = "(define-fun-rec g ((n Int)) Int (ite (= n 1) 0 (+ 2 (g (- n 1)))))"
    file.write_text(f"{down}\n{other}\n(prove (forall ((n Int)) (=> (< n 0) (< (f n) 7))))\n")
    ran = cli("prove", file, "--timeout", "1", "--json")
    (result,) = ran.objects()
    (doubt,) = (warning for warning in result["warnings"] if "was not shown to end" in warning)
    assert doubt.startswith("f was not shown to end for all arguments"), "the goal does not speak of g"
    told = cli("trace", result["run_id"]).out
    assert told.index("f was not shown to end") < told.index("prover")


UNPROVED = """
from goedels_poetry.contracts import ensures

@ensures(lambda result, n: result.startswith("<"))
def shown(n: int) -> str:
    return "<{0:b}>".format(n)
"""


@pytest.mark.parametrize(("require", "code"), [([], 0), (["--require", "tested"], 0), (["--require", "proved"], 1)])
def test_a_verdict_below_what_is_required_is_no_success(
    cli: Any, tmp_path: Path, require: list[str], code: int
) -> None:
    (tmp_path / "shown.py").write_text(UNPROVED, "utf-8")
    ran = cli("prove", "shown.py", "--json", "-q", "--timeout", "20s", *require)
    (result,) = ran.objects()
    assert (ran.code, result["verdict"], result["exit_code"]) == (code, "tested", code)


@pytest.mark.parametrize(("goal", "code"), [("(= 1 1)", 0), ("(= 1 2)", 3)])
def test_what_is_required_changes_nothing_of_what_is_proved_or_refuted(
    cli: Any, tmp_path: Path, goal: str, code: int
) -> None:
    (tmp_path / "t.smt2").write_text(f"(prove {goal})", "utf-8")
    assert cli("prove", "t.smt2", "-q", "--require", "proved").code == code
