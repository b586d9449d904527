"""Structural sketches of Lean theorems: cases closed where they can be, holes elsewhere, never a plan twice."""

import asyncio

import pytest

from goedels_poetry.lean.agents import look
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, Message
from goedels_poetry.lean.tactics.portfolio import Clock, Proposal, closers
from goedels_poetry.lean.tactics.structure import close, open_plan, plans, schemes, unsolved
from goedels_poetry.lean.text.task import Task

REV = """def app {α : Type} : List α → List α → List α
  | [], ys => ys
  | x :: xs, ys => x :: app xs ys

def rev {α : Type} : List α → List α
  | [] => []
  | x :: xs => app (rev xs) [x]

"""
SUB = """def sub : Nat → Nat → Nat
  | n, 0 => n
  | 0, _ + 1 => 0
  | n + 1, m + 1 => sub n m

"""
SORT = """def ins (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if x ≤ y then x :: y :: ys else y :: ins x ys

def sort : List Nat → List Nat
  | [] => []
  | x :: xs => ins x (sort xs)

def Up : List Nat → Prop
  | [] => True
  | x :: xs => (∀ y, y ∈ xs → x ≤ y) ∧ Up xs

"""


def steps(lean: LeanPool, task: Task) -> list[str]:
    room = asyncio.run(look(lean, task, Clock(20)))
    assert room is not None
    return [scheme.tactic for scheme in schemes(room.goal, room.theory, types=task.types)]


def closed(lean: LeanPool, task: Task) -> Proposal | None:
    async def run() -> Proposal | None:
        clock = Clock(30)
        room = await look(lean, task, clock)
        assert room is not None
        made = await plans(lean, task, room.goal, schemes(room.goal, room.theory), clock)
        return await close(lean, task, room.goal, made, closers(room.hints), clock)

    return asyncio.run(run())


def opened(lean: LeanPool, task: Task, banned: frozenset[str] = frozenset()) -> Proposal | None:
    async def run() -> Proposal | None:
        clock = Clock(40)
        room = await look(lean, task, clock)
        assert room is not None
        made = await plans(lean, task, room.goal, schemes(room.goal, room.theory), clock)
        await close(lean, task, room.goal, made, closers(room.hints)[:1], clock)
        return await open_plan(lean, task, room.goal, made, banned, clock)

    return asyncio.run(run())


def test_an_induction_generalises_the_other_data_and_nothing_else(lean: LeanPool) -> None:
    head = "theorem t {α : Type} (f : α → α) (xs ys : List α) (h : xs = ys) : app xs ys = app ys xs"
    found = steps(lean, Task(REV, head, "t"))
    assert "induction xs generalizing ys" in found
    assert "induction ys generalizing xs" in found
    assert "fun_induction app xs ys" in found


def test_a_function_is_followed_along_its_recursion(lean: LeanPool) -> None:
    found = closed(lean, Task(SUB, "theorem t (m n : Nat) : sub m n = m - n", "t"))
    assert found is not None
    assert "sorry" not in found.proof
    assert found.fingerprint.startswith("lean:")


def test_what_cannot_be_closed_is_left_as_a_hole_and_each_plan_comes_once(lean: LeanPool) -> None:
    task = Task(REV, "theorem t {α : Type} (xs : List α) : rev (rev xs) = xs", "t")
    banned: frozenset[str] = frozenset()
    found = opened(lean, task)
    assert found is not None
    assert found.fingerprint == "lean:induction xs"
    assert found.proof.count("sorry") == 1  # the empty list is no subgoal
    seen = asyncio.run(lean.check(CheckRequest("\n" + task.code(found.proof), prefix=REV, holes=True)))
    assert seen.ok
    (goal,) = seen.holes[-1].goals
    assert "rev (rev tail" in goal.goal
    while found is not None:
        assert found.fingerprint not in banned
        banned |= {found.fingerprint}
        found = opened(lean, task, banned)
    assert len(banned) > 1


def test_a_fingerprint_is_the_step_not_its_layout(lean: LeanPool) -> None:
    first = opened(lean, Task(REV, "theorem t {α : Type} (xs : List α) : rev (rev xs) = xs", "t"))
    other = opened(lean, Task(REV, "theorem t {α : Type} (xs : List α) :\n    rev (rev xs) = xs", "t"))
    assert first is not None and other is not None
    assert first.fingerprint == other.fingerprint
    assert first.shape == other.shape != ""


def test_a_call_in_hypothesis_and_goal_becomes_any_value(lean: LeanPool) -> None:
    head = "theorem t (x : Nat) (xs : List Nat) (h : rev (rev xs) = xs) : rev (rev (x :: xs)) = x :: xs"
    assert "(simp only [rev]; generalize rev xs = gen at *; try clear xs)" in steps(lean, Task(REV, head, "t"))
    lean_task = Task(SORT, "theorem t (x : Nat) (xs : List Nat) (h : Up (sort xs)) : Up (sort (x :: xs))", "t")
    found = opened(lean, lean_task)
    assert found is not None
    code = "\n" + lean_task.code(found.proof)
    seen = asyncio.run(lean.check(CheckRequest(code, prefix=SORT, holes=True)))
    assert seen.ok
    assert seen.holes[0].goals[0].statement == "∀ (x : Nat) (gen : List Nat), Up gen → Up (ins x gen)"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], []),
        (["unsolved goals\ncase nil\n⊢ 1 = 2\n\ncase cons\nx : Nat\n⊢ x = 3"], ["nil", "cons"]),
        (["unsolved goals\n⊢ 1 = 2"], [""]),
        (["unsolved goals\ncase nil\n⊢ 1 = 2", "Unknown identifier `x`"], None),
        (["(deterministic) timeout at `whnf`"], None),
    ],
)
def test_only_a_message_about_unsolved_goals_tells_what_is_left(texts: list[str], expected: list[str] | None) -> None:
    left = unsolved([Message("error", text) for text in texts])
    assert expected == (None if left is None else [tag for tag, _ in left])
