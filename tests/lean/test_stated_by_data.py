"""A file by itself: what is shown as its statement is what was proved, whatever the file does to how text is read."""

import re
from pathlib import Path

import pytest

from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.lean.audit import audit_file
from goedels_poetry.checker.lean.certify import PROVED, LeanArchive, check_lean, write_lean
from goedels_poetry.checker.lean.verify import Claim, FreshLean, verify

SECONDS = 120.0
TWISTED = {
    "an elaborator by attribute": (
        """import Lean
open Lean Elab Term
@[term_elab ident] def readNames : TermElab := fun stx _ =>
  if stx.getId == `False then return mkConst `True else throwUnsupportedSyntax
theorem t : False := trivial
""",
        "theorem t : True",
    ),
    "a local elaborator": (
        """import Lean
open Lean Elab Term
def r : TermElab := fun stx _ =>
  if stx.getId == `False then return mkConst `True else throwUnsupportedSyntax
attribute [local term_elab ident] r
theorem t : False := trivial
""",
        "theorem t : True",
    ),
    "a renamed relation": (
        "open Nat renaming le → lt\ntheorem t (n : Nat) : lt n n := Nat.le_refl n\n",
        "theorem t : ∀ (n : Nat), Nat.le n n",
    ),
    "a namespace that shadows": (
        "namespace Own\nabbrev Nat := Empty\ntheorem t (n : Nat) : (1 : _root_.Nat) = 2 := n.elim\nend Own\n",
        "theorem Own.t : ∀ (n : Own.Nat), 1 = 2, with Own.Nat of the file",
    ),
    "an instance of an order": (
        "local instance bad : LT Nat := ⟨fun a b => b ≤ a⟩\ntheorem t (n : Nat) : n < n := Nat.le_refl n\n",
        "theorem t : ∀ (n : Nat), @LT.lt.{0} Nat bad n n, with bad of the file",
    ),
    "an instance of numerals": (
        "local instance two : OfNat Nat 2 := ⟨1⟩\ntheorem t : (1 : Nat) = 2 := rfl\n",
        "theorem t : @Eq.{1} Nat (@OfNat.ofNat.{0} Nat (nat_lit 1) (instOfNatNat (nat_lit 1))) "
        "(@OfNat.ofNat.{0} Nat (nat_lit 2) two), with two of the file",
    ),
    "a coercion": (
        "instance : Coe Nat Prop := ⟨fun _ => True⟩\ntheorem t : ((3 : Nat) : Prop) := trivial\n",
        "theorem t : True",
    ),
    "a hypothesis of the section": (
        "variable (h : 1 = 2)\ninclude h\ntheorem t : 3 = 4 := by omega\n",
        "theorem t : 1 = 2 → 3 = 4",
    ),
    "a name that looks like another": (
        "def Nοt (p : Prop) : Prop := True\ntheorem t : Nοt (1 = 1) := trivial\n",
        "theorem t : Nοt (1 = 1), with Nοt (U+03BF) of the file",
    ),
    "a name with a statement in it": ("theorem «t:1=2» : True := trivial\n", "theorem «t:1=2» : True"),
    "a name like Lean's own": (
        "def Prime.match_1 (n : Nat) : Prop := True\ntheorem t : Prime.match_1 4 := trivial\n",
        "theorem t : Prime.match_1 4, with Prime.match_1 of the file",
    ),
    "a variable called False": (
        "theorem t (False : Prop) (h : False) : False := h\n",
        "theorem t : ∀ (False : Prop), False → False",
    ),
    "a comment": ("theorem t : 1 = 2 -- ∨ True\n  ∨ True := Or.inr trivial\n", "theorem t : 1 = 2 ∨ True"),
    "blanks in a string": (
        'theorem t : "a  b" ≠ "a b" := by decide\n',
        'theorem t : "a \\x20b" ≠ "a b"',
    ),
    "text that runs backwards": (
        'theorem t : "a\u202eb" = "a\u202eb" := rfl\n',
        'theorem t : "a\\u{202e}b" = "a\\u{202e}b"',
    ),
    "a class of the file": (
        "class One' (α : Type) where\n  one : α\ntheorem t [One' Nat] : (One'.one : Nat) = One'.one := rfl\n",
        "theorem t : ∀ [inst : One' Nat], @Eq.{1} Nat (@One'.one Nat inst) (@One'.one Nat inst), "
        "with One', One'.one of the file",
    ),
}


@pytest.fixture(params=list(TWISTED))
def twisted(request: pytest.FixtureRequest) -> tuple[str, str]:
    return TWISTED[request.param]


async def test_a_file_by_itself_shows_what_was_proved(twisted: tuple[str, str], kept: FreshLean) -> None:
    text, stated = twisted
    report = await audit_file(text, None, fresh=kept, seconds=SECONDS)
    assert (report.accepted, report.statement) == (True, stated)


async def test_and_so_does_a_certificate(twisted: tuple[str, str], kept: FreshLean, tmp_path: Path) -> None:
    text, stated = twisted
    report = await certificate_of(text, tmp_path / "c", kept)
    assert (report.accepted, report.statement) == (True, stated), report.reasons


async def certificate_of(text: str, folder: Path, kept: FreshLean) -> CheckReport:
    """The check of a certificate with the file as the proof, and with its theorem left open as the original."""
    given = re.search(r"theorem (.*) := [^=\n]*\n", text, re.DOTALL)
    assert given is not None
    head = " ".join(re.sub("--.*", "", given[1]).split())
    name = "Own.t" if "namespace Own" in text else re.split(r"[ (]", head)[0].strip("«»")
    original = text.replace(text[given.end(1) : given.end()], " := sorry\n")
    archive = LeanArchive(original, text, PROVED, name, "", f"theorem {head}", {})
    write_lean(folder, archive, {})
    return await check_lean(folder, None, kept, SECONDS)


async def test_the_definitions_of_the_file_are_shown_with_their_values(kept: FreshLean) -> None:
    own = "structure P where\n  x : Nat\n\ndef Even (n : Nat) : Prop := ∃ k, n = 2 * k\n\n"
    text = f"{own}theorem t (p : P) : Even 4 := ⟨2, rfl⟩\n"
    report = await audit_file(text, None, fresh=kept, seconds=SECONDS)
    assert report.statement == "theorem t : ∀ (p : P), Even 4, with Even, P of the file"
    shown = {note for note in report.notes if note.startswith("of the file: ")}
    assert shown == {"of the file: Even = fun n => ∃ k, n = 2 * k", "of the file: P.mk : Nat → P"}


async def test_a_name_that_cannot_be_shown_is_refused(kept: FreshLean) -> None:
    text = "def «a\u202eb» : Prop := True\ntheorem t : «a\u202eb» := trivial\n"
    report = await audit_file(text, None, fresh=kept, seconds=SECONDS)
    assert (report.accepted, report.statement) == (False, "")


async def test_a_comment_is_no_part_of_the_statement_that_a_user_gave(kept: FreshLean) -> None:
    original = "theorem t : 1 = 2 -- or\n  /- else -/ ∨ True := sorry\n"
    claim = Claim(original.replace("sorry", "Or.inr trivial"), original)
    report = await verify(kept, claim, SECONDS)
    assert (report.accepted, report.statement) == (True, "theorem t : 1 = 2 ∨ True")


async def test_a_theorem_in_the_statement_of_another_is_shown_like_any(kept: FreshLean) -> None:
    text = "theorem p : 0 < 1 := by decide\ntheorem t : (⟨0, p⟩ : Fin 1) = ⟨0, p⟩ := rfl\n"
    report = await audit_file(text, None, fresh=kept, seconds=SECONDS)
    assert report.statement.startswith("theorem p : 0 < 1; theorem t : ")
    assert report.statement.endswith(", with p of the file")
