"""Tie a child process to its parent and bound its memory, then (as a script) become the solver; its surroundings.

Run as ``python -I -S launch.py PARENT_PID ADDRESS_SPACE_BYTES COMMAND ARG...``. A wrapper rather than
``preexec_fn``: code between fork and exec may deadlock when the parent has threads, and ours has.
"""

import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
# Else glibc may hand the heap back to the system at every (reset) and fault it in again: z3's fresh contexts
# were then seen to cost 6.7 ms instead of 1.5 ms.
_MALLOC = {"MALLOC_TRIM_THRESHOLD_": str(1 << 28), "MALLOC_MMAP_THRESHOLD_": str(1 << 25)}
_C = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None  # loaded before anybody forks


def bind_to_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent dies, even by kill -9 (Linux).

    Elsewhere the end of standard input does the same for a child that reads; raises SystemExit when the
    parent died before we could ask.
    """
    if _C is not None:
        _C.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit("parent is gone")


def adopt_orphans() -> None:
    """Become the parent of processes below this one that lose theirs (Linux)."""
    if _C is not None:
        _C.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def name_process(name: str) -> None:
    """What ``ps`` and ``top`` call this process, at most 15 bytes: a fork has the command line of its parent."""
    if _C is not None:
        _C.prctl(_PR_SET_NAME, name.encode(), 0, 0, 0)


def limit_memory(address_space: int) -> None:
    """Bound the address space, here and in children, to so many bytes (0: no bound); leave no core files.

    Where the system allows less than that (``ulimit -v``), its own bound stands.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if address_space and sys.platform == "linux":  # macOS refuses RLIMIT_AS
        bound = allowed_memory(address_space)
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))


def allowed_memory(address_space: int) -> int:
    """So many bytes of address space, or as many as this process may have when that is less."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    return address_space if hard == resource.RLIM_INFINITY else min(address_space, hard)


def memory_limit_mb() -> int | None:
    """How many MiB of address space ``ulimit -v`` leaves this process and its children; None: no bound."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    return None if hard == resource.RLIM_INFINITY else hard >> 20


def address_space_now() -> int:
    """How many bytes of address space this process uses; 0 where there is no /proc."""
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def module_command(module: str, *arguments: str) -> list[str]:
    """The command line that runs one of our own modules, never one of the working directory."""
    return [sys.executable, "-P", "-m", module, str(os.getpid()), *arguments]


def children_environment() -> dict[str, str]:
    """Children import from where we import, and hash alike so that results repeat."""
    path = os.pathsep.join(p for p in sys.path if p)
    return {**os.environ, **_MALLOC, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}


if __name__ == "__main__":
    bind_to_parent(int(sys.argv[1]))
    limit_memory(int(sys.argv[2]))
    os.execv(sys.argv[3], sys.argv[3:])
