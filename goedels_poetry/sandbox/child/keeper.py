"""The process beside the program: it forks the program, watches, ends everything and reports.

The program cannot reach it: it is the first process of the namespace, or another user's, or signals, tracing and files
of others are refused to the program, by as many of these as the machine gives.
"""

from __future__ import annotations

import mmap
import os
import select
import time

from goedels_poetry.sandbox.child import folder as folders
from goedels_poetry.sandbox.child import program
from goedels_poetry.sandbox.child.libc import IS_LINUX, PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, prctl
from goedels_poetry.sandbox.child.processes import descendants, nameless_bytes, remove

TYPE_CHECKING = False  # the module typing takes longer to load than all of ours
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_LOOK_SECONDS = 0.05
"""How often the folder is measured; a fast disk takes some 50 MB in that time where it is on one."""
_SHARED_BYTES = 4096
_MOST_TOLD = 4096
_FULL = 0.97
_SIGKILL = 9
_MOST_AT_ONCE = 10_000


def keep(config: Mapping[str, Any], report: int, lifeline: int) -> None:
    """Run the program to its end and report; in the program itself this returns, when it is Python and has ended.

    Args:
        config: see ``launch``.
        report: file descriptor that the report is written to.
        lifeline: one that is at its end when the program is to be stopped, or nobody is left who wants to know.
    """
    shared = mmap.mmap(-1, _SHARED_BYTES)
    if IS_LINUX:
        prctl(PR_SET_DUMPABLE, 0)
        if os.getpid() != 1:
            prctl(PR_SET_CHILD_SUBREAPER, 1)
    started = time.monotonic()
    _tell(report)  # from now on the program's time counts
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        program.become(config, shared, tell)
        return
    os.close(tell)
    _let_go_of_streams()
    cause, status, seconds_used = _watch(config, child, lifeline, started)
    seconds = time.monotonic() - started
    _end_everything(child)
    text = os.read(told, _MOST_TOLD)
    if text == program.BEGUN:
        text = b""
    elif not cause:
        cause = "unavailable"
    if not cause and status != 0:
        cause = _cause(config, shared[0], seconds_used)
    words = [cause or "exited", str(os.waitstatus_to_exitcode(status)), f"{seconds:.6f}", f"{seconds_used:.6f}"]
    lines = [b" ".join(word.encode() for word in words), b"-" + text.hex().encode()]
    kept = folders.read_files(config["folder"], config["keep"], config["keep_bytes"])
    for name, content in kept.items():
        lines.append(f"{name.encode().hex()} {len(content)}".encode())
    if not config["own_view"]:
        remove(config["folder"])
    try:
        with open(report, "wb") as out:
            out.write(b"\n".join([*lines, b"", b""]) + b"".join(kept.values()))
    except OSError:  # nobody is left who wants to know
        os._exit(1)
    os._exit(0)


def _tell(report: int) -> None:
    try:
        os.write(report, b"\n")
    except OSError:  # nobody is left who wants to know, as we shall notice
        return


def _let_go_of_streams() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def _watch(config: Mapping[str, Any], child: int, lifeline: int, started: float) -> tuple[str, int, float]:
    """Why the program was ended ("" when it ended by itself), its status, and its seconds of processor time."""
    poll = select.poll()
    poll.register(lifeline, select.POLLIN | select.POLLHUP)
    ended_also = _descriptor_of(child)
    if ended_also is not None:
        poll.register(ended_also, select.POLLIN)
    cause, looked = "", started
    while True:
        ended = _reap(child)
        if ended is not None:
            return cause, *ended
        now = time.monotonic()
        left = config["wall_seconds"] - (now - started)
        used = _processor_time(child)
        if not cause:
            if used > config["cpu_seconds"]:
                cause = "cpu"
            elif left <= 0:
                cause = "wall"
            elif now - looked >= _LOOK_SECONDS:
                looked = now
                cause = "disk" if _too_much(config) else ""
            if not config["own_view"] and os.getppid() != config["parent"]:
                cause = "stopped"
            if cause:
                _kill_group(child)
        wait = min(_LOOK_SECONDS, max(left, 0.001), max((config["cpu_seconds"] - used) / (os.cpu_count() or 1), 0.002))
        for number, _ in poll.poll(wait * 1000):
            if number == lifeline:
                poll.unregister(lifeline)
                if not cause:
                    cause = "stopped"
                    _kill_group(child)


def _reap(child: int) -> tuple[int, float] | None:
    """Take the ends of children; the program's status and processor time when it was among them."""
    found = None
    while True:
        try:
            pid, status, used = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == child:
            found = status, used.ru_utime + used.ru_stime


def _processor_time(child: int) -> float:
    """Of the program's first process, by its own clock."""
    try:
        return time.clock_gettime((~child << 3) | 2)  # the kernel's name of another process's clock
    except OSError:
        return 0.0


def _descriptor_of(child: int) -> int | None:
    """A file descriptor that can be read when the child has ended, where there is such a thing."""
    try:
        return os.pidfd_open(child)
    except (OSError, AttributeError):
        return None


def _too_much(config: Mapping[str, Any]) -> bool:
    size, count = folders.used(config["folder"], config["own_view"], config["folder_bytes"], config["folder_files"])
    most_bytes, most_files = int(config["folder_bytes"]), int(config["folder_files"])
    if config["own_view"]:  # it is full, which the program is told; files without content are our affair
        return count >= most_files
    size += nameless_bytes(descendants(os.getpid(), _MOST_AT_ONCE))
    return size > most_bytes or count > most_files


def _end_everything(group: int) -> None:
    """Leave no process behind: all of the namespace when we are its first, otherwise all our descendants."""
    if os.getpid() == 1:
        _kill(-1)
    _kill_group(group)
    while True:
        below = [] if os.getpid() == 1 else descendants(os.getpid(), _MOST_AT_ONCE)
        for pid in below:
            _kill(pid)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _kill_group(child: int) -> None:
    """The program and what it started, all at once: what starts processes for ever is not faster than that."""
    _kill(child)  # it may not have made its group yet
    _kill(-child)


def _kill(whom: int) -> None:
    try:
        os.kill(whom, _SIGKILL)
    except (ProcessLookupError, PermissionError):  # it has ended; or it is no longer ours, and its group has others
        return


def _cause(config: Mapping[str, Any], state: int, seconds_used: float) -> str:
    """What a program that ended badly lacked, as far as it can be known; "" for nothing."""
    if state == program.MEMORY:
        return "memory"
    if state == program.DISK:
        return "disk"
    if seconds_used >= config["cpu_seconds"]:
        return "cpu"
    size, count = folders.used(config["folder"], config["own_view"], config["folder_bytes"], config["folder_files"])
    if size >= _FULL * config["folder_bytes"] or count >= _FULL * config["folder_files"]:
        return "disk"
    return ""
