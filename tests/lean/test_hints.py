"""What Lean says of a file that needs Mathlib is said with what a person can do about it."""

from __future__ import annotations

from typing import Any

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.lean.errors.hints import worded
from goedels_poetry.lean.text.source import read_target

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
