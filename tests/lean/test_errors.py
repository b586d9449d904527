"""Errors of Lean: in our words, and as Lean gives them."""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from named_texts import tables

from goedels_poetry.lean.errors.classify import ErrorCategory, ErrorClassifier, ErrorSeverity, LeanError, advice
from goedels_poetry.lean.runtime.protocol import CheckResult, Message

TABLES = tables(__file__)

U = ErrorCategory.UNKNOWN_IDENTIFIER
T = ErrorCategory.TYPE_MISMATCH
F = ErrorCategory.TACTIC_FAILED
M = ErrorCategory.MISSING_PREMISE
S = ErrorCategory.SYNTAX_ERROR
L = ErrorCategory.RESOURCE_LIMIT

CLASSIFIER = ErrorClassifier()

WORDINGS = TABLES["WORDINGS"]


@pytest.mark.parametrize(("category", "old", "new"), WORDINGS)
def test_old_and_new_wordings_of_the_same_mistake(category: ErrorCategory, old: str, new: str) -> None:
    assert [only(old).category, only(new).category] == [category, category]


def only(said: Any, code: str = "") -> LeanError:
    errors = CLASSIFIER.classify_errors(said, code)
    assert len(errors) == 1
    return errors[0]


# -- forms -------------------------------------------------------------------------------------------------------

TEXT = "Type mismatch\n  h\nhas type\n  p\nbut is expected to have type\n  q"
FORMS = {
    "lean": f"Foo/Bar.lean:3:5: error: {TEXT}\n",
    "lean, with the name of the error": f"Foo/Bar.lean:3:5: error(lean.typeMismatch): {TEXT}\n",
    "lean, with end positions": f"Foo/Bar.lean:3:5-3:9: error: {TEXT}\n",
    "a path with blanks": f"/home/a b/Foo.lean:3:5: error: {TEXT}\n",
    "Windows": f"C:\\Users\\me\\Foo.lean:3:5: error: {TEXT}\n".replace("\n", "\r\n"),
    "colours": f"\x1b[1mFoo.lean:3:5: \x1b[31merror:\x1b[0m {TEXT}\x1b[0m\n",
    "lake": (
        f"✖ [2/3] Building Foo\ntrace: .> LEAN_PATH=x lean Foo.lean\nerror: ././Foo.lean:3:5: {TEXT}\n"
        "error: Lean exited with code 1\nSome required builds logged failures:\n- Foo\nerror: build failed\n"
    ),
    "lake of old": f"[1/2] Building Foo\nerror: > lean Foo.lean\nerror: stdout:\n./Foo.lean:3:5: error: {TEXT}\n",
    "lean --json": json.dumps(
        {"severity": "error", "pos": {"line": 3, "column": 5}, "data": TEXT, "kind": "[anonymous]"}
    ),
    "our own message": Message("error", TEXT, 3, 5),
    "our own report": f"3:5: {TEXT}",
    "the REPL": {"messages": [{"severity": "error", "pos": {"line": 3, "column": 5}, "data": TEXT}], "env": 0},
    "the Kimina server": {
        "results": [
            {
                "id": "a",
                "response": {"messages": [{"severity": "error", "pos": {"line": 3, "column": 5}, "data": TEXT}]},
            }
        ]
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_a_message_is_the_same_in_every_form(form: str) -> None:
    error = only(FORMS[form])
    assert (error.message, error.line_number, error.column) == (TEXT, 3, 5)
    assert (error.category, error.severity) == (T, ErrorSeverity.ERROR)


def test_several_messages_keep_their_order_and_only_errors_count() -> None:
    stderr = (
        "A.lean:1:0: warning: declaration uses 'sorry'\n"
        "A.lean:2:3: error: unknown identifier 'a'\n"
        "A.lean:3:3: info: x : Nat\n"
        "A.lean:5:1: error: unsolved goals\nn : Nat\n⊢ n = 0\n\nA.lean:9:1: error: expected ')'\n"
    )
    errors = CLASSIFIER.classify_errors(stderr)
    assert [(e.line_number, e.category) for e in errors[:1] + errors[-1:]] == [(2, U), (9, S)]
    assert errors[1].message == "unsolved goals\nn : Nat\n⊢ n = 0"
    assert all(error.original_stderr == stderr for error in errors)
    warned = CLASSIFIER.classify_errors(stderr, warnings=True)
    assert [error.severity for error in warned] == ["error"] * 3 + ["warning"]


def test_json_lines_among_other_lines() -> None:
    line = json.dumps({"severity": "error", "pos": {"line": 1, "column": 0}, "data": "unknown identifier 'q'"})
    assert [e.identifier for e in CLASSIFIER.classify_errors(f"{line}\nuncaught exception\n{line}")] == ["q", "q"]


def test_a_time_out_of_a_server_is_a_limit() -> None:
    assert only({"results": [{"id": "a", "error": "Lean REPL command timed out in 60 seconds"}]}).category is L
    assert only("Lean gave no answer: timeout").category is L
    assert only("Unknown identifier `timeout`").category is U


@pytest.mark.parametrize("nothing", ["", "\n \n", [], {}, {"messages": []}, '{"messages": []}', {"env": 1}])
def test_no_message_no_error(nothing: Any) -> None:
    assert CLASSIFIER.classify_errors(nothing) == []
    assert CLASSIFIER.get_primary_error([]) is None
    assert advice(nothing) == ""


# -- what is wrong by more than the wording ----------------------------------------------------------------------


def test_a_goal_that_a_parse_error_left_open_is_no_error_of_its_own() -> None:
    stderr = "A.lean:1:30: error: unsolved goals\n⊢ 1 = 1\nA.lean:3:4: error: unexpected identifier; expected command\n"
    code = "theorem a : 1 = 1 := by\n  have h : 1 = 1 := rfl\n    exact h\n"
    errors = CLASSIFIER.classify_errors(stderr, code)
    assert [error.category for error in errors] == [S, S]
    assert errors[0].consequence
    assert CLASSIFIER.get_primary_error(errors) is errors[1]
    apart = "theorem a : 1 = 1 := by skip\n\nlemma b : 1 = 1 := rfl\n"
    stderr = stderr.replace("3:4", "3:0")
    assert [error.category for error in CLASSIFIER.classify_errors(stderr, apart)] == [F, S]


def test_the_code_tells_a_type_variable_from_a_type() -> None:
    said = {"line": 2, "column": 4, "text": "failed to synthesize\n  OfNat Wert 0\n\nHint: x"}
    assert only(said, "example (Wert : Type) : Wert :=\n    0").category is M
    assert only(said, "structure Wert where\n    0").category is T


# -- any text ----------------------------------------------------------------------------------------------------

PIECES = [
    "A.lean:1:2: error: ",
    "type mismatch\n",
    "has type\n",
    "but is expected to have type\n",
    "(a : b) → ",
    "∀ x, ",
    "failed to synthesize\n",
    "OfNat α 0",
    "function expected at\n",
    "Tactic `assumption` failed\n",
    "⊢ ",
    "equality lhs\n",
    "\nis not definitionally equal to rhs\n",
    "Hint: ",
    "unknown tactic",
    "?m.1",
    "⟨",
    ")",
    '{"messages": [',
    "[" * 3000,
    "9" * 5000,
    ":",
    "\x1b[",
    "possible solutions:\n  - x",
    "\ud800",
    "\x00",
    "Unknown identifier `",
    "error: ",
]
TEXTS = st.one_of(
    st.text(), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=12).map("".join)
)


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS, st.integers(-3, 60), st.integers(-3, 60))
def test_any_text_is_classified(text: str, code: str, line: int, column: int) -> None:
    for said in (text, {"line": line, "column": column, "text": text}, f"A.lean:1:1: error: {text}"):
        for error in CLASSIFIER.classify_errors(said, code, warnings=True):
            assert error.category in ErrorCategory
            assert error.suggested_fixes
            assert 0 < error.confidence <= 1


def test_a_megabyte() -> None:
    stderr = "A.lean:1:2: error: unexpected token\nA.lean:1:1: error: unsolved goals\n" * 15_000
    errors = CLASSIFIER.classify_errors(stderr, "theorem a : b := c\n" * 10_000)
    assert len(errors) == 30_000
    assert {error.category for error in errors} == {S}


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
