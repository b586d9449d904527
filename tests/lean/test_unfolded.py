"""Functions that hypotheses define are put in before anything else is tried: in proofs and in refutations."""

import asyncio

import pytest

from goedels_poetry.lean.agents import prove, sketch
from goedels_poetry.lean.refute import refute, refuted_at
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.tactics.theory import unfolded
from goedels_poetry.lean.text.sketch import check_proof
from goedels_poetry.lean.text.task import Task

SECONDS = 60


def left_of(lean: LeanPool, statement: str, prefix: str = "") -> str:
    task = Task(prefix, f"theorem t {statement}", "t")
    return " ".join(asyncio.run(unfolded(lean, task, SECONDS)).task.head.partition(" : ")[2].split())


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("(f : Nat → Nat) (h : ∀ x, f x = 2 * x) : f 3 = 6", "2 * 3 = 6"),
        ("(f : Nat → Nat) (h : ∀ x, 2 * x = f x) (n : Nat) : f n ≠ 6", "∀ (n : Nat), 2 * n ≠ 6"),
        ("(n : Nat) (f : Nat → Nat → Nat) (h : ∀ x y, f y x = x + n) : f 1 n = n", "∀ (n : Nat), n + n = n"),
        ("(p : Nat → Prop) (h : ∀ n, p n ↔ n % 3 = 0) (n : Nat) (k : p n) : p 3", "∀ (n : Nat), n % 3 = 0 → 3 % 3 = 0"),
        ("(f g : Nat → Nat) (h : ∀ x, f x = g x + 1) (k : ∀ x, g x = x) (n : Nat) : n < f n", "∀ (n : Nat), n < n + 1"),
        (": ∀ {α : Type} (f : α → List α), (∀ x, f x = [x]) → ∀ x, f x ≠ []", "∀ {α : Type} (x : α), [x] ≠ []"),
        ("(f : Nat → Nat) (h : ∀ x, f x = x) (k : ∀ x, f x = x + 1) : False", "(∀ (x : Nat), x = x + 1) → False"),
    ],
)
def test_a_definition_is_put_in_and_forgotten(lean: LeanPool, statement: str, left: str) -> None:
    assert left_of(lean, statement) == left


@pytest.mark.parametrize(
    "prefix", ["variable (f : Nat → Nat)\n\n", "abbrev Rule := Nat -> Nat\nvariable {f : Rule}\n\n"]
)
def test_the_function_may_be_declared_before_the_theorem(lean: LeanPool, prefix: str) -> None:
    assert left_of(lean, "(h : ∀ x, f x = 2 * x) : f 3 = 6", prefix) == "2 * 3 = 6"


@pytest.mark.parametrize(
    "statement",
    [
        "(f : Nat → Nat) (h : ∀ n, f n = f (n - 1)) : f 5 = f 0",
        "(f : Nat → Nat) (z : f 0 = 0) (h : ∀ n, f (n + 1) = f n + 2) : f 2 = 4",
        "(f : Nat → Nat) (h : ∀ x, 0 < x → f x = 1) : f 3 = 1",
        "(f : Nat → Nat → Nat) (h : ∀ x, f x x = 1) : f 3 3 = 1",
        "(f g : Nat → Nat) (h : ∀ x, f x = 2 ∧ g x = 3) : f 3 = 2",
        "(f : Nat → Nat) : (∀ x, f x = 1) → ∀ f : Nat → Nat, (∃ x, f x = 0) → True",
    ],
)
def test_what_is_no_definition_stays_a_hypothesis(lean: LeanPool, statement: str) -> None:
    left = left_of(lean, statement)
    assert "f" in left.split() or "(f" in left


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("prefix", "statement"),
    [
        ("", "(f g : Int → Int) (h : ∀ x, f x = 2 * x - 3) (k : ∀ x, g x = x + 1) : g (f 5 - 1) = 7"),
        ("", "(f : Nat → Nat) (h : ∀ x, 3 * x + 1 = f x) (a b : Nat) (k : f a = f b) : a = b"),
        ("", "(f : Nat → Nat → Nat) (h : ∀ a b, f a b = a + b + a * b) (x y z : Nat) : f (f x y) z = f x (f y z)"),
        (
            "",
            "{α : Type} [BEq α] (f : List α → Nat) (h : ∀ l, f l = l.length + 1) (a b : List α) : f a < f b + f a",
        ),
        ("", "(p : Nat → Prop) (h : ∀ n, p n ↔ n % 3 = 0) (a b : Nat) (k : p a) (l : p b) : p (a + b)"),
        ("theorem unfolded : True := trivial\n\n", "(f : Nat → Nat) (h : ∀ x, f x = x + 1) (n : Nat) : n < f n"),
    ],
)
def test_a_goal_is_proved_from_what_is_left(lean: LeanPool, prefix: str, statement: str) -> None:
    task = Task(prefix, f"theorem t {statement}", "t")
    found = asyncio.run(prove(lean, task, seconds=SECONDS))
    assert found is not None
    assert not asyncio.run(check_proof(lean, task, found.proof, found.helpers)).reason


def test_a_sketch_of_what_is_left_is_one_of_the_goal(lean: LeanPool) -> None:
    prefix = "def g : List Nat → List Nat\n  | [] => []\n  | x :: xs => g xs ++ [x]\n\n"
    task = Task(prefix, "theorem t (f : List Nat → List Nat) (h : ∀ l, f l = g l) (a : List Nat) : f (f a) = a", "t")
    found = asyncio.run(sketch(lean, task, banned=frozenset(), seconds=30.0, leave_open=True))
    assert found is not None and "sorry" in found.helpers
    assert asyncio.run(lean.check(CheckRequest(task.code(found.proof, found.helpers), prefix=prefix))).ok


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("closed", "shown"),
    [
        ("∀ (f : Nat → Nat), (∀ x, f x = 2 * x) → ∀ n, f n ≠ 6", "f = fun x => 2 * x, n = 3: 2 * n ≠ 6 is false"),
        ("∀ (f : Int → Int → Int), (∀ x y, f x y = x * x - y) → ∀ a b, f a b ≠ 7", "f = fun x y => x * x - y, "),
        ("∀ (p : Nat → Prop), (∀ n, p n ↔ n % 3 = 0) → ∀ m, p m → p (2 * m + 1)", "p = fun n => n % 3 = 0, m = 0"),
        (
            "∀ {α : Type} [BEq α] (f : List α → List α), (∀ l, f l = l.reverse) → ∀ xs, f xs = xs",
            "f = fun l => l.reverse, α = Nat, xs = [0, 1]",
        ),
    ],
)
def test_values_are_found_for_what_is_left_and_refute_the_goal(lean: LeanPool, closed: str, shown: str) -> None:
    found = asyncio.run(refute(lean, Task("", f"theorem t : {closed}", "t"), seconds=SECONDS))
    assert found is not None and found.text.startswith(shown)
    seen = asyncio.run(lean.check(CheckRequest(f"theorem no : ¬ ({closed}) := {found.proof}\n", declarations=True)))
    assert seen.ok and "sorryAx" not in seen.declarations[-1].axioms


def test_hypotheses_that_a_definition_breaks_refute_nothing(lean: LeanPool) -> None:
    """The values make the conclusion false, and no function is both."""
    closed = "∀ (f : Nat → Nat), (∀ x, f x = x) → (∀ x, f x = x + 1) → ∀ n, f n = 7"
    task = Task("", f"theorem t : {closed}", "t")
    assert asyncio.run(refute(lean, task, seconds=5)) is None
    assert asyncio.run(refuted_at(lean, task, {"n": "3"}, seconds=5)) is None
