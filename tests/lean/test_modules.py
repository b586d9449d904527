"""Files that import modules of their own project: read, proved, refused, and checked from the certificate alone."""

import os
import re
from pathlib import Path

import pytest

from goedels_poetry.checker.lean.audit import audit_file
from goedels_poetry.checker.lean.certify import certify_proof, check_lean, read_lean
from goedels_poetry.checker.lean.verify import FreshLean
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.text.modules import READ_BY, about_modules, own_start, own_text, place_in, with_modules
from goedels_poetry.lean.text.source import open_theorems, read_target

BASIC = "import Std.Data.HashMap\nnoncomputable section\nnamespace P\n\ndef f (n : Nat) : Nat := n + 1\n"
MORE = """import P.Basic
open P
variable (k : Nat)
theorem P.f_pos : 0 < f k := Nat.succ_pos k
theorem P.later : f 0 = 1 := by sorry
"""
MAIN = """/- import nothing -/
import P.More -- and this
import P.Basic

theorem t (n : Nat) : P.f n = n + 1 := by
  sorry
"""
CHEAT = """import Lean
open Lean Elab Command
def lied (env : Environment) : Environment :=
  match env.addDeclCore 0 (.thmDecl ⟨⟨`lie, [], mkConst ``False⟩, mkConst ``True.intro, [`lie]⟩) none false with
  | .ok env => env
  | .error _ => env
run_cmd do setEnv (lied (← getEnv))
theorem P.x : 1 = 2 := lie.elim
"""
MACRO = "macro_rules | `($a = $b) => `(True)\n"
INSTANCE = "instance bad : LE Nat := ⟨fun _ _ => True⟩\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Lake project with a source folder, two modules and a file, on a machine without a toolchain."""
    (tmp_path / "lakefile.toml").write_text('name = "p"\nsrcDir = "src"\n[[lean_lib]]\nname = "P"\n')
    (tmp_path / "lean-toolchain").write_text("leanprover/lean4:v4.28.0\n")
    (tmp_path / "src" / "P").mkdir(parents=True)
    for name, text in {"P/Basic": BASIC, "P/More": MORE, "Main": MAIN}.items():
        (tmp_path / "src" / f"{name}.lean").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELAN_HOME", str(tmp_path / "no elan"))
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.delenv("LEAN_PROJECT_PATH", raising=False)
    return tmp_path


def written(project: Path, main: str, **modules: str) -> str:
    """The text of a file with these modules of ``P``."""
    for name, text in modules.items():
        (project / "src" / "P" / f"{name}.lean").write_text(text)
    file = project / "src" / "Main.lean"
    file.write_bytes(main.encode())
    return with_modules(file, main)


@pytest.mark.parametrize("main", [MAIN, "\ufeff" + MAIN, MAIN.replace("\n", "\r\n"), "import P.Basic import P.More\n"])
def test_the_users_file_comes_back_as_it_was(project: Path, main: str) -> None:
    text = written(project, main)
    assert own_text(text) == main
    assert about_modules(text) == ("relative to the project's modules src/P/Basic.lean, src/P/More.lean",)
    assert text.removeprefix("\ufeff").startswith("import Std.Data.HashMap\nsection ")
    line = text.count("\n", 0, own_start(text))
    assert place_in(text, line + 3) == ("", 3)
    assert place_in(text, text[: text.index("variable (k")].count("\n") + 1) == ("src/P/More.lean", 3)


def test_what_imports_nothing_of_a_project_stays_as_it_is(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for text in ("theorem t : 1 = 1 := rfl\n", "import Std\n", "-- import P.Basic\n"):
        assert with_modules(project / "src" / "Main.lean", text) == text
    nowhere = tmp_path_factory.mktemp("nowhere") / "Main.lean"
    assert with_modules(nowhere, MAIN) == MAIN
    assert own_text(MAIN) == MAIN


@pytest.mark.parametrize(
    ("main", "modules", "said"),
    [
        ("import P.Gone\n", {}, r"^1:1: the project has no module P.Gone: no file P/Gone.lean$"),
        (
            "import Mathlib.Tactic\n",
            {},
            r"has no module Mathlib.Tactic: .*this Lean has no Mathlib; .* Init, Std and Lean. To use",
        ),
        ("\nimport P.A\n", {"A": "\nimport Mathlib\n"}, r"^2:1: src/P/A.lean:2: the project has no module Mathlib: "),
        ("import P.A\n", {"A": "import P.B\n", "B": "import P.A\n"}, "A.lean → src/P/B.lean → src/P/A.lean"),
        ("import P.A\n", {"A": "import Main\n"}, "import each other: src/Main.lean → src/P/A.lean → src/Main.lean"),
        ("import P.A\n", {"A": "module\nimport P.Basic\n"}, r"A.lean:1: a file that begins with `module`"),
        ("import P.A\n", {"A": "prelude\n"}, "begins with `prelude`"),
        ("import «../x»\n", {}, "a plain name of a module was expected"),
        ("import P.A\n", {"A": "-- " + "x" * 1_000_000}, "more than 1000000 characters"),
        ("-- /-gp import X-/\nimport P.Basic\n", {}, "cannot be told from ours"),
    ],
)
def test_imports_that_cannot_be_followed_are_told_with_their_place(
    project: Path, main: str, modules: dict[str, str], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        written(project, main, **modules)


def test_imports_in_a_long_row_end(project: Path) -> None:
    deep = {f"D{i}": f"import P.D{i + 1}\n" for i in range(600)} | {"D600": ""}
    with pytest.raises(InvalidInput, match="more than 200 modules import one another in a row"):
        written(project, "import P.D0\n", **deep)
    wide = {f"W{i}": f"def w{i} := {i}\n" for i in range(300)}
    assert len(about_modules(written(project, "".join(f"import P.{name}\n" for name in wide), **wide))) == 1


def test_the_name_of_a_folder_is_no_text_of_lean(project: Path) -> None:
    odd = project / "src" / "x\naxiom evil : False\n--"
    odd.mkdir()
    text = with_modules(odd / "Main.lean", MAIN)
    assert own_text(text) == MAIN
    assert "\naxiom evil" not in text


def test_a_module_is_one_file_of_the_project(project: Path) -> None:
    (project / "P").mkdir()
    (project / "P" / "Basic.lean").write_text("def f := 0\n")
    with pytest.raises(InvalidInput, match=r"P.Basic is several files: P/Basic.lean, src/P/Basic.lean"):
        written(project, "import P.Basic\n")
    (project / "src" / "P" / "Out.lean").symlink_to("/etc/hostname")
    (project / "lakefile.toml").write_text('srcDir = "../.."\n')
    with pytest.raises(InvalidInput, match="has no module"):
        written(project, "import P.Out\n")


async def test_theorems_of_modules_are_not_the_files(lean: LeanPool, project: Path) -> None:
    text = written(project, MAIN)
    assert await open_theorems(lean, text) == ("t",)
    target = await read_target(lean, text)
    assert target.full_name == "t"
    assert "P.f" in target.functions
    with pytest.raises(InvalidInput, match=r"no theorem is called 'P\.later'"):
        await read_target(lean, text, "P.later")


async def test_errors_are_told_in_the_file_that_has_them(lean: LeanPool, project: Path) -> None:
    text = written(project, "import P.A\n" + MAIN, A="def ok := 1\n\ntheorem no : 1 = 2 := rfl\n")
    with pytest.raises(InvalidInput, match=r"^src/P/A.lean:3: Type mismatch") as caught:
        await read_target(lean, text)
    assert caught.value.location["line"] is None
    assert "theorem no" in caught.value.location["source"]
    text = written(project, MAIN + "\n\ndef x : Nat := true\n")
    with pytest.raises(InvalidInput, match=r"^9:16: "):
        await read_target(lean, text)
    text = written(project, "import P.Basic\nimport P.A\n" + MAIN, A="namespace P\ndef f := 1\nend P\n")
    with pytest.raises(InvalidInput, match=r"^src/P/A.lean:2: `P.f` has already been declared"):
        await read_target(lean, text)


@pytest.mark.parametrize(
    "module",
    [
        "def a := 1\n/- never ends\n",  # and the file has a string that ends it
        "end\nopen Nat\nsection\n",
        "open Nat in\n",
        "#exit\n",
        "/-- of what follows -/\n",
        'def a := "\n',
        'macro (priority := high) "end " x:ident : command => `(#check $x)\nopen Nat\n',
        "mutual\ndef a := 1\n",
    ],
)
async def test_a_module_cannot_reach_into_the_next_file(kept: FreshLean, project: Path, module: str) -> None:
    main = 'import P.A\ndef s := "-/ def hidden := 2 --"\ntheorem t : 1 = 1 := by\n  sorry\n'
    with pytest.raises(InvalidInput) as caught:
        text = written(project, main, A=module)
        report = await audit_file(text.replace("sorry", "rfl"), text, "t", kept)
        raise InvalidInput(f"A.lean: {report.reasons}") if not report.accepted else AssertionError(report)
    assert re.search(r"A.lean|no theorem|#exit", str(caught.value))


async def test_a_certificate_is_checked_without_the_project(
    lean: LeanPool, kept: FreshLean, project: Path, tmp_path: Path
) -> None:
    text = written(project, MAIN)
    target = await read_target(lean, text)
    proof = text[: own_start(text)] + text[own_start(text) :].replace("sorry", "rfl")
    made = await certify_proof(kept, target, proof, tmp_path / "d", {})
    assert (made.verdict, made.trust_level) == (Verdict.PROVED, "L3")
    for file in (project / "src").rglob("*.lean"):
        file.unlink()
    report = await check_lean(tmp_path / "d", fresh=kept)
    assert report.accepted
    assert "of the file: P.f = fun n => n + 1" in report.notes
    changed = written(project, MAIN, Basic=BASIC.replace("n + 1", "n + 2"), More="import P.Basic\n")
    against = await check_lean(tmp_path / "d", changed, kept)
    assert not against.accepted
    assert "P.f" in against.reasons[0]
    assert "def f (n : Nat) : Nat := n + 1" in read_lean(tmp_path / "d").original


@pytest.mark.parametrize(
    ("main", "module", "tactic", "said"),
    [
        ("theorem t : 1 = 2 := by sorry", MACRO, "trivial", "theorem t : True"),
        ("theorem t : 2 ≤ 1 := by sorry", INSTANCE, "trivial", "theorem t : @LE.le.{0} Nat bad "),
    ],
)
async def test_what_modules_make_of_a_statement_is_told(
    lean: LeanPool, kept: FreshLean, project: Path, tmp_path: Path, main: str, module: str, tactic: str, said: str
) -> None:
    text = written(project, f"import P.A\n{main}\n", A=module)
    proof = text.replace("sorry", tactic)
    report = await audit_file(proof, text, fresh=kept)
    assert report.accepted, report.reasons
    assert report.notes[0].startswith(f"relative to the project's modules src/P/A.lean; read with them it is {said}")
    made = await certify_proof(kept, await read_target(lean, text), proof, tmp_path / "c", {})
    assert any(w.startswith(READ_BY) for w in made.warnings) == (module is MACRO)
    assert (await check_lean(tmp_path / "c", fresh=kept)).accepted == (module is not MACRO), (
        "as for a macro of the file itself"
    )


@pytest.mark.parametrize(
    ("module", "proof", "rule"),
    [
        ("@[simp] axiom evil : (1 = 2) = True\n", "simp", None),
        ("theorem P.open : 1 = 2 := by sorry\n", "exact P.open", "sorry"),
        ("@[implemented_by Nat.succ] def P.k (n : Nat) : Nat := n\n", "native_decide", "native"),
        (CHEAT, "exact P.x", "kernel"),
        ("set_option debug.skipKernelTC true\n", "exact (rfl : 1 = 1)", "compile"),
    ],
)
async def test_modules_prove_nothing_that_the_file_could_not(
    kept: FreshLean, project: Path, module: str, proof: str, rule: str | None
) -> None:
    text = written(project, "import P.A\ntheorem t : 1 = 2 := by sorry\n", A=module)
    report = await audit_file(
        text[: own_start(text)] + text[own_start(text) :].replace("sorry", proof), text, fresh=kept
    )
    if rule is None:  # the user's own axiom: assumed, and said
        assert report.assumptions == ("axiom evil, declared in the original",)
        assert str(report.trust_level) == "L1"
    else:
        assert (report.accepted, report.rule) == (False, rule)


async def test_a_file_by_itself_is_judged_with_its_modules(kept: FreshLean, project: Path) -> None:
    main, open_one = "import P.A\ntheorem t : 1 = 1 := rfl\n", "theorem P.a : 1 = 2 := by sorry\n"
    report = await audit_file(written(project, f"{main}theorem u : 1 = 2 := P.a\n", A=open_one), fresh=kept)
    assert (report.rule, report.place) == ("sorry", (3, 1))
    report = await audit_file(written(project, main, A=MACRO), fresh=kept)
    assert (report.accepted, report.reasons[0]) == (False, "src/P/A.lean:1: notation: `macro_rules`")
    report = await audit_file(written(project, main, A=open_one), fresh=kept)
    assert (report.accepted, report.statement) == (True, "theorem t : 1 = 1")
