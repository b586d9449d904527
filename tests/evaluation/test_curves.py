"""Success against budget, kinds of endings and of mistakes, and how they are shown."""

from __future__ import annotations

from typing import Any

import pytest

from goedels_poetry.evaluation import Outcome
from goedels_poetry.evaluation.figures import budgets, curves
from goedels_poetry.evaluation.outcome import ending, mistake, mistakes
from goedels_poetry.kernel.verdict import Verdict


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


def test_samples_of_one_theorem_are_no_independent_trials() -> None:
    once = curves([proof(1, True, 1.0), proof(2, False, 1.0)])["seconds"]
    often = curves([proof(n, n == 1, 1.0, sample=s) for n in (1, 2) for s in range(50)])["seconds"]
    assert (often.trials, often.items) == (100, 2)
    assert often.at(2) == once.at(2)


def test_what_answers_an_equal_question_is_no_trial_and_replies_of_the_cache_are_calls() -> None:
    found = curves([proof(1, True, 1.0, 1, cached=4), proof(2, True, 0.0, repeated=True)])
    assert (found["calls"].trials, found["calls"].costs) == (1, (5.0,))


def test_budgets_of_a_table_are_round_and_reach_from_the_cheapest_to_the_dearest() -> None:
    assert budgets([curves([proof(1, True, 0.3), proof(2, True, 18.0)])["seconds"]]) == pytest.approx(
        [0.2, 0.5, 1, 2, 5, 10, 20]
    )
    assert budgets([curves([proof(1, True, 0.5, 1), proof(2, True, 1.0, 3)])["calls"]]) == [1, 2, 5]
    assert budgets([]) == []


@pytest.mark.parametrize(
    ("verdict", "reason", "kind"),
    [
        (Verdict.PROVED, "", "proved"),
        (Verdict.OUT_OF_BUDGET, "10 s of wall time are used up; run 2b can be resumed", "limit: time"),
        (Verdict.OUT_OF_BUDGET, "20 model calls are used up; run 2b can be resumed", "limit: model calls"),
        (Verdict.OUT_OF_BUDGET, "5000 model tokens are used up", "limit: tokens"),
        (Verdict.OUT_OF_BUDGET, "interrupted", "limit: other"),
        (Verdict.INVALID, "unknown module prefix 'Mathlib'", "invalid: missing library"),
        (Verdict.INVALID, "unknown symbol f", "invalid"),
        (Verdict.UNKNOWN, "goal 0 was neither proved nor decomposed", "open"),
        (Verdict.UNKNOWN, "the result could not be certified: no room", "open: not certified"),
    ],
)
def test_how_runs_end_is_counted_by_kind(verdict: Verdict, reason: str, kind: str) -> None:
    assert ending(verdict, reason) == kind


@pytest.mark.parametrize(
    ("reason", "language", "kind"),
    [
        ("the solver does not close the goal directly", "smt", "not closed"),
        ("the reply holds no complete JSON object", "smt", "unreadable reply"),
        ("the reply is empty", "smt", "no reply"),
        ("subgoal 2 is false for n = 0: n < 0", "smt", "false subgoal"),
        ("the strategy induction(n) is banned here", "smt", "banned strategy"),
        ("unknown identifier 'Nat.foo'", "lean", "unknown identifier"),
        ("unsolved goals\n⊢ False", "lean", "tactic failed"),
        ("the reply is empty", "lean", "no reply"),
    ],
)
def test_what_goes_wrong_on_the_way_is_counted_by_kind(reason: str, language: str, kind: str) -> None:
    assert mistake(reason, language) == kind


def test_a_round_of_a_model_counts_once_for_each_reply_and_not_again_as_an_attempt() -> None:
    entries = [
        {"seq": 3, "node": "0", "kind": "attempt", "reason": "the solver does not close the goal directly"},
        {"seq": 5, "node": "0", "kind": "model", "reasons": ["the reply is empty", "the reply is empty"]},
        {"seq": 5, "node": "0", "kind": "attempt", "reason": "the reply is empty"},
        {"seq": 6, "node": "0", "kind": "decision", "reason": "banned"},
    ]
    assert mistakes(entries, "smt") == {"no reply": 2, "not closed": 1}
