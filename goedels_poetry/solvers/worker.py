"""The child behind ``WorkerPool``: calls named functions of our own packages on JSON and returns JSON.

Run as ``python -m goedels_poetry.solvers.worker PARENT_PID PREFIX...``, or forked by the `fork_server`. State of the
modules (caches, solver sessions) lives from job to job until the worker is replaced.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import resource
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from goedels_poetry.errors import Unavailable, lacks_resources, one_line
from goedels_poetry.solvers import child, z3_process
from goedels_poetry.solvers.launch import allowed_memory, bind_to_parent, limit_memory
from goedels_poetry.solvers.process import HEADER, MEMORY_EXIT, pack, unpack
from goedels_poetry.solvers.z3_process import Z3Process


def is_allowed(module: str, packages: Sequence[str]) -> bool:
    """Whether a module is one of these packages or inside one."""
    return any(module == package or module.startswith(package + ".") for package in packages)


def find_function(name: str, packages: Sequence[str]) -> Callable[[dict[str, Any]], Any]:
    """The public function "module:function" of an allowed package. Raises PermissionError or ImportError."""
    module_name, _, function_name = name.partition(":")
    if not is_allowed(module_name, packages):
        raise PermissionError(f"{name} is not in an allowed package")
    function = getattr(importlib.import_module(module_name), function_name, None)
    if function is None:
        raise ImportError(f"there is no {name}")
    if (
        function_name.startswith("_")
        or not inspect.isfunction(function)
        or not is_allowed(function.__module__, packages)
    ):
        raise PermissionError(f"{name} is not a public function of an allowed package")
    return function


def _resident_mb() -> float:
    with contextlib.suppress(OSError), open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / (1 << 20)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # the peak, where there is no /proc


def _bound(memory_mb: int) -> None:
    if sys.platform == "linux":
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (allowed_memory(memory_mb << 20), hard))


def do(request: dict[str, Any], packages: Sequence[str]) -> dict[str, Any]:
    """Run one job; whatever it raises becomes part of the reply, except running out of memory."""
    try:
        _bound(request["memory_mb"])
        result = find_function(request["function"], packages)(request["payload"])
    except MemoryError:
        raise
    except BaseException as error:  # noqa: BLE001 - a job may raise anything; it is reported and the worker stays
        if isinstance(error, Unavailable) or lacks_resources(error):
            return {"ok": False, "unavailable": str(error) if isinstance(error, Unavailable) else one_line(error)}
        trace = traceback.format_exc(limit=-8)
        return {"ok": False, "error": f"{type(error).__name__}: {error}", "trace": trace}
    return {"ok": True, "result": result, "resident_mb": _resident_mb()}


def main() -> None:
    """Answer requests until the input ends."""
    bind_to_parent(int(sys.argv[1]))
    limit_memory(0)
    child.share_group = True
    requests, replies = private_pipes()
    packages = sys.argv[2:]
    while (request := read_message(requests)) is not None:
        try:
            reply = do(request, packages)
            try:
                write_message(replies, reply)
            except (TypeError, ValueError, RecursionError) as error:
                write_message(replies, {"ok": False, "error": f"the result is not JSON: {error}", "trace": ""})
            begin_unused()
        except MemoryError:
            os._exit(MEMORY_EXIT)


def read_message(fd: int) -> dict[str, Any] | None:
    """Block until a message arrives; None at the end of input."""
    header = _read_exactly(fd, HEADER)
    if header is None:
        return None
    body = _read_exactly(fd, int.from_bytes(header, "big"))
    return None if body is None else unpack(header + body)


def write_message(fd: int, message: dict[str, Any]) -> None:
    """Block until the whole message is written."""
    rest = memoryview(pack(message))
    while rest:
        rest = rest[os.write(fd, rest) :]


def _read_exactly(fd: int, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        chunk = os.read(fd, min(size - len(data), 1 << 20))
        if not chunk:
            return None
        data += chunk
    return bytes(data)


def private_pipes() -> tuple[int, int]:
    """For a child: take standard input and output for messages alone.

    Whatever else prints in this process (a C++ library, a job) then goes nowhere and cannot forge a message.
    """
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return requests, replies


# Processes that one job leaves to the next
# A reset costs a tenth of a start and finds the same. For searches only: a check has processes that nobody has used.

_MOST_SPARE = 4
_spare: list[Z3Process] = []
for _kept in (_spare, z3_process._ahead):
    os.register_at_fork(after_in_child=_kept.clear)  # they are children of another process


def lend() -> Z3Process:
    """A process that was handed back, or a new one; what it knew is forgotten with the first question."""
    return _spare.pop() if _spare else Z3Process()


def take_back(process: Z3Process) -> None:
    """Keep it for the next job, unless there are enough."""
    if process.pid is not None and len(_spare) < _MOST_SPARE:
        _spare.append(process)
    else:
        process.close()


def begin_unused() -> None:
    """Have those load that the next job will want, if it is like the last ones."""
    for limits in [limits for limits, process in z3_process._ahead.items() if process is None]:
        z3_process._ahead[limits] = z3_process.unused(limits)


@contextmanager
def borrowed() -> Iterator[Z3Process]:
    """One for as long as this lasts."""
    process = lend()
    try:
        yield process
    finally:
        take_back(process)


if __name__ == "__main__":
    main()
