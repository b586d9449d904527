"""A countermodel for a model is cut down to what its goal depends on, in one notation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.program.smt2 import read_smt2
from goedels_poetry.questions.query_runner import SolverPair
from goedels_poetry.questions.world import world_against

HEAD = """(declare-sort T 0) (declare-const sam T) (declare-const tom T) (declare-const ulla T)
(declare-fun cat (T) Bool) (declare-fun dog (T) Bool) (declare-fun soft (T) Bool) (declare-fun rich (T) Bool)
(declare-fun likes (T T) Bool) (declare-const age_in_years Int) (declare-const store1 (Array Int Int))
(assert (distinct sam tom ulla))
(assert (forall ((x T)) (=> (cat x) (soft x)))) (assert (cat sam)) (assert (rich ulla)) (assert (not (cat tom)))
(assert (likes sam ulla)) (assert (> age_in_years 70))
"""
Told = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    with SolverPair() as solvers:

        def against(goal: str) -> list[str]:
            program = read_smt2(f"{HEAD}(define-fun goal () Bool {goal})")
            return world_against(program, decide(program, milliseconds=20_000, solvers=solvers))

        yield against


def test_only_the_things_and_predicates_of_the_goal_and_of_premises_about_them_are_told(told: Told) -> None:
    assert told("(soft tom)") == ["false: soft(tom), cat(tom)"]


def test_a_value_is_told_beside_what_is_true_and_false(told: Told) -> None:
    (line,) = told("(> age_in_years 90)")
    assert 70 < int(line.removeprefix("age_in_years = ")) <= 90


def test_of_a_goal_about_all_every_thing_is_told(told: Told) -> None:
    lines = told("(forall ((x T)) (=> (soft x) (cat x)))")
    assert {line.partition(":")[0] for line in lines} == {"true", "false"}
    assert "soft(" in lines[0] and "cat(tom)" in lines[1]


def test_relations_are_told_between_the_things_of_the_goal(told: Told) -> None:
    lines = told("(likes tom sam)")
    assert "likes(tom, sam)" in lines[-1] and lines[-1].startswith("false: ")
    assert "ulla" not in " ".join(lines)


def test_a_goal_that_follows_has_no_such_world(told: Told) -> None:
    assert told("(soft sam)") == []


@pytest.mark.parametrize(
    "goal",
    [
        "(forall ((a T) (b T) (c T) (d T) (e T) (f T) (g T)) (=> (likes a b) (likes g f)))",
        "(exists ((x T)) (and (rich x) (dog x) (not (soft x))))",
        "(= (store store1 1 2) store1)",
        "(xor (soft tom) (= age_in_years 80))",
        "(not " * 240 + "(soft tom)" + ")" * 240,
    ],
)
def test_goals_of_any_form_are_told_of_in_bounded_work(told: Told, goal: str) -> None:
    lines = told(goal)
    assert lines and all(len(line) < 3_000 for line in lines)
