"""A limit of heartbeats counts what is spent, once: in a Lean whose tasks all run in one thread, too."""

from __future__ import annotations

import asyncio

from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest

DEFINITIONS = """
inductive N where | z | s (_ : N) deriving DecidableEq
inductive L where | nil | cons (_ : N) (_ : L) deriving DecidableEq
def lt (x y : N) : Bool := match y with
  | .z => false
  | .s y => match x with | .z => true | .s x => lt x y
def eq (x y : N) : Bool := match x, y with
  | .z, .z => true
  | .z, .s _ => false
  | .s _, .z => false
  | .s x, .s y => eq x y
def ins (x : N) (y : L) : L := match y with
  | .nil => .cons x .nil
  | .cons z zs => if lt x z = true then .cons x (.cons z zs) else .cons z (ins x zs)
def elem (x : N) (y : L) : Bool := match y with
  | .nil => false
  | .cons z zs => if eq x z = true then true else elem x zs
"""
THEOREM = """
set_option maxHeartbeats 4000 in
theorem t (x y : N) (h : elem x .nil = true) : elem x (ins y .nil) = true := by grind [lt, ins, eq, elem]
"""
LOOP = """
set_option maxHeartbeats 200 in
theorem t (x y : N) : elem x (ins y (.cons x (.cons y (.cons x (.cons y .nil))))) = true := by
  repeat (first | grind [lt, ins, eq, elem] | skip)
"""


def test_what_a_proof_spends_in_many_tasks_is_not_counted_again_and_again(lean: LeanPool) -> None:
    done = asyncio.run(lean.check(CheckRequest(THEOREM, prefix=DEFINITIONS)))
    assert done.ok, done.errors


def test_a_proof_that_spends_more_than_it_may_is_still_stopped(lean: LeanPool) -> None:
    done = asyncio.run(lean.check(CheckRequest(LOOP, prefix=DEFINITIONS)))
    assert any("maximum number of heartbeats" in error.text for error in done.errors), done
