"""What the embedded Lean answers."""

from typing import Any

from goedels_poetry.languages.lean.runtime import LOGIC_AXIOMS, CheckRequest, LeanPool, LeanRuntime

INDUCTION = (
    "theorem t (a b : Nat) : a + b = b + a := by\n  induction a with\n  | zero => sorry\n  | succ n ih => omega\n"
)


async def test_a_true_theorem_is_accepted_without_a_word(lean: LeanPool) -> None:
    result = await lean.check(CheckRequest("theorem t (a b : Nat) : a + b = b + a := by omega", declarations=True))
    assert result.ok
    assert result.messages == ()
    (theorem,) = [d for d in result.declarations if d.name == "t"]
    assert theorem.kind == "theorem"
    assert set(theorem.axioms) <= LOGIC_AXIOMS


async def test_a_hole_has_its_goal_and_a_statement(lean: LeanPool) -> None:
    result = await lean.check(CheckRequest(INDUCTION, holes=True))
    (hole,) = result.holes
    assert INDUCTION[hole.start : hole.end] == "sorry"
    assert hole.tactic
    (goal,) = hole.goals
    assert goal.goal == "case zero\nb : Nat\n⊢ 0 + b = b + 0"
    assert goal.statement == "∀ (b : Nat), 0 + b = b + 0"


def test_the_pool_speaks_the_protocol(lean: LeanPool) -> None:
    assert isinstance(lean, LeanRuntime)
    assert lean.version == "4.28.0-pre"


def test_tests_that_are_no_coroutines_ask_the_same_lean(lean_sync: Any) -> None:
    result = lean_sync.check("example : n = 2 := rfl", prefix="def n := 3\n")
    assert [m.line for m in result.errors] == [2]
    assert lean_sync.evaluate(["n + 1"], prefix="def n := 3\n") == [["4"]]
