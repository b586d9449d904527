"""Tie a child process to its parent and bound its memory, then (as a script) become the solver; its surroundings.

Run as ``python -I -S launch.py PARENT_PID ADDRESS_SPACE_BYTES COMMAND ARG...``. A wrapper rather than
``preexec_fn``: code between fork and exec may deadlock when the parent has threads. One without forks, and is spared
another interpreter.
"""

import ctypes
import fcntl
import os
import resource
import signal
import sys

TYPE_CHECKING = False  # the module typing takes longer to load than all of these
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

_MOST_FDS = 4096
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


def module_command(module: str, *arguments: str) -> list[str]:
    """The command line that runs one of our own modules, never one of the working directory."""
    return [sys.executable, "-P", "-m", module, str(os.getpid()), *arguments]


def children_environment() -> dict[str, str]:
    """Children import from where we import, and hash alike so that results repeat."""
    path = os.pathsep.join(p for p in sys.path if p)
    return {**os.environ, **_MALLOC, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}


def settle(pipes: "Sequence[int]", name: str) -> None:
    """In a process that was just forked: have these files as 0, 1, ... and no others, and Python's signals."""
    for caught in (signal.SIGTERM, signal.SIGCHLD, signal.SIGINT):
        signal.signal(caught, signal.SIG_DFL)
    for number, fd in enumerate([fcntl.fcntl(fd, fcntl.F_DUPFD, len(pipes)) for fd in pipes]):
        os.dup2(fd, number)
    os.closerange(len(pipes), _MOST_FDS)
    name_process(f"poetry-{name}")


def run_forked(main: "Callable[[], None]", arguments: "Sequence[str]", pipes: "Sequence[int]", name: str) -> "NoReturn":
    """In a process that was just forked: be a program of our own, and end with it."""
    code = 1
    try:
        settle(pipes, name)
        sys.argv = [sys.argv[0], *arguments]
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001  it is the end of this process; the last words go where they are read
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def main() -> None:
    """Become the solver."""
    bind_to_parent(int(sys.argv[1]))
    limit_memory(int(sys.argv[2]))
    os.execv(sys.argv[3], sys.argv[3:])


if __name__ == "__main__":
    main()
