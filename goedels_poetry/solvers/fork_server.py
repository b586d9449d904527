"""A warm parent for processes of ours: it loads modules once and does nothing else but fork.

Run as ``python -m goedels_poetry.solvers.fork_server PARENT_PID MODULE...`` with a Unix socket as standard input. A
request is a message with file descriptors: those that the new process has as 0, 1, 2, ...; a pipe on which its number
and, when it has ended, its return code are written; and a file with the rest as JSON. The server has one thread, runs
no job and loads no plug-in, so a process forked from it is as fresh as one that was started by itself, without the
quarter of a second that loading takes. The sandbox has one of its own, which knows nothing of ours.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys

from goedels_poetry.solvers.launch import adopt_orphans, bind_to_parent, run_forked, settle

TYPE_CHECKING = False  # the module typing takes longer to load than the others
if TYPE_CHECKING:
    from typing import Any, NoReturn

OURS = (__package__ or "").partition(".")[0] + "."
_MOST_FDS = 8


def main() -> None:
    """Fork until the other side of the socket is closed; returns in a process that runs what its caller does next."""
    bind_to_parent(int(sys.argv[1]))
    adopt_orphans()  # solvers of a worker that was killed
    requests = socket.socket(fileno=os.dup(0))
    heard, hears = os.pipe()
    for end in (heard, hears):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(hears)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # it only wakes the poll below
    workers: dict[int, tuple[int, bool]] = {}  # by its number the pipe of each, and whether it is a module of ours
    owner = os.getpid()
    signal.signal(signal.SIGTERM, lambda *_: _end(workers) if os.getpid() == owner else None)
    poll = select.poll()
    poll.register(requests, select.POLLIN)
    poll.register(heard, select.POLLIN)
    load(sys.argv[2:3])
    ahead = sys.argv[3:]
    while True:
        ready = dict(poll.poll(0 if ahead else None))
        if heard in ready:
            os.read(heard, 4096)
        if requests.fileno() in ready:
            data, fds, _, _ = socket.recv_fds(requests, 1, _MOST_FDS)
            if not data:
                _end(workers)
            with open(fds.pop()) as file:
                file.seek(0)
                request = json.load(file)
            ahead += request["modules"][1:]
            if _serve(request, fds, workers):
                requests.detach()  # the number is another file's
                return
        elif ahead:  # a request is served first: its worker loads what it needs
            load([ahead.pop(0)])
        _bury(workers)


def load(modules: list[str]) -> None:
    """Import modules of ours; where one does not load, its worker will say so."""
    gc.disable()  # what is loaded is no garbage
    for module in modules:
        if module.startswith(OURS):
            with contextlib.suppress(ImportError):
                importlib.import_module(module)
    gc.enable()
    gc.freeze()  # pages that the collector does not touch stay shared


def _bury(workers: dict[int, tuple[int, bool]]) -> None:
    """Write down how workers have ended, end what they have left, and reap all."""
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        except ChildProcessError:
            return
        if ended is None:
            return
        pipe, _ = workers.pop(ended.si_pid, (None, False))
        if pipe is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(ended.si_pid, signal.SIGKILL)
        os.waitpid(ended.si_pid, 0)
        if pipe is not None:
            code = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
            with contextlib.suppress(BrokenPipeError):
                os.write(pipe, f"{code}\n".encode())
            os.close(pipe)


def _end(workers: dict[int, tuple[int, bool]]) -> NoReturn:
    """End this process, but first kill and reap its workers with their solvers: not every system has an init.

    Others see for themselves that nobody wants them any more, and have folders to remove.
    """
    for pid in [pid for pid, (_, ours) in workers.items() if ours]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    os._exit(0)


def _serve(request: dict[str, Any], fds: list[int], workers: dict[int, tuple[int, bool]]) -> bool:
    """Fork; whether this is the fork, and its program is not a module of ours."""
    load(request["modules"][:1])  # the others as soon as no request waits
    *pipes, status = fds
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError:  # no more processes: the pipe closes without a word
        pid = -1
    if pid == 0:
        signal.set_wakeup_fd(-1)
        os.setsid()
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        if not request["main"]:
            settle(pipes, "sandbox")
            signal.signal(signal.SIGINT, signal.default_int_handler)
            return True
        sys.path[:] = request["path"]
        main = importlib.import_module(request["main"]).main
        run_forked(main, [str(parent), *request["arguments"]], pipes, "worker")
    for fd in pipes:
        os.close(fd)
    if pid < 0:
        os.close(status)
    else:
        workers[pid] = status, bool(request["main"])
        os.write(status, f"{pid}\n".encode())
    return False


if __name__ == "__main__":
    main()
