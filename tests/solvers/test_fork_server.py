"""Workers forked from a warm parent are as fresh, as killable and as bound to us as those that are started."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goedels_poetry.solvers import preload
from goedels_poetry.solvers.cvc5_process import CHILD
from goedels_poetry.solvers.limits import JobCrashed
from goedels_poetry.solvers.worker_pool import WorkerPool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the server is for Linux")

PACKAGES = ("goedels_poetry", "solver_jobs")


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(Path(__file__).with_name("plugin")))
    yield


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _lives(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def _children() -> set[int]:
    return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


async def test_a_worker_is_a_fork_of_a_parent_that_runs_no_job() -> None:
    async with WorkerPool(1, PACKAGES) as pool:
        found = await pool.run("solver_jobs:count", {})
        server = _parent(found["pid"])
        assert "solvers.fork_server" in _command(server)
        assert _parent(server) == os.getpid()


async def test_what_one_worker_did_no_other_one_knows() -> None:
    async with WorkerPool(1, PACKAGES) as first, WorkerPool(1, PACKAGES) as second:
        for _ in range(3):
            await first.run("solver_jobs:count", {})
        assert (await second.run("solver_jobs:count", {}))["calls"] == 1


async def test_the_server_ends_with_the_last_pool() -> None:
    before = _children()
    async with WorkerPool(1, PACKAGES) as pool:
        await pool.run("solver_jobs:count", {})
        async with WorkerPool(1, PACKAGES) as other:
            await other.run("solver_jobs:count", {})
        assert await pool.run("solver_jobs:count", {})
    assert _children() <= before


async def test_after_the_server_was_killed_jobs_go_well_in_a_new_one() -> None:
    async with WorkerPool(1, PACKAGES) as pool:
        first = (await pool.run("solver_jobs:count", {}))["pid"]
        server = _parent(first)
        os.kill(server, signal.SIGKILL)
        while _lives(first):  # workers end with it; the test's time limit ends the wait
            await asyncio.sleep(0.01)
        found = await pool.run("solver_jobs:count", {})
        assert found["calls"] == 1
        assert _parent(found["pid"]) != server


async def test_a_server_that_does_not_answer_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preload, "LOADING_SECONDS", 1.0)
    async with WorkerPool(1, PACKAGES) as first, WorkerPool(1, PACKAGES) as second:
        server = _parent((await first.run("solver_jobs:count", {}))["pid"])
        os.kill(server, signal.SIGSTOP)
        found = await second.run("solver_jobs:count", {})
        assert found["calls"] == 1
        assert _parent(found["pid"]) != server
        assert not _lives(server)


async def test_how_a_worker_ended_is_known() -> None:
    async with WorkerPool(1, PACKAGES) as pool:
        with pytest.raises(JobCrashed, match="SIGABRT"):
            await pool.run("solver_jobs:crash", {})


async def test_a_worker_sees_the_environment_and_the_path_of_the_moment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "late_jobs.py").write_text(
        "import os\ndef look(payload):\n    return {'said': os.environ.get('SAID'), 'folder': os.getcwd()}\n"
    )
    async with WorkerPool(1, PACKAGES) as first:
        await first.run("solver_jobs:count", {})  # the server lives
        monkeypatch.setenv("SAID", "later")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.chdir(tmp_path)
        async with WorkerPool(1, ("late_jobs",)) as pool:
            assert await pool.run("late_jobs:look", {}) == {"said": "later", "folder": str(tmp_path)}


async def test_a_worker_forks_the_second_solver_and_it_ends_with_the_worker() -> None:
    async with WorkerPool(1, PACKAGES, modules=(CHILD,)) as pool:
        found = await pool.run("solver_jobs:ask_cvc5", {})
        assert found["status"] == "unsat"
        assert _parent(found["solver"]) == found["pid"]
        assert "fork_server" in _command(found["solver"])  # not a program of its own
    assert not _lives(found["solver"])


def test_what_was_loaded_ahead_is_there_when_a_worker_begins(tmp_path: Path) -> None:
    program = f"""
import asyncio
from goedels_poetry.solvers.worker_pool import WorkerPool
from goedels_poetry.solvers import preload
preload.load_ahead("goedels_poetry.kernel.terms")
async def main():
    async with WorkerPool(1, {PACKAGES!r}) as pool:
        print((await pool.run("solver_jobs:loaded", {{"module": "goedels_poetry.kernel.terms"}}))["loaded"])
asyncio.run(main())
"""
    path = os.pathsep.join([str(Path(__file__).with_name("plugin")), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.stdout == "True\n", done.stderr


def test_nothing_of_others_is_loaded_in_the_server() -> None:
    preload.hold()
    try:
        child = preload.start_worker(PACKAGES, ("solver_jobs",))
        loaded = Path(f"/proc/{_parent(child.pid)}/maps").read_text()
        assert "solver_jobs" not in loaded
        child.close()
    finally:
        preload.release()
