"""Processes forked from a `fork_server`, which can load what they need before they are needed."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from goedels_poetry.solvers.child import Child, Forked, start_process
from goedels_poetry.solvers.launch import children_environment, module_command

_lock = threading.Lock()
SERVER = "goedels_poetry.solvers.fork_server"
WORKER = "goedels_poetry.solvers.worker"
LOADING_SECONDS = 30.0
"""Until the server must have loaded what is wanted and forked; then it is replaced."""
ENDING_SECONDS = 1.0
"""What it may take to end its workers; then it is killed, and they with it."""


class Ended(Exception):
    """The server is gone, or cannot fork."""


class ForkServer:
    """The process, and the socket on which it is asked. It ends with the process that has started it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Raises OSError. The thread that calls has to live as long as this process: with it the server ends."""
        self.owner = os.getpid()
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, contextlib.ExitStack() as failing:
            failing.callback(self._ours.close)
            end = theirs.fileno()
            process = subprocess.Popen(
                command, stdin=end, stdout=end, stderr=end, env=environment, start_new_session=True
            )
            failing.pop_all()
        self.close = weakref.finalize(self, _end, process, self._ours, self.owner)

    def fork(self, request: Mapping[str, Any], seconds: float, more: Sequence[int] = ()) -> Forked:
        """A new process. Raises Ended or OSError.

        Args:
            request: ``main`` (or "") with ``arguments`` and ``path``, ``modules`` to load, ``environment``, ``folder``.
            seconds: for the answer. more: file descriptors that it has as 3, 4, ...
        """
        pairs = [os.pipe() for _ in range(4)]
        (child_in, stdin), (stdout, child_out), (stderr, child_err), (status, child_status) = pairs
        theirs, ours = (child_in, child_out, child_err, child_status), (stdin, stdout, stderr)
        file = os.memfd_create("request")
        try:
            os.write(file, json.dumps(request).encode())
            socket.send_fds(self._ours, [b"."], (*theirs[:3], *more, child_status, file))
        except OSError as error:
            for fd in (*ours, status):
                os.close(fd)
            raise Ended from error
        finally:
            for fd in (*theirs, file):
                os.close(fd)
        replies = os.fdopen(status, "rb", 0)
        answered, _, _ = select.select([replies], [], [], seconds)
        line = replies.readline() if answered else b""
        if not line:
            replies.close()
            for fd in ours:
                os.close(fd)
            raise Ended
        return Forked(int(line), ours, replies)


def _end(process: subprocess.Popen[bytes], ours: socket.socket, owner: int) -> None:
    """Have it end its workers and itself, and reap it. A forked copy of its owner must not."""
    if os.getpid() != owner:
        return
    ours.close()
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(ENDING_SECONDS)
    process.kill()
    process.wait()


_servers: dict[Hashable, ForkServer] = {}
_holders = 0


def load_ahead(*modules: str) -> None:
    """Have the server begin to load ``modules``, which the workers of some pool will need."""
    if sys.platform == "linux":
        with _lock, contextlib.suppress(OSError, RuntimeError):
            _living(SERVER, _of_workers(modules))


def hold() -> None:
    """A pool begins; `release` when it ends: with the last one the server ends."""
    global _holders  # noqa: PLW0603
    with _lock:
        _holders += 1


def release() -> None:
    """A pool has ended."""
    global _holders  # noqa: PLW0603
    with _lock:
        _holders -= 1
        if _holders <= 0:
            _forget(SERVER)


def start_worker(packages: Sequence[str], modules: Sequence[str] = ()) -> Child:
    """A worker process that has loaded ``modules``. Raises OSError or RuntimeError when there can be none."""
    request = {
        "main": WORKER,
        "arguments": list(packages),
        "modules": list(modules),
        "environment": children_environment(),
        "folder": os.getcwd(),
        "path": sys.path,
    }
    return Child(forked(SERVER, _of_workers(modules), request) or module_command(WORKER, *packages))


def forked(
    key: Hashable, start: Callable[[], ForkServer], request: Mapping[str, Any], more: Sequence[int] = ()
) -> Forked | None:
    """A process of the server of this ``key``, which is started where there is none; None where it cannot fork.

    The rest as in `ForkServer.fork`. Raises OSError or RuntimeError when there can be no server.
    """
    for _ in range(2 if sys.platform == "linux" else 0):  # one that was killed is replaced
        with _lock:
            try:
                return _living(key, start).fork(request, LOADING_SECONDS, more)
            except Ended:
                _forget(key)
    return None


def _of_workers(modules: Sequence[str]) -> Callable[[], ForkServer]:
    return lambda: ForkServer(module_command(SERVER, *modules), children_environment())


def _living(key: Hashable, start: Callable[[], ForkServer]) -> ForkServer:
    if key not in _servers or _servers[key].owner != os.getpid():  # a forked copy of its owner has none
        _servers[key] = start_process(start)
    return _servers[key]


def _forget(key: Hashable) -> None:
    server = _servers.pop(key, None)
    if server is not None:
        server.close()
