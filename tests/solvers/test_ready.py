"""A worker's solvers for its next job are started while nobody waits, and nobody has asked them anything."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.solvers.cvc5_process import CHILD
from goedels_poetry.solvers.worker_pool import WorkerPool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is looked up in /proc")

PACKAGES = ("goedels_poetry", "solver_jobs")
PLUGIN = str(Path(__file__).with_name("plugin"))


@pytest.fixture(autouse=True)
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(PLUGIN)
    yield


async def _checks(pool: WorkerPool, times: int, **payload: Any) -> list[dict[str, Any]]:
    return [await pool.run("solver_jobs:check_afresh", payload) for _ in range(times)]


async def test_from_the_third_job_on_the_solvers_are_there_when_it_begins() -> None:
    async with WorkerPool(1, PACKAGES, modules=(CHILD,)) as pool:
        first, second, third, fourth = await _checks(pool, 4)
    assert first["there"] == second["there"] == []
    assert set(third["used"]) == set(third["there"])
    assert set(fourth["used"]) == set(fourth["there"])
    used = [pid for found in (first, second, third, fourth) for pid in found["used"]]
    assert len(set(used)) == 8  # two for each job, and none for two
    assert first["said"] == third["said"] == fourth["said"] == ["unsat", "unsat"]


async def test_a_solver_that_was_ended_while_it_waited_is_replaced() -> None:
    async with WorkerPool(1, PACKAGES, modules=(CHILD,)) as pool:
        await _checks(pool, 2)
        (found,) = await _checks(pool, 1, end=True)
        assert found["said"] == ["unsat", "unsat"]
        assert not set(found["used"]) & set(found["there"])


async def test_one_that_wants_other_limits_gets_another_and_the_first_is_ended() -> None:
    async with WorkerPool(1, PACKAGES, modules=(CHILD,)) as pool:
        await _checks(pool, 2)
        (other,) = await _checks(pool, 1, memory_mb=600)
        assert not set(other["used"]) & set(other["there"])
        (again,) = await _checks(pool, 1, memory_mb=600)
        assert set(again["there"]) == set(again["used"])


async def test_jobs_that_keep_their_solver_leave_none_to_spare() -> None:
    async with WorkerPool(1, PACKAGES) as pool:
        kept = [await pool.run("solver_jobs:search_on", {}) for _ in range(4)]
    assert kept[0]["there"] == []
    assert [found["there"] for found in kept[1:]] == [[kept[0]["used"]]] * 3


def _lives(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_those_in_store_that_somebody_kills_are_reaped_while_nobody_has_a_job() -> None:
    async with WorkerPool(1, PACKAGES, modules=(CHILD,)) as pool:
        kept = (await pool.run("solver_jobs:search_on", {}))["used"]
        *_, last = await _checks(pool, 3)
        stored = {kept, *(pid for pid in last["there"] if _lives(pid))}
        for pid in stored:
            os.kill(pid, signal.SIGKILL)
        while any(map(_lives, stored)):  # a defunct one has its folder in /proc, too
            await asyncio.sleep(0.05)
        assert (await pool.run("solver_jobs:search_on", {}))["used"] not in stored


async def test_they_end_with_the_worker() -> None:
    async with WorkerPool(1, PACKAGES, modules=(CHILD,)) as pool:
        *_, last = await _checks(pool, 3)
    assert not any(map(_lives, (*last["there"], *last["used"])))


_BEGUN_EARLY = f"""
import asyncio, os, sys
from goedels_poetry.solvers import headstart
headstart.begin(("goedels_poetry.kernel.terms",))
children = open(f"/proc/self/task/{{os.getpid()}}/children").read().split()
print(*children)
if "take" in sys.argv:
    from goedels_poetry.solvers.worker_pool import WorkerPool
    async def main():
        async with WorkerPool(1, {PACKAGES!r}) as pool:
            found = await pool.run("solver_jobs:loaded", {{"module": "goedels_poetry.kernel.terms"}})
            print(found["loaded"], *open(f"/proc/self/task/{{os.getpid()}}/children").read().split())
    asyncio.run(main())
sys.stdout.flush()
os._exit(0)
"""


def _begun_early(*arguments: str) -> list[str]:
    path = os.pathsep.join([PLUGIN, *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", _BEGUN_EARLY, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_nursery_that_was_begun_early_is_the_one_that_forks() -> None:
    begun, found = _begun_early("take")
    assert found == f"True {begun}"


def test_a_nursery_that_nobody_took_ends_with_who_began_it() -> None:
    (begun,) = _begun_early()
    while Path(f"/proc/{begun}").exists() and "Z" not in Path(f"/proc/{begun}/stat").read_text().split()[2]:
        os.sched_yield()  # the test's time limit ends the wait
