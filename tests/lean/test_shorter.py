"""Proofs as short as they can be had: the steps that a file begins are kept, and nothing is cited in vain."""

import pytest

from goedels_poetry.checker.lean.audit import audit_file
from goedels_poetry.checker.lean.verify import FreshLean
from goedels_poetry.lean.agents import OWN_STEPS, prove, shorter, sketch
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.tactics.portfolio import Proposal
from goedels_poetry.lean.text.sketch import check_proof
from goedels_poetry.lean.text.source import read_target, root_task
from goedels_poetry.lean.text.task import Task

PREFIX = """namespace A.B
def len : List Nat → Nat
  | [] => 0
  | _ :: xs => len xs + 1
theorem len_nil : len [] = 0 := rfl
theorem len_cons (x : Nat) (xs : List Nat) : len (x :: xs) = len xs + 1 := rfl
theorem one (n : Nat) : n + 1 ≠ 0 := nofun
def double (n : Nat) := n + n
"""
STEPS = """have h1 : double a = 2 * a := by
    sorry
  have h2 : ∀ b, a ≤ b → double a ≤ 2 * b := fun b hb => by
    sorry
  calc double a ≤ 2 * a := h2 a (Nat.le_refl a)
    _ = a + a := by sorry
    _ ≤ 3 * a := sorry"""
THEOREM = "theorem t (a : Nat) : double a ≤ 3 * a := by\n  "


async def test_the_steps_that_a_file_begins_are_kept(lean: LeanPool) -> None:
    target = await read_target(lean, f"{PREFIX}{THEOREM}{STEPS}\nend A.B\n")
    task = root_task(target)
    assert task.draft == f"by\n  {STEPS}"
    found = await prove(lean, task, seconds=60)
    assert found is not None and found.strategy == OWN_STEPS
    assert not (await check_proof(lean, task, found.proof, found.helpers)).reason
    parts = task.draft.split("sorry")
    at = 0
    for part in parts:
        assert part.strip() in found.proof[at:], "each step stands where it stood"
        at = found.proof.index(part.strip(), at) + len(part.strip())


@pytest.mark.parametrize("proof", ["by sorry", "sorry", "by\n  -- later\n  admit", "by\n  exact no_such sorry"])
async def test_what_begins_no_proof_is_no_draft(lean: LeanPool, proof: str) -> None:
    target = await read_target(lean, f"{PREFIX}theorem t (a : Nat) : double a = 2 * a := {proof}\n")
    assert root_task(target).draft == ""


async def test_steps_that_lead_nowhere_give_way(lean: LeanPool) -> None:
    draft = "by\n  have : a = 0 := by sorry\n  rfl"
    target = await read_target(lean, f"{PREFIX}theorem t (a : Nat) : double a = a + a := {draft}\n")
    task = root_task(target)
    assert await sketch(lean, task, banned=frozenset(), seconds=9, leave_open=True) == Proposal(
        draft, "", OWN_STEPS, OWN_STEPS
    )
    found = await prove(lean, task, seconds=20)
    assert found is not None and found.proof.split() == ["by", "rfl"]


@pytest.mark.parametrize(
    ("statement", "given", "wanted"),
    [
        (": len [1] = 1", "by\n  simp [A.B.len, A.B.one, A.B.double]", "by\n  simp [len]"),
        (": len [1] = 1", "by\n  simp [A.B.len_cons, A.B.double, A.B.len_nil]", "by\n  simp [len_cons, len_nil]"),
        ("(n : Nat) : n + 0 = n", "by\n  simp_all [A.B.len]", "by\n  simp_all"),
        ("(n : Nat) : double n = 2 * n", "by\n  cases n <;> grind [A.B.len, A.B.double]", "by\n  grind [double]"),
        ("(n : Nat) : n = n", "by\n  rfl", "by\n  rfl"),
        ("(len : Nat) : A.B.len [len] = 1", "by\n  simp [A.B.len]", "by\n  simp [A.B.len]"),
    ],
)
async def test_a_proof_cites_what_it_needs_by_short_names(
    lean: LeanPool, statement: str, given: str, wanted: str
) -> None:
    task = Task(PREFIX, f"theorem t {statement}", "t")
    assert not (await check_proof(lean, task, given)).reason
    assert (await shorter(lean, task, Proposal(given))).proof == wanted


async def test_names_are_shortened_in_helpers_too(lean: LeanPool) -> None:
    task = Task(PREFIX, "theorem t (n : Nat) : double n = 2 * n", "t")
    found = Proposal("by\n  grind [A.B.h, A.B.len]", "theorem h (n : Nat) : A.B.double n = n + n := rfl")
    made = await shorter(lean, task, found)
    assert (made.proof, made.helpers) == ("by\n  grind [h]", "theorem h (n : Nat) : double n = n + n := rfl")


UNUSED = "theorem t (a b c : Nat) (h : a < b) (k : c < 5) (l : b < 9) : a < 9"


async def test_hypotheses_that_a_proof_does_without_are_told(kept: FreshLean) -> None:
    report = await audit_file(f"{UNUSED} := by\n  omega\n", f"{UNUSED} := by sorry\n", fresh=kept)
    assert (report.accepted, report.unneeded) == (True, ("k",))
    more = f"theorem other (x : 1 = 2) : 3 = 3 := rfl\n{UNUSED} := by\n  have := k\n  exact Nat.lt_trans h l\n"
    report = await audit_file(more, f"{UNUSED} := by sorry\n", fresh=kept)
    assert (report.accepted, report.unneeded) == (True, ()), "neither another theorem's, nor what a step names"
    quiet = f"set_option linter.unusedVariables false\n{UNUSED} := by"
    report = await audit_file(f"{quiet} omega\n", f"{quiet} sorry\n", fresh=kept)
    assert report.accepted and report.unneeded == ()
