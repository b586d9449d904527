"""The library of Lean: its files, local goals, hints, lemmas, exports."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.lean.agents import prove
from goedels_poetry.lean.errors.hints import worded
from goedels_poetry.lean.goals.engine import Engine
from goedels_poetry.lean.runtime import embedded, install
from goedels_poetry.lean.runtime.pool import LeanPool, Library
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.tactics.theory import theory_of
from goedels_poetry.lean.text.premises import near_names
from goedels_poetry.lean.text.sketch import check_proof, open_sketch
from goedels_poetry.lean.text.source import read_target
from goedels_poetry.lean.text.task import Task

FILE = """namespace My
def twice (n : Nat) : Nat := n + n
inductive Tree where
  | leaf : Tree
  | node : Tree → Tree → Tree
theorem twice_zero : twice 0 = 0 := rfl
end My
"""


def found_by(program: Path) -> Any:
    """What a program prints as JSON; it is told the folders of our driver and of the installation."""
    ours = Path(embedded.__file__).parent
    command = [str(install.node_program()), str(program), str(ours), str(install.cache_folder())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=115)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def asked(lean: LeanPool, prefix: str, code: str = "", imported: bool = False) -> Library:
    found = asyncio.run(lean.library(prefix, code, imported, 60))
    assert found is not None
    return found


def test_the_imported_theorems_are_listed_with_their_symbols(lean: LeanPool) -> None:
    found = {c.name: c for c in asked(lean, "", imported=True).imported}
    assert len(found) > 15_000
    assert all(c.theorem for c in found.values())
    append = found["List.append_nil"]
    assert {"Eq", "HAppend.hAppend", "List.nil", "Eq>HAppend.hAppend", "HAppend.hAppend>List.nil"} <= set(
        append.conclusion
    )
    assert {"List.Perm.trans", "Nat.lt_irrefl", "Iff.intro"} <= set(found)
    assert not {"List.append", "Nat.rec", "instHAppendOfAppend", "Nat", "List.append.eq_1"} & set(found)


def test_what_the_text_declares_is_told_apart_from_its_imports(lean: LeanPool) -> None:
    found = asked(lean, FILE, "theorem goal (n : Nat) (h : 0 < n) : My.twice n ≠ 0 := sorry\n")
    own = {c.name: c for c in found.own}
    assert found.imported == ()
    assert own["My.twice_zero"].theorem
    assert not own["My.twice"].theorem
    assert not own["My.Tree.node"].theorem
    assert {"Ne", "My.twice", "Ne>My.twice", "#0"} <= set(own["goal"].conclusion)
    assert {"LT.lt", "LT.lt>#0"} <= set(own["goal"].context)


def test_a_text_that_lean_cannot_read_declares_nothing(lean: LeanPool) -> None:
    assert asked(lean, "import Nowhere.To.Be.Found\n", "theorem x : True := trivial", imported=True) == Library()


PREFIX = "def double (n : Nat) : Nat := n + n\n\n"
HEAD = "theorem t (n m : Nat) (h : n < m) : double n < m + m ∧ n ≤ m"


@pytest.mark.parametrize(
    ("proof", "shown"),
    [
        (
            "by\n  constructor\n  · omega\n  · exact Nat.le_of_lt h",
            "The goal there:\ncase left\nn m : Nat\nh : n < m\n⊢ double n < m + m",
        ),
        ("⟨by omega, Nat.le_of_lt h⟩", "⊢ double n < m + m"),
        ("by\n  constructor <;> omega", "⊢ double n < m + m"),
        ("by\n  constructor\n  · simp only [Nat.add_comm,\n      Nat.mul_comm]\n  · omega", "⊢ double n < m + m"),
    ],
)
async def test_the_goal_of_a_failed_tactic_is_shown(lean: LeanPool, proof: str, shown: str) -> None:
    told = (await check_proof(lean, Task(PREFIX, HEAD, "t", ()), proof)).reason
    assert shown in told
    assert told.count("⊢ double n < m + m") == 1
    assert "⊢ n ≤ m" not in told, "on that the tactic did not fail, or was not tried"


async def test_a_sketch_with_a_failed_tactic_shows_its_goal_too(lean: LeanPool) -> None:
    opened = await open_sketch(lean, Task(PREFIX, HEAD, "t", ()), "test", "by\n  constructor\n  · omega\n  · sorry")
    assert "h : n < m\n⊢ double n < m + m" in opened.reason


async def test_nothing_is_added_where_no_tactic_failed(lean: LeanPool) -> None:
    told = (await check_proof(lean, Task(PREFIX, HEAD, "t", ()), "⟨Nat.no_such_thing, Nat.le_of_lt h⟩")).reason
    assert "no_such_thing" in told
    assert "The goal there" not in told


async def test_a_name_that_does_not_exist_is_answered_with_those_that_do(lean: LeanPool) -> None:
    """`List.sum_append` is what everybody would guess; for numbers it has another name."""
    head = "theorem t (a b : List Nat) : (a ++ b).sum = a.sum + b.sum"
    task = Task("", head, "t", ())
    report = (await check_proof(lean, task, "List.sum_append")).reason
    told = await near_names(lean, task, report)
    assert "There is no List.sum_append; there is:" in told
    assert "List.sum_append_nat {l₁ l₂ : List Nat} : (l₁ ++ l₂).sum = l₁.sum + l₂.sum" in told
    assert await near_names(lean, task, "1:3: unsolved goals") == ""


NO_MATHLIB = (
    "unknown module prefix 'Mathlib'\n\nNo directory 'Mathlib' or file 'Mathlib.olean' in the search path entries:"
)


def test_a_library_that_is_not_there_is_told_with_the_settings_that_bring_it() -> None:
    words, hint = worded(NO_MATHLIB, "import Mathlib.Tactic\n", 1, 0)
    assert words == "unknown module prefix 'Mathlib'"
    assert hint is not None
    for each in ("lean.project", "GOEDELS_POETRY__LEAN__PROJECT", "lean.kimina_url", "Init, Std and Lean"):
        assert each in hint
    native = "object file '/p/Batteries/Data.olean' of module Batteries.Data does not exist"
    assert "this Lean has no Batteries" in str(worded(native, "", 1, 0)[1])
    assert worded("unknown module prefix 'Std.Nope'", "", 1, 0)[1] == "Std has no such module"


def test_how_lean_itself_may_be_traced_is_not_told() -> None:
    failed = "failed to synthesize instance of type class\n  HAdd Nat Nat Bool"
    trace = "Hint: Type class instance resolution failures can be inspected with the `set_option trace.x true` command."
    assert worded(f"{failed}\n\n{trace}", "", 1, 0) == (failed, None)


@pytest.mark.parametrize(
    ("text", "line", "column", "hint"),
    [
        ("lemma t : True := by sorry", 1, 0, "`lemma` is Mathlib's: write `theorem`"),
        ("open Nat\n  lemma t : True", 2, 2, "`lemma` is Mathlib's: write `theorem`"),
        ("nonsense", 1, 0, None),
        ("", 1, 0, None),
        ("lemma", 9, 70, None),
        ("lemmas t", 1, 0, None),
    ],
)
def test_a_word_of_mathlib_is_told(text: str, line: int, column: int, hint: str | None) -> None:
    message = "unexpected identifier; expected command"
    assert worded(message, text, line, column) == (message, hint)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("import Mathlib\n\ntheorem t (a b : Nat) : a + b = b + a := by sorry\n", "this Lean has no Mathlib"),
        ("lemma t (a b : Nat) : a + b = b + a := by sorry\n", "write `theorem`"),
    ],
)
async def test_a_real_lean_is_answered_so(lean: Any, text: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await read_target(lean, text)
    assert hint in str(refused.value.hint)
    assert refused.value.line == 1


def test_a_tactic_that_needs_another_program_is_said_to_need_one() -> None:
    words, hint = worded("read-only file system (error code: 4294967227)", "", 1, 0)
    assert "runs another program" in words and hint is not None and "bv_decide" in hint


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


@pytest.mark.whole("lean/test_kernel_cases.py::test_honest_texts_are_accepted_by_both_kernels")
@pytest.mark.usefixtures("lean")
def test_every_name_stands_for_what_it_stands_for_in_the_original() -> None:
    seen = found_by(Path(__file__).with_name("exports.cjs"))
    assert seen["names"] == 201_110
    assert seen["tables"] == [["__indirect_function_table", True]]
    assert (seen["different"], seen["made_up"]) == ([], [])


FEW = 300
"""Bytes a request: Lean's own caches may still grow a little."""


@pytest.mark.whole("lean/test_typechecker.py::test_memory_runs_out")
@pytest.mark.usefixtures("lean")
def test_no_kind_of_request_leaks() -> None:
    lost = found_by(Path(__file__).with_name("leaks.cjs"))
    assert lost.pop("a string that nobody frees") >= 1000, "what counts, counts"
    assert len(lost) == 13
    assert {kind: bytes for kind, bytes in lost.items() if bytes > FEW} == {}
