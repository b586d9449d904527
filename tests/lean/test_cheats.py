"""Ways to "prove" what is false or was not asked, each with the rule that refuses it; a real Lean judges them all.

The numbers are those of a list of known cheats. ``rule`` is the gate's; ``without_tokens`` is the rule that still
refuses the text when nobody looks at its tokens: the gate has more than one wall.
"""

import asyncio
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from goedels_poetry.checker.lean import gate as versions
from goedels_poetry.checker.lean.certify import check_lean
from goedels_poetry.checker.lean.gate import Accepted, Leans, admit, confirm, ground, ground_alone
from goedels_poetry.checker.lean.original import Original, Refusal, first_finding, read_original
from goedels_poetry.checker.lean.verify import premises_of
from goedels_poetry.lean.gate.compare import Comparison
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.gate.stream import BadData
from goedels_poetry.lean.runtime.embedded import embedded_pool
from goedels_poetry.lean.runtime.protocol import CheckRequest

FALSE = "theorem t : 1 = 2 := sorry\n"
TRUE = "theorem t : 10 < 20 := sorry\n"
DEFINED = "def two : Nat := 2\n\ntheorem t : two = 3 := sorry\n"
SPACE = "namespace A\n\ntheorem t : 1 = 2 := sorry\n\nend A\n"
ORDERED = "theorem t (a b : Nat) (h : a < b) : ∃ c, a + c = b ∧ 0 < c := sorry\n"
SECONDS = 30.0


@dataclass(frozen=True)
class Cheat:
    """``row``: number of the cheat; ``text``: what is handed in as a proof of ``original``."""

    row: int
    text: str
    rule: str
    original: str = FALSE
    without_tokens: str = ""


def proof(text: str, original: str = FALSE) -> str:
    """The original with this in the place of its only `sorry`."""
    return original.replace("sorry", text)


CHEATS = [
    # 1 sorry and its relatives
    Cheat(1, proof("by sorry"), "sorry", without_tokens="sorry"),
    Cheat(1, proof("by admit"), "sorry", without_tokens="sorry"),
    Cheat(1, proof("by\n  stop\n  omega"), "sorry", without_tokens="sorry"),
    Cheat(1, proof("sorryAx _ true"), "sorry", without_tokens="sorry"),
    Cheat(1, proof("Lean.Elab.Term.«sorryAx» _"), "sorry", without_tokens="compile"),
    Cheat(1, FALSE, "sorry", without_tokens="sorry"),
    # 2 sorry somewhere else
    Cheat(2, "theorem h : False := sorry\n" + proof("h.elim"), "sorry", without_tokens="sorry"),
    Cheat(2, "instance h : Inhabited (1 = 2) := ⟨sorry⟩\n" + proof("default"), "sorry", without_tokens="sorry"),
    Cheat(2, "def h : PLift False := ⟨by first | omega | sorry⟩\n" + proof("h.down.elim"), "sorry", FALSE, "sorry"),
    # 3 errors that Lean recovers from
    Cheat(3, proof("by\n  have h : 1 = 2 := by omega\n  exact h"), "compile", without_tokens="compile"),
    Cheat(3, "theorem h : 1 = 2 := rfl\n" + proof("h"), "compile", without_tokens="compile"),
    Cheat(3, proof("by\n  exact (by simp : 2 = 1).symm"), "compile", without_tokens="compile"),
    # 4 searching tactics
    Cheat(4, proof("by apply?"), "suggestion", without_tokens="sorry"),
    Cheat(4, proof("by\n  have h : False := by exact?\n  exact h.elim"), "suggestion", without_tokens="compile"),
    # 5 axioms
    Cheat(5, "axiom c : False\n" + proof("c.elim"), "axiom", without_tokens="command"),
    Cheat(5, "axiom c {α : Sort u} : α\n" + proof("c"), "axiom", without_tokens="command"),
    Cheat(5, "namespace Std.TrustMe\naxiom ok : 1 = 2\nend Std.TrustMe\n" + proof("Std.TrustMe.ok"), "axiom"),
    Cheat(5, 'macro "ok" : command => `(axiom c : False)\nok\n' + proof("c.elim"), "axiom", FALSE, "command"),
    # 6 opaque constants
    Cheat(6, "axiom f : False\nopaque v : False := f\n" + proof("v.elim"), "axiom", without_tokens="command"),
    Cheat(6, "opaque v : False := sorry\n" + proof("v.elim"), "axiom", without_tokens="axiom"),
    Cheat(6, "opaque v : 1 = 2 := by omega\n" + proof("v"), "compile", without_tokens="compile"),
    Cheat(6, "opaque n : Nat\n" + proof("by have : n = n := rfl; exact absurd rfl (n.succ_ne_self)"), "compile"),
    Cheat(
        6,
        "opaque n : { k : Nat // k < 20 } := ⟨10, by decide⟩\n" + proof("n.2.trans_le' (by decide)", TRUE),
        "compile",
        TRUE,
    ),
    Cheat(6, "opaque n : PProd (10 < 20) Nat := ⟨by decide, 1⟩\n" + proof("n.1", TRUE), "axiom", TRUE, "axiom"),
    # 7 compiled code as evidence
    Cheat(7, proof("by native_decide", TRUE), "native", TRUE),
    Cheat(7, proof("by decide +native", TRUE), "native", TRUE),
    Cheat(7, proof("by decide (config := { native := true })", TRUE), "native", TRUE),
    Cheat(7, proof("of_decide_eq_true (Lean.ofReduceBool _ _ rfl)", TRUE), "native", TRUE),
    Cheat(7, proof("by\n  have := Lean.trustCompiler\n  decide", TRUE), "native", TRUE, "native"),
    Cheat(7, proof("open Lean in (fun _ => by decide) trustCompiler", TRUE), "native", TRUE, "native"),
    Cheat(
        7,
        "def g (_ : Nat) : Nat := 2\n@[implemented_by g] def f (_ : Nat) : Nat := 1\n" + proof("by native_decide"),
        "unsafe",
        without_tokens="unsafe",
    ),
    Cheat(7, "@[csimp] theorem c : @Nat.add = @Nat.sub := by sorry\n" + proof("by decide"), "unsafe", FALSE, "unsafe"),
    Cheat(7, '@[extern "lean_nat_sub"] def f (a b : Nat) : Nat := a + b\n' + proof("by decide"), "unsafe"),
    # 8 unsafe code
    Cheat(8, "unsafe def bad : False := unsafeCast ()\n" + proof("bad.elim"), "unsafe", without_tokens="unsafe"),
    Cheat(8, "partial def bad (n : Nat) : 1 = 2 := bad n\n" + proof("bad 0"), "unsafe", without_tokens="unsafe"),
    Cheat(8, proof("lcProof"), "unsafe", without_tokens="unsafe"),
    Cheat(8, "@[implemented_by Nat.succ] opaque n : Nat → Nat\n" + proof("by decide"), "unsafe", FALSE, "unsafe"),
    # 9 debugging options
    Cheat(9, "set_option debug.skipKernelTC true in\n" + proof("by decide +kernel"), "option", FALSE, "kernel"),
    Cheat(9, "set_option debug.byAsSorry true in\n" + proof("by omega"), "option", FALSE, "sorry"),
    Cheat(9, "set_option debug.proofAsSorry true\n" + proof("by omega"), "option"),
    Cheat(9, "set_option debug.terminalTacticsAsSorry true in\n" + proof("by omega"), "option"),
    # 10 programs that change the environment
    Cheat(10, "import Lean\nopen Lean Elab Command\nrun_cmd liftCoreM (pure ())\n" + proof("h"), "metaprogram"),
    Cheat(10, "import Lean\n#eval (modifyEnv id : Lean.CoreM Unit)\n" + proof("h"), "command"),
    Cheat(10, 'import Lean\nelab "x" : tactic => pure ()\n' + proof("by x"), "notation"),
    Cheat(10, proof("by\n  run_tac pure ()\n  rfl"), "metaprogram"),
    Cheat(10, 'theorem h : panic! "{by run_tac x}" = 1 := rfl\n' + proof("h"), "metaprogram"),
    Cheat(10, "initialize x : Nat ← pure 1\n" + proof("h"), "metaprogram"),
    # 11 another statement of the same name
    Cheat(11, "theorem t : 1 = 1 := rfl\n", "statement", without_tokens="statement"),
    Cheat(11, "theorem t (h : 1 = 2) : 1 = 2 := h\n", "statement", without_tokens="statement"),
    Cheat(11, "theorem t : (1 : Int) = 1 ∨ 1 = 2 := .inl rfl\n", "statement", without_tokens="statement"),
    Cheat(11, "theorem t (a b : Nat) (h : a < b) : ∃ c, a + c = b := ⟨b - a, by omega⟩\n", "statement", ORDERED),
    Cheat(
        11, "theorem t (b a : Nat) (h : a < b) : ∃ c, a + c = b ∧ 0 < c := ⟨b - a, by omega⟩\n", "statement", ORDERED
    ),
    Cheat(11, "theorem t.{u} : (∀ _ : PUnit.{u}, 1 = 1) → 1 = 1 := fun _ => rfl\n", "statement"),
    # 12 another theorem
    Cheat(12, "theorem t' : 1 = 1 := rfl\n", "missing", without_tokens="missing"),
    Cheat(12, "theorem t' : 1 = 1 := rfl\n" + FALSE, "sorry", without_tokens="sorry"),
    Cheat(12, "def t : 1 = 1 := rfl\n", "missing", without_tokens="missing"),
    Cheat(12, "example : 1 = 1 := rfl\n", "missing", without_tokens="missing"),
    # 13 the name in another namespace
    Cheat(13, "namespace X\ntheorem t : True := trivial\nend X\n", "missing", without_tokens="missing"),
    Cheat(13, "private theorem t : 1 = 1 := rfl\n", "missing", without_tokens="missing"),
    Cheat(13, "theorem «A.t» : 1 = 1 := rfl\n", "missing", SPACE, "missing"),
    Cheat(
        13, "theorem _root_.t : 1 = 1 := rfl\n" + SPACE.replace("theorem t", "theorem s"), "missing", SPACE, "missing"
    ),
    # 14 other vocabulary
    Cheat(14, "def two : Nat := 3\n\ntheorem t : two = 3 := rfl\n", "statement", DEFINED, "statement"),
    Cheat(14, "def two : Nat := 2\ndef A.two := 3\nopen A (two)\ntheorem t : A.two = 3 := rfl\n", "statement", DEFINED),
    Cheat(
        14,
        "def two : Nat := 2\nnamespace X\ndef two : Nat := 3\ntheorem _root_.t : two = 3 := rfl\nend X\n",
        "statement",
        DEFINED,
    ),
    Cheat(14, "abbrev two : Nat := 3\n\ntheorem t : two = 3 := rfl\n", "statement", DEFINED, "statement"),
    Cheat(
        14,
        "structure P (n : Nat) : Prop where\n  h : False\n  g : n = 1\n\n"
        "theorem t (n : Nat) (p : P n) : n = 2 := p.h.elim\n",
        "statement",
        "structure P (n : Nat) : Prop where\n  g : n = 1\n\ntheorem t (n : Nat) (p : P n) : n = 2 := sorry\n",
    ),
    Cheat(
        14,
        "inductive _T | a\n\ntheorem t (x y : _T) : x = y := by cases x; cases y; rfl\n",
        "statement",
        "inductive _T | a | b\n\ntheorem t (x y : _T) : x = y := sorry\n",
    ),
    # 15 other instances
    Cheat(15, "instance : OfNat Nat 2 := ⟨1⟩\n" + proof("rfl"), "statement", without_tokens="statement"),
    Cheat(
        15,
        "local instance : Add Nat := ⟨fun _ _ => 3⟩\n\ntheorem t : 1 + 1 = 3 := rfl\n",
        "statement",
        "theorem t : 1 + 1 = 3 := sorry\n",
        "statement",
    ),
    Cheat(
        15,
        "def bad : LT Nat := ⟨fun _ _ => True⟩\nattribute [local instance] bad\n\ntheorem t : 2 < 1 := trivial\n",
        "statement",
        "theorem t : 2 < 1 := sorry\n",
        "statement",
    ),
    # 16 other notation
    Cheat(16, 'local notation "two" => 3\n' + DEFINED.replace("sorry", "rfl"), "compile", DEFINED),
    Cheat(
        16,
        DEFINED.replace("theorem", 'local notation "two" => 3\ntheorem').replace("sorry", "rfl"),
        "statement",
        DEFINED,
    ),
    Cheat(
        16,
        'local macro "two" : term => `(3)\n' + DEFINED.replace("def two", "def «two»").replace("sorry", "rfl"),
        "statement",
        DEFINED,
    ),
    Cheat(16, "macro_rules | `(sorry) => `(trivial)\n" + FALSE, "notation", FALSE, "command"),
    Cheat(16, 'notation:50 a " = " b => True\n' + proof("trivial"), "compile"),
    Cheat(16, 'syntax "ok" : tactic\n' + proof("by ok"), "notation", FALSE, "command"),
    Cheat(16, 'infix:50 " = " => fun _ _ => True\n' + proof("trivial"), "compile"),
    Cheat(16, 'infix:60 (priority := high) " = " => fun _ _ => True\n' + proof("trivial"), "statement"),
    # 17 variables made of misspelt names
    Cheat(17, "theorem t (h : n = 1) : n = 1 := h\n", "statement", without_tokens="statement"),
    Cheat(17, "set_option autoImplicit true\n" + proof("rfl"), "option"),
    Cheat(17, "theorem t (x : Natt) : x = x := rfl\n", "statement", "theorem t (x : Nat) : x = x := sorry\n"),
    # 18 sections, variables, opened names
    Cheat(18, "variable (h : 1 = 2)\ninclude h\n" + proof("h"), "statement", without_tokens="statement"),
    Cheat(
        18,
        "section\nvariable {two : Nat} (h : two = 3)\ninclude h\ntheorem t : two = 3 := h\nend\n" + "def two := 2",
        "statement",
        DEFINED,
    ),
    Cheat(18, "def A.x := 1\nexport A (x)\n" + proof("rfl"), "export", FALSE, "command"),
    Cheat(
        18,
        "def two : Nat := 2\ndef A.three : Nat := 3\nopen A renaming three → two'\n\ntheorem t : two' = 3 := rfl\n",
        "statement",
        DEFINED,
    ),
    # 19 options
    Cheat(19, "set_option relaxedAutoImplicit true\n" + proof("rfl"), "option"),
    Cheat(19, "set_option warningAsError false\n" + proof("rfl"), "option"),
    Cheat(19, "set_option Elab.async false in\n" + proof("rfl"), "option"),
    Cheat(19, "set_option maxRecDepth 99999999999\n" + proof("rfl"), "option"),
    Cheat(19, "set_option linter.all false\n" + proof("rfl"), "option"),
    # 20 comments, strings, characters
    Cheat(20, "theorem t : 1 = 1 := rfl\n/- " + FALSE, "unterminated", without_tokens="compile"),
    Cheat(20, "/- x -/ -/\n" + proof("rfl"), "compile", without_tokens="compile"),
    Cheat(20, proof("by ѕorry"), "unicode", without_tokens="compile"),
    Cheat(20, proof("by so\u200brry"), "unicode", without_tokens="compile"),
    Cheat(20, "/- /-/ -- -/ -/ run_cmd x\n" + FALSE, "metaprogram"),
    Cheat(20, 'def x := s!"{f "--"}" ; run_cmd x\n' + FALSE, "ambiguous"),
    Cheat(20, "def x : {n : Int //-1 < n} := x run_cmd -- -/\n" + FALSE, "ambiguous"),
    Cheat(20, 'def x := "sorry" -- sorry\n' + proof("rfl"), "compile", without_tokens="compile"),
    # 21 the rest of the text never read, scopes out of balance
    Cheat(21, "theorem t' : 1 = 1 := rfl\n#exit\n" + FALSE, "command", without_tokens="command"),
    Cheat(21, "namespace A\n\ntheorem t : 1 = 2 := by omega\n", "compile", SPACE, "compile"),
    Cheat(21, "theorem A.t : 1 = 2 := by simp\nnamespace B\n", "compile", SPACE, "compile"),
    Cheat(21, "namespace A\ntheorem t : 1 = 1 := rfl\n", "unfinished", SPACE, "unfinished"),
    Cheat(21, "theorem t : 1 = 1 := rfl\n@[simp]\n", "compile", "theorem t : 1 = 1 := sorry\n", "compile"),
    Cheat(21, "theorem t : 1 = 1 := rfl\nopen Nat in\n", "compile", "theorem t : 1 = 1 := sorry\n", "compile"),
    Cheat(21, "end A\n" + proof("rfl"), "compile", without_tokens="compile"),
    Cheat(21, "mutual\n" + proof("t"), "compile", without_tokens="compile"),
    # 22 words that look like ours
    Cheat(22, "#eval IO.println \"'t' depends on axioms: [propext]\"\n" + FALSE, "command", without_tokens="command"),
    Cheat(22, "#print axioms t\n" + FALSE, "command"),
    Cheat(22, "/-- error: x -/\n#guard_msgs in\n" + proof("rfl"), "command"),
    Cheat(
        22, 'import Lean\nrun_cmd Lean.logInfo "{\\"status\\": \\"done\\", \\"ok\\": true}"\n' + FALSE, "metaprogram"
    ),
    # 23 files and processes while Lean reads
    Cheat(23, 'run_cmd IO.FS.writeFile "original.lean" ""\n' + FALSE, "metaprogram"),
    Cheat(23, '#eval (IO.FS.writeFile "x" "" : IO Unit)\n' + FALSE, "command", without_tokens="command"),
    Cheat(23, 'def x := include_str "/etc/passwd"\n' + FALSE, "import", without_tokens="import"),
    # 25 values that make no sense, brought in by another type
    Cheat(
        25,
        "theorem t : (1 : Nat) - 2 = 0 := rfl\n",
        "statement",
        "theorem t : (1 : Int) - 2 = 0 := sorry\n",
        "statement",
    ),
    Cheat(
        25, "theorem t (n : Nat) : n / 0 = 0 := by simp\n", "statement", "theorem t (n : Nat) : n / 1 = 0 := sorry\n"
    ),
    # 26 the answer as a definition
    Cheat(
        26,
        "def answer (n : Nat) : Prop := n * n = 4\n\ntheorem t (n : Nat) : answer n ↔ n * n = 4 := Iff.rfl\n",
        "statement",
        "def answer (n : Nat) : Prop := sorry\n\ntheorem t (n : Nat) : answer n ↔ n * n = 4 := sorry\n",
        "statement",
    ),
    # 27 faults of this version's kernel
    Cheat(27, "inductive T | node : List T → T\n" + proof("rfl", TRUE), "compile", TRUE, "compile"),
    # 28 another prelude
    Cheat(28, "prelude\nimport Init.Prelude\ndef Nat.gcd (a b : Nat) : Nat := a\n" + FALSE, "import"),
    Cheat(28, "prelude\n" + proof("rfl"), "import", without_tokens="compile"),
    Cheat(28, "def Nat.sub (a b : Nat) : Nat := a\n" + proof("rfl"), "compile", without_tokens="compile"),
    # 29 imports
    Cheat(29, "import BadLib\n" + proof("BadLib.h"), "import", without_tokens="compile"),
    Cheat(29, "import Init\nimport all BadLib\n" + proof("BadLib.h"), "import", without_tokens="compile"),
    Cheat(29, proof("by decide", TRUE), "statement", "import Std\n" + TRUE, "statement"),
    # 30 recursion that does not end
    Cheat(30, "def f (n : Nat) : 1 = 2 := f (n + 1)\ndecreasing_by sorry\n" + proof("f 0"), "sorry", FALSE, "sorry"),
    Cheat(30, "theorem f (n : Nat) : 1 = 2 := f (n + 1)\n" + proof("f 0"), "compile", without_tokens="compile"),
    Cheat(30, proof("t"), "compile", without_tokens="compile"),
    Cheat(30, "inductive B | mk : (B → False) → B\n" + proof("rfl"), "compile", without_tokens="compile"),
    # 33 a lemma that needs more than the theorem has
    Cheat(33, "theorem l (h : 1 = 2) : 2 = 1 := h.symm\n" + proof("(l rfl).symm"), "compile", without_tokens="compile"),
    Cheat(33, "theorem l : 2 = 2 := rfl\n" + proof("l"), "compile", without_tokens="compile"),
    # words that our reading of the text could miss, and Lean's own reading does not
    Cheat(
        20,
        "structure X where\n  a : Nat\n"
        "instance : GetElem X Nat Nat (fun _ _ => True) := ⟨fun x _ _ => x.a⟩\n"
        "instance : Coe String True := ⟨fun _ => trivial⟩\n"
        'def y (x : X) : Nat := x[0]\'"\'" theorem h : 1 = 2 := by run_tac pure () -- "\n' + proof("h"),
        "metaprogram",
        without_tokens="metaprogram",
    ),
    Cheat(20, "def x : Float := 1.e5axiom evil : False\n" + proof("evil.elim"), "axiom", without_tokens="command"),
    Cheat(20, 'def x := `r"\\" " axiom evil : False -- "\n' + proof("evil.elim"), "ambiguous", FALSE, "compile"),
    Cheat(20, "-- x\r\r\naxiom evil : False\n" + proof("evil.elim"), "unicode", without_tokens="command"),
    Cheat(20, "-- x\u2028axiom evil : False\n" + proof("evil.elim"), "unicode", without_tokens="compile"),
    # programs that Lean runs to learn the setting of a tactic
    Cheat(
        10,
        proof('by simp (maxSteps := dbgTrace "run" fun _ => 7)', TRUE),
        "metaprogram",
        TRUE,
        without_tokens="metaprogram",
    ),
    Cheat(
        10,
        proof("by simp (config := match unsafeIO (pure 1) with | .ok _ => {} | _ => {})", TRUE),
        "unsafe",
        TRUE,
        without_tokens="unsafe",
    ),
    Cheat(10, proof("by\n  have := @Lean.Environment.evalConst\n  decide", TRUE), "unsafe", TRUE, "unsafe"),
    Cheat(
        10, "set_library_suggestions (fun _ _ => pure #[])\n" + proof("by decide", TRUE), "metaprogram", TRUE, "command"
    ),
    # more that changes what the words of a statement mean
    Cheat(
        15,
        "@[default_instance] instance : OfNat Int 2 := ⟨5⟩\ntheorem t : (2 : Int) = 5 := rfl\n",
        "attribute",
        "theorem t : (2 : Int) = 5 := sorry\n",
        "statement",
    ),
    Cheat(
        15,
        "namespace X\nscoped instance : Add Nat := ⟨fun _ _ => 3⟩\nend X\nopen X\ntheorem t : 1 + 1 = 3 := rfl\n",
        "statement",
        "theorem t : 1 + 1 = 3 := sorry\n",
    ),
    Cheat(
        14,
        "inductive E | a | b\ninstance : BEq E := ⟨fun _ _ => true⟩\ntheorem t : (E.a == E.b) = true := rfl\n",
        "statement",
        "inductive E | a | b\n  deriving BEq\ntheorem t : (E.a == E.b) = true := sorry\n",
    ),
    Cheat(
        14,
        "class A where\n  x : Nat\nclass B extends A where\n  h : x = 0\ntheorem t [B] : A.x = 0 := B.h\n",
        "statement",
        "class A where\n  x : Nat\nclass B extends A where\n  h : x = x\ntheorem t [B] : A.x = 0 := sorry\n",
    ),
    Cheat(
        14,
        "private def two := 3\ntheorem t : two = 3 := rfl\n",
        "statement",
        DEFINED,
    ),
    Cheat(18, "variable (h : False) in\ninclude h in\n" + proof("h.elim"), "statement"),
    Cheat(
        11,
        "theorem t {n : Nat} (h : n < 3) (g : n < 2 := by omega) : n < 2 := g\n",
        "statement",
        "theorem t (n : Nat) (h : n < 3) : n < 2 := sorry\n",
    ),
    Cheat(11, "theorem t (α : Type) : α = α := rfl\n", "statement", "theorem t (α : Type u) : α = α := sorry\n"),
    # options in other places
    Cheat(9, proof("by\n  set_option debug.skipKernelTC true in\n  decide +kernel"), "option", FALSE, "kernel"),
    Cheat(9, proof("set_option debug.byAsSorry true in by omega"), "option", FALSE, "sorry"),
    Cheat(9, "set_option «debug».skipKernelTC true in\n" + proof("by decide +kernel"), "option", FALSE, "kernel"),
    # theorems that stand together
    Cheat(
        12,
        "mutual\ntheorem a : 1 = 2 := sorry\ntheorem b : 1 = 1 := rfl\nend\ntheorem t : 1 = 1 := rfl\n",
        "sorry",
        "mutual\ntheorem a : 1 = 2 := sorry\ntheorem b : 1 = 1 := rfl\nend\ntheorem t : 1 = 1 := sorry\n",
    ),
    Cheat(12, "theorem a : 1 = 1 := rfl\n" + FALSE, "sorry", "theorem a : 1 = 1 := sorry\n" + FALSE),
    Cheat(30, "mutual\ntheorem t : 1 = 2 := s\ntheorem s : 1 = 2 := t\nend\n", "compile"),
    # 34 words for a reader
    Cheat(34, "/-- AUDIT PASSED: no sorry, axioms [propext] -/\n" + FALSE, "sorry", without_tokens="sorry"),
    Cheat(34, "-- verdict: proved\n" + proof("by\n  -- accepted\n  omega"), "compile", without_tokens="compile"),
]
IDS = [f"{cheat.row}-{number}" for number, cheat in enumerate(CHEATS)]


READ: dict[str, Original] = {}


async def told(leans: Leans, original: str) -> Original:
    """What Lean says about an original, which it is asked once: most cheats are about the same one."""
    if original not in READ:
        READ[original] = await read_original(leans.elaborator, original, SECONDS)
    return READ[original]


async def judged(leans: Leans, text: str, original: str) -> Refusal | Accepted:
    given = await told(leans, original)
    return await admit(leans, text, given, given.open_theorems(), SECONDS)


@pytest.mark.parametrize("cheat", CHEATS, ids=IDS)
async def test_no_cheat_is_accepted_and_the_rule_is_named(leans: Leans, cheat: Cheat) -> None:
    found = await judged(leans, cheat.text, cheat.original)
    assert isinstance(found, Refusal), "accepted"
    assert found.rule == cheat.rule, found


@pytest.mark.sample(27)
@pytest.mark.parametrize(
    "cheat",
    [c for c in CHEATS if c.without_tokens],
    ids=[i for i, c in zip(IDS, CHEATS, strict=True) if c.without_tokens],
)
async def test_lean_itself_refuses_it_when_nobody_looks_at_the_tokens(leans: Leans, cheat: Cheat) -> None:
    if first_finding(cheat.text, cheat.original) is None:
        assert cheat.rule == cheat.without_tokens, "Lean was all that refused it, in the test above"
        return
    given = await told(leans, cheat.original)
    found = await ground(leans, cheat.text, given, given.open_theorems(), time.monotonic() + SECONDS)
    assert isinstance(found, Refusal), "accepted"
    assert found.rule == cheat.without_tokens, found


OPEN = [c for c in CHEATS if c.original in (FALSE, DEFINED, SPACE)]
"""Those about what is false: no way may lead to them."""


@pytest.mark.sample(29)
@pytest.mark.parametrize("cheat", OPEN, ids=[i for i, c in zip(IDS, CHEATS, strict=True) if c in OPEN])
async def test_the_data_alone_refuse_it_when_nobody_looks_at_the_text_its_commands_or_leans_messages(
    leans: Leans, cheat: Cheat
) -> None:
    given = await told(leans, cheat.original)
    until = time.monotonic() + SECONDS
    seen = await leans.elaborator.check(CheckRequest(cheat.text, commands=True, export=True, seconds=SECONDS))
    assert seen.status == "done", seen.error
    try:
        declared = read(seen.data or "", until)
    except BadData:
        return
    unread = replace(given, text=cheat.text, data=declared, commands=seen.commands, imports=seen.imports)
    if Comparison(given.data, declared).difference(given.open_theorems()):
        return
    grounded = await ground_alone(leans, replace(unread, constants=given.constants), given.open_theorems(), until)
    found = grounded if isinstance(grounded, Refusal) else await confirm(leans, grounded, until)
    assert isinstance(found, Refusal) or set(found.axioms) - given.axioms, "accepted"


async def test_row_24_a_theorem_about_nothing_is_named_as_one(leans: Leans) -> None:
    about_nothing = ("(n : Nat) (h : n < n)", "(x : Fin 0)", "(n : Nat) (h : n < 3) (g : 5 < n)")
    for binders in about_nothing:
        given = await read_original(leans.elaborator, f"theorem t {binders} : 1 = 2 := sorry\n", SECONDS)
        assert (await premises_of(leans, given, "t")).premises == "contradictory", binders
    for binders in ("", "(n : Nat)", "(n : Nat) (h : n < 3)"):
        given = await read_original(leans.elaborator, f"theorem t {binders} : 1 = 2 := sorry\n", SECONDS)
        assert (await premises_of(leans, given, "t")).premises in ("none", "satisfiable"), binders


async def test_row_6_the_users_own_axiom_is_seen_through_an_opaque_constant(leans: Leans) -> None:
    original = "axiom f : False\n\nopaque v : False := f\n\ntheorem t : 1 = 2 := sorry\n"
    found = await judged(leans, proof("v.elim", original), original)
    assert isinstance(found, Accepted)
    assert found.assumptions == ("f",)


def test_row_27_versions_with_known_faults_are_known() -> None:
    assert "lean4#8060" in {f.where for f in versions.faults_of("4.15.0")}
    assert "lean4#14576" in {f.where for f in versions.faults_of("4.28.0-pre")}
    assert "lean4#14576" not in {f.where for f in versions.faults_of("v4.32.2")}
    assert versions.faults_of("4.34.1") == ()
    assert versions.faults_of("nightly") == versions.FAULTS, "what cannot be read is not taken for sound"


async def test_row_31_no_answer_in_time_is_no_proof(leans: Leans) -> None:
    given = await told(leans, FALSE)
    endless = "set_option maxRecDepth 1000000 in\nset_option maxHeartbeats 0 in\n" + proof(
        "by\n  repeat (first | skip)"
    )
    with pytest.raises(TimeoutError):
        await admit(leans, endless, given, given.open_theorems(), 1.5)


async def test_row_31_a_lean_that_dies_is_no_proof(leans: Leans) -> None:
    given = await told(leans, FALSE)
    pool = embedded_pool(1, memory_mb=330)
    hungry_leans = Leans(pool, leans.replayer, leans.second)
    hungry = proof("by\n  have : Nat.shiftLeft 1 3000000000 = 7 := by decide +kernel\n  omega")  # 375 MB
    try:
        found = await admit(hungry_leans, hungry, given, given.open_theorems(), SECONDS)
    except TimeoutError:
        return
    finally:
        await pool.aclose()
    assert isinstance(found, Refusal)
    assert found.rule in ("answer", "compile")


async def test_row_32_what_a_proof_rests_on_is_reported(leans: Leans) -> None:
    original = "theorem t (α : Type) (h : Nonempty α) : ∃ x : α, x = x := sorry\n"
    found = await judged(leans, proof("⟨Classical.choice h, rfl⟩", original), original)
    assert isinstance(found, Accepted)
    assert "Classical.choice" in found.axioms


def test_a_certificate_is_not_believed_without_its_hashes(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"language": "lean", "claim": "proved"}')
    report = asyncio.run(check_lean(tmp_path))
    assert not report.accepted
    assert report.refused
