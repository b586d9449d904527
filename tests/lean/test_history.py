"""What changed in Lean, and what an auditor is shown."""

import json
import random
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import kept_lean
import pytest
from named_texts import tables

from goedels_poetry.checker import TrustLevel
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.lean.audit import audit_file
from goedels_poetry.checker.lean.verify import FreshLean, run
from goedels_poetry.cli.check import check_all
from goedels_poetry.cli.tools import Check
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest

TABLES = tables(__file__)

DEFINITIONS = Path(__file__).with_name("definitions.lean").read_text("utf-8")

ENDS = TABLES["ENDS"]
_lines = count(1)


async def _same(lean: LeanPool, text: str) -> None:
    asked = [
        CheckRequest(f"-- {n:8}\n{text}", holes=True, commands=True, declarations=True, export=True)
        for n in (0, next(_lines))
    ]
    with_history, alone = [replace(await lean.check(request), seconds=0.0, memory_mb=0.0) for request in asked]
    assert with_history.status == "done"
    assert with_history == alone, text


@pytest.mark.sample(2)
@pytest.mark.parametrize("what", ENDS)
async def test_a_text_that_begins_like_another_is_answered_as_if_it_were_alone(lean: LeanPool, what: str) -> None:
    for end in (*ENDS[what], ENDS[what][0]):
        await _same(lean, DEFINITIONS + end)


@pytest.mark.whole("test_a_text_that_begins_like_another_is_answered_as_if_it_were_alone")
async def test_a_text_that_was_cut_or_changed_anywhere_is_answered_as_if_it_were_alone(lean: LeanPool) -> None:
    chance = random.Random(20261124)
    rows = (DEFINITIONS + ENDS["a hole before"][0]).splitlines(keepends=True)
    for _ in range(12):
        changed = list(rows)
        for _ in range(chance.choice([1, 1, 2])):
            at = chance.randrange(len(changed))
            kind = chance.choice(["delete", "repeat", "cut", "end", "letter"])
            if kind == "delete":
                del changed[at]
            elif kind == "repeat":
                changed.insert(at, changed[chance.randrange(len(changed))])
            elif kind == "cut":
                changed[at] = changed[at][: chance.randrange(len(changed[at]))]
            elif kind == "end":
                del changed[at + 1 :]
            else:
                changed[at] = changed[at].replace("zero", chance.choice(["succ", "zer", "zero + 1"]), 1)
        await _same(lean, "".join(changed))


async def test_options_and_imports_are_part_of_what_is_shared(lean: LeanPool) -> None:
    assert (await lean.check(CheckRequest(DEFINITIONS))).ok
    text = f"{DEFINITIONS}theorem t (x : α) : x = x := rfl\n"
    strict = CheckRequest(text, options={"autoImplicit": False})
    assert (await lean.check(CheckRequest(text))).ok
    assert not (await lean.check(strict)).ok
    assert (await lean.check(CheckRequest(text))).ok
    await _same(lean, f"import Std\n{text}")
    await _same(lean, text)


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
    code = check_all(Check(certificates=[file], against=original, as_json=True))
    return code, json.loads(capsys.readouterr().out)


def test_the_command_prints_the_verdict_and_gives_its_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lean: LeanPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, bad = tmp_path / "original.lean", tmp_path / "bad.lean"
    bad.write_text("theorem t : 1 + 1 = 2 := by\n  run_tac pure ()\n")
    kept_lean.for_all(lean, monkeypatch)
    code, told = told_of(bad, original, capsys)
    assert (code, told["accepted"], told["rule"], told["line"], told["column"]) == (1, False, "metaprogram", 2, 3)
    assert check_all(Check(certificates=[tmp_path / "none.lean"], against=original)) == 2
