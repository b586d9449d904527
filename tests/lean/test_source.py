"""Which theorem of a file is to be proved, as Lean reads the file."""

import pytest

from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.text.source import open_theorems, read_target

FOREST = """\
/-! A file as people have them. -/
set_option autoImplicit false

namespace Forest
universe u
variable {α : Type u} [Inhabited α]

inductive Tree (α : Type u) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α

open Tree

def size : Tree α → Nat
  | leaf => 0
  | node l _ r => size l + size r + 1

/-- With a docstring: `sorry` "sorry" -/
@[simp] theorem «größer null» (t : Tree α) (h : t ≠ leaf) : 0 < size t := by
  sorry

theorem done : 1 = 1 := rfl

end Forest
"""


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
    (warning,) = (
        await read_target(lean, "def f (n : Nat) := n\ntheorem t (h : n = m) : f n = n := by sorry\n")
    ).warnings
    assert warning.startswith("2:16: ") and "Unknown identifier `n`" in warning


async def test_a_text_that_lean_is_long_in_reading_is_not_called_invalid(lean: LeanPool) -> None:
    endless = "partial def f (n : Nat) : Nat := f (n + 1)\n#eval f 0\ntheorem t : 1 = 1 := by sorry\n"
    with pytest.raises(TimeoutError, match="not done with reading"):
        await read_target(lean, endless, seconds=1.0)


async def test_a_text_that_ends_lean_is_not_called_invalid(lean: LeanPool) -> None:
    deadly = "#eval (IO.Process.exit 0 : IO Unit)\ntheorem t : 1 = 1 := by sorry\n"
    with pytest.raises(GoedelsPoetryError, match="Lean gave no answer about this text") as said:
        await read_target(lean, deadly)
    assert not isinstance(said.value, InvalidInput)
