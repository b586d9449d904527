"""Tokens of Lean text, and what text that is not the user's may contain."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from goedels_poetry.lean.runtime.tokens import goes_on, starts_word, tokenize
from goedels_poetry.lean.text.scan import scan

LEGAL = (
    "theorem t : 1 = 1 := rfl",
    "lemma «sorry not» (h : α) : α := h",
    "-- sorry\n/- axiom /- run_cmd -/ sorry -/\ntheorem t : 1 = 1 := rfl",
    '/-- no sorry here -/\ntheorem t : "sorry" ++ "axiom" = "sorryaxiom" := rfl',
    "theorem t : 'a' = '\\'' → '\"' = 'b' := nofun",
    "@[simp, grind =] theorem t : f 0 = 0 := rfl\nattribute [-simp] foo\nattribute [local simp] t",
    "set_option maxHeartbeats 400000 in\ntheorem t : 1 = 1 := rfl",
    "set_option maxRecDepth 4000\nset_option pp.all true",
    "open Nat in\ntheorem t : succ 0 = 1 := rfl",
    "instance : Inhabited Foo := ⟨.a⟩\ninductive Foo | a deriving DecidableEq, Repr",
    "theorem t (ε δ χ τ : Nat) (h₁ : ε < δ) : δ ≠ ε := by omega",
    'theorem t : s!"{1 + 1}" = "2" := by decide',
    "import Std\nimport Mathlib.Tactic.Ring\ntheorem t : 1 = 1 := rfl",
    "theorem t : #[1].size = 1 := rfl",
    "def f : Nat → Nat\n  | 0 => 0\n  | n + 1 => f n\ntermination_by n => n\ndecreasing_by omega",
    'theorem t : r#"a "sorry" b"#.length = 11 := rfl',
    "theorem t : f '' s' = g ''t' := by simp [xs[0]'h]",
)
ILLEGAL = (
    ("theorem t : 1 = 2 := by sorry", "sorry", 1, 24),
    ("theorem t : 1 = 2 := by\n  exact sorryAx _", "sorry", 2, 8),
    ("axiom a : False", "axiom", 1, 0),
    ("/- /- -/ axiom -/ axiom a : False", "axiom", 1, 18),
    ("/- /-/ x -/ -/ axiom a : False", "axiom", 1, 15),
    ('theorem t : "x" = "y" := by native_decide', "native", 1, 28),
    ("theorem t : 1 = 1 := by decide +kernel +native", "native", 1, 39),
    ("theorem t : 1 = 1 := Lean.ofReduceBool _ _ rfl", "native", 1, 21),
    ('theorem t : s!"{by sorry}" = "" := rfl', "sorry", 1, 14),
    ('theorem t : s!"{f "}"}" = "" := rfl', "ambiguous", 1, 14),
    ("theorem t : '\n' = '\\n' := by run_tac x", "metaprogram", 2, 15),
    ("set_option debug.skipKernelTC true", "option", 1, 0),
    ("set_option autoImplicit true", "option", 1, 0),
    ("@[implemented_by f] def g := 1", "unsafe", 1, 2),
    ("attribute [simp, export foo] g", "export", 1, 17),
    ("attribute [local instance, init] g", "attribute", 1, 27),
    ('notation "x" => 1', "notation", 1, 0),
    ("opaque x : Nat", "axiom", 1, 0),
    ("#eval 1", "command", 1, 0),
    ("theorem t : 1 = 1 := rfl #exit", "command", 1, 25),
    ("import Foo\ntheorem t : 1 = 1 := rfl", "import", 1, 0),
    ("theorem t : 1 = 1 := r\u200bfl", "unicode", 1, 22),
    ("theorem t : ехасt = 1 := rfl", "unicode", 1, 12),
    ("theorem t : 1 = 1 := rfl /- never closed", "unterminated", 1, 25),
    ('theorem t : "never closed', "unterminated", 1, 12),
    ("theorem t : 1 = 1 := eval% rfl", "metaprogram", 1, 21),
    ("theorem t : 1 = 1 := Lean.Environment.evalConst x", "unsafe", 1, 21),
    ("theorem t : 1 = 1 := rfl\r-- x", "unicode", 1, 24),
    ("theorem t : {n : Int //-1 < n} := x -/", "ambiguous", 1, 22),
)


@pytest.mark.parametrize("text", LEGAL)
def test_what_people_write_is_allowed(text: str) -> None:
    assert scan(text) == ()


@pytest.mark.parametrize(("text", "rule", "line", "column"), ILLEGAL)
def test_what_may_not_stand_there_is_found_with_its_place(text: str, rule: str, line: int, column: int) -> None:
    found = [(f.rule, f.line, f.column) for f in scan(text)]
    assert (rule, line, column) in found


class Counted(str):
    """Counts the characters that searches in it may look at."""

    looked_at = 0

    def count(self, *args: Any) -> int:
        Counted.looked_at += len(self)
        return super().count(*args)

    def rfind(self, *args: Any) -> int:
        Counted.looked_at += len(self)
        return super().rfind(*args)


def steps(run: Callable[[], object]) -> int:
    """Lines of Python that are run, and characters that are searched."""
    lines = Counted.looked_at = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return lines + Counted.looked_at


@pytest.mark.parametrize(
    "text", ["@[", "а", "attribute [local ", "@[simp ", "] theorem ", "private ", '"{a}', "«", "/-", "\u200b\n"]
)
def test_a_text_twice_as_long_takes_twice_the_steps(text: str) -> None:
    once, twice = (steps(lambda n=n: scan(Counted(text * n))) for n in (300, 600))  # type: ignore[misc]
    assert twice < 2.5 * once


def test_the_users_own_commands_may_stand_where_they_stood() -> None:
    original = 'local notation "‖" x "‖" => x\naxiom big : 1 = 1\ntheorem t : ‖1‖ = 1 := sorry\n'
    assert scan(original.replace("sorry", "by rfl"), original) == ()
    twice = original.replace("sorry", "by rfl") + "axiom bigger : 1 = 2\n"
    assert [(f.rule, f.line) for f in scan(twice, original)] == [("axiom", 4)]


def test_tokens_cover_the_text_in_order() -> None:
    text = "theorem α.β' (xs : List «a b») : xs.map (· + 1) ≠ [] := by simp -- end"
    tokens = tokenize(text)
    assert all(text[t.start : t.end] == t.text for t in tokens)
    assert [t.text for t in tokens if t.kind == "word"][:3] == ["theorem", "α.β'", "xs"]
    assert "".join(t.text for t in tokens).replace(" ", "") == text.replace(" ", "")


TRICKY = (
    "/- /-/ -- -/ -/ axiom evil : True",
    "/--/ axiom evil : True -/",
    "/-- -/ -/ axiom evil : True",
    "/-! /- -/ -/ axiom evil : True",
    "/- -- -/ axiom evil : True",
    "-- /-\naxiom evil : True -- -/",
    '/- " -/ axiom evil : True -- "',
    "def c := '\n' axiom evil : True -- '",
    "def c := '\"' axiom evil : True -- \"",
    "def c' := c'' axiom evil : True -- ''",
    'def s := "\\"" axiom evil : True -- "',
    'def s := r"\\" axiom evil : True -- "',
    'def s := r#"" "# axiom evil : True -- "#',
    'def sr := 1 def t := sr"a\\" axiom evil : True -- "',
    'def s := s!"{"--"}" axiom evil : True -- "',
    'def s := s!"{"{"}" axiom evil : True -- "',
    'def s := s!"{\'}\'.val}" axiom evil : True -- "',
    "def n := `a.«-- /-» axiom evil : True",
    "def n : {n : Int //-1 < n} := sorry axiom evil : True -- -/",
    "def n := 1--axiom evil : True\naxiom evil : True",
    "theorem x : 1 = 1 := rfl axiom evil : True",
    'def n := xs[0]\'"\'" axiom evil : True -- "',
    'def n := (s).r"\\" " axiom evil : True -- "',
    'def n := s |>.r"\\" " axiom evil : True -- "',
    'def n := `r"\\" " axiom evil : True -- "',
    "def n : Float := 1.e5axiom evil : True",
    "def n := 1e5axiom evil : True",
    "def n := 0xfaxiom evil : True",
)


@pytest.mark.parametrize("text", TRICKY)
def test_what_lean_reads_as_a_command_is_never_a_comment_or_a_string_to_us(lean_sync: Any, text: str) -> None:
    read = {name for command in lean_sync.check(text, commands=True).commands for name in command.names}
    if "evil" in read:
        assert scan(text) != ()


def test_the_letters_are_those_of_lean(lean_sync: Any) -> None:
    edges = "ÀÖ×Øö÷øſΑΠΣΩαλωϊϻἀ῾₀₉ₐₜᵢᵪⱼ℀⅏𝒜𝖟"
    points = sorted({ord(c) + step for c in edges for step in (-1, 0, 1)})
    lines = [f"axiom {chr(n)}m{n} : True\naxiom n{n}_{chr(n)} : True\n" for n in points]
    read = {name for command in lean_sync.check("".join(lines), commands=True).commands for name in command.names}
    assert {n for n in points if f"{chr(n)}m{n}" in read} == {n for n in points if starts_word(chr(n))}
    assert {n for n in points if f"n{n}_{chr(n)}" in read} == {n for n in points if goes_on(chr(n))}
