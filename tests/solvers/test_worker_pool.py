import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from goedels_poetry.solvers.limits import SolverError, SolverUnavailable
from goedels_poetry.solvers.worker_pool import JobCrashed, JobMemory, JobTimeout, WorkerPool

Make = Callable[..., WorkerPool]


@pytest.fixture
async def make(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    """Makes pools that may call the functions of plugin/solver_jobs.py."""
    monkeypatch.syspath_prepend(str(Path(__file__).with_name("plugin")))
    pools: list[WorkerPool] = []

    def make_pool(size: int = 1, **options: float) -> WorkerPool:
        pools.append(WorkerPool(size, ("goedels_poetry", "solver_jobs"), **options))  # type: ignore[arg-type]
        return pools[-1]

    yield make_pool
    for pool in pools:
        await pool.aclose()


def _gone(pids: list[int]) -> None:
    """Return when none of these processes is alive; the test's own time limit ends the wait."""
    for pid in pids:
        while _alive(pid):
            time.sleep(0.02)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _announced(path: Path) -> list[int]:
    while not path.exists():
        time.sleep(0.02)
    return [int(word) for word in path.read_text().split()]


async def test_calls_a_function_by_name_with_json(make: Make) -> None:
    assert await make().run("solver_jobs:add", {"numbers": [1, 2, 3]}) == {"sum": 6}


async def test_a_worker_that_has_grown_is_replaced(make: Make) -> None:
    pool = make(max_resident_mb=100)
    pids = [(await pool.run("solver_jobs:keep", {"mb": 30}))["pid"] for _ in range(6)]
    assert 1 < len(set(pids)) < 6


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "subprocess:run",
        "solver_jobs:_private",
        "solver_jobs:os",
        "solver_jobs:Limits",
        "solver_jobs:nothing",
        "solver_jobs.os:system",
        "solver_jobs_other:add",
        "goedels_poetry.solvers.worker:inspect",
        "goedels_poetry.solvers.worker:read_message.__globals__",
        "",
        ":",
    ],
)
async def test_only_public_functions_of_allowed_packages_are_called(make: Make, name: str) -> None:
    with pytest.raises(JobCrashed):
        await make().run(name, {})


@pytest.mark.parametrize(
    ("job", "words"),
    [
        ("fail", "ValueError: so it goes"),
        ("leave", "SystemExit: 3"),
        ("crash", "SIGABRT"),
        ("return_a_set", "not JSON"),
    ],
)
async def test_a_failed_job_says_why_and_the_next_one_runs(make: Make, job: str, words: str) -> None:
    pool = make()
    with pytest.raises(JobCrashed, match=words) as caught:
        await pool.run(f"solver_jobs:{job}", {})
    assert "\n" not in str(caught.value)  # the traceback stands in its details
    assert ("Traceback" in caught.value.details) == (job in ("fail", "leave"))
    assert await pool.run("solver_jobs:add", {"numbers": [1]}) == {"sum": 1}


async def test_a_job_that_takes_too_long_is_stopped(make: Make) -> None:
    pool = make()
    with pytest.raises(JobTimeout):
        await pool.run("solver_jobs:sleep", {"seconds": 600}, seconds=0.5)
    assert await pool.run("solver_jobs:add", {"numbers": [1]}) == {"sum": 1}


async def test_a_job_whose_workers_the_system_kills_is_not_to_blame(make: Make) -> None:
    pool = make()
    with pytest.raises(SolverUnavailable, match="memory runs out"):
        await pool.run("solver_jobs:be_killed", {})
    assert await pool.run("solver_jobs:add", {"numbers": [1]}) == {"sum": 1}


async def test_a_job_that_needs_too_much_memory_is_stopped(make: Make) -> None:
    pool = make()
    assert await pool.run("solver_jobs:allocate", {"mb": 10}) == {"bytes": 10 << 20}
    with pytest.raises(JobMemory):
        await pool.run("solver_jobs:allocate", {"mb": 100_000}, memory_mb=2000)
    assert await pool.run("solver_jobs:allocate", {"mb": 10}) == {"bytes": 10 << 20}


@pytest.mark.parametrize("way", ["cancel", "time limit", "close", "kill -9 of the worker"])
async def test_a_worker_goes_with_everything_it_started(make: Make, tmp_path: Path, hard: str, way: str) -> None:
    pool = make()
    path = tmp_path / "pids"
    payload = {"path": str(path), "script": hard, "seconds": 600}
    seconds = 3.0 if way == "time limit" else 600
    job = asyncio.create_task(pool.run("solver_jobs:solve_and_tell", payload, seconds=seconds))
    pids = await asyncio.to_thread(_announced, path)
    if way == "cancel":
        job.cancel()
    elif way == "close":
        await pool.aclose()
    elif way == "kill -9 of the worker":  # what was killed once is tried again
        path.unlink()
        os.kill(pids[0], 9)
        await asyncio.to_thread(_gone, pids)
        pids = await asyncio.to_thread(_announced, path)
        os.kill(pids[0], 9)
    with pytest.raises((SolverError, asyncio.CancelledError)):
        await job
    await asyncio.to_thread(_gone, pids)
    if way != "close":
        assert await pool.run("solver_jobs:add", {"numbers": [1]}) == {"sum": 1}


async def test_workers_run_side_by_side(make: Make) -> None:
    pool = make(size=2)
    began = asyncio.create_task(pool.run("solver_jobs:sleep", {"seconds": 600}))
    await asyncio.sleep(0)
    assert await pool.run("solver_jobs:add", {"numbers": [2, 3]}) == {"sum": 5}
    assert not began.done()
    began.cancel()
