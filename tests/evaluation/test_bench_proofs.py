"""``bench`` of proofs: rows of problems, a stand-in for a model, ideas left out, and a run that is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from goedels_poetry import Settings
from goedels_poetry.cli.bench import bench
from goedels_poetry.cli.bench_run import Tally
from goedels_poetry.cli.requests import Bench
from goedels_poetry.evaluation import BadData, Outcome
from goedels_poetry.evaluation.answerers import ABLATIONS, names, options_without, without
from goedels_poetry.evaluation.problems import Problem
from goedels_poetry.evaluation.runner import ANSWERS
from goedels_poetry.evaluation.stand_in import Competence

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "bench-v1.json").read_text("utf-8"))
HARD = """(declare-fun P (Int Int) Bool)
(declare-fun Q (Int) Bool)
(assert (! (forall ((x Int) (y Int) (d Int)) (=> (P (+ (* x x x) (* 7 y y y) (* x y)) d) (Q d))) :named rule))
(assert (! (forall ((d Int)) (P 1017 d)) :named fact))
(prove (Q {}))
"""
"""What follows only when somebody sees that 1017 is the value of the polynomial at 10 and 1."""


def hard(number: int) -> dict[str, Any]:
    reply = {"instances": [{"of": "premise", "name": "rule", "at": ["10", "1", str(number)]}]}
    shown = f"show: (Q {number})"
    return {"name": f"hard-{number}", "text": HARD.format(number), "reply": json.dumps(reply), "when": shown}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path / "home"))


def rows_in(folder: Path, *rows: dict[str, Any]) -> str:
    file = folder / "problems.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(file)


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    return found


def told(tmp_path: Path, **more: Any) -> dict[str, Any]:
    return {"as_json": True, "out": tmp_path / "out", "timeout": 60.0, **more}


@pytest.mark.whole("test_a_benchmark_that_is_killed_goes_on_and_counts_nothing_twice")
def test_a_stand_in_proves_what_it_knows_and_the_report_says_at_what_price(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = rows_in(tmp_path, hard(1), hard(2), {"name": "false", "text": "(prove (= 1 2))", "gold": "false"})
    assert bench(Bench(paths=[rows], stand_in=1.0, jobs=2, **told(tmp_path))) == 0
    found = printed(capsys)
    assert (found["kind"], found["overall"]["accuracy"]["right"]) == ("proofs", 3)
    assert found["endings"] == {"problems": {"proved": 2, "refuted": 1}}
    assert found["mistakes"]["problems"]["not closed"] >= 2
    points = found["curves"]["calls"]["problems"]["points"]
    assert points[-1][1] == 1 and found["overall"]["calls"]["total"] >= 2
    folder = tmp_path / "out"
    assert {"report.md", "report.html", "summary.json", "success-calls.svg"} <= {p.name for p in folder.iterdir()}
    page = (folder / "report.html").read_text("utf-8")
    assert "Success against budget" in page and page.count("<svg") >= 3

    # The same again: nobody is asked, though the stand-in is served at another address.
    assert bench(Bench(paths=[rows], stand_in=1.0, **told(tmp_path))) == 0
    assert printed(capsys)["asked"] == 0

    # One that knows nothing proves less, and the two are compared theorem by theorem.
    other = {**told(tmp_path, max_model_calls=3), "out": tmp_path / "none"}
    assert bench(Bench(paths=[rows], stand_in=0.0, **other)) == 0
    assert printed(capsys)["overall"]["accuracy"]["right"] == 1
    both = [str(folder), str(tmp_path / "none"), str(folder)]
    assert bench(Bench(paths=both, compare=True, as_json=True)) == 0
    worse, same = map(json.loads, capsys.readouterr().out.splitlines())
    jsonschema.validate(worse, SCHEMA)
    assert (len(worse["overall"]["only_first"]), worse["overall"]["p"]) == (2, 0.5)
    assert (same["overall"]["only_first"], same["overall"]["p"]) == ([], 1)


def test_a_stand_in_is_as_good_as_its_competence_and_as_repeatable_as_its_seed() -> None:
    easy, difficult = (Problem("a", "", "a.smt2", "set", reply="7 is it", difficulty=d) for d in (1.0, 3.0))

    def share(problem: Problem, known: Competence) -> float:
        replies = [known.reply(problem, f"prompt {n}", 0)[0] for n in range(2000)]
        return sum(reply == problem.reply for reply in replies) / 2000

    half = Competence(0.5, seed=3)
    assert share(easy, half) == pytest.approx(0.5, abs=0.05)
    assert share(difficult, half) == pytest.approx(0.125, abs=0.03)
    assert (share(easy, Competence(0)), share(easy, Competence(1))) == (0, 1)
    assert [half.reply(easy, "p", n) for n in range(20)] == [half.reply(easy, "p", n) for n in range(20)]
    assert [half.reply(easy, "p", n) for n in range(20)] != [Competence(0.5, 4).reply(easy, "p", n) for n in range(20)]


def test_delays_of_a_stand_in_have_the_mean_that_was_asked_for_and_some_are_very_long() -> None:
    for known in (Competence(1, delay=0.1), Competence(1, delay=0.1, tail=2.5)):
        delays = [known.reply(None, str(n), 0)[1] for n in range(20_000)]
        assert sum(delays) / len(delays) == pytest.approx(0.1, rel=0.1)
    assert max(delays) > 1
    for wrong in ({"share": 1.5}, {"share": 1, "tail": 1}):
        with pytest.raises(ValueError, match=r"from 0 to 1|above 1"):
            Competence(**wrong)


def test_each_idea_that_is_left_out_changes_the_settings_or_the_search_and_nothing_else() -> None:
    plain = Settings()
    changed = {name: without(plain, [name]) for name in ABLATIONS}
    assert changed["decomposition"].budgets.depth == 0
    assert changed["bans"].ban_after_failures > 1_000_000
    repaired = changed["repair"]
    assert repaired.prover_agent_max_self_corrections == 0 and repaired.max_attempts == plain.max_attempts
    assert changed["retrieval"].retrieval.premises == 0
    assert not changed["bank"].use_memory
    for name in ("refutation", "exploration"):
        assert changed[name] == plain and options_without([name]) == {"without": [name]}
    assert names(["bans,repair", "bank"]) == ("bans", "repair", "bank")
    with pytest.raises(BadData, match="there are decomposition, bans"):
        names(["luck"])


@pytest.mark.whole("docs/test_commands.py::test_every_command_of_the_section_works")
def test_without_decomposition_what_needs_an_induction_stays_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theorem = str(ROOT / "theorems" / "smt" / "reverse_twice.smt2")
    found = []
    for left_out in ([], ["decomposition"]):
        options = {**told(tmp_path), "out": tmp_path / f"out{len(left_out)}"}
        assert bench(Bench(paths=[theorem], leave_out=left_out, **options)) == 0
        found.append(printed(capsys))
    assert [each["overall"]["accuracy"]["right"] for each in found] == [1, 0]
    assert found[1]["setup"]["without"] == ["decomposition"]


def test_what_makes_no_sense_together_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = tmp_path / "folio.jsonl"
    question.write_text(json.dumps({"premises": "a", "conclusion": "b", "label": "True"}), "utf-8")
    silent = rows_in(tmp_path, {"name": "a", "text": "(prove true)"})
    for request, message in (
        (Bench(paths=[str(question)], leave_out=["bans"]), "--without is for theorems"),
        (Bench(paths=[str(question)], stand_in=0.5), "--stand-in is for theorems"),
        (Bench(paths=[silent], stand_in=0.5), "knows only replies in rows of problems"),
    ):
        assert bench(request) == 2
        assert message in capsys.readouterr().err


def test_the_table_of_a_terminal_counts_what_is_there() -> None:
    from collections import Counter

    tally = Tally(Counter({"a": 3, "b": 1}), proofs=True)
    for number, (dataset, said) in enumerate([("a", "true"), ("a", "unknown"), ("b", "out_of_budget")]):
        tally.add(Outcome(str(number), "0", dataset, "true", said, calls=2, tokens=10))  # type: ignore[arg-type]
    titles = [str(column.header) for column in tally.table().columns]
    assert titles[:6] == ["set", "done", "right", "proved", "refuted", "open"]
    assert [row[:4] for row in tally.rows()] == [
        ("a", "2/3", "50 %", "1"),
        ("b", "1/1", "0 %", "0"),
        ("all", "3/4", "33 %", "1"),
    ]
    assert "6 calls, 30 tokens" in str(tally.table().caption)


def test_a_benchmark_that_is_killed_goes_on_and_counts_nothing_twice(tmp_path: Path) -> None:
    rows = rows_in(tmp_path, *(hard(number) for number in range(1, 4)))
    command = [sys.executable, "-m", "goedels_poetry", "bench", rows, "--stand-in", "1", "--out", str(tmp_path / "out")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    answers = tmp_path / "out" / ANSWERS
    first = subprocess.Popen([*command, "--quiet"], env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    while first.poll() is None and not (answers.exists() and answers.read_bytes().count(b"\n") >= 1):
        time.sleep(0.01)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    kept = answers.read_bytes().count(b"\n")
    done = subprocess.run([*command, "--json"], env=environment, capture_output=True, text=True, timeout=100)
    found = json.loads(done.stdout)
    assert (done.returncode, found["asked"], found["missing"]) == (0, 3 - kept, 0), done.stderr
    assert (found["overall"]["questions"], found["overall"]["accuracy"]["right"]) == (3, 3)
    lines = [json.loads(line) for line in answers.read_text("utf-8").splitlines()]
    assert len({line["key"] for line in lines}) == len(lines) == 3
