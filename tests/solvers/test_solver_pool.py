import asyncio

import pytest

from goedels_poetry.solvers.limits import Limits, SolverError
from goedels_poetry.solvers.pool import SolverPool

FALSE = "(assert false)"


async def test_many_queries_at_once_go_through_few_processes() -> None:
    async with SolverPool(2) as pool:
        scripts = [f"(declare-const x Int)(assert (= (* 2 x) {n}))" for n in range(40)]
        answers = await asyncio.gather(*(pool.ask(name, script) for name in ("z3", "cvc5") for script in scripts))
    assert [answer.status for answer in answers] == ["sat", "unsat"] * 40


async def test_a_query_does_not_hold_up_the_event_loop_nor_the_other_queries(hard: str) -> None:
    async with SolverPool(2) as pool:
        slow = asyncio.create_task(pool.ask("z3", hard, Limits(seconds=60)))
        assert [(await pool.ask("z3", FALSE)).status for _ in range(20)] == ["unsat"] * 20
        assert not slow.done()
        slow.cancel()


async def test_cancelling_a_query_kills_its_process_and_frees_its_place(hard: str) -> None:
    async with SolverPool(1) as pool:
        for wait in (0.0, 0.01, 0.1, 0.3):
            query = asyncio.create_task(pool.ask("z3", hard, Limits(seconds=1000)))
            await asyncio.sleep(wait)
            query.cancel()
            with pytest.raises(asyncio.CancelledError):
                await query
            assert (await pool.ask("z3", FALSE)).status == "unsat"


async def test_a_cancelled_query_that_waited_is_never_posed(hard: str) -> None:
    async with SolverPool(1) as pool:
        running = asyncio.create_task(pool.ask("z3", hard, Limits(seconds=1000)))
        waiting = [asyncio.create_task(pool.ask("z3", hard, Limits(seconds=1000))) for _ in range(5)]
        await asyncio.sleep(0.1)
        for task in [*waiting, running]:
            task.cancel()
        assert (await asyncio.wait_for(pool.ask("z3", FALSE), 30)).status == "unsat"


async def test_a_timeout_around_a_query_ends_it(hard: str) -> None:
    async with SolverPool(1) as pool:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await pool.ask("cvc5", hard, Limits(seconds=1000))
        assert (await pool.ask("cvc5", FALSE)).status == "unsat"


async def test_closing_ends_what_runs_and_fails_what_waits(hard: str) -> None:
    pool = SolverPool(1)
    tasks = [asyncio.create_task(pool.ask("z3", hard, Limits(seconds=1000))) for _ in range(3)]
    await asyncio.sleep(0.2)
    await pool.aclose()
    first, *others = await asyncio.gather(*tasks, return_exceptions=True)
    assert getattr(first, "reason", None) == "killed"
    assert all(isinstance(other, SolverError) for other in others)
    with pytest.raises(SolverError):
        await pool.ask("z3", FALSE)
    await pool.aclose()


def test_one_pool_serves_several_event_loops() -> None:
    pool = SolverPool(1)
    for _ in range(2):
        assert asyncio.run(pool.ask("z3", FALSE)).status == "unsat"
    asyncio.run(pool.aclose())


async def test_children_survive_the_thread_that_started_them() -> None:
    """The kernel's parent-death signal follows the starting thread, not the process."""
    async with SolverPool(1) as pool:
        await asyncio.to_thread(asyncio.run, pool.ask("z3", FALSE))
        solvers = pool._threads._resources[0]
        pid = solvers.solvers["z3"].pid
        await asyncio.sleep(0.1)
        assert (await pool.ask("z3", FALSE)).status == "unsat"
        assert pid is not None
        assert solvers.solvers["z3"].pid == pid


async def test_a_pool_has_at_least_one_process() -> None:
    with pytest.raises(ValueError, match="at least one"):
        SolverPool(-1)
