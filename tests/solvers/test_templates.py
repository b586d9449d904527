"""z3 processes forked for a worker of many jobs know as little, and end as surely, as those that are started."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.solvers.worker_pool import WorkerPool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="templates are for Linux")

PACKAGES = ("goedels_poetry", "solver_jobs")
DECLARING = "(declare-const p Bool)(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (f (- n 1))))(assert p)"
USING, USING_F = "(assert p)", "(assert (= (f 1) 0))"
FALSE = "(assert false)"
HUGE = """(declare-const a (_ BitVec 20000)) (declare-const b (_ BitVec 20000))
(assert (= (bvmul a b) (bvudiv b (bvadd a b))))"""


async def _ask(pool: WorkerPool, *scripts: str, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = await pool.run("solver_jobs:ask_of_fork", {"scripts": scripts, **more}, 60.0)
    return found


def _is_forked(found: dict[str, Any]) -> bool:
    return bool(found["parent"] != found["worker"])


@pytest.fixture
async def pool(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WorkerPool]:
    """One worker that has its template."""
    monkeypatch.syspath_prepend(str(Path(__file__).with_name("plugin")))
    async with WorkerPool(1, PACKAGES) as workers:
        await workers.run("solver_jobs:many_jobs", {})
        while not _is_forked(await _ask(workers, FALSE)):
            await asyncio.sleep(0.02)  # the test's time limit ends the wait
        yield workers


async def test_each_job_has_a_process_of_its_own_that_knows_nothing_of_any_other(pool: WorkerPool) -> None:
    first = await _ask(pool, DECLARING)
    second = await _ask(pool, USING, USING_F, DECLARING, USING, FALSE)
    assert _is_forked(first)
    assert _is_forked(second)
    assert first["pid"] != second["pid"]
    assert first["answers"] == [["sat", ""]]
    statuses = [status for status, _ in second["answers"]]
    assert statuses == ["error", "error", "sat", "error", "unsat"]
    assert "line 1 column" in second["answers"][0][1]


async def test_both_solvers_of_a_check_are_forked_and_no_other_job_has_them(pool: WorkerPool) -> None:
    template = (await _ask(pool, FALSE))["parent"]
    first: dict[str, Any] = await pool.run("solver_jobs:check_afresh", {})
    second: dict[str, Any] = await pool.run("solver_jobs:check_afresh", {})
    assert first["said"] == second["said"] == ["unsat", "unsat"]
    assert set(first["used"]).isdisjoint(second["used"])
    assert second["parents"] == [template, template]


async def test_more_contexts_than_the_template_had_made(pool: WorkerPool) -> None:
    many = await _ask(pool, *[DECLARING, USING] * 5, FALSE)
    assert [status for status, _ in many["answers"]] == [*["sat", "error"] * 5, "unsat"]
    assert _is_forked(many)


async def test_memory_is_bounded_in_a_fork_and_the_next_one_is_whole(pool: WorkerPool) -> None:
    found = await _ask(pool, HUGE, FALSE, memory_mb=300)
    assert found["answers"] == [["unknown", "memory"], ["unsat", ""]]
    assert (await _ask(pool, FALSE))["answers"] == [["unsat", ""]]


async def test_a_fork_that_is_killed_costs_its_own_job_a_moment(pool: WorkerPool) -> None:
    found = await _ask(pool, DECLARING, FALSE, kill=1)
    assert found["answers"] == [["sat", ""], ["unsat", ""]]


async def test_when_the_template_is_killed_solvers_are_started_again(pool: WorkerPool) -> None:
    found = await _ask(pool, FALSE)
    os.kill(found["parent"], signal.SIGKILL)
    later = [await _ask(pool, DECLARING, FALSE) for _ in range(4)]
    assert [each["answers"] for each in later] == [[["sat", ""], ["unsat", ""]]] * 4
    assert not _is_forked(later[-1])
    assert {each["worker"] for each in later} == {found["worker"]}


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _handles(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def _lives(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]
    except OSError:
        return False


async def test_nothing_is_left_over_by_many_jobs(pool: WorkerPool) -> None:
    found = await _ask(pool, FALSE)
    template, worker = found["parent"], found["worker"]
    await _ask(pool, FALSE)
    before = _handles(worker), _handles(template)
    for _ in range(40):
        await _ask(pool, FALSE)
    assert len(_children(template)) <= 20  # those that were killed are buried by the dozen
    after = _handles(worker), _handles(template)
    assert after[0] <= before[0] + 12  # one that waits for its job, one that ends; a leak would be one or more a job
    assert after[1] <= before[1] + 20


async def test_all_ends_with_a_worker_that_is_killed(pool: WorkerPool) -> None:
    found = await _ask(pool, FALSE)
    waiting = _children(found["parent"])
    os.kill(found["worker"], signal.SIGKILL)
    for pid in (found["parent"], *waiting):
        while _lives(pid):
            await asyncio.sleep(0.02)  # the test's time limit ends the wait
    assert (await _ask(pool, FALSE))["answers"] == [["unsat", ""]]
