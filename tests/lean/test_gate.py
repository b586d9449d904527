"""The gate for Lean accepts what is legal, however odd it looks; certificates of proofs and refutations."""

import asyncio
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from goedels_poetry.checker import TrustLevel
from goedels_poetry.checker.by_language import check_again
from goedels_poetry.checker.lean.certify import certify_negation, certify_proof, check_lean
from goedels_poetry.checker.lean.gate import Accepted, Leans, admit, ground
from goedels_poetry.checker.lean.original import Refusal, read_original
from goedels_poetry.checker.lean.verify import FreshLean, premises_of
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.text.source import read_target

SECONDS = 60.0

LEGAL = {
    "unicode names": (
        "def «größe mal» (n : Nat) := n * 2\ntheorem «Ω ist gerade» (α' n₁ : Nat) : «größe mal» n₁ % 2 = 0 := sorry\n",
        "by\n  unfold «größe mal»\n  omega",
    ),
    "decide on a big term": ("theorem t : ∀ x : Fin 60, (x * x + x).val % 2 = 0 := sorry\n", "by decide"),
    "kernel decides": ("theorem t : 2 ^ 200 % 7 = 4 := sorry\n", "by decide +kernel"),
    "local notation of the user's": (
        'local notation "‖" x "‖" => Int.natAbs x\nlocal infixl:65 " ⊕⊕ " => fun (a b : Nat) => a + b\n'
        "theorem t (n : Int) (a b : Nat) : ‖n‖ = ‖-n‖ ∧ a ⊕⊕ b = b ⊕⊕ a := sorry\n",
        "by\n  constructor\n  · simp\n  · exact Nat.add_comm a b",
    ),
    "macros of the user's": (
        'macro "easy" : tactic => `(tactic| (simp <;> omega))\nmacro "twice!" t:term : term => `($t + $t)\n'
        "theorem t (n : Nat) : (twice! n) = 2 * n := sorry\n",
        "by omega",
    ),
    "where clauses": (
        "def sum (xs : List Nat) : Nat := go xs 0\nwhere\n  go : List Nat → Nat → Nat\n    | [], a => a\n"
        "    | x :: xs, a => go xs (a + x)\n\n"
        "theorem t (xs : List Nat) (a : Nat) : sum.go xs a = a + sum.go xs 0 := sorry\n",
        "step xs a\nwhere\n  step (xs : List Nat) (a : Nat) : sum.go xs a = a + sum.go xs 0 := by\n"
        "    induction xs generalizing a with\n    | nil => simp [sum.go]\n"
        "    | cons x xs ih => rw [sum.go, sum.go, ih, ih (0 + x)]; omega",
    ),
    "mutual definitions": (
        "mutual\ndef even : Nat → Bool\n  | 0 => true\n  | n + 1 => odd n\ndef odd : Nat → Bool\n  | 0 => false\n"
        "  | n + 1 => even n\nend\n\ntheorem t : even 10 = true := sorry\n",
        "by simp [even, odd]",
    ),
    "a term": ("theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := sorry\n", "⟨h.2, h.1⟩"),
    "cases in the place of a proof": (
        "theorem t (p q : Prop) : p ∨ q → q ∨ p := sorry\n",
        "fun\n  | .inl h => .inr h\n  | .inr h => .inl h",
    ),
    "well-founded recursion": (
        "def log (n : Nat) : Nat := if n < 2 then 0 else log (n / 2) + 1\ntermination_by n\ndecreasing_by omega\n\n"
        "theorem t (n : Nat) (h : n < 2) : log n = 0 := sorry\n",
        "by\n  unfold log\n  simp [h]",
    ),
    "classes and instances of the user's": (
        "class Magma (α : Type u) where\n  op : α → α → α\n  comm : ∀ a b, op a b = op b a\n\n"
        "instance : Magma Nat := ⟨(· + ·), Nat.add_comm⟩\n\nstructure Pair (α : Type u) [Magma α] where\n  fst : α\n"
        "  snd : α\n  deriving Repr\n\n"
        "theorem t [Magma α] (p : Pair α) : Magma.op p.fst p.snd = Magma.op p.snd p.fst := sorry\n",
        "Magma.comm _ _",
    ),
    "universes": (
        "universe u v\n\n"
        "theorem t {α : Type u} {β : Type v} (f : α → β) (xs : List α) : (xs.map f).length = xs.length := sorry\n",
        "by simp",
    ),
    "sections and variables": (
        "namespace A.B\nsection\nvariable {α : Type} (xs : List α)\n\n"
        "theorem t : xs ++ [] = xs := sorry\n\nend\nend A.B\n",
        "by simp",
    ),
    "opened for one command": ("open Nat in\ntheorem t (n : Nat) : succ n = n + 1 := sorry\n", "rfl"),
    "sorry in words": (
        '/-- There is no sorry here. -/\ntheorem t : "sorry, axiom" ≠ "" := sorry\n',
        "by\n  -- sorry\n  decide",
    ),
    "bounds proved inside the statement": (
        "def first (xs : Array Nat) (h : 0 < xs.size) : Nat := xs[0]\n\n"
        "theorem t (xs : Array Nat) (h : 0 < xs.size) : xs[0] = first xs h := sorry\n",
        "rfl",
    ),
    "matching in the statement": (
        "theorem t (o : Option Nat) : (match o with | some n => n | none => 0) = o.getD 0 := sorry\n",
        "by cases o <;> rfl",
    ),
}


def body(original: str, proof: str) -> str:
    head, _, tail = original.rpartition("sorry")
    return head + proof + tail


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", LEGAL)
async def test_legal_proofs_are_accepted(leans: Leans, name: str) -> None:
    original, proof = LEGAL[name]
    given = await read_original(leans.elaborator, original, SECONDS)
    found = await admit(leans, body(original, proof), given, given.open_theorems(), SECONDS)
    assert isinstance(found, Accepted), found
    assert found.replayed > 0


HELPED = (
    "@[simp] theorem helper (n : Nat) : n * 1 = n := by omega\n\n",
    "namespace Mine\ndef twice (n : Nat) := n + n\ninductive C | a | b\n  deriving DecidableEq\n"
    "instance : Inhabited C := ⟨.a⟩\nend Mine\n",
    "section\nvariable (n : Nat)\ninclude n in\ntheorem helper : n = n := rfl\nend\n",
    "set_option maxHeartbeats 400000 in\n/-- as `t` -/\nprivate theorem helper (n : Nat) : n + 0 = n := rfl\n",
    "mutual\ndef f : Nat → Nat\n  | 0 => 0\n  | n + 1 => g n\ndef g : Nat → Nat\n  | 0 => 1\n  | n + 1 => f n\nend\n",
    "open Nat\n",
)


@pytest.mark.sample(3)
@pytest.mark.parametrize("helpers", HELPED)
async def test_lemmas_and_definitions_of_anyones_may_stand_before_the_theorem(leans: Leans, helpers: str) -> None:
    original = "theorem t (o : Option Nat) : (match o with | some n => n + 0 | none => 0) = o.getD 0 := sorry\n"
    given = await read_original(leans.elaborator, original, SECONDS)
    text = helpers + body(original, "by cases o <;> rfl")
    found = await admit(leans, text, given, given.open_theorems(), SECONDS)
    assert isinstance(found, Accepted), found


ZERO = "theorem t (n : Nat) : n + 0 = n := sorry\n"
PARTIAL = "mutual\npartial def f (n : Nat) : Nat := g n\npartial def g (n : Nat) : Nat := f n\nend\n#eval 1\n"
STYLES = {
    "settings of tactics": (
        "theorem t (n : Nat) : n + 0 = n := by simp (config := { contextual := true }) (maxSteps := 100000) +arith\n",
        ZERO,
    ),
    "settings that are lists": (
        "theorem t (a b : Nat) (h : a = b) : b = a := by rw (occs := .pos [1]) (transparency := .reducible) [h]\n",
        "theorem t (a b : Nat) (h : a = b) : b = a := sorry\n",
    ),
    "namespaces cut another way": (
        "theorem A.B.t : 1 = 1 := rfl\n",
        "namespace A\ntheorem B.t : 1 = 1 := sorry\nend A\n",
    ),
    "mutual lemmas": (
        "mutual\ntheorem e : (n : Nat) → n = n\n  | 0 => rfl\n  | k + 1 => congrArg (· + 1) (o k)\n"
        "theorem o : (n : Nat) → n = n\n  | 0 => rfl\n  | k + 1 => congrArg (· + 1) (e k)\nend\n"
        "theorem t (n : Nat) : n + 0 = n := e n\n",
        ZERO,
    ),
    "comments anywhere": (
        "theorem /- odd -/ t -- here\n  (n /- /- variable -/ -/ : Nat) : n + 0 = n := /- by -/ rfl -- done\n",
        ZERO,
    ),
    "partial and evaluated code of the user's": (PARTIAL + ZERO.replace("sorry", "rfl"), PARTIAL + ZERO),
    "one theorem of a mutual block": (
        "mutual\ntheorem t : 1 = 1 := rfl\ntheorem s : 2 = 2 := rfl\nend\n",
        "mutual\ntheorem t : 1 = 1 := sorry\ntheorem s : 2 = 2 := rfl\nend\n",
    ),
    "primes and characters": (
        "theorem t (xs : Array Nat) (h : 0 < xs.size) : xs[0]'h = xs[0] ∧ 'a' ≠ '\"' := ⟨rfl, by decide⟩\n",
        "theorem t (xs : Array Nat) (h : 0 < xs.size) : xs[0]'h = xs[0] ∧ 'a' ≠ '\"' := sorry\n",
    ),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", STYLES)
async def test_the_same_theorem_in_another_style_is_accepted(leans: Leans, name: str) -> None:
    text, original = STYLES[name]
    given = await read_original(leans.elaborator, original, SECONDS)
    found = await admit(leans, text, given, given.open_theorems(), SECONDS)
    assert isinstance(found, Accepted), found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1500000000", "3647483648"),  # 2^31 apart: a small number of Lean has 31 bits
        ("1073741824", "3221225472"),
        ("2147483647", "4294967295"),
        ('"\ufeffa"', '"a"'),  # a byte order mark is a character
        ('"\\x00a"', '"a"'),
        ("'\ufeff'", "'a'"),
        ("«1»", "«1 »"),
    ],
)
async def test_different_terms_are_never_the_same_data(leans: Leans, one: str, other: str) -> None:
    known = "def «1» := 0\ndef «1 » := 0\n"
    given = await read_original(leans.elaborator, f"{known}theorem t : {one} = {one} := sorry\n", SECONDS)
    found = await ground(
        leans, f"{known}theorem t : {other} = {other} := rfl\n", given, ("t",), time.monotonic() + SECONDS
    )
    assert isinstance(found, Refusal)
    assert found.rule == "statement", found


async def test_axioms_of_the_users_own_are_assumptions(leans: Leans) -> None:
    original = "axiom choose : Nat → Nat\naxiom chosen (n : Nat) : n < choose n\n\ntheorem t : ∃ n, 5 < n := sorry\n"
    given = await read_original(leans.elaborator, original, SECONDS)
    found = await admit(leans, body(original, "⟨_, chosen 5⟩"), given, ("t",), SECONDS)
    assert isinstance(found, Accepted)
    assert found.assumptions == ("choose", "chosen")


async def test_what_is_wrong_is_said_with_its_line_and_column(leans: Leans) -> None:
    given = await read_original(leans.elaborator, "theorem t : 1 = 2 := sorry\n", SECONDS)
    found = await admit(leans, "def x := 1\n\ntheorem t : 1 = 2 := by\n  omega\n", given, ("t",), SECONDS)
    assert isinstance(found, Refusal)
    assert (found.rule, found.line, found.column) == ("compile", 4, 2)


async def test_an_original_that_lean_does_not_read_is_the_users_fault(lean: LeanPool) -> None:
    with pytest.raises(InvalidInput, match=r"Foo\.y"):
        await read_original(lean, "theorem t : x = Foo.y := sorry\n", SECONDS)


@pytest.mark.parametrize(
    ("binders", "premises"),
    [
        ("(p : Nat → Prop) (h : ∀ n, p n)", "satisfiable"),
        ("{α : Type u} [Inhabited α] (xs : List α) (h : xs ≠ [])", "satisfiable"),
        ("(a b : Nat) (h : a < b)", "satisfiable"),
        ("(p : Prop) (h : p) (g : ¬ p)", "contradictory"),
        ("(α : Type)", "satisfiable"),
    ],
)
async def test_premises_are_tried(leans: Leans, binders: str, premises: str) -> None:
    given = await read_original(leans.elaborator, f"theorem t {binders} : 1 = 1 := sorry\n", SECONDS)
    assert (await premises_of(leans, given, "t")).premises == premises


# ------------------------------------------------------------------------------- certificates

ORIGINAL = (
    "def two := 2\n\nnamespace A\n\ntheorem t (n : Nat) : n < n + two := sorry\n\n"
    "theorem later : 1 = 2 := sorry\n\nend A\n"
)
PROVED = ORIGINAL.replace("two := sorry", "two := by simp [two]")
FALSE = "namespace A\nvariable {α : Type u} (xs ys : List α)\n\ntheorem f : xs ++ ys = ys ++ xs := sorry\n\nend A\n"
AGAINST = "by\n  intro h\n  have := @h Nat [0] [1]\n  simp at this"


@pytest.fixture(scope="module")
def certificates(lean: LeanPool, kept: FreshLean, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two certificates: of a proof, and of a refutation."""
    folder = tmp_path_factory.mktemp("certificates")

    async def make() -> None:
        target = await read_target(lean, ORIGINAL, "t")
        made = await certify_proof(kept, target, PROVED, folder / "proof", {"run": "r1"}, 60.0)
        assert (made.verdict, made.trust_level, made.path) == (Verdict.PROVED, "L3", folder / "proof"), made
        target = await read_target(lean, FALSE.replace("Type u", "Type"), "f")
        made = await certify_negation(kept, target, AGAINST, folder / "negation", {}, 60.0)
        assert (made.verdict, made.path) == (Verdict.REFUTED, folder / "negation"), made

    asyncio.run(make())
    yield folder


def test_a_certificate_is_the_theorem_its_proof_and_what_checked_it(certificates: Path) -> None:
    folder = certificates / "proof"
    assert sorted(p.name for p in folder.iterdir()) == ["manifest.json", "original.lean", "proof.lean"]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["versions"]["lean"] == "4.28.0-pre"


@pytest.mark.whole("docs/test_commands.py::test_every_command_of_the_section_works")
def test_a_certificate_is_checked_from_nothing(certificates: Path) -> None:
    again = check_again({"directory": str(certificates / "proof"), "theorem": ORIGINAL})
    assert (again["verdict"], again["trust_level"]) == ("proved", str(TrustLevel.CONFIRMED))
    assert again["statement"] == "theorem t (n : Nat) : n < n + two"


def test_a_certificate_of_another_theorem_is_refused(certificates: Path, kept: FreshLean) -> None:
    other = ORIGINAL.replace("def two := 2", "def two := 3")
    report = asyncio.run(check_lean(certificates / "proof", other, kept))
    assert (report.verdict, report.refused, report.rule) == (Verdict.UNKNOWN, True, "statement")


def test_a_certificate_of_an_easier_theorem_of_the_file_is_refused(certificates: Path, kept: FreshLean) -> None:
    for name, rule in (("later", "missing"), ("t", ""), ("A.t", "")):
        report = asyncio.run(check_lean(certificates / "proof", ORIGINAL, kept, theorem=name))
        assert (report.accepted, report.rule or "") == (not rule, rule), report


def test_a_refutation_is_of_the_users_theorem(certificates: Path, kept: FreshLean) -> None:
    given = FALSE.replace("Type u", "Type")
    report = asyncio.run(check_lean(certificates / "negation", given, kept))
    assert (report.verdict, report.accepted) == (Verdict.REFUTED, True), report
    weaker = given.replace("xs ++ ys = ys ++ xs", "xs ++ ys ++ [] = xs ++ ys")
    report = asyncio.run(check_lean(certificates / "negation", weaker, kept))
    assert (report.accepted, report.rule) == (False, "statement")
    assert "does not say that A.f is false" in report.reasons[0]


async def test_a_refutation_that_leans_on_a_hypothesis_is_none(leans: Leans, tmp_path: Path) -> None:
    original = "theorem t (n : Nat) : n = n := sorry\n"
    given = await read_original(leans.elaborator, original, SECONDS)
    for text in (
        "variable (h : False)\ninclude h\ntheorem r : ¬ (∀ n : Nat, n = n) := h.elim\n",
        "theorem r : ¬ (∀ n : Nat, n = n + 1) := fun h => by have := h 0; simp at this\n",
        "theorem r : ¬ (∀ n : Nat, n = n) → False := fun h => h fun _ => rfl\n",
        "def Not' (p : Prop) := p\nlocal notation \"¬\" p => Not' p\n"
        "theorem r : ¬ (∀ n : Nat, n = n) := fun _ => rfl\n",
    ):
        found = await admit(leans, text, given, ("r",), SECONDS, negates="t")
        assert isinstance(found, Refusal), text
        assert found.rule in ("statement", "compile"), found


ABSURD = (
    "universe u\nnamespace A\ntheorem t.contradiction : True := trivial\nvariable {α : Type u} (xs : List α)\n"
    "theorem t (h : xs = []) (n : Nat) (g : n < xs.length) : n = 7 := sorry\nend A\n"
)


async def test_hypotheses_that_contradict_each_other_are_certified_beside_the_proof(
    lean: LeanPool, kept: FreshLean, tmp_path: Path
) -> None:
    target = await read_target(lean, ABSURD, "t")
    made = await certify_proof(kept, target, ABSURD.replace("sorry", "by simp_all"), tmp_path / "c", {}, 60.0)
    assert (made.verdict, made.trust_level, made.path) == (Verdict.INCONSISTENT, "L3", tmp_path / "c"), made
    assert made.reason == "the hypotheses of A.t contradict each other, so its conclusion plays no part"
    assert "theorem _root_.A.t.contradiction' : ∀ {α : Type u}" in (tmp_path / "c" / "proof.lean").read_text()
    report = await check_lean(tmp_path / "c", ABSURD, kept)
    assert (report.verdict, report.accepted) == (Verdict.INCONSISTENT, True), report
    fewer = ABSURD.replace("(h : xs = []) ", "")
    report = await check_lean(tmp_path / "c", fewer, kept)
    assert (report.accepted, report.rule) == (False, "statement"), report


async def test_what_says_less_than_that_the_hypotheses_contradict_each_other_is_refused(leans: Leans) -> None:
    original = "theorem t (n : Nat) (h : n < 3) : n = 100 := sorry\n"
    given = await read_original(leans.elaborator, original, SECONDS)
    for rule, text in (
        ("statement", "theorem r : ∀ n : Nat, n < 0 → False := fun _ h => absurd h (Nat.not_lt_zero _)\n"),
        ("statement", "theorem r : ∀ n : Nat, n < 3 → n < 0 → False := fun _ _ h => absurd h (Nat.not_lt_zero _)\n"),
        ("statement", "theorem r : ∀ n : Nat, n < 3 → True := fun _ _ => trivial\n"),
        ("statement", "theorem r : ∀ n : Nat, n < 3 → ¬ False := fun _ _ h => h\n"),
        ("statement", "def A.False := True\nopen A in\ntheorem r : ∀ n : Nat, n < 3 → A.False := fun _ _ => trivial\n"),
        ("axiom", "axiom r : ∀ n : Nat, n < 3 → False\n"),
        ("statement", "variable (a : False)\ninclude a\ntheorem r : ∀ n : Nat, n < 3 → False := fun _ _ => a\n"),
        ("sorry", "theorem r : ∀ n : Nat, n < 3 → False := sorry\n"),
    ):
        found = await admit(leans, text, given, ("r",), SECONDS, negates="t", empty=True)
        assert isinstance(found, Refusal) and found.rule == rule, (text, found)
    nothing = await read_original(leans.elaborator, "theorem t : 1 = 2 := sorry\n", SECONDS)
    found = await admit(leans, "theorem r : ¬ False := fun h => h\n", nothing, ("r",), SECONDS, negates="t", empty=True)
    assert isinstance(found, Refusal)
    meant = await read_original(leans.elaborator, "theorem t (n : Nat) (h : n < 0) : False := sorry\n", SECONDS)
    says = "theorem r : ∀ n : Nat, n < 0 → False := fun _ h => absurd h (Nat.not_lt_zero _)\n"
    found = await admit(leans, says, meant, ("r",), SECONDS, negates="t", empty=True)
    assert isinstance(found, Refusal) and "itself says" in found.reason, "a theorem that says so is proved by this"


@pytest.mark.parametrize(
    "damage",
    [
        lambda f: (f / "proof.lean").write_text(PROVED + "\n"),
        lambda f: (f / "original.lean").write_text("theorem t : True := sorry\n"),
        lambda f: (f / "manifest.json").write_text(
            (f / "manifest.json").read_text().replace("proved", "counterexample")
        ),
        lambda f: (f / "extra").write_text(""),
        lambda f: (f / "proof.lean").unlink(),
        lambda f: (f / "proof.lean").write_bytes(b"\xff"),
        lambda f: (f / "manifest.json").write_text("{"),
    ],
)
def test_a_certificate_that_was_touched_is_refused(certificates: Path, tmp_path: Path, damage: object) -> None:
    folder = tmp_path / "c"
    shutil.copytree(certificates / "proof", folder)
    damage(folder)  # type: ignore[operator]
    report = asyncio.run(check_lean(folder))
    assert report.refused
    assert not report.accepted


async def test_what_is_not_accepted_is_not_written(lean: LeanPool, kept: FreshLean, tmp_path: Path) -> None:
    target = await read_target(lean, ORIGINAL, "t")
    made = await certify_proof(kept, target, ORIGINAL, tmp_path / "c", {}, 60.0)
    assert (made.verdict, made.path) == (Verdict.UNKNOWN, None)
    assert "sorry" in made.reason
    assert os.listdir(tmp_path) == []
