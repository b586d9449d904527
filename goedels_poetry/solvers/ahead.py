"""Worker processes, forked from a warm parent (see `nursery`) that can load what they need before they are needed."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import threading
import weakref
from collections.abc import Sequence
from typing import Any, BinaryIO

from goedels_poetry.solvers import headstart
from goedels_poetry.solvers.child import Child, Fork, start_process
from goedels_poetry.solvers.surroundings import children_environment, module_command

_lock = threading.Lock()
WORKER = "goedels_poetry.solvers.worker"
LOADING_SECONDS = 30.0
"""Until the nursery must have loaded what is wanted and forked; then it is replaced."""
_MOST_STATUS = 64
_LOOK_AGAIN = 0.02


class Ended(Exception):
    """The nursery is gone, or cannot fork."""


class ForkedProcess(Fork):
    """A worker that the nursery has forked. Its number stays its own until ``status`` is closed."""

    def __init__(self, pid: int, stdin: int, stdout: int, stderr: int, status: BinaryIO) -> None:
        super().__init__(pid, stdin, stdout, stderr)
        self.status = status
        os.set_blocking(status.fileno(), False)

    def poll(self) -> int | None:
        """See `Fork.poll`."""
        with self._lock:  # the code is told once
            if self.returncode is None and self.status.closed:
                self.returncode = -signal.SIGKILL  # the nursery ends what is left alone
            elif self.returncode is None:
                with contextlib.suppress(BlockingIOError):  # it runs
                    line = os.read(self.status.fileno(), _MOST_STATUS)
                    self.returncode = int(line) if line else -signal.SIGKILL  # it ends with the nursery
            return self.returncode

    def wait(self) -> int:
        """See `Fork.wait`."""
        while (code := self.poll()) is None:
            select.select([self.status], [], [], _LOOK_AGAIN)  # another thread may have been told
        return code


class Nursery:
    """The process, and the socket on which it is asked."""

    def __init__(self, started: headstart.Started) -> None:
        self.owner = started.owner
        self.has_loaded = started.has_loaded
        self._ours = started.ours
        self.close = weakref.finalize(self, started.end)

    def fork(
        self, modules: Sequence[str], arguments: Sequence[str], main: str = WORKER, *, seconds: float
    ) -> ForkedProcess:
        """A new process that has loaded ``modules`` and runs the function ``main`` of one. Raises Ended or OSError."""
        pairs = [os.pipe() for _ in range(4)]
        (child_in, stdin), (stdout, child_out), (stderr, child_err), (status, child_status) = pairs
        theirs, ours = (child_in, child_out, child_err, child_status), (stdin, stdout, stderr)
        request = os.memfd_create("request")
        try:
            os.write(request, json.dumps(_request(modules, arguments, main)).encode())
            socket.send_fds(self._ours, [b"."], (*theirs, request))
        except OSError as error:
            for fd in (*ours, status):
                os.close(fd)
            raise Ended from error
        finally:
            for fd in (*theirs, request):
                os.close(fd)
        word = os.fdopen(status, "rb", 0)
        answers, _, _ = select.select([word], [], [], seconds)
        line = word.readline() if answers else b""
        if not line:
            word.close()
            for fd in ours:
                os.close(fd)
            raise Ended
        return ForkedProcess(int(line), *ours, word)


def _request(modules: Sequence[str], arguments: Sequence[str], main: str) -> dict[str, Any]:
    """What a process is to be, and what a worker inherits besides; solvers need nothing of it."""
    request: dict[str, Any] = {"main": main, "modules": list(modules), "arguments": list(arguments)}
    if main != WORKER:
        return request
    return request | {
        "environment": children_environment(),
        "folder": os.getcwd(),
        "path": sys.path,
    }


_nursery: Nursery | None = None
_holders = 0


def load_ahead(*modules: str) -> None:
    """Have the nursery begin to load ``modules``, which the workers of some pool will need."""
    with _lock, contextlib.suppress(OSError, RuntimeError):
        _living(modules)


def hold() -> None:
    """A pool begins; `release` when it ends: with the last one the nursery ends."""
    global _holders  # noqa: PLW0603
    with _lock:
        _holders += 1


def release() -> None:
    """A pool has ended."""
    global _holders, _nursery  # noqa: PLW0603
    with _lock:
        _holders -= 1
        if _holders <= 0 and _nursery is not None:
            _nursery.close()
            _nursery = None


def start_worker(packages: Sequence[str], modules: Sequence[str] = ()) -> Child:
    """A worker process that has loaded ``modules``. Raises OSError or RuntimeError when there can be none."""
    if sys.platform == "linux":
        for _ in range(2):  # one that was killed is replaced
            with _lock:
                nursery = _living(modules)
                try:
                    return Child(nursery.fork(modules, packages, seconds=LOADING_SECONDS))
                except Ended:
                    _forget(nursery)
    return Child(module_command("goedels_poetry.solvers.worker", *packages))


def _living(modules: Sequence[str]) -> Nursery:
    global _nursery  # noqa: PLW0603
    if _nursery is None or _nursery.owner != os.getpid():  # a forked copy of its owner has none
        _nursery = Nursery(headstart.take() or start_process(lambda: headstart.Started(modules)))
    return _nursery


def _forget(nursery: Nursery) -> None:
    global _nursery  # noqa: PLW0603
    nursery.close()
    if _nursery is nursery:
        _nursery = None
