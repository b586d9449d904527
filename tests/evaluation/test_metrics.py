"""Metrics of answers, and curves of what was solved by when."""

import importlib
import math
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goedels_poetry.evaluation import (
    BadData,
    Outcome,
    compare,
    mcnemar,
    metrics,
    pass_at,
    pass_at_k,
    wilson,
)
from goedels_poetry.evaluation.figures import curves
from goedels_poetry.evaluation.outcome import GoldQuestion
from goedels_poetry.evaluation.outcome import outcome as outcome_of
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.reasoning.steps import QueryResult


def outcome(gold: str, predicted: str, number: int = 0, **more: Any) -> Outcome:
    return Outcome(id=f"q{number}", digest=f"d{number}", dataset="D", gold=gold, predicted=predicted, **more)  # type: ignore[arg-type]


def outcomes(*pairs: tuple[str, str]) -> list[Outcome]:
    return [outcome(gold, predicted, number) for number, (gold, predicted) in enumerate(pairs)]


# -- what others got wrong -------------------------------------------------------------------------------------
def test_one_right_and_nine_failed_is_an_accuracy_of_a_tenth() -> None:
    found = metrics(outcomes(("true", "true"), *[("true", "failed")] * 9))
    assert found.accuracy.value == pytest.approx(0.1)
    assert found.coverage.value == pytest.approx(0.1)
    assert found.selective.value == 1.0
    assert found.classes["true"].recall == pytest.approx(0.1)
    assert found.failures == {"failed": 9}


# -- by hand ---------------------------------------------------------------------------------------------------
def test_three_classes_by_hand() -> None:
    found = metrics(
        outcomes(
            *[("true", "true")] * 4,
            ("true", "false"),
            ("true", "unknown"),
            *[("false", "false")] * 3,
            ("false", "true"),
            ("false", "inconsistent"),
            *[("uncertain", "unknown")] * 2,
            ("uncertain", "true"),
            ("uncertain", "invalid"),
        )
    )
    assert found.questions == 15
    assert found.accuracy.value == pytest.approx(9 / 15)
    assert found.coverage.value == pytest.approx(10 / 15)
    assert found.selective.value == pytest.approx(7 / 10)
    assert (found.uncertain.right, found.uncertain.of) == (2, 4)
    yes, no, open_ = (found.classes[label] for label in ("true", "false", "uncertain"))
    assert (yes.precision, yes.recall, yes.f1) == (pytest.approx(4 / 6), pytest.approx(4 / 6), pytest.approx(8 / 12))
    assert (no.precision, no.recall, no.f1) == (pytest.approx(3 / 4), pytest.approx(3 / 5), pytest.approx(6 / 9))
    assert (open_.precision, open_.recall, open_.f1) == (
        pytest.approx(2 / 3),
        pytest.approx(2 / 4),
        pytest.approx(4 / 7),
    )
    assert found.macro_f1 == pytest.approx((8 / 12 + 6 / 9 + 4 / 7) / 3)
    assert found.confusion["uncertain"] == {"true": 1, "unknown": 2, "invalid": 1}
    assert found.wrong_proved == ("q9", "q13")
    assert found.wrong_refuted == ("q4",)
    assert found.failures == {"inconsistent": 1, "invalid": 1}


def test_uncertain_is_met_by_unknown_only() -> None:
    for predicted in ("true", "false", "inconsistent", "invalid", "out_of_budget", "other", "failed"):
        assert not outcome("uncertain", predicted).correct
    assert outcome("uncertain", "unknown").correct
    assert not outcome("true", "unknown").correct


def test_costs_are_those_of_what_was_paid() -> None:
    found = metrics(
        [
            outcome("true", "true", n, calls=n, tokens=100 * n, money=0.01 * n, seconds=float(n), attempts=1)
            for n in range(1, 12)
        ]
        + [outcome("true", "true", 99, repeated=True)]
    )
    assert (found.calls.total, found.calls.median, found.calls.mean) == (66, 6, 6)
    assert found.seconds.p90 == 10
    assert found.money.total == pytest.approx(0.66)


def test_calibration_tells_the_levels_apart() -> None:
    every = [outcome("true", "true", n, level="high", score=0.9) for n in range(4)]
    every += [outcome("false", "true", 4, level="high", score=0.9), outcome("true", "false", 5, level="low", score=0.2)]
    every += [outcome("true", "unknown", 6, level="low", score=0.1)]
    found = metrics(every).calibration
    assert (found["high"].right, found["high"].of) == (4, 5)
    assert (found["low"].right, found["low"].of) == (0, 1)


def test_several_samples_of_a_question_do_not_narrow_the_interval() -> None:
    once = metrics(outcomes(("true", "true"), ("true", "false")))
    often = metrics([outcome("true", said, n, sample=s) for n, said in enumerate(["true", "false"]) for s in range(50)])
    assert often.samples == 50
    assert often.accuracy.to_json() == once.accuracy.to_json()


# -- formulas --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [  # Newcombe 1998, table I: method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_the_published_one(right: int, total: int, low: float, high: float) -> None:
    assert wilson(right, total) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize(
    ("b", "c", "p"),
    [(0, 0, 1.0), (0, 1, 1.0), (0, 5, 0.0625), (1, 7, 18 / 256), (5, 5, 1.0), (3, 12, 2 * 576 / 32768)],
)
def test_mcnemars_exact_test_by_hand(b: int, c: int, p: float) -> None:
    assert mcnemar(b, c) == mcnemar(c, b) == pytest.approx(p)
    assert math.isfinite(mcnemar(3000, 2900))


@given(st.integers(1, 9), st.data())
def test_pass_at_k_is_the_share_of_the_choices_with_a_right_one(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    choices = list(combinations(range(n), k))
    share = Fraction(sum(any(i < c for i in chosen) for chosen in choices), len(choices))
    assert pass_at_k(n, c, k) == pytest.approx(float(share))


def test_pass_at_k_of_a_run_is_the_mean_over_its_items() -> None:
    every = [
        outcome("true", "true" if s < right else "unknown", n, sample=s)
        for n, right in enumerate((0, 2, 5))
        for s in range(5)
    ]
    found = pass_at(every, [1, 2, 5, 10])
    assert (found.items, found.samples, found.solved) == (3, (5, 5), 2)
    values = {k: None if share is None else share.value for k, share in found.at.items()}
    assert values == {
        1: pytest.approx((0 + 0.4 + 1) / 3),
        2: pytest.approx((0 + 0.7 + 1) / 3),
        5: pytest.approx(2 / 3),
        10: None,
    }


def test_two_runs_are_compared_question_by_question() -> None:
    first = outcomes(*[("true", "true")] * 4, *[("true", "false")] * 6)
    second = [
        *outcomes(*[("true", "true")] * 3, ("true", "false"), *[("true", "true")] * 5),
        outcome("true", "true", 77),
    ]
    found = compare(first, second)
    assert (found.overall.pairs, found.unmatched) == (9, (1, 1))
    assert found.overall.only_first == ("q3",)
    assert found.overall.only_second == ("q4", "q5", "q6", "q7", "q8")
    assert found.overall.p == pytest.approx(2 * (1 + 6) / 64)
    assert found.overall.difference == pytest.approx(4 / 9)
    with pytest.raises(BadData, match="no question in common"):
        compare(first, [outcome("true", "true", 500)])


def proof(number: int, solved: bool, seconds: float, calls: int = 0, **more: Any) -> Outcome:
    said: Any = "true" if solved else "unknown"
    return Outcome(f"t{number}", f"{number:016x}", "set", "true", said, seconds=seconds, calls=calls, **more)


def test_a_curve_is_the_share_of_trials_that_were_solved_for_no_more() -> None:
    found = curves([proof(1, True, 1.0, 2), proof(2, True, 4.0, 8), proof(3, False, 9.0, 50), proof(4, True, 4.0, 2)])
    assert set(found) == {"seconds", "calls"}
    seconds = found["seconds"]
    assert seconds.points == [(1.0, 0.25), (4.0, 0.75)]
    assert [seconds.at(budget).value for budget in (0.5, 1, 3.9, 4, 1000)] == [0, 0.25, 0.25, 0.75, 0.75]
    assert found["calls"].points == [(2.0, 0.5), (8.0, 0.75)]


def test_what_answers_an_equal_question_is_no_trial_and_replies_of_the_cache_are_calls() -> None:
    found = curves([proof(1, True, 1.0, 1, cached=4), proof(2, True, 0.0, repeated=True)])
    assert (found["calls"].trials, found["calls"].costs) == (1, (5.0,))


# -- grades and confidence -------------------------------------------------------------------------------------
def test_each_grade_has_an_accuracy_of_its_own_and_the_best_answers_one_over_all() -> None:
    open_ = {"grade": "reading", "graded": "false"}
    found = metrics(
        [
            outcome("true", "true", 0, grade="proved", graded="true"),
            outcome("false", "unknown", 1, **open_),
            outcome("true", "unknown", 2, **open_),
            outcome("uncertain", "unknown", 3, grade="open", graded="unknown"),
        ]
    )
    assert (found.accuracy.right, found.graded.right) == (2, 3)
    assert {grade: (share.right, share.of) for grade, share in found.grades.items()} == {
        "proved": (1, 1),
        "reading": (1, 2),
        "open": (1, 1),
    }


def test_factors_are_fitted_to_what_was_right_and_the_curve_says_how_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    script = importlib.import_module("measure_confidence")
    seen = [
        outcome(
            "true", "true" if n % 10 < right else "false", 1000 * right + n, tests={"guards": how}, score=right / 10
        )
        for right, how in ((9, "passed"), (3, "warning"))
        for n in range(1000)
    ]
    fitted = script.fit(seen)
    assert fitted["base"].fitted == pytest.approx(9, rel=0.1)
    assert fitted["guards warning"].fitted == pytest.approx((3 / 7) / 9, rel=0.3)
    assert fitted["guards warning"].now == pytest.approx(0.4)
    assert script.curve([(one.score, one.correct) for one in seen]) == [
        (1000, pytest.approx(0.3), pytest.approx(0.3)),
        (1000, pytest.approx(0.9), pytest.approx(0.9)),
    ]


@pytest.mark.parametrize(
    ("answered", "f1"),
    [
        ([("yes", "You must be over 18. You may not be on strike.")], 1.0),
        ([("yes", "You must be over 18."), ("yes", "It costs nothing.")], 0.5),
        ([("no", "You must be over 18. You may not be on strike.")], 0.0),
        ([], 0.0),
    ],
    ids=["both named by one", "one of two, one too many", "of the other answer", "none"],
)
def test_conditions_are_compared_with_the_gold_ones(answered: list[tuple[str, str]], f1: float) -> None:
    gold = GoldQuestion(
        "q", "d", "May I?", "…", "true", conditions=("You must be over 18.", "You may not be on strike.")
    )
    conditions = tuple({"answer": side, "facts": [], "words": "", "text": text} for side, text in answered)
    result = QueryResult("May I?", None, Verdict.UNKNOWN, program="p", conditions=conditions)
    made = outcome_of(gold, result, 0, 1.0, repeated=False)
    assert (made.conditions, metrics([made]).conditions) == (f1, f1)
