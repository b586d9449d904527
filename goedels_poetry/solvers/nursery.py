"""A warm parent for worker processes: it loads our modules once and does nothing else but fork.

Run as ``python -m goedels_poetry.solvers.nursery PARENT_PID MODULE...`` with a Unix socket as standard input. A request
is a message with five file descriptors: what the worker is to have as standard input, output and error; a pipe on which
the nursery writes its number and, when it has ended, its return code; and a file with the rest as JSON. The nursery has
one thread, runs no job and loads no plug-in, so a worker forked from it is as fresh as one that was started by
itself, without the quarter of a second that loading takes.
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
from typing import Any, NoReturn

from goedels_poetry.solvers import worker
from goedels_poetry.solvers.child import run_forked
from goedels_poetry.solvers.launch import bind_to_parent
from goedels_poetry.solvers.surroundings import LOADED

OURS = (__package__ or "").partition(".")[0] + "."
_FDS = 5
_TICK_MS = 1000
"""After so long those that have ended are looked for even if no signal told of one."""


def main() -> None:
    """Fork until the other side of the socket is closed."""
    bind_to_parent(int(sys.argv[1]))
    requests = socket.socket(fileno=os.dup(0))
    heard, hears = os.pipe()
    for end in (heard, hears):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(hears)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # it only wakes the poll below
    wards = _Wards()
    signal.signal(signal.SIGTERM, lambda *_: wards.end())
    wards.poll.register(requests, select.POLLIN)
    wards.poll.register(heard, select.POLLIN)
    load(sys.argv[2:3])
    ahead = sys.argv[3:]
    loading = True
    while True:
        if loading and not ahead:
            loading = False
            with contextlib.suppress(OSError):
                requests.send(LOADED, socket.MSG_DONTWAIT)
        ready = dict(wards.poll.poll(0 if ahead else _TICK_MS if wards.pipes else None))
        if heard in ready:
            os.read(heard, 4096)
        if requests.fileno() in ready:
            data, fds, _, _ = socket.recv_fds(requests, 1, _FDS)
            if not data:
                break
            with open(fds.pop()) as file:
                file.seek(0)
                request = json.load(file)
            ahead += request["modules"][1:]
            _serve(request, fds, wards)
        elif ahead:  # who asks is served first, and its worker has what it needs
            load([ahead.pop(0)])
        wards.look(ready)
    wards.end()


def load(modules: list[str]) -> None:
    """Import modules of ours; where one does not load, its worker will say so."""
    gc.disable()  # what is loaded is no garbage
    for module in modules:
        if module.startswith(OURS):
            with contextlib.suppress(ImportError):
                getattr(importlib.import_module(module), "warm", _nothing)()
    gc.enable()
    gc.freeze()  # pages that the collector does not touch stay shared


def _nothing() -> None:
    """What most modules do to be ready."""


class _Wards:
    """The workers that live, or that nobody has buried yet.

    One that has ended is reaped when its pipe is closed over there: until then its number, which is that of its process
    group, is nobody else's.
    """

    def __init__(self) -> None:
        self.poll = select.poll()
        self.pipes: dict[int, int] = {}
        """Worker by pipe."""
        self._told: set[int] = set()
        self._left: set[int] = set()
        """Of whom nobody wants to know any more."""
        self._parent = os.getpid()

    def add(self, pid: int, pipe: int) -> None:
        os.write(pipe, f"{pid}\n".encode())
        self.pipes[pipe] = pid
        self.poll.register(pipe, 0)  # POLLERR: nobody reads any more

    def look(self, ready: dict[int, int]) -> None:
        for pipe, pid in list(self.pipes.items()):
            ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            if pipe in ready:
                self._left.add(pipe)
                self.poll.unregister(pipe)  # else it would be told again and again until the process is gone
                if ended is None:
                    os.kill(pid, signal.SIGKILL)
            if ended is None:
                continue
            if pipe in self._left:
                os.waitpid(pid, 0)
                self._told.discard(pipe)
                self._left.discard(pipe)
                os.close(pipe)
                del self.pipes[pipe]
            elif pipe not in self._told:
                code = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
                with contextlib.suppress(BrokenPipeError):
                    os.write(pipe, f"{code}\n".encode())
                self._told.add(pipe)

    def end(self) -> NoReturn:
        """End this process, but first kill and reap its workers: not every system has an init that does."""
        if os.getpid() == self._parent:  # no fork that has not yet become a worker
            for pid in self.pipes.values():
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
        os._exit(0)


def _serve(request: dict[str, Any], fds: list[int], wards: _Wards) -> None:
    load(request["modules"][:1])  # the others as soon as nobody waits: until then who needs one loads it
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError:  # no more processes: the pipe closes without a word
        pid = -1
    if pid == 0:
        signal.set_wakeup_fd(-1)
        if request["main"] == worker.__name__:  # a solver stays in the group of the worker that it belongs to
            os.setsid()
            os.environ.clear()
            os.environ.update(request["environment"])
            os.chdir(request["folder"])
            sys.path[:] = request["path"]
        main = importlib.import_module(request["main"]).main
        name = request["main"].rpartition(".")[2]
        run_forked(main, [str(parent), *request["arguments"]], (fds[0], fds[1], fds[2]), name)
    for fd in fds[:3]:
        os.close(fd)
    if pid < 0:
        os.close(fds[3])
    else:
        wards.add(pid, fds[3])


if __name__ == "__main__":
    main()
