"""A child that the system kills because memory runs out: one line, exit code 5, no attempt, and the same goes on later.

The kernel's own killer is called by a control group with little memory, where one can be made. What it does to a child
is SIGKILL, so a child that sends itself that shows the same everywhere.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.checker.lean.verify import fresh_leans
from goedels_poetry.errors import MissingTool, is_passing
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.lean.runtime.driven import DrivenLean, LeanKilled
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.settings.declared import Settings

SMALL = {
    "t.smt2": "(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f x) (* 2 x))))(prove (= (f 4) 8))\n",
    "t.lean": "theorem below (a b : Nat) (h : a ≤ b) : a < b + 1 := by sorry\n",
}
GREEDY = """(declare-const a (_ BitVec 3000))(declare-const b (_ BitVec 3000))
(prove (=> (not (= b (_ bv0 3000))) (bvule (bvmul (bvudiv a b) b) a)))
"""
"""Z3 takes hundreds of megabytes within two seconds, and then more."""


def prove(folder: Path, name: str, *before: str, patch: str = "") -> tuple[int, str]:
    """Exit code and what was printed. ``before`` becomes the program; ``patch`` is loaded by each Python."""
    (folder / "patch").mkdir(exist_ok=True)
    (folder / "patch" / "sitecustomize.py").write_text(patch)
    env = os.environ | {"GOEDELS_POETRY__HOME": str(folder / "home"), "PYTHONPATH": str(folder / "patch")}
    env |= {"GOEDELS_POETRY__LEAN__KIND": "embedded"}
    command = [sys.executable, "-m", "goedels_poetry", "prove", str(folder / name), "--timeout", "60", "--json"]
    done = subprocess.run([*before, *command], env=env, capture_output=True, text=True, timeout=200, check=False)
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stdout


def attempts(folder: Path) -> list[int]:
    """Those at the theorem, of every run."""
    found = []
    with GoedelsPoetryFramework(Settings(home=folder / "home")) as framework:
        for run in framework.runs():
            with framework.open_store(run.run_id) as store:
                found.append(store.root().attempts)
    return found


# -- by the kernel --------------------------------------------------------------------------------------------------
class Group:
    """A control group whose processes may have so much memory together."""

    def __init__(self, megabytes: int) -> None:
        above = Path("/sys/fs/cgroup")
        own = above / "memory" if (above / "memory").is_dir() else above  # version 1, or 2
        self.path = own / f"goedels-poetry-{os.getpid()}-{time.monotonic_ns()}"
        self._second = own == above
        limits = ("memory.max", "memory.swap.max") if self._second else ("memory.limit_in_bytes", "")
        self.path.mkdir()
        try:
            (self.path / limits[0]).write_text(str(megabytes << 20))
            if limits[1] and (self.path / limits[1]).exists():
                (self.path / limits[1]).write_text("0")
        except OSError:
            self.path.rmdir()
            raise

    @property
    def enter(self) -> tuple[str, ...]:
        """A command that puts itself there, and becomes the one that follows."""
        return "sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh"

    @property
    def kills(self) -> int:
        """How many processes the kernel has killed there."""
        file = "memory.events" if self._second else "memory.oom_control"
        lines = dict(line.split() for line in (self.path / file).read_text().splitlines())
        return int(lines.get("oom_kill", 0))

    def close(self) -> None:
        """End what is left there."""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            for pid in (self.path / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            with contextlib.suppress(OSError):  # not empty yet
                self.path.rmdir()
                return
            time.sleep(0.05)


@pytest.fixture
def little_memory(request: pytest.FixtureRequest) -> Iterator[Group]:
    try:
        group = Group(request.param)
    except OSError as problem:
        pytest.skip(f"no control group with a limit of memory can be made here: {problem}")
    yield group
    group.close()


def must_have_killed(group: Group) -> None:
    if not group.kills and len(Path("/proc/swaps").read_text().splitlines()) > 1:
        pytest.skip("this machine swaps instead of killing")
    assert group.kills


@pytest.mark.parametrize("little_memory", [300], indirect=True)
def test_a_solver_that_the_kernel_kills_costs_no_attempt(little_memory: Group, tmp_path: Path) -> None:
    (tmp_path / "t.smt2").write_text(GREEDY)
    code, out = prove(tmp_path, "t.smt2", *little_memory.enter)
    must_have_killed(little_memory)
    assert code in (0, 5), out  # the other solver may have had enough
    if code == 5:
        assert "memory runs out" in json.loads(out)["reason"]
        assert attempts(tmp_path) == [0]


@pytest.mark.whole("test_a_solver_that_the_kernel_kills_costs_no_attempt")
@pytest.mark.parametrize("little_memory", [400], indirect=True)
def test_a_lean_that_the_kernel_kills_says_nothing_and_the_same_command_proves_it_later(
    little_memory: Group, tmp_path: Path
) -> None:
    (tmp_path / "t.lean").write_text(SMALL["t.lean"])
    code, out = prove(tmp_path, "t.lean", *little_memory.enter)
    must_have_killed(little_memory)
    assert code == 5 and "memory runs out" in json.loads(out)["reason"]
    assert sum(attempts(tmp_path)) == 0
    assert prove(tmp_path, "t.lean")[0] == 0
    assert attempts(tmp_path) == [1]


# -- by hand --------------------------------------------------------------------------------------------------------
KILLED = {
    "t.smt2": """
from goedels_poetry.solvers import z3_process
z3_process.z3_binary = lambda: {script!r}
""",
    "t.lean": """
from goedels_poetry.lean.runtime import driven
begin = driven.DrivenLean.__init__
driven.DrivenLean.__init__ = lambda lean, command, *given, **more: begin(lean, [{script!r}], *given, **more)
""",
}
"""What puts something in the place of a solver, or of Lean, that is killed whatever it is asked."""
SCRIPTS = {"t.smt2": "read line; kill -9 $$", "t.lean": """echo '{"event": "ready"}'; read line; kill -9 $$"""}


@pytest.mark.parametrize(
    "name",
    [
        "t.smt2",
        pytest.param(
            "t.lean", marks=pytest.mark.whole("test_a_child_that_is_killed_whenever_it_is_asked_costs_no_attempt")
        ),
    ],
)
def test_a_child_that_is_killed_whenever_it_is_asked_costs_no_attempt(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(SMALL[name])
    script = tmp_path / "killed"
    script.write_text(f"#!/bin/sh\n{SCRIPTS[name]}\n")
    script.chmod(0o755)
    code, out = prove(tmp_path, name, patch=KILLED[name].format(script=str(script)))
    result: dict[str, Any] = json.loads(out)
    assert (code, result["verdict"]) == (5, "out_of_budget"), out
    assert "memory runs out" in result["reason"] and "\n" not in result["reason"]
    assert sum(attempts(tmp_path)) == 0
    code, out = prove(tmp_path, name)
    assert (code, json.loads(out)["verdict"]) == (0, "proved"), out
    assert attempts(tmp_path) == [1]


def test_a_lean_that_is_killed_in_the_final_gate_is_not_a_missing_one(tmp_path: Path) -> None:
    script = tmp_path / "killed"
    script.write_text(f"#!/bin/sh\necho >> {tmp_path / 'starts'}\n{SCRIPTS['t.lean']}\n")
    script.chmod(0o755)

    async def gate() -> None:
        async with fresh_leans(lambda: LeanPool("embedded", "4", lambda: DrivenLean([str(script)]))) as leans:
            await leans.elaborator.check(CheckRequest("theorem t : True := trivial\n"))

    with pytest.raises(LeanKilled, match="memory runs out") as killed:
        asyncio.run(gate())
    assert is_passing(killed.value) and not isinstance(killed.value, MissingTool)
    assert len((tmp_path / "starts").read_text().splitlines()) > 1, "it was taken up again"
