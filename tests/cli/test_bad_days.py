"""The machine's own troubles on the command line: one plain line, what to do, and nothing stored as final."""

from __future__ import annotations

import resource
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "goedels_poetry"]

PAGE = 4096


def environment(home: Path) -> dict[str, str]:
    return {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}


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
    assert cli("prove", theorems / "swap_twice.smt2", "--json").code == 0
    run = _damage_tree(home).parent.name
    again = cli("prove", theorems / "swap_twice.smt2", "--json")
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
        [*COMMAND, "prove", str(theorem), "--json"],
        env=environment(home),
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


def test_closed_streams_are_no_defect_and_no_file_gets_their_numbers(cli: Any, theorems: Path, home: Path) -> None:
    theorem = shlex.quote(str(theorems / "swap_twice.smt2"))
    command = " ".join(map(shlex.quote, COMMAND))
    done = subprocess.run(
        ["sh", "-c", f"{command} prove {theorem} --json >&- 2>&- <&-"], env=environment(home), timeout=120
    )
    assert done.returncode == 0
    (result,) = cli("prove", theorems / "swap_twice.smt2", "--json").objects()
    assert (result["verdict"], result["skipped"]) == ("proved", True)


def test_an_empty_home_is_not_the_root_folder(home: Path) -> None:
    seen = {**environment(home), "HOME": ""}
    del seen["GOEDELS_POETRY__HOME"]
    shown = subprocess.run([*COMMAND, "runs"], env=seen, capture_output=True, text=True, timeout=120)
    assert shown.returncode == 0 and shown.stdout
    assert "no runs in /.goedels_poetry" not in shown.stdout + shown.stderr


READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def _can_mount(folder: Path) -> bool:
    tried = ["unshare", "-m", "sh", "-c", READ_ONLY, str(folder), "true"]
    return shutil.which("unshare") is not None and subprocess.run(tried, capture_output=True).returncode == 0


def test_whoever_only_looks_needs_to_write_nothing(cli: Any, theorems: Path, home: Path) -> None:
    home.mkdir()
    if not _can_mount(home):
        pytest.skip("nothing can be mounted here without being able to write it")
    assert cli("prove", theorems / "swap_twice.smt2", "--quiet").code == 0
    (run,) = (path.name for path in (home / "runs").iterdir())

    def looks(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["unshare", "-m", "sh", "-c", READ_ONLY, str(home), *COMMAND, *arguments]
        return subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=120)

    for command in (("runs",), ("show", run), ("trace", run), ("trace", run, "--format", "dot")):
        done = looks(*command)
        assert (done.returncode, done.stderr) == (0, ""), (command, done)
    for command in (("runs", "repair", run), ("prove", str(theorems / "gauss_sum.smt2"))):
        done = looks(*command)
        assert done.returncode not in (0, 70), (command, done)
        assert "Read-only file system" in done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_short_page_that_nobody_takes_is_one_line_and_no_success(program: Any, theorems: Path, home: Path) -> None:
    """What fits a buffer is written when the program ends, which is no less of a failure."""
    run = program("prove", theorems / "swap_twice.smt2", "--json").objects()[0]["run_id"]
    for command in (("runs", "--json"), ("show", run, "--json"), ("trace", run), ("graph",)):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [*COMMAND, *command], stdout=full, stderr=subprocess.PIPE, text=True, env=environment(home), timeout=120
            )
        assert (done.returncode, done.stderr.splitlines()) == (
            74,
            ["goedels-poetry: standard output: No space left on device; the same command goes on afterwards"],
        ), command


@pytest.mark.sample(2)
@pytest.mark.parametrize("limit", ["-n 6", "-n 24", "-v 100000", "-v 400000"])
def test_what_the_system_does_not_give_is_never_a_verdict(program: Any, theorems: Path, home: Path, limit: str) -> None:
    theorem = shlex.quote(str(theorems / "swap_twice.smt2"))
    command = " ".join(map(shlex.quote, COMMAND))
    done = subprocess.run(
        ["sh", "-c", f"ulimit {limit}; exec {command} prove {theorem} --json"],
        env=environment(home), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr and "internal error" not in done.stdout + done.stderr
    assert done.returncode in (0, 5, 74), done  # proved all the same, to be resumed, or not done
    (result,) = program("prove", theorems / "swap_twice.smt2", "--json").objects()
    assert result["verdict"] == "proved"
