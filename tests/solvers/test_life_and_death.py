"""What becomes of the children when the program that started them ends, in every way it can."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = """
import asyncio, os, sys, threading
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.worker_pool import WorkerPool
from goedels_poetry.solvers.z3_process import Z3Process

HARD = sys.argv[1]

async def main():
    solvers, workers = (Z3Process(), Cvc5Process()), WorkerPool(1, ("goedels_poetry", "solver_jobs"))
    for solver in solvers:
        threading.Thread(target=solver.ask, args=(HARD, Limits(seconds=600)), daemon=True).start()
    payload = {"path": sys.argv[2] + ".worker", "script": HARD, "seconds": 600}
    tasks = [asyncio.create_task(workers.run("solver_jobs:solve_and_tell", payload, seconds=600))]
    while not os.path.exists(payload["path"]) or not all(solver.pid for solver in solvers):
        await asyncio.sleep(0.02)
    pids = [solver.pid for solver in solvers]
    with open(payload["path"]) as file:
        pids += [int(word) for word in file.read().split()[:2]]
    print(*pids, flush=True)
    ENDING

asyncio.run(main())
"""


@contextlib.contextmanager
def _started(tmp_path: Path, hard: str, ending: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """The program and the four busy processes it has started; a failed test leaves none of them behind."""
    path = os.pathsep.join([str(Path(__file__).with_name("plugin")), *filter(None, sys.path)])
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("ENDING", ending), hard, str(tmp_path / "pids")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert program.stdout is not None
    try:
        yield program, [int(word) for word in program.stdout.readline().split()]
    finally:
        program.kill()


def _alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_until_gone(pids: list[int]) -> None:
    assert len(pids) == 4
    while any(map(_alive, pids)):  # the test's time limit ends it when they never go
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform != "linux", reason="busy children are tied to their parent by Linux only")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_busy_children_go_when_the_program_is_killed(tmp_path: Path, hard: str, sent: signal.Signals) -> None:
    with _started(tmp_path, hard, "await asyncio.gather(*tasks)") as (program, pids):
        assert all(map(_alive, pids))
        program.send_signal(sent)
        program.communicate(timeout=30)
        _wait_until_gone(pids)


@pytest.mark.parametrize(
    "ending",
    [
        "return",  # asyncio.run cancels the tasks
        "sys.exit(0)",
        "raise ValueError",
        "os.close(1)",  # and goes on with no standard output
    ],
)
def test_the_program_ends_at_once_with_its_children_whatever_they_do(tmp_path: Path, hard: str, ending: str) -> None:
    with _started(tmp_path, hard, ending) as (program, pids):
        program.communicate(timeout=30)
        _wait_until_gone(pids)


def test_works_with_standard_output_closed() -> None:
    text = (
        "import os, sys\n"
        "os.close(1); os.close(0)\n"
        "from goedels_poetry.solvers.cvc5_process import Cvc5Process\n"
        "from goedels_poetry.solvers.z3_process import Z3Process\n"
        "for solver in (Z3Process(), Cvc5Process()):\n"
        "    assert solver.ask('(assert false)').status == 'unsat', solver\n"
    )
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", text],
        timeout=60,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
