"""A tactic that says only that it failed: whoever is to mend the proof sees the goal on which it failed."""

import pytest

from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.text.premises import near_names
from goedels_poetry.lean.text.sketch import check_proof, open_sketch
from goedels_poetry.lean.text.task import Task

PREFIX = "def double (n : Nat) : Nat := n + n\n\n"
HEAD = "theorem t (n m : Nat) (h : n < m) : double n < m + m ∧ n ≤ m"


@pytest.mark.parametrize(
    ("proof", "shown"),
    [
        (
            "by\n  constructor\n  · omega\n  · exact Nat.le_of_lt h",
            "The goal there:\ncase left\nn m : Nat\nh : n < m\n⊢ double n < m + m",
        ),
        ("⟨by omega, Nat.le_of_lt h⟩", "⊢ double n < m + m"),
        ("by\n  constructor <;> omega", "⊢ double n < m + m"),
        ("by\n  constructor\n  · simp only [Nat.add_comm,\n      Nat.mul_comm]\n  · omega", "⊢ double n < m + m"),
    ],
)
async def test_the_goal_of_a_failed_tactic_is_shown(lean: LeanPool, proof: str, shown: str) -> None:
    told = (await check_proof(lean, Task(PREFIX, HEAD, "t", ()), proof)).reason
    assert shown in told
    assert told.count("⊢ double n < m + m") == 1
    assert "⊢ n ≤ m" not in told, "on that the tactic did not fail, or was not tried"


async def test_a_sketch_with_a_failed_tactic_shows_its_goal_too(lean: LeanPool) -> None:
    opened = await open_sketch(lean, Task(PREFIX, HEAD, "t", ()), "test", "by\n  constructor\n  · omega\n  · sorry")
    assert "h : n < m\n⊢ double n < m + m" in opened.reason


async def test_nothing_is_added_where_no_tactic_failed(lean: LeanPool) -> None:
    told = (await check_proof(lean, Task(PREFIX, HEAD, "t", ()), "⟨Nat.no_such_thing, Nat.le_of_lt h⟩")).reason
    assert "no_such_thing" in told
    assert "The goal there" not in told


async def test_a_name_that_does_not_exist_is_answered_with_those_that_do(lean: LeanPool) -> None:
    """`List.sum_append` is what everybody would guess; for numbers it has another name."""
    head = "theorem t (a b : List Nat) : (a ++ b).sum = a.sum + b.sum"
    task = Task("", head, "t", ())
    report = (await check_proof(lean, task, "List.sum_append")).reason
    told = await near_names(lean, task, report)
    assert "There is no List.sum_append; there is:" in told
    assert "List.sum_append_nat {l₁ l₂ : List Nat} : (l₁ ++ l₂).sum = l₁.sum + l₂.sum" in told
    assert await near_names(lean, task, "1:3: unsolved goals") == ""
