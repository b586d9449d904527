"""`goedels-poetry check FILE.lean --against ORIGINAL.lean`: anyone's file through the gate."""

import json
from pathlib import Path
from typing import Any

import kept_lean
import pytest

from goedels_poetry.checker import TrustLevel
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.lean.audit import audit_file
from goedels_poetry.checker.lean.verify import FreshLean, run
from goedels_poetry.cli.check import check_one
from goedels_poetry.cli.tools import Check
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.pool import LeanPool

ORIGINAL = """def two := 2

theorem easy (n : Nat) : n + 0 = n := sorry

namespace A

/-- The one that counts. -/
theorem hard (n : Nat) (h : two < n) : 3 ≤ n := by
  sorry

end A
"""
WRITTEN = """import Std
open Nat

/-- A lemma, without sorry. -/
@[simp] theorem two_is_two : (2 : Nat) = 1 + 1 := rfl

def two := 2

theorem easy (n : Nat) : n + 0 = n := by rfl

namespace A

theorem hard (n : Nat) (h : two < n) : 3 ≤ n := by
  unfold two at h
  omega

end A
"""


@pytest.fixture
def audit(kept: FreshLean):
    def audited(text: str, original: str | None = ORIGINAL, theorem: str = "") -> CheckReport:
        return run(audit_file(text, original, theorem, kept))

    return audited


def test_every_open_theorem_of_the_original_has_to_be_proved_or_the_one_named(audit) -> None:
    half = WRITTEN.replace("by rfl", "sorry")
    refused = audit(half)
    assert (refused.verdict, refused.rule, refused.place) == (Verdict.UNKNOWN, "sorry", (9, 1))
    assert audit(half, theorem="hard").verdict is Verdict.PROVED, "what the original leaves open may stay so"
    missing = WRITTEN.replace("theorem easy (n : Nat) : n + 0 = n := by rfl", "")
    assert (audit(missing).rule, audit(missing, theorem="A.hard").verdict) == ("missing", Verdict.PROVED)


@pytest.mark.parametrize(
    ("old", "new", "rule", "place"),
    [
        ("def two := 2", "def two := 3", "statement", (9, 1)),
        ("(h : two < n)", "(h : two ≤ n) (g : n ≠ 2)", "statement", (9, 1)),
        ("  omega", "  native_decide", "native", (15, 3)),
        ("open Nat", "axiom magic : False", "axiom", (2, 1)),
        ("open Nat", "open Nat\nset_option debug.skipKernelTC true", "option", (3, 1)),
        ("  omega", "  simp", "compile", (15, 3)),
        ("end A\n", "end A\n#eval 1\n", "command", (18, 1)),
        ("import Std", "import Cheat", "import", (1, 1)),
        ("end A\n", "", "unfinished", None),
    ],
)
def test_the_rule_and_the_place_of_what_is_refused(audit, old: str, new: str, rule: str, place: object) -> None:
    report = audit(WRITTEN.replace(old, new))
    assert (report.verdict, report.refused, report.rule, report.place) == (Verdict.UNKNOWN, True, rule, place), report


def test_an_original_that_ends_with_its_statement(audit) -> None:
    assert audit("theorem t : 1 + 1 = 2 := rfl", "theorem t : 1 + 1 = 2").verdict is Verdict.PROVED


def test_an_original_that_is_wrong_or_asks_for_nothing_is_invalid(audit) -> None:
    assert audit(WRITTEN, "theorem t : Foo := sorry").verdict is Verdict.INVALID
    assert audit(WRITTEN, "theorem t : 1 = 1 := rfl").verdict is Verdict.INVALID
    assert audit(WRITTEN, theorem="nobody").verdict is Verdict.INVALID


def test_a_file_for_mathlib_is_told_where_that_can_be_had(audit) -> None:
    needs = "import Mathlib\n\ntheorem t : 1 = 1 := sorry\n"
    for report in (audit(needs, None), audit(WRITTEN, needs)):
        assert (report.verdict, report.place) == (Verdict.INVALID, (1, 1))
        (reason,) = report.reasons
        assert "unknown module prefix 'Mathlib' (this Lean has no Mathlib; " in reason and "1:1" not in reason


def test_without_an_original_the_file_is_judged_by_itself_and_that_is_said(audit) -> None:
    report = audit(WRITTEN, None)
    assert (report.verdict, report.trust_level) == (Verdict.PROVED, TrustLevel.ACCEPTED)
    assert any("nothing was compared" in note for note in report.notes)
    assert (audit(ORIGINAL, None).rule, audit("theorem t : 1 = 2 := rfl", None).verdict) == ("sorry", Verdict.INVALID)
    own = audit("axiom big : 1 < 2\ntheorem t : ∃ n, 1 < n := ⟨2, big⟩\n", None)
    assert own.assumptions == ("axiom big, declared in the file",)
    assert audit('import Lean\nrun_cmd Lean.logInfo "x"\ntheorem t : 1 = 1 := rfl\n', None).rule == "metaprogram"


def told_of(file: Path, original: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """The exit code of the command, and the object that it prints."""
    original.write_text("theorem t : 1 + 1 = 2 := sorry\n")
    code = check_one(Check(certificate=file, against=original, as_json=True))
    return code, json.loads(capsys.readouterr().out)


def test_the_command_prints_the_verdict_and_gives_its_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lean: LeanPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, bad = tmp_path / "original.lean", tmp_path / "bad.lean"
    bad.write_text("theorem t : 1 + 1 = 2 := by\n  run_tac pure ()\n")
    kept_lean.for_all(lean, monkeypatch)
    code, told = told_of(bad, original, capsys)
    assert (code, told["accepted"], told["rule"], told["line"], told["column"]) == (1, False, "metaprogram", 2, 3)
    assert check_one(Check(certificate=tmp_path / "none.lean", against=original)) == 2
