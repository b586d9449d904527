"""Worker processes, forked from a `fork_server` that can load what they need before they are needed."""

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
from collections.abc import Sequence

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

    def __init__(self, modules: Sequence[str]) -> None:
        """Raises OSError. The thread that calls has to live as long as this process: with it the server ends."""
        self.owner = os.getpid()
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process = subprocess.Popen(
                module_command(SERVER, *modules),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=children_environment(),
                start_new_session=True,
            )
        self.close = weakref.finalize(self, _end, process, self._ours, self.owner)

    def fork(self, modules: Sequence[str], packages: Sequence[str], seconds: float) -> Child:
        """A new worker that has loaded ``modules``. Raises Ended or OSError."""
        pairs = [os.pipe() for _ in range(4)]
        (child_in, stdin), (stdout, child_out), (stderr, child_err), (status, child_status) = pairs
        theirs, ours = (child_in, child_out, child_err, child_status), (stdin, stdout, stderr)
        request = {
            "modules": list(modules),
            "packages": list(packages),
            "environment": children_environment(),
            "folder": os.getcwd(),
            "path": sys.path,
        }
        file = os.memfd_create("request")
        try:
            os.write(file, json.dumps(request).encode())
            socket.send_fds(self._ours, [b"."], (*theirs, file))
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
        return Child(Forked(int(line), ours, replies))


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


_server: ForkServer | None = None
_holders = 0


def load_ahead(*modules: str) -> None:
    """Have the server begin to load ``modules``, which the workers of some pool will need."""
    if sys.platform == "linux":
        with _lock, contextlib.suppress(OSError, RuntimeError):
            _living(modules)


def hold() -> None:
    """A pool begins; `release` when it ends: with the last one the server ends."""
    global _holders  # noqa: PLW0603
    with _lock:
        _holders += 1


def release() -> None:
    """A pool has ended."""
    global _holders, _server  # noqa: PLW0603
    with _lock:
        _holders -= 1
        if _holders <= 0 and _server is not None:
            _server.close()
            _server = None


def start_worker(packages: Sequence[str], modules: Sequence[str] = ()) -> Child:
    """A worker process that has loaded ``modules``. Raises OSError or RuntimeError when there can be none."""
    if sys.platform == "linux":
        for _ in range(2):  # one that was killed is replaced
            with _lock:
                server = _living(modules)
                try:
                    return server.fork(modules, packages, LOADING_SECONDS)
                except Ended:
                    _forget(server)
    return Child(module_command(WORKER, *packages))


def _living(modules: Sequence[str]) -> ForkServer:
    global _server  # noqa: PLW0603
    if _server is None or _server.owner != os.getpid():  # a forked copy of its owner has none
        _server = start_process(lambda: ForkServer(modules))
    return _server


def _forget(server: ForkServer) -> None:
    global _server  # noqa: PLW0603
    server.close()
    if _server is server:
        _server = None
