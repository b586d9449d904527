"""Files of a Lake project whose toolchain is not there, from the command line."""

import os
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.cli.inputs import Source, Unreadable, attempt_read
from goedels_poetry.languages.sources import file_text


def test_a_file_with_modules_of_its_project_is_filled_in_and_checked(cli: Any, tmp_path: Path) -> None:
    without_lake = {"ELAN_HOME": str(tmp_path / "none"), "PATH": os.defpath}
    (tmp_path / "lakefile.toml").write_text('name = "p"\n')
    (tmp_path / "lean-toolchain").write_text("leanprover/lean4:v4.28.0\n")
    (tmp_path / "Basic.lean").write_text("def f (n : Nat) := n + 1\ntheorem f_pos (n : Nat) : 0 < f n := n.succ_pos\n")
    main = "-- mine\r\nimport Basic\r\n\r\ntheorem t (n : Nat) : f n = n + 1 := by\r\n  sorry\r\n"
    (tmp_path / "Main.lean").write_bytes(main.encode())
    ran = cli("prove", "Main.lean", "--write", "--no-bank", "--out", "out", env=without_lake)
    assert ran.code == 0
    assert f"the embedded Lean 4.28.0-pre is used: the project {tmp_path} wants leanprover/lean4:v4.28.0" in ran.err
    assert (tmp_path / "Main.lean").read_bytes() == main.replace("sorry", "rfl").encode()
    (certificate,) = (tmp_path / "out").iterdir()
    assert "theorem f_pos" in (certificate / "original.lean").read_text()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Done.lean").write_text("theorem t : 1 = 1 := rfl\n")
    ran = cli("prove", "src", env=without_lake)
    assert (ran.code, "nothing to prove in src; passed over: 1 Lean file without `sorry`" in ran.err) == (2, True)
    with GoedelsPoetryFramework(Settings(home=tmp_path / "home")) as framework:
        assert framework.run_many(tmp_path / "src") == []
    ran = cli("check", "Main.lean", certificate, env=without_lake)
    assert (ran.code, ran.out.count("proved")) == (0, 2)
    (tmp_path / "Basic.lean").write_text("def f (n : Nat) := n + true\n")
    ran = cli("prove", "Main.lean", env=without_lake)
    assert (ran.code, "Basic.lean:1: " in ran.out) == (2, True)
    (tmp_path / "Basic.lean").unlink()
    ran = cli("check", certificate, "--against", "Main.lean", env=without_lake)
    assert (ran.code, "Main" in ran.out, "the project has no module Basic" in ran.out) == (2, True, True)


def test_a_file_is_the_same_text_from_python_and_for_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", os.defpath)
    (tmp_path / "lakefile.toml").write_text('name = "p"\n')
    (tmp_path / "Basic.lean").write_text("def f (n : Nat) := n + 1\n")
    (tmp_path / "Main.lean").write_text("import Basic\n\ntheorem t (n : Nat) : f n = n + 1 := by\n  sorry\n")
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\nprint('\xe9')\n")
    (tmp_path / "bad.smt2").write_bytes(b"(check-sat)\n \xff")
    lean = Settings().lean
    for name, part in (("Main.lean", "def f (n : Nat)"), ("latin.py", "é")):
        text = file_text(tmp_path / name, lean)
        assert part in text and attempt_read(Source(str(tmp_path / name), Path(name))) == text
    refused = attempt_read(Source(str(tmp_path / "bad.smt2"), Path("bad")))
    assert isinstance(refused, Unreadable) and (refused.line, refused.column) == (2, 2)
    with GoedelsPoetryFramework() as framework:
        result = framework.run(tmp_path / "bad.smt2")
        assert (result.verdict, result.reason) == ("invalid", refused.reason)
        (tmp_path / "Basic.lean").unlink()
        result = framework.run(tmp_path / "Main.lean")
        assert result.verdict == "invalid" and "the project has no module Basic" in result.reason
