"""The machine's own troubles on the command line: one plain line, what to do, and nothing stored as final."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGE = 4096


def _damage_tree(home: Path) -> Path:
    (tree,) = (home / "runs").glob("*/proof.db")
    content = tree.read_bytes()
    tree.write_bytes(content[:PAGE] + b"\xaa" * (len(content) - PAGE))
    for tail in ("-wal", "-shm"):
        tree.with_name(tree.name + tail).unlink(missing_ok=True)
    return tree


def test_a_damaged_proof_tree_takes_nothing_from_a_proof_that_is_re_checked(
    cli: Any, theorems: Path, home: Path
) -> None:
    assert cli("prove", theorems / "reverse_twice.smt2", "--json").code == 0
    run = _damage_tree(home).parent.name
    again = cli("prove", theorems / "reverse_twice.smt2", "--json")
    (result,) = again.objects()
    assert (again.code, result["verdict"]) == (0, "proved")
    assert "proof.db: it is damaged; --fresh begins the run anew" in " ".join(result["warnings"])
    for command in ("show", "trace"):
        shown = cli(command, run)
        assert shown.code not in (0, 70) and "--fresh begins the run anew" in shown.err, (command, shown)
    assert run in cli("runs").out


def test_a_disk_that_takes_no_more_ends_a_run_that_goes_on_when_there_is_room(
    cli: Any, theorems: Path, home: Path, tmp_path: Path
) -> None:
    theorem = theorems / "reverse_twice.smt2"

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = subprocess.run(
        [sys.executable, "-m", "goedels_poetry", "prove", str(theorem), "--json"],
        env={"GOEDELS_POETRY__HOME": str(home), "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=small_files,
    )
    assert done.returncode in (5, 74), (done.stdout, done.stderr)
    assert "Traceback" not in done.stdout + done.stderr
    assert "the same command goes on" in done.stdout
    (result,) = cli("prove", theorem, "--json").objects()
    assert (result["verdict"], result["trust_level"]) == ("proved", "L3")
