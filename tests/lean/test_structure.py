"""Proofs of Lean as texts: their structure, their sources, put together."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.lean.agents import look, prove
from goedels_poetry.lean.gate.compare import Comparison
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.language import assemble
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, Message
from goedels_poetry.lean.tactics.portfolio import Clock, Proposal, closers
from goedels_poetry.lean.tactics.structure import close, open_plan, plans, schemes, unsolved
from goedels_poetry.lean.text.sketch import open_sketch
from goedels_poetry.lean.text.source import Target, open_theorems, read_target
from goedels_poetry.lean.text.task import Task, lemma_name
from goedels_poetry.protocol.base import Incomplete

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
        return await close(lean, task, room.goal, made, closers(room.goal, room.hints), clock)

    return asyncio.run(run())


def opened(lean: LeanPool, task: Task, banned: frozenset[str] = frozenset()) -> Proposal | None:
    async def run() -> Proposal | None:
        clock = Clock(40)
        room = await look(lean, task, clock)
        assert room is not None
        made = await plans(lean, task, room.goal, schemes(room.goal, room.theory), clock)
        await close(lean, task, room.goal, made, closers(room.goal, room.hints)[:1], clock)
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


STAR = """inductive Star {α : Type} (r : α → α → Prop) : α → α → Prop where
  | refl (a : α) : Star r a a
  | step (a b c : α) : r a b → Star r b c → Star r a c

"""


@pytest.mark.parametrize(
    ("prefix", "statement"),
    [
        (STAR, "(r : Nat → Nat → Prop) (a b c : Nat) (h : Star r a b) (k : Star r b c) : Star r a c"),
        (
            STAR,
            "(r : Nat → Nat → Prop) (s : ∀ x y, r x y → r y x) (a b c : Nat) (h : r a b) (k : Star r b c) "
            "(l : Star r c b) : Star r c a",
        ),
        ("", "(n : Nat) (h : 4 ≤ n) : n ^ 2 ≤ 2 ^ n"),
        ("", "(n : Nat) (u : Nat → Nat) (g : u 0 = 0) (h : ∀ n, u (n + 1) = 2 * u n + 1) : u n = 2 ^ n - 1"),
    ],
    ids=["a derivation", "one of two derivations", "a bound", "a difference"],
)
def test_an_induction_is_on_a_derivation_or_on_what_says_more(lean: LeanPool, prefix: str, statement: str) -> None:
    types = ("Star",) if prefix else ()
    found = asyncio.run(prove(lean, Task(prefix, f"theorem t {statement}", "t", types=types), seconds=60.0))
    assert found is not None and "induction" in found.proof


def test_a_variable_of_which_a_hypothesis_says_the_value_is_put_in(lean: LeanPool) -> None:
    head = "theorem t (a b c : List Nat) (h : rev a = b) (k : ∃ d, c = rev d) (l : ∃ d, rev d = rev a) : rev b = c"
    found = [step for step in steps(lean, Task(REV, head, "t")) if step.startswith(("subst", "obtain", "(obtain"))]
    assert found[:3] == ["subst h", "obtain ⟨d, rfl⟩ := k", "(obtain ⟨d, rfl⟩ := k; induction d)"]


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


FOREST = Path(__file__).with_name("forest.lean").read_text("utf-8")


async def test_namespace_variables_docstring_and_unicode_are_kept(lean: LeanPool) -> None:
    target = await read_target(lean, FOREST)
    assert target.full_name == "Forest.«größer null»"
    assert FOREST.startswith(target.prefix + target.head)
    assert "variable {α : Type u}" in target.prefix
    assert target.head.startswith("/-- With a docstring") and target.head.rstrip().endswith("0 < size t")
    assert target.suffix.lstrip().startswith("theorem done")
    assert "Forest.size" in target.functions and "Forest.Tree" in target.types


async def test_the_closed_statement_says_what_the_theorem_says(lean: LeanPool) -> None:
    target = await read_target(lean, FOREST)
    code = f"{target.head} := sorry\ntheorem closed : {target.type} := @«größer null»\n"
    assert (await lean.check(CheckRequest(code, prefix=target.prefix))).ok


async def test_backslashes_and_odd_characters_survive(lean: LeanPool) -> None:
    text = 'def s : String := "a\\nb\\\\ λ 𝔸"\n\ntheorem t : s.length = 8 := by\n  sorry\n'
    target = await read_target(lean, text)
    assert target.reference.startswith('def s : String := "a\\nb\\\\ λ 𝔸"\n')


async def test_a_file_that_ends_with_the_statement_is_read(lean: LeanPool) -> None:
    target = await read_target(lean, "theorem t (n : Nat) : n + 0 = n")
    assert (target.full_name, target.type) == ("t", "∀ (n : Nat), n + 0 = n")


async def test_windows_line_ends_and_a_byte_order_mark_are_read(lean: LeanPool) -> None:
    target = await read_target(lean, "\ufefftheorem t :\r\n  1 = 1 := by\r\n  sorry\r\n")
    assert target.full_name == "t"


SEVERAL = "theorem a : 1 = 1 := sorry\nnamespace N\ntheorem b : 2 = 2 := by sorry\ntheorem c : 3 = 3 := rfl\nend N\n"


@pytest.mark.parametrize(("wanted", "full"), [("a", "a"), ("b", "N.b"), ("N.b", "N.b"), ("c", "N.c")])
async def test_a_theorem_is_named_by_its_full_name_or_its_end(lean: LeanPool, wanted: str, full: str) -> None:
    assert (await read_target(lean, SEVERAL, wanted)).full_name == full


async def test_open_theorems_are_those_with_a_sorry(lean: LeanPool) -> None:
    assert await open_theorems(lean, SEVERAL) == ("a", "N.b")
    assert await open_theorems(lean, "theorem a : := :=") == ()
    todo = 'macro "todo" : tactic => `(tactic| sorry)\ntheorem a : 1 = 1 := by admit\ntheorem b : 1 = 1 := by todo\n'
    assert await open_theorems(lean, f"{todo}theorem c : 1 = 1 := by\n  stop\n  rfl\n") == ("a", "b", "c")


async def test_an_error_that_stands_in_the_way_of_every_theorem_is_told_once(lean: LeanPool) -> None:
    text = "theorem a : 1 = Nat.foo := by sorry\ndef f : Bool := 1 + f\ntheorem b : 2 = 2 := by sorry\n"
    assert await open_theorems(lean, text) == ()
    with pytest.raises(InvalidInput) as caught:
        await read_target(lean, text)
    assert caught.value.line == 2, "not the one of a theorem, which is that theorem's own"
    assert await open_theorems(lean, text.replace("1 + f", "true")) == ("a", "b")


@pytest.mark.parametrize(
    ("text", "wanted", "words"),
    [
        (SEVERAL, "", "several theorems"),
        (SEVERAL, "d", "no theorem is called 'd'"),
        ("theorem t : 1 = 1 := rfl\n", "", "nothing to prove"),
        ("example : 1 = 1 := by sorry\n", "", "`example`"),
        ("def f : Nat := sorry\ntheorem t : f = f := by sorry\n", "", "`sorry`"),
        ("theorem t : (sorry : Prop) := by sorry\n", "", "`sorry`"),
        ("", "", "nothing to prove"),
    ],
)
async def test_what_cannot_be_proved_is_named(lean: LeanPool, text: str, wanted: str, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await read_target(lean, text, wanted)
    assert words in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("theorem t (n : Nat) : n + Nat.foo = n := by sorry\n", 1, 27, "Nat.foo"),
        ("def f : Nat := 0\ntheorem t : f = true := by\n  sorry\n", 2, 17, "Type mismatch"),
        ("def f := \ntheorem t : 1 = 1 := by\n  sorry\n", 1, 9, "expected term"),
        ("import Mathlib\ntheorem t : 1 = 1 := by sorry\n", 1, 1, "Mathlib"),
        ("theorem t : 1 = 1 := by sorry\nnonsense\n", 2, 1, "expected command"),
    ],
)
async def test_lean_says_where_a_text_is_wrong(lean: LeanPool, text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await read_target(lean, text)
    assert words in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


async def test_a_broken_proof_that_is_to_be_redone_is_no_error(lean: LeanPool) -> None:
    target = await read_target(lean, "theorem t (n : Nat) : n < n + 1 := by\n  rw [foo]\n", "t")
    assert target.full_name == "t"


async def test_a_name_that_lean_binds_by_itself_is_warned_about(lean: LeanPool) -> None:
    text = "def f (n : Nat) := n\ntheorem t (h : size = m) : f size = size := by sorry\n"
    (warning,) = (await read_target(lean, text)).warnings
    assert warning.startswith("2:16: ") and "Unknown identifier `size`" in warning


async def test_what_is_ordinary_is_no_warning(lean: LeanPool) -> None:
    text = "theorem other (xs : List α) : xs ++ [] = xs := sorry\ntheorem t (h : n = m) : m = n := by sorry\n"
    assert (await read_target(lean, text, "t")).warnings == ()


async def test_a_text_that_lean_is_long_in_reading_is_not_called_invalid(lean: LeanPool) -> None:
    endless = "partial def f (n : Nat) : Nat := f (n + 1)\n#eval f 0\ntheorem t : 1 = 1 := by sorry\n"
    with pytest.raises(TimeoutError, match="not done with reading"):
        await read_target(lean, endless, seconds=1.0)


async def test_a_text_that_ends_lean_is_not_called_invalid(lean: LeanPool) -> None:
    deadly = "#eval (IO.Process.exit 0 : IO Unit)\ntheorem t : 1 = 1 := by sorry\n"
    with pytest.raises(GoedelsPoetryError, match="Lean gave no answer about this text") as said:
        await read_target(lean, deadly)
    assert not isinstance(said.value, InvalidInput)


Step = dict[str, Any]


def step(statement: str, proof: str, helpers: str = "", names: tuple[str, ...] = ()) -> Step:
    found = {"proof": proof, "helpers": helpers, "names": list(names)}
    return {"id": statement[:24], "statement": statement, "proof": found, "scheme": None, "children": []}


def split(statement: str, sketch: dict[str, Any]) -> Step:
    return {"id": "", "statement": statement, "proof": None, "scheme": sketch, "children": []}


async def accepted(lean: LeanPool, target: Target, text: str) -> bool:
    """Lean takes the text, its theorem rests on logic alone, and it is the theorem given."""
    seen = await lean.check(CheckRequest(text, declarations=True, export=True))
    given = await lean.check(CheckRequest(target.reference, export=True))
    assert seen.ok, seen.errors
    found = next(d for d in seen.declarations if d.name == target.full_name)
    stated = Comparison(read(given.data or ""), read(seen.data or ""))
    return not stated.difference([target.full_name]) and "sorryAx" not in found.axioms


async def tower(lean: LeanPool, target: Target, depth: int) -> list[Step]:
    """A derivation ``depth`` levels deep: every goal is split into one that is done at once and one that goes on."""
    proof = "by\n  have h : n + 0 = n := by sorry\n  have more : n * 1 = n := by\n    clear h\n    sorry\n  omega"
    task = Task(target.prefix, target.head, target.name)
    steps: list[Step] = []
    statement = ""
    for level in range(depth):
        text = (
            proof if level == 0 else f"by\n  intro n\n  have h{level} : n + {level} = {level} + n := by sorry\n  sorry"
        )
        if level:
            text = text.replace("  sorry", "  have deeper : n * 1 + 0 = n := by\n    sorry\n  omega")
        opened = await open_sketch(lean, task, "tower", text)
        assert not opened.reason, opened.reason
        steps.insert(0, split(statement, opened.sketch))
        first, statement = (child["statement"] for child in opened.sketch["children"])
        steps.insert(0, step(first, "by omega"))
        task = Task(target.prefix, statement, lemma_name(statement))
    return [step(statement, "by omega"), *steps]


THEOREM = "namespace N\n\n/-- about numbers -/\ntheorem far (n : Nat) : n * 1 + 0 = n := by\n  sorry\n\nend N\n"


async def test_a_tree_ten_levels_deep_is_one_text_that_lean_reads_once(lean: LeanPool) -> None:
    target = await read_target(lean, THEOREM)
    text = assemble(target, await tower(lean, target, 10))
    assert text.count("theorem") == 1 + 2 * 10
    assert await accepted(lean, target, text)


async def test_the_same_tree_gives_the_same_text_with_names_for_people(lean: LeanPool) -> None:
    target = await read_target(lean, THEOREM)
    steps = await tower(lean, target, 2)
    text = assemble(target, steps)
    assert text == assemble(target, steps)
    assert "gp_" not in text and "theorem far_aux_1 " in text
    assert text.startswith(target.prefix) and text.endswith("\n\nend N\n")
    assert "/-- about numbers -/" in text


async def test_helpers_and_term_proofs_survive_and_clashing_names_are_told_apart(lean: LeanPool) -> None:
    target = await read_target(lean, "theorem t (a : Nat) : a + 0 = a ∧ 0 + a = a := by sorry\n")
    left, right = "theorem gp_0000000001 : ∀ (a : Nat), a + 0 = a", "theorem gp_0000000002 : ∀ (a : Nat), 0 + a = a"
    steps = [
        step(left, "aux", "theorem aux (a : Nat) : a + 0 = a := rfl", ("aux",)),
        step(right, "fun a => aux a", "theorem aux (a : Nat) : 0 + a = a := by omega", ("aux",)),
        step("", "⟨gp_0000000001 a, gp_0000000002 a⟩"),
    ]
    text = assemble(target, steps)
    assert "aux_2" in text and ":= rfl" in text
    assert await accepted(lean, target, text)


async def test_names_of_lemmas_avoid_those_of_the_user(lean: LeanPool) -> None:
    target = await read_target(lean, "theorem t_aux_1 : 1 = 1 := rfl\n\ntheorem t : 2 = 2 := by sorry\n")
    text = assemble(target, [step("theorem gp_0000000001 : 2 = 2", "rfl"), step("", "gp_0000000001")])
    assert await accepted(lean, target, text)


async def test_a_name_in_guillemets_gets_lemmas_too(lean: LeanPool) -> None:
    target = await read_target(lean, "theorem «größer null» : 2 = 2 := by sorry\n")
    text = assemble(target, [step("theorem gp_0000000001 : 2 = 2", "rfl"), step("", "by\n  exact gp_0000000001")])
    assert await accepted(lean, target, text)


async def test_a_step_without_proof_is_named(lean: LeanPool) -> None:
    target = await read_target(lean, "theorem t : 2 = 2 := by sorry\n")
    with pytest.raises(Incomplete, match="no proof"):
        assemble(target, [{"id": "root", "statement": "", "proof": None, "scheme": None, "children": []}])
