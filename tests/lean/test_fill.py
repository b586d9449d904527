"""`prove --diff` and `--write`: a Lean file comes back with every hole filled that could be, or it stays as it is."""

import asyncio
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_lean import Kept

from goedels_poetry.checker.lean.certify import PROVED, LeanArchive, write_lean
from goedels_poetry.cli import fill_sorry
from goedels_poetry.cli.fill_sorry import Filled, Unfillable, difference, filled, left_open, objection
from goedels_poetry.cli.main import main
from goedels_poetry.lean import language
from goedels_poetry.lean.runtime.pool import LeanPool

FILE = (
    "\ufeff/-- A `sorry` in words is none. -/\r\n"
    "theorem one : 1 + 1 = 2 := by\r\n"
    "  sorry\r\n"
    "\r\n"
    "namespace A\r\n"
    "theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\r\n"
    "  have h : q := by sorry\r\n"
    "  exact ⟨hp, h⟩\r\n"
    "end A\r\n"
    "\r\n"
    "theorem wrong (n : Nat) : n + 1 = n := sorry\r\n"
    "example : 2 + 2 = 4 := by sorry\r\n"
)


class Shared(Kept):
    """The session's Lean for searches, too, which may close it as often as they like."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lean, name)


@pytest.fixture
def one_lean(lean: LeanPool, monkeypatch: pytest.MonkeyPatch, checked_by_kept: None) -> None:
    """Search, certificates and the check of the whole file ask the session's Lean."""
    monkeypatch.setattr(language, "open_lean", lambda settings: Shared(lean))
    monkeypatch.setattr(fill_sorry, "fresh_of", lambda settings: lambda: Kept(lean))


@pytest.fixture
def prove(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command in a folder of its own: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path / "home"))

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["goedels-poetry", "prove", *words])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


@pytest.mark.usefixtures("one_lean")
def test_every_hole_that_could_be_filled_is_and_what_stays_open_is_told(
    prove: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    real, link = tmp_path / "real.lean", tmp_path / "t.lean"
    real.write_bytes(FILE.encode())
    real.chmod(0o640)
    link.symlink_to(real)
    (tmp_path / "real.lean.orig").write_text("somebody's")
    code, patch, words = prove("t.lean", "--diff", "--write", "--quiet")
    now = real.read_bytes().decode()
    assert code == 3, words  # that of the theorem that is refuted

    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "real.lean.orig").read_text() == "somebody's"
    assert (tmp_path / "real.lean.orig.2").read_bytes() == FILE.encode()
    assert now.count("\n") == now.count("\r\n") and now.startswith("\ufeff/-- A `sorry` in words")
    assert [text for _, text in left_open(now.replace("\r\n", "\n"))] == [
        "theorem wrong (n : Nat) : n + 1 = n := sorry",
        "example : 2 + 2 = 4 := by sorry",
    ]
    assert patch.startswith("--- t.lean\n+++ t.lean\n@@ ") and "-  sorry\r\n" in patch, "the patch alone"
    assert "3 theorems: 2 proved, 1 refuted in " in words.splitlines()[-1]
    assert f"written: t.lean, 2 of 3 open theorems filled; what it was is in {real}.orig.2" in words
    assert "\r\n  have h : q := by " in now and "\r\n  exact ⟨hp, h⟩\r\n" in now
    assert "gave way" not in words, "the steps of the file are kept"
    assert "left open: t.lean:10: theorem wrong" in words or "left open: t.lean:11: theorem wrong" in words
    assert "\n  false: t.lean:" in words and "wrong (" in words and " is false)" in words
    assert "  proof:\n    theorem one : 1 + 1 = 2 := " in words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("t.smt2", "--write"), "--write fills holes (`sorry`), which only Lean files have: t.smt2"),
        (("-", "--language", "lean", "--write"), "--write has no file to write"),
        (("--informal", "two is even", "--diff"), "--diff fills the holes of Lean files; a claim in words has none"),
    ],
)
def test_what_has_no_holes_is_refused_before_any_work(
    prove: Callable[..., tuple[int, str, str]], words: tuple[str, ...], says: str
) -> None:
    code, out, err = prove(*words)
    assert (code, out) == (2, "") and says in err


# -- the text ---------------------------------------------------------------------------------------------------------


def certificate(folder: Path, original: str, proof: str, theorem: str) -> Path:
    write_lean(folder, LeanArchive(original, proof, PROVED, theorem, "", "theorem", {}), {})
    return folder


TWO = "theorem a : 1 = 1 := by sorry\ntheorem b : 2 = 2 := by\n  skip\n  sorry\n"


def certificates(tmp_path: Path, own: str = TWO, a: str = "by\n  rfl", b: str = "by decide") -> list[Path]:
    first, second = own.split("theorem b")
    return [
        certificate(
            tmp_path / "a",
            own.replace("a : 1 = 1 := by sorry", "a : 1 = 1 := sorry"),
            f"theorem a : 1 = 1 := {a}\ntheorem b{second}",
            "a",
        ),
        certificate(tmp_path / "b", f"{first}theorem b : 2 = 2 := sorry\n", f"{first}theorem b : 2 = 2 := {b}\n", "b"),
    ]


def test_proofs_of_several_theorems_go_into_one_text(tmp_path: Path) -> None:
    paths = certificates(tmp_path)
    whole = filled(TWO, paths)
    assert whole.raw == whole.text == "theorem a : 1 = 1 := by\n  rfl\ntheorem b : 2 = 2 := by decide\n"
    assert (whole.theorems, whole.replaced, whole.accepted) == (("a", "b"), ("b",), False)
    assert whole.originals == (TWO, "theorem a : 1 = 1 := sorry\ntheorem b : 2 = 2 := sorry\n")
    alone = filled(TWO, paths[:1])
    assert alone.accepted and alone.raw.endswith("  skip\n  sorry\n"), "what was not proved stays as it was"


@pytest.mark.parametrize("raw", [TWO.replace("\n", "\r\n"), "\ufeff" + TWO, "\ufeff" + TWO.replace("\n", "\r\n")])
def test_line_ends_and_the_byte_order_mark_are_the_users(tmp_path: Path, raw: str) -> None:
    new = filled(raw, certificates(tmp_path)).raw
    assert new.startswith("\ufeff") == raw.startswith("\ufeff")
    assert (new.count("\r\n") == new.count("\n")) == ("\r\n" in raw)
    assert "sorry" not in new and "by\r\n  rfl" in new if "\r\n" in raw else "by\n  rfl" in new


def test_a_statement_that_ends_the_file_gets_its_proof(tmp_path: Path) -> None:
    text = "theorem a : 1 = 1 := sorry\n\ntheorem b : 2 = 2"
    completed = f"{text}\n  := sorry\n"
    paths = [
        certificate(tmp_path / "a", completed, completed.replace("sorry\n\n", "rfl\n\n"), "a"),
        certificate(tmp_path / "b", f"{text} := sorry\n", f"{text} := by decide\n", "b"),
    ]
    assert filled(text, paths).raw == "theorem a : 1 = 1 := rfl\n\ntheorem b : 2 = 2 := by decide\n"
    assert filled(text, paths[1:]).raw.endswith("theorem b : 2 = 2 := by decide\n")


def test_proofs_that_change_the_same_lines_are_refused(tmp_path: Path) -> None:
    one = certificate(tmp_path / "a", TWO, TWO.replace("1 = 1 := by sorry\ntheorem b : 2", "1 = 1 := rfl"), "a")
    with pytest.raises(Unfillable, match="same lines"):
        filled(TWO, [one, *certificates(tmp_path / "more")[:1]])
    (one / "proof.lean").write_text("edited")
    with pytest.raises(Unfillable, match="hash"):
        filled(TWO, [one])


def test_what_stays_open_is_told_with_its_line_in_the_file_that_is_there() -> None:
    old = "theorem a : 1 = 1 := by\n  sorry\n\ntheorem b : 2 = 2 := by\n  sorry\n"
    new = old.replace("  sorry\n", "  skip\n  rfl\n", 1)
    assert list(left_open(new)) == [(6, "sorry (theorem b)")], "once it is written"
    assert list(left_open(new, old)) == [(5, "sorry (theorem b)")], "until then"
    assert list(left_open("example : 1 = 1 := by\n  skip\n  admit\n")) == [(3, "admit (example)")]
    assert list(left_open("sorry")) == [(1, "sorry")], "of nothing"


def test_a_difference_is_a_patch_even_without_a_last_line_feed() -> None:
    assert list(difference("t.lean", "a\nb", "a\nc")) == [
        "--- t.lean\n",
        "+++ t.lean\n",
        "@@ -1,2 +1,2 @@\n",
        " a\n",
        "-b\n\\ No newline at end of file\n",
        "+c\n\\ No newline at end of file\n",
    ]
    odd = "one\u2028two\x0cthree\r\n"
    assert list(difference("t.lean", odd, odd + "x\n"))[3:] == [f" {odd}", "+x\n"]


# -- the check of the whole -------------------------------------------------------------------------------------------


def whole(text: str, *theorems: str, original: str = TWO) -> Filled:
    return Filled(text, text, (original,), theorems, (), False)


GOOD = "theorem a : 1 = 1 := rfl\ntheorem b : 2 = 2 := by decide\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD, ""),
        (GOOD.replace("2 = 2", "3 = 3"), "statement"),
        (GOOD.replace("by decide", "by nonsense"), "compile"),
        (f"axiom cheat : 2 = 2\n{GOOD}".replace("by decide", "cheat"), "axiom"),
        (GOOD.replace("by decide", "by sorry"), "sorry"),
    ],
)
def test_the_gate_looks_at_the_whole_before_anybody_gets_it(kept: Any, text: str, says: str) -> None:
    found = asyncio.run(objection(whole(text, "a", "b"), kept, 60.0))
    assert says in found if says else found == ""


@pytest.mark.usefixtures("one_lean")
def test_a_file_that_does_not_check_as_a_whole_is_not_written(tmp_path: Path, capsys: Any) -> None:
    """Two proofs, each with a lemma of the same name: neither certificate is wrong, and together they are."""
    file = tmp_path / "t.lean"
    file.write_text(TWO)
    helped = {"a": "theorem help : True := trivial\n\n", "b": "theorem help : 0 = 0 := rfl\n\n"}
    first, second = TWO.split("theorem b")
    paths = [
        certificate(tmp_path / "a", TWO, f"{helped['a']}theorem a : 1 = 1 := rfl\ntheorem b{second}", "a"),
        certificate(tmp_path / "b", TWO, f"{first}{helped['b']}theorem b : 2 = 2 := by decide\n", "b"),
    ]
    assert not asyncio.run(fill(file, TWO, paths, write=True))
    assert file.read_text() == TWO and sorted(p.name for p in tmp_path.iterdir()) == ["a", "b", "t.lean"]
    said = capsys.readouterr().out
    assert "nothing is filled in: the file as a whole does not check: " in said and "help" in said
    assert "--theorem NAME fills in one at a time" in said


async def fill(file: Path, text: str, paths: list[Path], *, write: bool, stopped: bool = False) -> bool:
    from goedels_poetry.cli.inputs import Source
    from goedels_poetry.kernel.verdict import Verdict
    from goedels_poetry.settings.declared import LeanSettings
    from goedels_poetry.store.results import RunResult
    from goedels_poetry.trace.terminal import console

    asked = fill_sorry.Filling(LeanSettings(), write, False, console(sys.stdout))
    source = Source(str(file), Path(file.stem))
    for path in paths:
        asked.read(source, text)
        asked.done(source, RunResult(str(file), Verdict.PROVED, language="lean", certificate=path))
    return await asked.finish(lambda words: None, lambda: stopped)


def test_whoever_interrupts_gets_nothing_written(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "t.lean"
    file.write_text(TWO)
    paths = certificates(tmp_path)[:1]
    assert not asyncio.run(fill(file, TWO, paths, write=True, stopped=True))
    assert file.read_text() == TWO and "interrupted" in capsys.readouterr().out
    assert asyncio.run(fill(file, TWO, paths, write=True))
    assert file.read_text() != TWO and (tmp_path / "t.lean.orig").read_text() == TWO


def test_a_file_that_was_edited_meanwhile_is_left_alone(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "t.lean"
    file.write_text("edited\n")
    paths = certificates(tmp_path)[:1]
    assert not asyncio.run(fill(file, TWO, paths, write=True))
    assert file.read_text() == "edited\n" and not list(tmp_path.glob("*.orig*"))
    assert "nothing was written" in (said := capsys.readouterr().out) and "has been changed" in said
