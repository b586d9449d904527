"""The machine's own troubles on the command line: one plain line, what to do, and nothing stored as final."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry import Settings

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


@pytest.mark.whole("test_a_short_page_that_nobody_takes_is_one_line_and_no_success")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_output_that_has_no_room_is_one_line_and_the_proof_is_kept(program: Any, theorems: Path, home: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "prove", str(theorems / "reverse_twice.smt2"), "--quiet"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(home),
            timeout=120,
        )
    assert done.returncode == 74
    assert done.stderr.splitlines() == [
        "goedels-poetry: standard output: No space left on device; the same command goes on afterwards"
    ]
    (result,) = program("prove", theorems / "reverse_twice.smt2", "--json").objects()
    assert (result["verdict"], result["skipped"]) == ("proved", True)


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


def test_an_empty_data_directory_is_none_that_is_named(home: Path) -> None:
    assert str(Settings(home="").data_dir).endswith(".goedels_poetry")
    assert Settings(home=str(home)).data_dir == home


BACKWARDS = """
import time
_clock, _began = time.time, time.time()
time.time = lambda: _began - 100 * (_clock() - _began)
"""
"""A `sitecustomize`: the clock on the wall goes a hundred times as fast, and backwards."""


def test_a_clock_that_goes_backwards_costs_nothing(theorems: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "clock").mkdir()
    (tmp_path / "clock" / "sitecustomize.py").write_text(BACKWARDS, "utf-8")
    seen = {**environment(home), "PYTHONPATH": f"{tmp_path / 'clock'}:{ROOT}"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*COMMAND, *arguments], env=seen, capture_output=True, text=True, timeout=120)

    theorem = str(theorems / "gauss_sum.smt2")
    assert run("prove", theorem, "--max-steps", "4").returncode == 5
    result = json.loads(run("prove", theorem, "--json", "--timeout", "60").stdout)
    assert (result["verdict"], result["trust_level"]) == ("proved", "L3")
    assert 0 < result["metrics"]["wall_seconds"] < 60
    for command in (("runs",), ("show", result["run_id"]), ("trace", result["run_id"])):
        done = run(*command)
        assert done.returncode == 0 and "Traceback" not in done.stderr, (command, done)
    assert json.loads(run("prove", theorem, "--json").stdout)["skipped"]


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


def _descendants(root: int) -> list[int]:
    """Processes that this one has started, itself first."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def _signal(number: int, *pids: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


TURNS = 100
"""Thirty take as long as the proof where nothing else runs; on a slow machine it goes on in peace after these."""


@pytest.mark.timeout(300)
@pytest.mark.sample(1)
@pytest.mark.parametrize("which", ["each in its turn", "all at once", "every one but the first", "one for good"])
def test_processes_that_are_stopped_are_waited_for_or_done_without(
    which: str, theorems: Path, home: Path, tmp_path: Path
) -> None:
    seconds = 40 if which == "one for good" else 3600  # who is stopped again and again only takes longer
    command = [*COMMAND, "prove", str(theorems / "fast_power.smt2"), "--json", "--timeout", str(seconds)]
    with open(tmp_path / "out", "w+") as out:
        running = subprocess.Popen(command, env=environment(home), stdout=out, stderr=subprocess.DEVNULL)
        stopped, turn, seen = 0, 0, {running.pid}
        while running.poll() is None:
            there = _descendants(running.pid)
            seen.update(there)
            if which == "one for good" or turn == TURNS:
                if not stopped and len(there) > 3:
                    _signal(signal.SIGSTOP, there[-1])
                    stopped = 1
                time.sleep(0.02)
                continue
            chosen = {"each in its turn": there[turn % len(there) :][:1], "all at once": there}.get(which, there[1:])
            turn += 1
            _signal(signal.SIGSTOP, *chosen)
            stopped += len(chosen)
            time.sleep(0.15)
            _signal(signal.SIGCONT, *chosen)
            time.sleep(0.1)
        out.seek(0)
        result = json.loads(out.read())
    assert stopped
    wanted = ("proved", "out_of_budget") if which == "one for good" else ("proved",)
    assert result["verdict"] in wanted, result
    until = time.monotonic() + 20
    while time.monotonic() < until and any(_alive(pid) for pid in seen):
        time.sleep(0.05)
    assert not [pid for pid in seen if _alive(pid)]


def _state(pid: int) -> str:
    """Of its first thread: R, S (it waits), T (it is stopped), Z and so on; X when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def _alive(pid: int) -> bool:
    return _state(pid) not in "ZX"


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
