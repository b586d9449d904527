"""Ways through an earlier gate: closed by the text, by the data when nobody looks at the text, or harmless."""

import time
from dataclasses import replace

import pytest

from goedels_poetry.checker.lean import gate
from goedels_poetry.checker.lean.gate import Accepted, Leans, admit
from goedels_poetry.checker.lean.original import Refusal, read_original
from goedels_poetry.lean.gate.compare import Comparison, Opinion
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.runtime.protocol import CheckRequest

SECONDS = 60.0
TRUE = "theorem t (n : Nat) : n + 0 = n := sorry\n"
PROVED = "theorem t (n : Nat) : n + 0 = n := rfl\n"
FALSE = "theorem t : False := sorry\n"

BEFORE_IN = {
    "a simproc": "import Lean\ndef quiet : Lean.Meta.Simp.Simproc := fun _ => return .continue\n"
    "simproc_pattern% (_ + 0) => quiet in\n",
    "the quotients": "init_quot in\n",
    "sealing": "def z := 0\nseal z in\n",
    "an assertion": "assert_not_exists Foo in\n",
    "a widget": "show_panel_widgets [] in\n",
    "a command between two openings": "open Nat in #discr_tree_simp_key Nat in\n",
    "a command before an opening": "#discr_tree_simp_key Nat in open Nat in\n",
    "an evaluation": "#eval 1 in\n",
    "deep inside": "open Nat in open Nat in set_option pp.all true in init_quot in open Nat in\n",
}


@pytest.mark.parametrize("before", BEFORE_IN.values(), ids=BEFORE_IN)
async def test_a_command_before_in_is_a_command(leans: Leans, before: str) -> None:
    given = await read_original(leans.elaborator, TRUE, SECONDS)
    found = await admit(leans, before + PROVED, given, ("t",), SECONDS)
    assert isinstance(found, Refusal)
    assert found.rule in ("command", "compile", "metaprogram"), found


SETTINGS = (
    "(maxSteps := steps)",
    "(maxSteps := steps + 0)",
    "(config := settings)",
    "(config := { settings with maxSteps := 3 })",
    "(config := { maxSteps := steps })",
    "(maxSteps := (fun _ => 7) ())",
    "(maxSteps := if true then 7 else 8)",
    "(maxSteps := Nat.zero)",
)


@pytest.mark.parametrize("setting", SETTINGS)
async def test_a_setting_of_a_tactic_is_a_literal(leans: Leans, setting: str) -> None:
    settings = "import Lean\ndef steps : Nat := 100000\ndef settings : Lean.Meta.Simp.Config := {}\n"
    given = await read_original(leans.elaborator, TRUE, SECONDS)
    text = settings + TRUE.replace("sorry", f"by simp {setting}")
    found = await admit(leans, text, given, ("t",), SECONDS)
    assert isinstance(found, Refusal)
    assert found.rule == "metaprogram", found


LITERALS = (
    "(maxSteps := 700)",
    "(config := { maxSteps := 10_000, contextual := true })",
    "+contextual",
    "(singlePass := true)",
)


@pytest.mark.parametrize("setting", LITERALS)
async def test_literal_settings_are_taken(leans: Leans, setting: str) -> None:
    given = await read_original(leans.elaborator, TRUE, SECONDS)
    found = await admit(leans, TRUE.replace("sorry", f"by simp {setting}"), given, ("t",), SECONDS)
    assert isinstance(found, Accepted), found


METAPROGRAM = "import Lean\nopen Lean Elab Command\n"
ADDED = """def add (env : Environment) (d : Declaration) (check : Bool := true) : Environment :=
  match env.addDeclCore 0 d none check with
  | .ok changed => changed
  | .error _ => env
"""
OPEN_VALUE = """def no : Expr := mkConst `False
def same (e : Expr) : Expr := mkApp2 (.const `id [.zero]) no e
def known : Expr := .app (.lam `x (.forallE `y no no .default) no .default) (.lam `y no (same (.bvar 0)) .default)
def free (i : Nat) : Expr := .fvar ⟨.num (.str .anonymous "_kernel_fresh") i⟩
def guess (i : Nat) : Declaration := .opaqueDecl
  { name := `lie, levelParams := [], type := known, value := same (free i), isUnsafe := false, all := [`lie] }
def guesses (env : Environment) : Nat → Environment
  | 0 => env
  | n + 1 => guesses (add env (guess n)) n
run_cmd do setEnv (guesses (← getEnv) 8)
"""
CLOSED_BY_DATA = {
    "an opaque constant whose value is a free variable (lean4#14484)": METAPROGRAM
    + ADDED
    + OPEN_VALUE
    + "theorem t : False := lie\n",
    "a theorem that no kernel has seen": METAPROGRAM + ADDED + "def d : Declaration := .thmDecl\n"
    "  { name := `lie, levelParams := [], type := .const `False [], value := .const `True.intro [] }\n"
    "run_cmd do setEnv (add (← getEnv) d false)\ntheorem t : False := lie\n",
    "checks that are switched off": "set_option debug.skipKernelTC true\ntheorem t : False := by decide +kernel\n",
    "an axiom made by a program": METAPROGRAM + ADDED + "def d : Declaration := .axiomDecl\n"
    "  { name := `lie, levelParams := [], type := .const `False [], isUnsafe := false }\n"
    "run_cmd do setEnv (add (← getEnv) d)\ntheorem t : False := lie\n",
}
RULES = ("data", "kernel", "kernel", "axiom")


@pytest.mark.parametrize(("text", "rule"), list(zip(CLOSED_BY_DATA.values(), RULES, strict=True)), ids=CLOSED_BY_DATA)
async def test_the_data_say_what_a_program_in_the_text_would_hide(leans: Leans, text: str, rule: str) -> None:
    given = await read_original(leans.elaborator, FALSE, SECONDS)
    assert isinstance(await admit(leans, text, given, ("t",), SECONDS), Refusal), "all its walls together stop it early"
    seen = await leans.elaborator.check(CheckRequest(text, commands=True, export=True, seconds=SECONDS))
    assert (seen.status, seen.errors) == ("done", ()), "Lean itself takes it"
    if seen.data is None:
        assert (rule, seen.error) == ("data", "a free variable in a declaration")
        return
    data = read(seen.data)
    assert Comparison(given.data, data).difference(["t"]) == "", "it states what it should"
    found = await gate.rests(leans, seen, text, given, data, ("t",), time.monotonic() + SECONDS)
    assert isinstance(found, Refusal), "accepted"
    assert found.rule == rule, found


HARMLESS = {
    "a macro for a tactic": 'local macro "done!" : tactic => `(tactic| rfl)\n' + TRUE.replace("sorry", "by done!"),
    "notation for a type": 'local notation "ℕ" => Nat\ntheorem t (n : ℕ) : n + 0 = n := rfl\n',
    "an operator": 'local infixl:65 " ⊞ " => Nat.add\ntheorem h (n : Nat) : n ⊞ 0 = n := rfl\n'
    + TRUE.replace("sorry", "h n"),
    "a helper that is nested": "inductive Tree | node : List Tree → Tree\n"
    "def Tree.size : Tree → Nat | .node ts => ts.length\n"
    "theorem one (x : Tree) : x.size + 0 = x.size := rfl\n" + TRUE.replace("sorry", "(fun _ => rfl) (one (.node []))"),
    "an opaque constant that is not used": "opaque secret : Nat\n" + PROVED,
    "a pattern for grind": "def f (n : Nat) := n\ntheorem f_id (n : Nat) : f n = n := rfl\ngrind_pattern f_id => f n\n"
    + TRUE.replace("sorry", "by have := f_id (f n); grind [f]"),
    "another theorem's name for a macro": 'macro "pf" : tactic => `(tactic| omega)\n' + TRUE.replace("sorry", "by pf"),
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
async def test_what_the_data_show_to_be_harmless_is_accepted(leans: Leans, text: str) -> None:
    given = await read_original(leans.elaborator, TRUE, SECONDS)
    found = await admit(leans, text, given, ("t",), SECONDS)
    assert isinstance(found, Accepted), found
    assert found.opinion.verdict == "accepted", found.opinion


@pytest.mark.parametrize(
    "helper",
    [
        "inductive other | node : List other → other\n",
        "def other : Nat := 3\n",
        "theorem other : 1 = 1 := rfl\n",
    ],
)
async def test_the_name_of_a_theorem_of_the_original_means_what_it_meant(leans: Leans, helper: str) -> None:
    given = await read_original(leans.elaborator, "theorem other : 2 = 2 := rfl\n" + TRUE, SECONDS)
    found = await admit(leans, helper + PROVED, given, ("t",), SECONDS)
    assert isinstance(found, Refusal)
    assert found.rule == "statement", found


async def test_without_the_second_kernel_a_type_is_a_strangers_unless_it_is_the_users(leans: Leans) -> None:
    async def silent(*_: object) -> Opinion:
        return Opinion("undecided", "not asked")

    until = time.monotonic() + SECONDS
    text = "inductive C | a | b\n\ntheorem t (c : C) : c = c := rfl\n"
    alone = replace(leans, second=silent)
    given = await read_original(leans.elaborator, text.replace("rfl", "sorry"), SECONDS)
    assert isinstance(await admit(alone, text, given, ("t",), SECONDS), Accepted), "the type is the user's"
    own = await read_original(leans.elaborator, text, SECONDS)
    grounded = await gate.ground_alone(alone, own, ("t",), until)
    assert not isinstance(grounded, Refusal)
    found = await gate.confirm(alone, grounded, until)
    assert isinstance(found, Refusal), "nobody has said whose type it is"
    assert found.rule == "version", found
