"""Goals of Lean that need lemmas that nobody has stated: the engine finds them, Lean proves them."""

import asyncio

import pytest

from goedels_poetry.lean.agents import prove
from goedels_poetry.lean.goals.engine import Engine
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.tactics.theory import theory_of
from goedels_poetry.lean.text.task import Task

TURN = """inductive Row (α : Type) where
  | none : Row α
  | more : α → Row α → Row α
namespace Row
def join {α : Type} : Row α → Row α → Row α
  | none, b => b
  | more x a, b => more x (join a b)
def turn {α : Type} : Row α → Row α
  | none => none
  | more x a => join (turn a) (more x none)
end Row

"""
PILE = """def pile : List Nat → Nat
  | [] => 0
  | x :: xs => 2 * x + pile xs
def pileOn : List Nat → Nat → Nat
  | [], n => n
  | x :: xs, n => pileOn xs (n + 2 * x)

"""
PEAK = """def peak (m : Nat) (xs : List Nat) : Nat :=
  match xs with
  | [] => m
  | x :: rest => peak (if x > m then x else m) rest

"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("prefix", "statement", "functions"),
    [
        (PILE, "(xs : List Nat) : pileOn xs 0 = pile xs", ("pile", "pileOn")),
        (PILE.replace("Nat", "Int"), "(xs : List Int) : pileOn xs 0 = pile xs", ("pile", "pileOn")),
        (TURN, "{α : Type} (a : Row α) : a.turn.turn = a", ("Row.join", "Row.turn")),
        (PEAK, "(m : Nat) (xs : List Nat) : ∀ y ∈ xs, y ≤ peak m xs", ("peak",)),
    ],
)
def test_a_goal_is_proved_by_lemmas_that_nobody_has_stated(
    lean: LeanPool, prefix: str, statement: str, functions: tuple[str, ...]
) -> None:
    task = Task(prefix, f"theorem goal {statement}", "goal", (), functions)

    async def run() -> None:
        engine = Engine()
        try:
            found = await prove(lean, task, seconds=120.0, engine=engine)
        finally:
            await engine.aclose()
        assert found is not None and "_lemma_" in found.helpers
        text = "\n" + task.code(found.proof, found.helpers)
        result = await lean.check(CheckRequest(text, prefix=task.prefix, declarations=True))
        assert result.ok
        used = {a for d in result.declarations if d.name == task.name for a in d.axioms}
        assert used <= {"propext", "Classical.choice", "Quot.sound"}

    asyncio.run(run())


def test_a_definition_whose_name_the_library_has_too_is_called_by_its_full_name(lean: LeanPool) -> None:
    prefix = "def insert (x : Nat) (xs : List Nat) : List Nat := x :: xs\ndef put (x : Nat) : List Nat := [x]\n\n"
    theory = asyncio.run(theory_of(lean, prefix, 30))
    assert [theory.written(name) for name in ("insert", "put")] == ["_root_.insert", "put"]
