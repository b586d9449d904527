"""Results that runs have left: no line counts twice, none contradicts itself or another, and what differs is said."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from called import call

from goedels_poetry.evaluation import Outcome, compare
from goedels_poetry.evaluation.outcome import read_recorded

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


def test_one_sample_with_two_verdicts_is_refused_with_both_lines(bench: Bench, tmp_path: Path) -> None:
    written(tmp_path / "r.jsonl", RESULT, RESULT | {"sample": 1}, RESULT | WRONG)
    code, out, err = bench("r.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("r.jsonl:3: line 1 has another result of the same sample, 0, of 't.smt2'")


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


def test_the_same_row_in_two_files_is_proved_and_counted_once(bench: Bench, tmp_path: Path) -> None:
    row = {"name": "n", "text": "(declare-const p Bool)\n(prove (or p (not p)))"}
    for folder in ("a", "b"):
        written(tmp_path / folder / "rows.jsonl", row)
    code, out, _ = bench("a/rows.jsonl", "b/rows.jsonl", "--out", "out", "--quiet")
    assert code == 0 and "left out of the data: the same theorem again: 1" in out
    (outcome,) = read_recorded(tmp_path / "out").outcomes
    assert not outcome.repeated and outcome.seconds > 0
