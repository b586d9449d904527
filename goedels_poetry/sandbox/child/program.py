"""The last steps of the fork that becomes the untrusted program: it shuts itself in, then runs.

Whatever fails before the program's first line is told the keeper, and nothing is run.
"""

from __future__ import annotations

import errno
import mmap
import os
import resource
import sys

from goedels_poetry.sandbox.child import libc as landlock
from goedels_poetry.sandbox.child import namespaces as seccomp
from goedels_poetry.sandbox.child.libc import (
    IS_LINUX,
    MACHINE,
    NUMBERS,
    PR_SET_DUMPABLE,
    PR_SET_PDEATHSIG,
    drop_capabilities,
    prctl,
)
from goedels_poetry.sandbox.child.namespaces import paths_without

TYPE_CHECKING = False  # the module typing takes longer to load than all of ours
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any

NAME = "program.py"
"""What a traceback calls the program. There is no such file: the folder is empty."""
MEMORY, DISK = 1, 2
"""First byte of the memory that is shared: the program ended for want of memory, of space. It may lie about that."""
BEGUN = b"\x01"
"""What the keeper is told when the walls stand; anything else is why they do not."""
_STACK = 8 << 20
_THREADS = 128
_SIGKILL = 9
_COMMAND_NOT_FOUND = 127


def become(config: Mapping[str, Any], shared: mmap.mmap, tell: int) -> None:
    """Shut this process in and be the program; returns, or raises SystemExit, when a program in Python has ended.

    Args:
        config: see ``launch``.
        shared: memory that the keeper reads at the end.
        tell: file descriptor on which it waits for `BEGUN`.
    """
    try:
        _shut_in(config, tell)
    except BaseException as failure:  # noqa: BLE001  whatever it is, the program must not run
        os.write(tell, f"{type(failure).__name__}: {failure}".encode()[:1000])
        os._exit(1)
    os.write(tell, BEGUN)
    os.close(tell)
    if config["argv"]:
        _exec(config["argv"])
    _run(config, shared)


def _shut_in(config: Mapping[str, Any], tell: int) -> None:
    if IS_LINUX:
        os.setsid()
    os.chdir(config["folder"])
    os.umask(0o022)
    _become_nobody(config)
    _limit(config)
    features = config["features"]
    if IS_LINUX:
        prctl(PR_SET_PDEATHSIG, _SIGKILL)  # not before: becoming another user undoes it
        prctl(PR_SET_DUMPABLE, 1)  # the keeper may look at its files
    if IS_LINUX and MACHINE in NUMBERS:
        drop_capabilities(NUMBERS[MACHINE])
    if "landlock" in features:
        _landlock(config)
    os.closerange(3, tell)
    os.closerange(tell + 1, 1 << 16)
    if "seccomp" in features:
        several = config["processes"] > 0
        guarded = config["own_view"] or (several and "landlock" in features and landlock.guards_signals(MACHINE))
        code = seccomp.program(
            MACHINE,
            pid=os.getpid(),
            processes=several,
            own_files=config["own_view"],
            own_network=_has_network(config),
            signals=guarded,
            groups=config["own_view"] or os.getuid() != 0,  # how many processes root has is bounded by nobody
        )
        seccomp.install(code, MACHINE)


def _become_nobody(config: Mapping[str, Any]) -> None:
    user = config["user"]
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)


def _limit(config: Mapping[str, Any]) -> None:
    def bound(which: int, most: int) -> None:
        hard = resource.getrlimit(which)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (most, most))

    seconds = int(config["cpu_seconds"]) + 2  # the keeper is more exact; this is for when it is late
    bound(resource.RLIMIT_CPU, seconds)
    bound(resource.RLIMIT_CORE, 0)
    bound(resource.RLIMIT_NOFILE, max(8, config["open_files"]))
    bound(resource.RLIMIT_FSIZE, config["disk_bytes"])
    bound(resource.RLIMIT_STACK, _STACK)
    if IS_LINUX:
        bound(resource.RLIMIT_AS, config["memory_bytes"])
        bound(resource.RLIMIT_MEMLOCK, 0)
        bound(resource.RLIMIT_MSGQUEUE, 0)
        bound(resource.RLIMIT_SIGPENDING, 256)
        bound(resource.RLIMIT_NPROC, config["tasks"] + config["processes"] + _THREADS)


def _landlock(config: Mapping[str, Any]) -> None:
    read: list[str] = []
    listed: list[str] = []
    for path in config["read"]:
        whole, lists = paths_without(path, config["hidden"])
        read += whole
        listed += lists
    landlock.restrict(
        MACHINE,
        read=read,
        listed=listed,
        write=[config["folder"], *config["scratch"]],
        devices=config["devices"],
        execute=bool(config["argv"]),
        network=_has_network(config),
    )


def _has_network(config: Mapping[str, Any]) -> bool:
    """A loopback of its own, which leads nowhere."""
    return bool(config["argv"]) and bool(config["own_view"])


def _exec(argv: list[str]) -> None:
    import signal

    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)
    except OSError as failure:
        os.write(2, f"{argv[0]}: {failure.strerror}\n".encode())
        os._exit(_COMMAND_NOT_FOUND)


class _Source:
    """Gives tracebacks and ``inspect`` the text of a program that is in no file."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, name: str) -> str:
        return self.text


def _run(config: Mapping[str, Any], shared: mmap.mmap) -> None:
    import site  # not at the top: with -S it has done nothing yet, and may have to look into folders of packages

    for add in ("setquit", "setcopyright", "sethelper"):  # exit() and the like, which many programs call
        getattr(site, add)()
    sys.path.insert(0, os.getcwd())
    if config["packages"]:
        sys.prefix = sys.exec_prefix = config["prefix"]
        for place in config["packages"]:
            site.addsitedir(place)
    sys.argv = [NAME, *config["arguments"]]
    main = type(sys)("__main__")
    main.__dict__.update(__builtins__=__builtins__, __file__=NAME, __loader__=_Source(config["program"]))
    program = config["program"]
    for name in set(sys.modules) - config["modules"] - set(sys.builtin_module_names):  # files may be called so
        del sys.modules[name]
    sys.modules["__main__"] = main
    try:
        code = compile(program, NAME, "exec", dont_inherit=True)
        exec(code, main.__dict__)  # noqa: S102  this is the process that was made for it
    except SystemExit:
        raise
    except BaseException as failure:  # noqa: BLE001  shown as the interpreter would, without frames of ours
        shared[0] = _cause(failure)
        _show(type(failure), failure, failure.__traceback__)
        raise SystemExit(1) from None


def _cause(failure: BaseException) -> int:
    if isinstance(failure, MemoryError):
        return MEMORY
    if isinstance(failure, OSError) and failure.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return DISK
    if isinstance(failure, OSError) and failure.errno == errno.ENOMEM:
        return MEMORY
    return 0


def _show(kind: type[BaseException], failure: BaseException, trace: TracebackType | None) -> None:
    below = trace.tb_next if trace else None  # the first frame is `_run`
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(kind, failure, below)
        return
    import traceback  # finds the lines of the program through its loader

    traceback.print_exception(kind, failure, below)
