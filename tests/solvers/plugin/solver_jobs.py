"""Functions that the worker tests call by name; imported in the workers, never in the tests."""

import os
import signal
import subprocess
import sys
import time
from typing import Any

from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

_calls: list[int] = []
_solver = Z3Process()


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
