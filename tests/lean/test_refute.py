"""Counterexamples to Lean statements: small values, and a proof of the negation that Lean accepts."""

import asyncio

import pytest

from goedels_poetry.lean.refute import Refutation, refute
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.text.task import Fact, Task

HALF = "def half (n : Nat) : Nat := if n < 2 then 0 else half (n - 2) + 1\n\n"
TREE = """inductive T where
  | leaf
  | node (l : T) (x : Nat) (r : T)

def T.mirror : T → T
  | leaf => leaf
  | node l x r => node r.mirror x l.mirror

"""
EVEN = "def IsEven (n : Nat) : Prop := ∃ k, n = 2 * k\n\n"


def tried(lean: LeanPool, prefix: str, closed: str) -> Refutation | None:
    found = asyncio.run(refute(lean, Task(prefix, f"theorem t : {closed}", "t"), seconds=10))
    if found is not None:
        code = f"\ntheorem no : ¬ ({closed}) := {found.proof}\n"
        seen = asyncio.run(lean.check(CheckRequest(code, prefix=prefix, declarations=True)))
        assert seen.ok, seen.errors
        assert all("sorryAx" not in d.axioms for d in seen.declarations if d.name == "no")
    return found


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("prefix", "closed", "words"),
    [
        ("", "2 + 2 = 5", "2 + 2 = 5"),
        ("", "∀ (a b : Nat), a < b → a * a + 1 < b * b", "a = 0, b = 1"),
        ("", "∀ {α : Type} (xs ys : List α), xs ++ ys = ys ++ xs", "α = Nat, xs = [0], ys = [1]"),
        ("", "∀ (p q : Prop), (p → q) → q → p", "p = False, q = True"),
        ("", "∀ (f : Nat → Nat), f 0 = 0 → ∀ (n : Nat), f n = 0", "f = fun x => x, n = 1"),
        ("", "∀ {α : Type} [DecidableEq α] (a b : α) (xs : List α), a ∈ b :: xs → a ∈ xs", "xs = []"),
        ("", "∀ (n : Nat), ∃ m, m < n", "n = 0"),
        ("", "∀ (x : Fin 5) (y : BitVec 4), x.val < 4 ∨ y = 0", "x = 4, y = 1"),
        (HALF, "∀ (n : Nat), 2 * half n = n", "n = 1"),
        (TREE, "∀ (t : T), t.mirror = t", "t = T.node"),
        (EVEN, "∀ (n : Nat), IsEven n", "n = 1"),
    ],
)
def test_a_false_statement_is_refuted_by_small_values(lean: LeanPool, prefix: str, closed: str, words: str) -> None:
    found = tried(lean, prefix, closed)
    assert found is not None
    assert words in found.text


def test_a_type_of_any_universe_is_given_a_lifted_one(lean: LeanPool) -> None:
    closed = "∀ {α : Type u} (xs : List α), xs = []"
    found = asyncio.run(refute(lean, Task("", f"theorem t.{{u}} : {closed}", "t"), seconds=20))
    assert found is not None
    assert "xs = [ULift.up 0]" in found.text
    seen = asyncio.run(lean.check(CheckRequest(f"theorem no.{{u}} : ¬ ({closed}) := {found.proof}\n")))
    assert seen.ok, seen.errors


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "closed",
    [
        "∀ (a b : Nat), a + b = b + a",
        "∀ (a b : Nat), a < b → b < a → a = 7",
        "∀ (f : Nat → Nat), (∀ (n : Nat), f n = 0) → f 3 = 0",
    ],
)
def test_a_true_statement_is_not_refuted(lean: LeanPool, closed: str) -> None:
    assert tried(lean, "", closed) is None


def test_a_fact_of_the_scope_is_no_ground_for_a_refutation(lean: LeanPool) -> None:
    wrong = Fact("n1", "gp_wrong", "theorem gp_wrong : ∀ (n : Nat), n = 0")
    task = Task("", "theorem t : ∀ (n : Nat), n * 0 = 0", "t", (wrong,))
    assert asyncio.run(refute(lean, task, seconds=10)) is None
