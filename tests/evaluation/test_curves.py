"""Success against budget, kinds of endings and of mistakes, and how they are shown."""

from typing import Any

from goedels_poetry.evaluation import Outcome
from goedels_poetry.evaluation.figures import curves


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
