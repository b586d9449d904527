"""What real Lean says about wrong texts: sorted rightly, and turned into advice and repair prompts."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.lean.errors.classify import ErrorCategory, ErrorClassifier, advice
from goedels_poetry.lean.runtime.protocol import CheckResult

SNIPPETS = Path(__file__).parent / "wrong_snippets.txt"
"""Wrong texts under their labels: ``--- category``. A label is about what is wrong, not about the wording."""
BAR = 0.95


def snippets() -> list[tuple[ErrorCategory, str]]:
    parts = re.split(r"^--- (\w+)\n", SNIPPETS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [
        (ErrorCategory(label), code.removesuffix("\n")) for label, code in zip(parts[::2], parts[1::2], strict=True)
    ]


def as_printed(seen: CheckResult) -> str:
    return "\n".join(f"Main.lean:{m.line}:{m.column}: {m.severity}: {m.text}" for m in seen.messages)


@pytest.fixture
def classifier() -> ErrorClassifier:
    return ErrorClassifier()


def test_wrong_texts_are_sorted_by_what_is_wrong(lean_sync: Any, classifier: ErrorClassifier) -> None:
    """The first error's category, with the code at hand and from the printed text alone."""
    wrong: dict[str, list[str]] = defaultdict(list)
    labelled = snippets()
    for label, code in labelled:
        seen = lean_sync.check(code)
        assert seen.errors, code
        for way, errors in (
            ("with the code", classifier.classify_errors(seen.messages, code)),
            ("printed", classifier.classify_errors(as_printed(seen))),
        ):
            if errors[0].category is not label:
                wrong[way].append(f"{label}, not {errors[0].category}:\n{code}")
    assert len(labelled) >= 120
    for way, misses in wrong.items():
        assert len(misses) <= (1 - BAR) * len(labelled), f"{way}:\n" + "\n".join(misses)


@pytest.mark.parametrize(
    ("code", "category", "fix"),
    [
        ("namespace A\nend B", ErrorCategory.SYNTAX_ERROR, "Hint: Use current scope name `A`: end A"),
        ("def f (xs : List Nat) : Nat := xs[2]", ErrorCategory.MISSING_PREMISE, "Use `a[i]?` notation instead"),
        ("example : 2 < 3 := by linarith", ErrorCategory.UNKNOWN_IDENTIFIER, "import Mathlib.Tactic.Linarith"),
        ("example : 2 < 3 := by norm_num", ErrorCategory.UNKNOWN_IDENTIFIER, "decide, simp or omega"),
        ("example : Nat.Prime 3 := sorry", ErrorCategory.UNKNOWN_IDENTIFIER, "import Mathlib.Data.Nat.Prime.Basic"),
        (
            "structure P where\n  x : Nat\n#eval P.mk 1 == P.mk 1",
            ErrorCategory.MISSING_PREMISE,
            "deriving instance BEq for P",
        ),
        ("example : (fun n : Nat => n) 1 = 2 := by decide", ErrorCategory.TACTIC_FAILED, "smaller step"),
    ],
)
def test_suggestions(lean_sync: Any, code: str, category: ErrorCategory, fix: str) -> None:
    told = advice(lean_sync.check(code).messages, code)
    assert told.startswith(f"What is wrong ({category}): ")
    assert fix in told


def test_a_name_that_was_mistyped_is_found_in_the_environment(lean_sync: Any) -> None:
    code = "theorem t (a b : Nat) : a + b = b + a := Nat.add_com a b"
    names = ["Nat.add_comm", "Nat.mul_comm", "Int.add_comm", "List.append_assoc", "t"]
    (error,) = ErrorClassifier(names).classify_errors(lean_sync.check(code).messages, code)
    assert error.identifier == "Nat.add_com"
    assert error.suggested_fixes[0] == "did you mean Nat.add_comm?"
    asked: list[str] = []

    def find(name: str) -> str:
        asked.append(name)
        return "My.Sums"

    (error,) = ErrorClassifier((), find).classify_errors(lean_sync.check(code).messages, code)
    assert asked == ["Nat.add_com"]
    assert any("import My.Sums" in fix for fix in error.suggested_fixes)


def test_a_hypothesis_that_was_mistyped_is_found_in_the_text(lean_sync: Any) -> None:
    code = "theorem t (a b : Nat) (hab : a = b) : b = a := by\n  have hsum := hab\n  exact hba.symm"
    (error,) = ErrorClassifier().classify_errors(lean_sync.check(code).messages, code)
    assert error.identifier == "hba.symm"
    (error,) = ErrorClassifier().classify_errors("T.lean:3:8: error: Unknown identifier `hab'`", code)
    assert (error.identifier, error.suggested_fixes[0]) == ("hab'", "did you mean hab?")


def test_names_near_a_wrong_one_among_very_many() -> None:
    names = [f"Nat.lemma_{number}_of_le" for number in range(20_000)] + ["Nat.le_antisymm", "Int.le_antisymm"]
    (error,) = ErrorClassifier(names).classify_errors("Unknown constant `Nat.le_antisym`")
    assert error.suggested_fixes[:2] == ["did you mean Nat.le_antisymm?", "did you mean Int.le_antisymm?"]
