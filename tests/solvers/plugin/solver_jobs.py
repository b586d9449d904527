"""Functions that the worker tests call by name; imported in the workers, never in the tests."""

import os
import signal
import subprocess
import sys
import time
from typing import Any

from goedels_poetry.solvers import spare, templates
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

_calls: list[int] = []
_solver = Z3Process()
_second = Cvc5Process()


def add(payload: dict[str, Any]) -> dict[str, Any]:
    print("a job may print, nobody is misled")
    return {"sum": sum(payload["numbers"])}


def count(payload: dict[str, Any]) -> dict[str, Any]:
    _calls.append(1)
    return {"calls": len(_calls), "pid": os.getpid()}


def sleep(payload: dict[str, Any]) -> dict[str, Any]:
    time.sleep(payload["seconds"])
    return {}


def allocate(payload: dict[str, Any]) -> dict[str, Any]:
    return {"bytes": len(bytearray(payload["mb"] << 20))}


def keep(payload: dict[str, Any], _kept: list[bytes] = []) -> dict[str, Any]:  # noqa: B006 - it is to leak
    _kept.append(os.urandom(payload["mb"] << 20))
    return {"pid": os.getpid()}


def crash(payload: dict[str, Any]) -> dict[str, Any]:
    os.abort()


def be_killed(payload: dict[str, Any]) -> dict[str, Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def leave(payload: dict[str, Any]) -> dict[str, Any]:
    sys.exit(3)


def fail(payload: dict[str, Any]) -> dict[str, Any]:
    raise ValueError("so it goes")


def return_a_set(payload: dict[str, Any]) -> Any:
    return {1, 2}


def solve(payload: dict[str, Any]) -> dict[str, Any]:
    answer = _solver.ask(payload["script"], Limits(seconds=payload["seconds"]))
    return {"status": answer.status, "solver": _solver.pid, "pid": os.getpid()}


def solve_and_tell(payload: dict[str, Any]) -> dict[str, Any]:
    """Start a solver and a plain child, write their ids to a file, and go on for as long as it takes."""
    _solver.ask("")
    other = subprocess.Popen(["sleep", "600"])
    with open(payload["path"] + ".tmp", "w") as file:
        file.write(f"{os.getpid()} {_solver.pid} {other.pid}")
    os.rename(payload["path"] + ".tmp", payload["path"])
    return solve(payload)


def _private(payload: dict[str, Any]) -> dict[str, Any]:
    return {}


def loaded(payload: dict[str, Any]) -> dict[str, Any]:
    return {"loaded": payload["module"] in sys.modules}


def ask_cvc5(payload: dict[str, Any]) -> dict[str, Any]:
    status = _second.ask("(declare-const p Bool)(assert (and p (not p)))").status
    return {"status": status, "solver": _second.pid, "pid": os.getpid()}


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as children:
        return [int(pid) for pid in children.read().split()]


def _parent(pid: int | None) -> int:
    with open(f"/proc/{pid}/stat") as stat:
        return int(stat.read().rpartition(")")[2].split()[1])


def check_afresh(payload: dict[str, Any]) -> dict[str, Any]:
    """As a check does it: a process of each solver that nobody has used, for this job alone."""
    there = _children()
    if payload.get("end"):
        for pid in there:
            os.kill(pid, signal.SIGKILL)
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    limits = Limits(memory_mb=payload.get("memory_mb", 1024))
    with Z3Process() as first, Cvc5Process() as second:
        said = [solver.ask("(assert false)", limits).status for solver in (first, second)]
        used = [first.pid, second.pid]
        return {"there": there, "used": used, "said": said, "parents": [_parent(pid) for pid in used]}


def many_jobs(payload: dict[str, Any]) -> dict[str, Any]:
    """From now on one job is enough for this worker to have a template made."""
    templates.JOBS = 1
    return {}


def ask_of_fork(payload: dict[str, Any]) -> dict[str, Any]:
    """Ask a z3 that nobody has used, once more after each reset; who answered, and whose child that is."""
    limits = Limits(memory_mb=payload.get("memory_mb", 1024))
    with Z3Process() as z3:
        answers = []
        for script in payload["scripts"]:
            if payload.get("kill") == len(answers) and z3.pid is not None:
                os.kill(z3.pid, signal.SIGKILL)
            answer = z3.ask(script, limits)
            answers.append([answer.status, answer.reason])
        return {"answers": answers, "pid": z3.pid, "parent": _parent(z3.pid), "worker": os.getpid()}


def search_on(payload: dict[str, Any]) -> dict[str, Any]:
    """As a search does it: a process that the next job goes on with."""
    there = _children()
    with spare.borrowed() as process:
        process.ask("(assert true)")
        return {"there": there, "used": process.pid}
