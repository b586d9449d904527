"""The nursery's process, started with as little as can be loaded: it loads while its owner loads itself."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
from collections.abc import Sequence

from goedels_poetry.solvers.surroundings import LOADED, children_environment, module_command

NURSERY = "goedels_poetry.solvers.nursery"
ENDING_SECONDS = 1.0
"""What it may take to end its workers; then it is killed, and they with it."""


class Started:
    """A nursery, and the socket on which it is asked. Its owner is the process that has started it."""

    def __init__(self, modules: Sequence[str], environment: dict[str, str] | None = None, own: bool = True) -> None:
        """Raises OSError. The thread that calls has to live as long as this process: with it the nursery ends.

        ``own``: whether it begins a session of its own, or stays in the process group of its owner.
        """
        self.owner = os.getpid()
        self.ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
        actions = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), 0), *nothing]
        command = module_command(NURSERY, *modules)
        try:
            surroundings = environment or children_environment()
            self._pid = os.posix_spawn(command[0], command, surroundings, file_actions=actions, setsid=own)
        except BaseException:
            self.ours.close()
            raise
        finally:
            theirs.close()
        self._ended = False

    def has_loaded(self) -> bool:
        """Whether it has loaded what it was to load; told once. Does not wait. Raises OSError when it has ended."""
        ready, _, _ = select.select([self.ours], [], [], 0)
        if not ready:
            return False
        if self.ours.recv(1) != LOADED:
            raise ConnectionResetError("the nursery has ended")
        return True

    def end(self) -> None:
        """Have it end its workers and itself, and reap it. A forked copy of its owner must not."""
        if os.getpid() == self.owner and not self._ended:
            self._ended = True
            self.ours.close()
            with contextlib.suppress(ProcessLookupError, ChildProcessError):  # somebody waits for all our children
                os.kill(self._pid, signal.SIGTERM)
                self._wait()
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)

    def _wait(self) -> None:
        """A moment until it has ended; it is not yet reaped."""
        try:
            ending = os.pidfd_open(self._pid)
        except OSError:  # it has gone already, or this system tells of no process
            return
        try:
            select.select([ending], [], [], ENDING_SECONDS)
        finally:
            os.close(ending)


_begun: list[Started] = []


def begin(modules: Sequence[str]) -> None:
    """Start one that loads ``modules``, for whoever takes it; nothing where there can be none."""
    if sys.platform == "linux" and not _begun:
        try:
            _begun.append(Started(modules))
        except OSError:
            return  # told when one is needed


def take() -> Started | None:
    """The one that was begun, once."""
    return _begun.pop() if _begun else None
