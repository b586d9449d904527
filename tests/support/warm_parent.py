"""A process that has loaded something, asks it nothing and has one thread, and forks what is asked for.

What it forks is as fresh as a process that was started, and has nothing left to load. `Parent` is our side; `serve` is
that of the process.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import BinaryIO

from goedels_poetry.solvers.child import run_forked, start_process
from goedels_poetry.solvers.launch import bind_to_parent, children_environment

_FDS = 4
_LONGEST = 100_000


class Parent:
    """The process of the file ``program``, and the socket on which it is asked. It ends with ours.

    path: what it finds modules on besides those that are installed; None for all that we do.
    """

    def __init__(self, program: str, path: str | None = None) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-P", program, str(os.getpid())]
        env = children_environment() | ({} if path is None else {"PYTHONPATH": path})

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(command, stdin=theirs, env=env, start_new_session=True)

        with theirs:
            process = start_process(start)  # it must not end with the thread that happens to be the first to ask
        weakref.finalize(self, _end, process, self._ours, os.getpid())

    def fork(self, what: Sequence[str], streams: Sequence[int]) -> tuple[int, BinaryIO]:
        """The number of a process that is ``what`` with these three streams, and where its exit code will be told.

        Raises OSError when the parent is gone.
        """
        status, told = os.pipe()
        try:
            socket.send_fds(self._ours, [json.dumps(what).encode()], [*streams, told])
        finally:
            os.close(told)
        word = os.fdopen(status, "rb", 0)
        line = word.readline()
        if not line:
            raise BrokenPipeError("the parent is gone")
        return int(line), word


def _end(process: subprocess.Popen[bytes], ours: socket.socket, owner: int) -> None:
    if os.getpid() == owner:
        ours.close()
        process.kill()
        process.wait()


def serve(be: Callable[[], None], name: str) -> None:
    """Fork until the other side of the socket, our standard input, is closed.

    be: what each process does, whose arguments are our number and what was asked for. name: of the processes.
    """
    bind_to_parent(int(sys.argv[1]))
    requests = socket.socket(fileno=os.dup(0))
    heard, hears = os.pipe()
    for end in (heard, hears):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(hears)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    gc.freeze()
    living: dict[int, int] = {}  # the pipe on which is told how a process ended, by its id
    poll = select.poll()
    for source in (heard, requests.fileno()):
        poll.register(source, select.POLLIN)
    while True:
        ready = dict(poll.poll())
        if heard in ready:
            os.read(heard, 4096)
        if requests.fileno() in ready:
            data, fds, _, _ = socket.recv_fds(requests, _LONGEST, _FDS)
            if not data:
                break
            parent, pid = os.getpid(), os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                os.setsid()
                run_forked(be, [str(parent), *json.loads(data)], (fds[0], fds[1], fds[2]), name)
            for fd in fds[:3]:
                os.close(fd)
            living[pid] = fds[3]
            os.write(fds[3], f"{pid}\n".encode())
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                pipe = living.pop(ended[0])
                with contextlib.suppress(BrokenPipeError):
                    os.write(pipe, f"{os.waitstatus_to_exitcode(ended[1])}\n".encode())
                os.close(pipe)


__all__ = ["Parent", "serve"]
