"""Signals while Ray itself starts or ends: they end every process that it has begun, and then this one.

Ray cannot be interrupted there as other code can. It swallows some exceptions, waits in C for half a minute, and its
agents outlive the servers that were to end them by more than a minute. So nothing is raised: the interpreter tells a
thread (see `signal.set_wakeup_fd`), whatever the main thread does, and that is held as soon as it is in Python again:
else it would ask a server that has just been killed, and the interpreter would be locked until it gave up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from select import select
from types import FrameType
from typing import Any, NoReturn

from goedels_poetry.sandbox.child.libc import PR_SET_CHILD_SUBREAPER, prctl
from goedels_poetry.sandbox.child.processes import descendants
from goedels_poetry.search.machine.background import stopping_signals

SECONDS = 5.0
"""To end all processes in; one that the system does not end by then is left."""
_LINE = b"interrupted\n"


class Ending:
    """A context manager for the main thread; in another one it does nothing. Who sets handlers inside has his.

    The exit code is what a shell makes of the signal: 128 and its number.
    """

    def __init__(self) -> None:
        self._before: dict[signal.Signals, Any] = {}
        self._read = self._written = -1

    def __enter__(self) -> Ending:
        if threading.current_thread() is threading.main_thread():
            self._read, self._written = os.pipe()
            os.set_blocking(self._written, False)
            before = {number: signal.getsignal(number) for number in stopping_signals()}
            self._before = {number: how for number, how in before.items() if how not in (signal.SIG_IGN, None)}
            threading.Thread(target=self._listen, name="ending", daemon=True).start()
            self.listen()
        return self

    def __exit__(self, *error: object) -> None:
        if self._written < 0:
            return
        for number, handler in self._before.items():
            if signal.getsignal(number) is _hold:
                signal.signal(number, handler)
        signal.set_wakeup_fd(-1)
        os.close(self._written)

    def listen(self) -> None:
        """From now on, where somebody else has listened meanwhile. What is ignored stays ignored."""
        if self._written < 0:
            return
        signal.set_wakeup_fd(self._written, warn_on_full_buffer=False)
        for number in self._before:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _hold)

    def _listen(self) -> None:
        with os.fdopen(self._read, "rb", buffering=0) as pipe:
            while number := pipe.read(1):
                if number[0] in self._before:
                    _end(number[0])


def _hold(number: int, frame: FrameType | None) -> NoReturn:
    """What the main thread does about a signal: nothing more, until the other one has ended this process."""
    time.sleep(2 * SECONDS)
    os._exit(128 + number)


def _end(number: int) -> NoReturn:
    end_descendants()
    with contextlib.suppress(OSError):  # a terminal that is gone
        if select([], [2], [], 0)[1]:  # else nobody takes it
            os.write(2, _LINE)
    os._exit(128 + number)


def end_descendants() -> None:
    """Kill every process that this one has begun, and those that they have; who loses its parent becomes our child."""
    with contextlib.suppress(OSError):  # not Linux
        prctl(PR_SET_CHILD_SUBREAPER, 1)
    until = time.monotonic() + SECONDS
    while (left := descendants(os.getpid())) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)
