"""``scripts/measure_confidence.py`` on made-up results whose numbers are known."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest

from goedels_poetry.evaluation.outcome import Outcome, to_lines

SCRIPT = Path(__file__).parents[2] / "scripts" / "measure_confidence.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measure_confidence", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def results(place: Path, rows: Iterable[tuple[str, str, str, float | None]]) -> Path:
    """A results file of (gold, predicted, level, score)."""
    outcomes = [
        Outcome(id=str(n), digest="d", dataset="made-up", gold=gold, predicted=predicted, level=level, score=score)  # type: ignore[arg-type]
        for n, (gold, predicted, level, score) in enumerate(rows)
    ]
    file = place / "results.jsonl"
    file.write_text(to_lines(outcomes), "utf-8")
    return file


ROWS = [
    ("true", "true", "high", 0.9),
    ("false", "false", "high", 0.9),
    ("true", "false", "high", 0.8),
    ("true", "true", "medium", 0.6),
    ("false", "true", "low", 0.1),
    ("uncertain", "unknown", "medium", 0.7),
    ("true", "unknown", "low", 0.3),
    ("true", "failed", "", None),
    ("false", "inconsistent", "low", 0.05),
]


def test_accuracy_by_level_ranking_and_calibration_are_those_worked_out_by_hand(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main([str(results(tmp_path, ROWS)), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    decided = found["true or false"]
    assert (decided["answers"], decided["right"]) == (5, 3)
    assert decided["levels"]["high"]["accuracy"] == pytest.approx(2 / 3)
    assert decided["levels"]["high"]["mean_score"] == pytest.approx(2.6 / 3)
    assert decided["levels"]["low"]["accuracy"] == 0
    # right: .9 .9 .6, wrong: .8 .1; pairs won: (.9, .8) (.9, .1) twice, (.6, .1): 5 of 6
    assert decided["auroc"] == pytest.approx(5 / 6)
    assert decided["brier"] == pytest.approx((0.01 + 0.01 + 0.64 + 0.16 + 0.01) / 5)
    # bins [.9, 1]: 2 x .1; [.8, .9): .8; [.6, .7): .4; [.1, .2): .1
    assert decided["calibration_error"] == pytest.approx((0.2 + 0.8 + 0.4 + 0.1) / 5)
    assert found["unknown"]["auroc"] == 1
    assert found["both"]["answers"] == 7
    assert found["unscored"] == 1


def test_equal_scores_count_half_and_one_kind_of_answer_has_no_ranking(script: ModuleType) -> None:
    assert script.auroc([(0.5, True), (0.5, False)]) == 0.5
    assert script.auroc([(0.5, True), (0.5, False), (0.2, False)]) == 0.75
    assert script.auroc([(0.9, True)]) is None
    assert script.auroc([]) is None


def test_people_read_the_same_numbers_and_a_missing_file_is_named(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main([str(results(tmp_path, ROWS))]) == 0
    told = capsys.readouterr().out
    assert "true or false: 5 answers with a score, 3 right" in told
    assert "AUROC 0.833" in told
    assert "1 of 9 outcomes have no score" in told
    assert script.main([str(results(tmp_path, ROWS)), "--dataset", "another"]) == 0
    assert "both: 0 answers with a score" in capsys.readouterr().out
    assert script.main([str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl" in capsys.readouterr().err
