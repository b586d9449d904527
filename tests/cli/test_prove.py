"""`prove`: its pages, its JSON, and whole folders."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from goedels_poetry.checker.limited import NO_PROOFS
from goedels_poetry.cli.report import NO_UNITS, Row, say_proof, say_table
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.results import RunResult
from goedels_poetry.trace.explain import explain_lines
from goedels_poetry.trace.proof_text import LEAN, ProofText, proof_text
from goedels_poetry.trace.terminal import console, lines_to

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "result-v1.json").read_text("utf-8"))
EASY = "(declare-const p Bool)\n(prove (or p (not p)))\n"
EXIT_CODES = {
    "swap_twice.smt2": ("proved", 0),
    "not_a_definition.smt2": ("unknown", 1),
    "reverse_append_wrong.smt2": ("refuted", 3),
    "rumour.smt2": ("inconsistent", 4),
    "odd_perfect.smt2": ("out_of_budget", 5),
}


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
    assert {name: (by_input[name]["verdict"], by_input[name]["exit_code"]) for name in EXIT_CODES} == EXIT_CODES
    assert by_input["reverse_append_wrong.smt2"]["counterexample"]["values"].keys() == {"xs", "ys"}
    core = [premise.split(":")[0] for premise in by_input["rumour.smt2"]["core"]]
    assert core == ["premise-1 (line 10)", "premise-2 (line 11)", "premise-3 (line 12)"]
    assert by_input["broken.smt2"]["location"]["line"] == 1
    assert by_input["missing.smt2"]["reason"].endswith("No such file or directory")
    assert by_input["odd_perfect.smt2"]["open_goals"][0]["statement"]
    assert by_input["odd_perfect.smt2"]["resume"].endswith("--resume --timeout 4")


def test_a_proof_is_printed_with_its_lemma_its_cases_and_its_certificate(
    cli: Any, program: Any, theorems: Path, tmp_path: Path
) -> None:
    ran = program("prove", theorems / "reverse_twice.smt2", "--out", "proofs")
    assert ran.code == 0
    assert "induction" in ran.out
    assert "lemma: " in ran.out
    assert "trust level L3" in ran.out
    certificate = next(line.split(": ", 1)[1] for line in ran.out.splitlines() if "certificate:" in line)
    assert Path(certificate).is_relative_to(tmp_path / "proofs")
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
    assert Path(again["easy.smt2"]["certificate"]).is_relative_to(tmp_path / "proofs" / "deep")
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


def test_the_command_to_go_on_asks_for_more_units_than_were_used(cli: Any, theorems: Path) -> None:
    (first,) = cli("prove", theorems / "odd_perfect.smt2", "--budget", "1", "--json").objects()
    assert f"--budget {2 * first['metrics']['resource_units']}" in first["resume"]


def test_what_has_no_proof_objects_and_no_units_says_so(cli: Any, theorems: Path) -> None:
    program = theorems.parent / "json_logic" / "night_shift.json"
    asked = ("--proofs", "--budget")
    (logic,) = cli("prove", program, *asked, "5", "--json").objects()
    assert logic["warnings"][-2:] == [NO_PROOFS, NO_UNITS]
    (wrong,) = cli("prove", theorems / "reverse_append_wrong.smt2", *asked, "900000", "--json").objects()
    assert (wrong["verdict"], wrong["warnings"]) == ("refuted", [NO_PROOFS])


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


VERDICTS = {
    "swap_twice.smt2": "proved",
    "not_a_definition.smt2": "unknown",
    "reverse_append_wrong.smt2": "refuted",
    "rumour.smt2": "inconsistent",
    "missing.smt2": "invalid",
}


# -- a whole page ---------------------------------------------------------------------------------------------------
def test_every_page_ends_with_its_verdict_and_several_with_a_table_and_a_count(
    cli: Any, theorems: Path, home: Path
) -> None:
    ran = cli("prove", *(theorems / name for name in VERDICTS), "--timeout", "5", "--quiet")
    *pages, table = ran.out.split("\n\n")
    for page, (name, verdict) in zip(pages, VERDICTS.items(), strict=True):
        assert page.splitlines()[-1] == f"{verdict}  {theorems / name}"
    head, *rows, count = table.splitlines()
    assert head.split() == ["theorem", "verdict", "trust", "seconds"]
    assert [row.split()[1] for row in rows] == list(VERDICTS.values())
    assert re.fullmatch(r"5 theorems: 1 proved, 1 refuted, 1 inconsistent, 1 unknown, 1 invalid in \d+(\.\d)? s", count)
    assert pages[0].splitlines()[0].startswith("0  for all a i j: "), "tree and proof stand above the evidence"
    assert pages[0].index("  proof:") < pages[0].index("  trust level") < pages[0].index("  run ")
    (unknown,) = (run for run in cli("runs", "--json").objects() if run["verdict"] == "unknown")
    with GoedelsPoetryFramework(Settings(home=home)) as framework, framework.open_store(unknown["run_id"]) as store:
        told = explain_lines(store, store.nodes()[0])
    assert told and all(f"  {line}" in pages[1] for line in told), "why it was not decided"
    assert "would help: recursion that is seen to end" in pages[1] and "would help: --assume-definitions" in pages[1]
    assert "a language model" not in pages[1], "none is asked about a definition"
    assert "another solver" in pages[0] and "kernel" not in pages[0], "what a level means for this language"


def test_json_has_the_proof_and_the_seconds(cli: Any, theorems: Path) -> None:
    (told,) = cli("prove", theorems / "swap_twice.smt2", "--json").objects()
    assert told["proof"] == ("theorem: swap(swap(a, i, j), i, j) = a\n  closed by z3 and cvc5 from: definitions")
    assert told["seconds"] >= told["metrics"]["wall_seconds"] > 0
    (without,) = cli("prove", theorems / "swap_twice.smt2", "--json", "--no-proof").objects()
    assert without["proof"] is None and without["skipped"]


def test_a_proof_by_induction_names_its_lemmas_cases_and_hypotheses(cli: Any, theorems: Path) -> None:
    (told,) = cli("prove", theorems / "reverse_twice.smt2", "--json", "--no-bank").objects()
    lines = told["proof"].splitlines()
    assert lines[0].startswith("lemma 1: ") and lines[1].startswith("  induction on ")
    assert "theorem: reverse(reverse(xs)) = xs" in lines and "  induction on xs" in lines
    assert lines[-1].startswith("      closed by ") and lines[-1].endswith(" from: definitions, hypothesis, lemma 1")


# -- the proof ------------------------------------------------------------------------------------------------------
def shown(proof: ProofText, asked: bool | None, *, proved: bool = True) -> str:
    out = StringIO()
    say_proof(lines_to(out), proof, asked, proved=proved)
    return out.getvalue()


def test_a_proof_of_a_model_cannot_write_on_the_terminal() -> None:
    lean = ProofText(LEAN, ("theorem t : 1 = 1 := by", "  -- \x1b[31mred\x1b]0;title\x07", "\trfl"))
    said = shown(lean, True)
    assert "\x1b" not in said and "\x07" not in said and "\\x1b[31mred" in said
    out = StringIO()
    from rich.console import Console

    say_proof(Console(file=out, force_terminal=True, color_system="standard", width=80), lean, True, proved=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert plain == said, "colours, and nothing else"
    assert out.getvalue() != plain


QUERY = {"cites": [], "equations": True, "instances": [], "quantified": True}


@pytest.mark.parametrize(
    "steps",
    [
        [{"id": "1", "sequent": "(sequent () () true)", "scheme": {"kind": "intro"}, "cites": ["1"]}],
        [{"id": "1", "sequent": "(sequent () () true)", "query": {**QUERY, "cites": ["9"]}}],
        [{"id": "1"}],
        "no list",
        [],
    ],
)
def test_what_is_no_certificate_has_no_proof_and_does_no_harm(tmp_path: Path, steps: Any) -> None:
    (tmp_path / "manifest.json").write_text('{"language": "smt", "claim": "proved"}')
    (tmp_path / "theorem.smt2").write_text("(prove true)")
    (tmp_path / "derivation.json").write_text(json.dumps({"steps": steps}))
    assert proof_text(RunResult("t", Verdict.PROVED, certificate=tmp_path)) is None
    assert proof_text(RunResult("t", Verdict.PROVED, certificate=tmp_path / "nowhere")) is None


# -- the end of a batch ---------------------------------------------------------------------------------------------
ROWS = [
    Row("a/very/long/name/of/a/folder/and_a_theorem.smt2", Verdict.PROVED, "L3", 1.25),
    Row("u.smt2", Verdict.OUT_OF_BUDGET),
    Row("v.smt2", Verdict.UNKNOWN, seconds=100.0, failed="locked"),
]


@pytest.mark.parametrize("width", [40, 80])
def test_the_table_fits_the_terminal(width: int) -> None:
    out = StringIO()
    from rich.console import Console

    say_table(Console(file=out, width=width), ROWS)
    lines = out.getvalue().splitlines()
    assert len(lines) == 4 and all(len(line) <= max(width, 47) for line in lines)
    assert lines[1].split()[0].endswith("theorem.smt2"), "a name keeps its end"
    assert [line.rstrip()[-5:].strip() for line in lines[1:]] == ["1.2", "udget", "100.0"]
    piped = StringIO()
    say_table(console(piped), ROWS)
    assert "a/very/long/name/of/a/folder/and_a_theorem.smt2  proved         L3         1.2" in piped.getvalue()


SAME_NAME = {
    "a_bool.smt2": ("(declare-const p Bool)\n(prove (or p (not p)))\n", "proved"),
    "b_int.smt2": ("(declare-const p Int)\n(prove (>= (* p p) 0))\n", "proved"),
    "c_premise.smt2": ("(declare-const p Bool)\n(assert p)\n(prove p)\n", "proved"),
    "d_none.smt2": ("(declare-const p Bool)\n(prove p)\n", "refuted"),
    "e_unknown_name.smt2": ("(prove (or q (not q)))\n", "invalid"),
    "f_function.smt2": (
        "(define-fun-rec p ((n Int)) Int (ite (<= n 0) 0 (p (- n 1))))\n(prove (= (p 1) 0))\n",
        "proved",
    ),
    "g_absurd.smt2": ("(declare-const p Bool)\n(assert (and p (not p)))\n(prove (= 1 2))\n", "inconsistent"),
    "h_bool.smt2": ("(declare-const p Bool)\n(declare-const q Bool)\n(prove (=> (and p q) (or q p)))\n", "proved"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "many"
    place.mkdir()
    for name, (text, _) in SAME_NAME.items():
        (place / name).write_text(text, "utf-8")
    return place


def test_what_one_theorem_declares_or_assumes_no_other_one_knows_and_all_come_in_their_order(
    cli: Any, folder: Path
) -> None:
    ran = cli("prove", folder, "--json")
    results = ran.objects()
    assert [Path(result["input"]).name for result in results] == list(SAME_NAME)
    assert {Path(r["input"]).name: r["verdict"] for r in results} == {
        n: verdict for n, (_, verdict) in SAME_NAME.items()
    }
    assert {r["trust_level"] for r in results if r["verdict"] == "proved"} == {"L3"}
    again = cli("prove", folder, "--json").objects()
    assert [result["verdict"] for result in again] == [verdict for _, verdict in SAME_NAME.values()]


def test_the_same_theorem_twice_is_proved_once(cli: Any, tmp_path: Path) -> None:
    for name in ("one.smt2", "two.smt2", "three.smt2"):
        Path(name).write_text(SAME_NAME["a_bool.smt2"][0], "utf-8")
    one, two, three = cli("prove", "one.smt2", "two.smt2", "three.smt2", "--json").objects()
    assert one["verdict"] == two["verdict"] == three["verdict"] == "proved"
    assert one["run_id"] == two["run_id"] == three["run_id"]
    assert (one["skipped"], two["skipped"], three["skipped"]) == (False, True, True)


def test_a_worker_that_is_killed_costs_no_theorem(home: Path, tmp_path: Path) -> None:
    from tests.cli.conftest import COMMAND, environment

    for number in range(14):
        (tmp_path / f"t{number:02}.smt2").write_text(
            f"(declare-const p{number} Bool)\n(prove (=> p{number} p{number}))\n"
        )
    files = sorted(str(path) for path in tmp_path.glob("*.smt2"))
    with subprocess.Popen(
        [*COMMAND, "prove", *files, "--quiet", "--no-proof"],
        stdout=subprocess.PIPE,
        env=environment(home),
        cwd=tmp_path,
        text=True,
    ) as ran:
        assert ran.stdout is not None
        told = []
        for line in ran.stdout:
            told.append(line)
            if sum("trust level" in each for each in told) == 5 and "trust level" in line:
                _kill_a_worker(ran.pid)
    assert ran.returncode == 0, "".join(told)
    assert sum("trust level L3" in line for line in told) == 14


def _kill_a_worker(pid: int) -> None:
    """One that was forked last; it may have ended by then."""
    for nursery in _below(pid):
        for worker in _below(nursery)[-1:]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)


def _below(pid: int) -> list[int]:
    return [int(child) for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()]
