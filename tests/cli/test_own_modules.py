"""Files of a Lake project whose toolchain is not there, from the command line."""

import os
from pathlib import Path
from typing import Any


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
    ran = cli("check", "Main.lean", certificate, env=without_lake)
    assert (ran.code, ran.out.count("proved")) == (0, 2)
    (tmp_path / "Basic.lean").write_text("def f (n : Nat) := n + true\n")
    ran = cli("prove", "Main.lean", env=without_lake)
    assert (ran.code, "Basic.lean:1: " in ran.out) == (2, True)
    (tmp_path / "Basic.lean").unlink()
    ran = cli("check", certificate, "--against", "Main.lean", env=without_lake)
    assert (ran.code, "Main" in ran.out, "the project has no module Basic" in ran.out) == (2, True, True)
