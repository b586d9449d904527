"""Workers forked from a warm parent are as fresh, as killable and as bound to us as those that are started."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

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


def _children() -> set[int]:
    return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


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
