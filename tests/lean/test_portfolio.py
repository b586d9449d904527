"""Cheap proofs of Lean theorems: found by one tactic or one step, exact, and accepted by Lean."""

import asyncio

import pytest

from goedels_poetry.lean.agents import prove
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import LOGIC_AXIOMS, CheckRequest
from goedels_poetry.lean.tactics.portfolio import EXTRA, Proposal, extra_tactics
from goedels_poetry.lean.text.task import Fact, Task

SUM = """def sumTo : Nat → Nat
  | 0 => 0
  | n + 1 => sumTo n + (n + 1)

"""
EVEN = """def IsEven (n : Nat) : Prop := ∃ k, n = 2 * k
def IsOdd (n : Nat) : Prop := ∃ k, n = 2 * k + 1

"""
LE = """inductive Le : Nat → Nat → Prop
  | refl (n : Nat) : Le n n
  | step (m n : Nat) : Le m n → Le m (n + 1)

"""
ONTO = "def Onto {α β : Type} (f : α → β) : Prop := ∀ b, ∃ a, f a = b\n\n"


def tried(lean: LeanPool, head: str, prefix: str = "", *facts: Fact, **names: tuple[str, ...]) -> Proposal | None:
    task = Task(prefix, f"theorem t {head}", "t", facts, **names)
    found = asyncio.run(prove(lean, task, seconds=30))
    if found is not None:
        code = "\n" + task.code(found.proof, found.helpers)
        seen = asyncio.run(lean.check(CheckRequest(code, prefix=prefix, declarations=True)))
        assert seen.ok, seen.errors
        axioms = next(d.axioms for d in seen.declarations if d.name == "t")
        assert set(axioms) <= LOGIC_AXIOMS | {fact.name for fact in facts}
    return found


@pytest.mark.parametrize(
    ("prefix", "head", "expected"),
    [
        ("", "(a b : Int) (h : a < b) : a + 1 ≤ b", "omega"),
        ("", "(xs : List Nat) : xs ++ [] = xs", "simp"),
        ("", "(p q : Prop) (h : p ∧ q) : q ∧ p", "grind"),
        (SUM, "(n : Nat) : 2 * sumTo n = n * (n + 1)", "induction n"),
        (EVEN, "(m n : Nat) (hm : IsOdd m) (hn : IsOdd n) : IsEven (m + n)", "exact ⟨k_hm + k_hn + 1, by omega⟩"),
        (ONTO, "{α β γ : Type} (f : α → β) (g : β → γ) (hf : Onto f) (hg : Onto g) : Onto (g ∘ f)", "axiomOfChoice"),
        ("", ": ∃ n : Nat, n * n = 49", "exact ⟨7,"),
    ],
)
@pytest.mark.sample(2)
def test_a_theorem_of_one_step_is_proved_by_it(lean: LeanPool, prefix: str, head: str, expected: str) -> None:
    found = tried(lean, head, prefix)
    assert found is not None
    assert expected in found.proof
    assert "first |" not in found.proof and "exact?" not in found.proof


def test_a_predicate_of_the_user_is_known_by_its_rules(lean: LeanPool) -> None:
    head = "(a b c : Nat) (h : Le a b) (k : Le b c) : Le a c"
    assert tried(lean, head, LE, types=("Le",)) is not None


def test_a_fact_of_the_scope_is_used(lean: LeanPool) -> None:
    prefix = "opaque f : Nat → Nat\n\n"
    fact = Fact("n1", "gp_known", "theorem gp_known : ∀ (n : Nat), f (f n) = n")
    found = tried(lean, "(n : Nat) : f (f (f n)) = f n", prefix, fact)
    assert found is not None


def test_a_theorem_that_the_file_leaves_open_is_not_cited(lean: LeanPool) -> None:
    prefix = "theorem wrong (n : Nat) : n = 0 := sorry\n\n"
    assert asyncio.run(prove(lean, Task(prefix, "theorem t : 1 = 0", "t"), seconds=3)) is None


def test_what_is_false_gets_no_proof(lean: LeanPool) -> None:
    assert asyncio.run(prove(lean, Task("", "theorem t (a b : Nat) : a + b = a", "t"), seconds=3)) is None


def test_only_tactics_that_the_imports_bring_are_tried(lean: LeanPool) -> None:
    assert asyncio.run(extra_tactics(lean, "", 10)) == ()
    prefix = 'macro "aesop" : tactic => `(tactic| grind)\nmacro "ring" : tactic => `(tactic| grind)\n'
    assert set(asyncio.run(extra_tactics(lean, prefix, 10))) == {"aesop", "ring"} <= set(EXTRA)


@pytest.mark.parametrize(
    ("prefix", "head", "name"),
    [
        ("", "theorem «ein name mit leerzeichen» (n : Nat) : n + 0 = n", "«ein name mit leerzeichen»"),
        ("theorem A.foo : 1 = 2 := sorry\nnamespace B\n", "theorem foo : 2 + 2 = 4", "foo"),
    ],
)
async def test_no_name_of_a_theorem_keeps_it_from_being_proved(
    lean: LeanPool, prefix: str, head: str, name: str
) -> None:
    assert await prove(lean, Task(prefix, head, name), seconds=30) is not None
