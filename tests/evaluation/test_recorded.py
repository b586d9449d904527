"""Results that runs have left: no line counts twice, none contradicts itself or another, and what differs is said."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from called import call

from goedels_poetry.autoformalizer import rows
from goedels_poetry.evaluation import BadData, Outcome, compare
from goedels_poetry.evaluation.answerers import Theorem
from goedels_poetry.evaluation.recorded import read_recorded
from goedels_poetry.evaluation.runner import AnswerLog, check_answer

Bench = Callable[..., tuple[int, str, str]]
RESULT = Outcome("t.smt2", "0" * 16, "set", "true", "true").to_json()
WRONG = {"predicted": "unknown", "correct": False}


def written(file: Path, *results: dict[str, Any], **summary: Any) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps(result) + "\n" for result in results))
    if summary:
        (file.parent / "summary.json").write_text(json.dumps(summary))
    return file


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    monkeypatch.chdir(tmp_path)
    return lambda *words: call(["bench", *words], monkeypatch, capsys, {"GOEDELS_POETRY__HOME": str(tmp_path / "home")})


def test_the_same_line_three_times_is_one_sample(bench: Bench, tmp_path: Path) -> None:
    written(tmp_path / "r.jsonl", RESULT, RESULT, RESULT)
    code, out, _ = bench("r.jsonl", "--pass-at", "1,3")
    assert code == 0 and "too few samples" in out
    assert "note: r.jsonl: 2 lines stand there again, word for word, and count once" in out


def test_one_sample_with_two_verdicts_is_refused_with_both_lines(bench: Bench, tmp_path: Path) -> None:
    written(tmp_path / "r.jsonl", RESULT, RESULT | {"sample": 1}, RESULT | WRONG)
    code, out, err = bench("r.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("r.jsonl:3: line 1 has another result of the same sample, 0, of 't.smt2'")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("correct", False), ("correct", "yes"), ("score", 5), ("score", -0.1), ("level", "superb"), ("sample", True),
        ("attempts", True), ("seconds", True), ("mistakes", {"kind": True}),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_is_named(tmp_path: Path, field: str, value: Any) -> None:
    file = written(tmp_path / "r.jsonl", RESULT, RESULT | {"sample": 1, field: value})
    with pytest.raises(BadData, match=rf'r\.jsonl:2: "{field}"'):
        read_recorded(file)


def test_an_answer_with_an_amount_that_cannot_be_is_asked_again(tmp_path: Path) -> None:
    good = {"key": "k", "seconds": 1.0, "result": {"question": "q", "answer": True, "verdict": "proved"}}
    costs = {"calls": 1, "money": 0.0}
    for bad in ({"seconds": -1.0}, {"result": good["result"] | {"costs": costs | {"calls": -1}}}):  # type: ignore[operator]
        file = written(tmp_path / "answers.jsonl", good | {"key": "other"}, good | bad)
        with AnswerLog(file, read=check_answer) as log:
            assert log.get("k") is None and log.get("other") is not None and log.unreadable == 1


def test_results_that_are_named_twice_count_once(bench: Bench, tmp_path: Path) -> None:
    written(tmp_path / "run" / "results.jsonl", RESULT)
    code, out, _ = bench("run", "run/results.jsonl", "--pass-at", "1,2", "--json")
    found = json.loads(out)
    assert (code, found["pass_at"]["set"]["samples"]) == (0, [1, 1])


def test_figures_of_recorded_proofs_are_those_of_proofs_and_say_what_is_missing(bench: Bench, tmp_path: Path) -> None:
    summary = {"kind": "proofs", "missing": 3, "stopped": "interrupted", "setup": {"seed": 1}}
    for name in ("one", "two"):
        failed = {**WRONG, "predicted": "failed", "ending": "error", "sample": 1}
        written(tmp_path / name / "results.jsonl", RESULT, RESULT | failed, **summary)
    code, out, _ = bench("one", "two")
    assert code == 0 and "pass@1" in out and "wrongly true" not in out
    assert "note: one is not finished (interrupted): 3 still to do, in no figure" in out
    assert "note: one: 1 failed by an error, counted as wrong" in out


def test_the_same_theorems_under_other_paths_are_compared() -> None:
    here = [Outcome(f"/home/a/{name}", digest, "set", "true", "true") for name, digest in (("x", "1"), ("y", "2"))]
    there = [Outcome(f"b/{name}", digest, "set", "true", "unknown") for name, digest in (("x", "1"), ("z", "3"))]
    found = compare(here, there)
    assert (found.overall.pairs, found.overall.only_first, found.unmatched) == (1, ("/home/a/x",), (1, 1))


def test_where_several_have_one_text_only_their_names_tell_them_apart() -> None:
    here = [Outcome(name, "1", "set", "true", "true") for name in ("x", "y")]
    there = [Outcome(name, "1", "set", "true", "unknown") for name in ("y", "z", "w")]
    found = compare(here, there)
    assert (found.overall.pairs, found.overall.only_first, found.unmatched) == (1, ("y",), (1, 2))


def test_a_theorem_is_the_same_however_its_folder_is_named_and_its_accents_are_written() -> None:
    composed, apart = (unicodedata.normalize(form, "Gödel.smt2") for form in ("NFC", "NFD"))
    one, other = Theorem(composed, "text", f"a/{composed}"), Theorem(apart, "text", f"b/{apart}")
    assert composed != apart and one.question.digest == other.question.digest


def test_the_same_row_in_two_files_is_proved_and_counted_once(bench: Bench, tmp_path: Path) -> None:
    row = {"name": "n", "text": "(declare-const p Bool)\n(prove (or p (not p)))"}
    for folder in ("a", "b"):
        written(tmp_path / folder / "rows.jsonl", row)
    code, out, _ = bench("a/rows.jsonl", "b/rows.jsonl", "--out", "out", "--quiet")
    assert code == 0 and "left out of the data: the same theorem again: 1" in out
    (outcome,) = read_recorded(tmp_path / "out").outcomes
    assert not outcome.repeated and outcome.seconds > 0


def test_results_larger_than_what_is_read_at_once_are_read_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path / "results.jsonl", *(RESULT | {"sample": number} for number in range(50)))
    whole = read_recorded(file).outcomes
    monkeypatch.setattr(rows, "MAX_BYTES", 1000)
    assert read_recorded(file).outcomes == whole and len(whole) == 50
    with file.open("a") as more:
        more.write(json.dumps(RESULT | {"reason": "x" * 2000}))
    with pytest.raises(BadData, match=r"results\.jsonl:51: a line larger than"):
        read_recorded(file)


def test_the_latest_answers_of_a_log_hold(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    with AnswerLog(file) as log:
        for number in range(3):
            log.add("k", {"number": number})
            log.add(f"other {number}", {"text": "ö" * number})
        assert log.get("k") == {"key": "k", "number": 2} and log.get("other 2") == {"key": "other 2", "text": "öö"}
    with file.open("ab") as torn:
        torn.write(b'{"key": "k", "number": 3')
    with AnswerLog(file) as log:
        assert log.repaired and log.get("k") == {"key": "k", "number": 2}
        log.add("k", {"number": 4})
        assert log.get("k") == {"key": "k", "number": 4} and len(log) == 4


def test_a_report_in_the_folder_of_the_problems_is_none_of_them(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "t.smt2").write_text("(declare-const p Bool)\n(prove (or p (not p)))\n")
    for _ in range(2):
        code, out, err = bench("set", "--out", "set/out", "--json")
        found = json.loads(out)
        assert code == 0 and found["overall"]["questions"] == 1 and "invalid" not in found["endings"]["set"], err
    assert found["asked"] == 0
    (tmp_path / "set" / "out" / "results.jsonl").unlink()  # as where it was broken off before its report
    assert json.loads(bench("set", "--out", "set/out", "--json")[1])["overall"]["questions"] == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("t.smt2", "r.jsonl"), "r.jsonl holds results of bench, and t.smt2 something to ask: name one of them"),
        (
            ("r.jsonl", "--limit", "3", "--fresh"),
            "--limit, --fresh: says how to ask or prove, and r.jsonl",
        ),
    ],
)
def test_what_would_be_passed_over_is_refused(bench: Bench, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    (tmp_path / "t.smt2").write_text("(prove true)")
    written(tmp_path / "r.jsonl", RESULT)
    code, out, err = bench(*words)
    assert (code, out) == (2, "") and err.startswith(told) and len(err.splitlines()) == 1


def test_a_split_where_nothing_has_one_is_told(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "t.smt2").write_text("(declare-const p Bool)\n(prove (or p (not p)))\n")
    code, _, err = bench("t.smt2", "--split", "test", "--out", "out")
    assert code == 0 and "--split test changes nothing: only rows of problems have a split" in err
