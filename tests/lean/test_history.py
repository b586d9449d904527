"""What a Lean has elaborated before spares it work; it never changes an answer.

Answers are compared with those about the same text behind a first line that no other text has: it shares nothing.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import count

import pytest

from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest

DEFINITIONS = """\
/-- Numbers, as in school: ℕ. -/
inductive N where
  | zero
  | succ (n : N)
deriving DecidableEq

namespace N
variable (k : N)

def plus : N → N → N
  | zero, m => m
  | succ n, m => succ (plus n m)

local infixl:65 " ⊞ " => plus

theorem plus_zero (n : N) : n ⊞ zero = n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [plus, ih]

def sum (f : Nat → Nat) : Nat → Nat
  | 0 => 0
  | n + 1 => f n + sum f n
end N

open N in
#check plus_zero
#print axioms N.plus_zero

set_option linter.unusedVariables true in
theorem unused (a b : Nat) : a = a := rfl

"""

ENDS = {
    "another theorem": ("theorem t : 1 + 1 = 2 := by sorry\n", "theorem t : 1 + 1 = 2 := by decide\n"),
    "a command that goes on": (
        "def f (n : Nat) : Nat := n\n\ntheorem t : f 1 = 1 := rfl\n",
        "def f (n : Nat) : Nat := n\n  + 1\n\ntheorem t : f 1 = 2 := rfl\n",
    ),
    "a termination that is told later": (
        "def g (n : Nat) : Nat := if h : n = 0 then 0 else g (n - 1)\n-- end\n",
        "def g (n : Nat) : Nat := if h : n = 0 then 0 else g (n - 1)\ntermination_by n\n-- end\n",
    ),
    "a notation": (
        "theorem t : 2 + 2 = 4 := rfl\n",
        'local infixl:65 " + " => Nat.mul\ntheorem t : 2 + 2 = 4 := rfl\n',
    ),
    "an error, and then the same without": (
        "theorem t : 1 = 2 := rfl\ntheorem u : N.zero = N.zero := rfl\n",
        "theorem t : 1 = 1 := rfl\ntheorem u : N.zero = N.zero := rfl\n",
    ),
    "an error that stays": (
        "theorem t : 1 = 2 := rfl\ntheorem u : 1 = 1 := rfl\ntheorem v : 1 = 1 := rfl\n",
        "theorem t : 1 = 2 := rfl\ntheorem u : 1 = 1 := rfl\ntheorem w : t = t := rfl\n",
    ),
    "a comment that is closed later": (
        "/- theorem t : 1 = 1 := rfl -/\n#check 1\n",
        "/- theorem t : 1 = 1 := rfl\n-/\n#check 2\n",
    ),
    "a hole before": (
        "theorem t (n : N) : n = n := by\n  sorry\ntheorem u : 1 = 1 := rfl\ntheorem v : 2 = 2 := by sorry\n",
        "theorem t (n : N) : n = n := by\n  sorry\ntheorem u : 1 = 1 := rfl\ntheorem v : 2 = 2 := rfl\n",
    ),
}
_lines = count(1)


async def _same(lean: LeanPool, text: str) -> None:
    asked = [
        CheckRequest(f"-- {n:8}\n{text}", holes=True, commands=True, declarations=True, export=True)
        for n in (0, next(_lines))
    ]
    with_history, alone = [replace(await lean.check(request), seconds=0.0, memory_mb=0.0) for request in asked]
    assert with_history.status == "done"
    assert with_history == alone, text


@pytest.mark.sample(2)
@pytest.mark.parametrize("what", ENDS)
async def test_a_text_that_begins_like_another_is_answered_as_if_it_were_alone(lean: LeanPool, what: str) -> None:
    for end in (*ENDS[what], ENDS[what][0]):
        await _same(lean, DEFINITIONS + end)


@pytest.mark.whole("test_a_text_that_begins_like_another_is_answered_as_if_it_were_alone")
async def test_a_text_that_was_cut_or_changed_anywhere_is_answered_as_if_it_were_alone(lean: LeanPool) -> None:
    chance = random.Random(20261124)
    rows = (DEFINITIONS + ENDS["a hole before"][0]).splitlines(keepends=True)
    for _ in range(12):
        changed = list(rows)
        for _ in range(chance.choice([1, 1, 2])):
            at = chance.randrange(len(changed))
            kind = chance.choice(["delete", "repeat", "cut", "end", "letter"])
            if kind == "delete":
                del changed[at]
            elif kind == "repeat":
                changed.insert(at, changed[chance.randrange(len(changed))])
            elif kind == "cut":
                changed[at] = changed[at][: chance.randrange(len(changed[at]))]
            elif kind == "end":
                del changed[at + 1 :]
            else:
                changed[at] = changed[at].replace("zero", chance.choice(["succ", "zer", "zero + 1"]), 1)
        await _same(lean, "".join(changed))


async def test_options_and_imports_are_part_of_what_is_shared(lean: LeanPool) -> None:
    assert (await lean.check(CheckRequest(DEFINITIONS))).ok
    text = f"{DEFINITIONS}theorem t (x : α) : x = x := rfl\n"
    strict = CheckRequest(text, options={"autoImplicit": False})
    assert (await lean.check(CheckRequest(text))).ok
    assert not (await lean.check(strict)).ok
    assert (await lean.check(CheckRequest(text))).ok
    await _same(lean, f"import Std\n{text}")
    await _same(lean, text)
