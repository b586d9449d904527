"""Solver processes forked from a warm parent, as the workers of a pool fork theirs.

Hundreds of tests call the checker or the search in their own process, where each cvc5 is a Python of its own that
loads for a sixth of a second, and each z3 begins with another one that binds it to its parent. Here a process that has
loaded cvc5, asks it nothing and has one thread forks them: as fresh as those that are started, as bound in memory, and
a group of their own as well. Tests of how solvers are started, die and end use the real thing.

Run as ``python warm_solvers.py PARENT_PID``, with a Unix socket as standard input, it is that parent.
"""

import contextlib
import functools
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Sequence
from typing import BinaryIO

import pytest

from goedels_poetry.solvers import cvc5_process, preload, z3_process
from goedels_poetry.solvers.child import Child, Forked, run_forked, start_process
from goedels_poetry.solvers.launch import bind_to_parent, children_environment, limit_memory

_FDS = 4
_LONGEST = 100_000


class Parent:
    """The process that forks, and the socket on which it is asked. It ends with ours."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-P", __file__, str(os.getpid())]

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(command, stdin=theirs, env=children_environment(), start_new_session=True)

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
            word.close()
            raise BrokenPipeError("the parent is gone")
        return int(line), word


def _end(process: subprocess.Popen[bytes], ours: socket.socket, owner: int) -> None:
    if os.getpid() == owner:
        ours.close()
        process.kill()
        process.wait()


@functools.cache
def _parent() -> Parent:
    return Parent()


def _fork(*what: str) -> Child:
    """A child that is ``what``: ``cvc5 MEMORY_MB``, or ``program ADDRESS_SPACE COMMAND ...``."""
    pairs = [os.pipe() for _ in range(3)]
    (child_in, stdin), (stdout, child_out), (stderr, child_err) = pairs
    theirs = (child_in, child_out, child_err)
    try:
        try:
            number, word = _parent().fork(what, theirs)
        except OSError:  # a test has killed all that it found
            _parent.cache_clear()
            number, word = _parent().fork(what, theirs)
    finally:
        for fd in theirs:
            os.close(fd)
    return Child(Forked(number, (stdin, stdout, stderr), word))


_held: list[bool] = []


def keep_workers_parent(wanted: bool) -> None:
    """Whether the parent of the workers outlives the pools of a test: another one takes a quarter of a second."""
    if wanted and not _held:
        _held.append(True)
        preload.hold()
    elif not wanted and _held:
        _held.clear()
        preload.release()


def use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the test ends, solvers of this process are forked by the warm parent."""

    def start_module(module: str, *arguments: str) -> Child:
        assert module == cvc5_process.CHILD
        return _fork("cvc5", *arguments)

    def start_program(program: str, *arguments: str, address_space: int) -> Child:
        return _fork("program", str(address_space), program, *arguments)

    monkeypatch.setattr(cvc5_process, "start_module", start_module)
    monkeypatch.setattr(z3_process, "start_program", start_program)


# -- the parent -----------------------------------------------------------------------------------------------------


def _be() -> None:
    """What was asked for, in the forked process."""
    parent, what, *arguments = sys.argv[1:]
    if what == "cvc5":
        from goedels_poetry.solvers import cvc5_child

        sys.argv = [sys.argv[0], parent, *arguments]
        cvc5_child.main()
    else:
        bind_to_parent(int(parent))
        limit_memory(int(arguments[0]))
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as for every program that is started
        os.execv(arguments[1], arguments[1:])


def serve() -> None:
    """Fork what is asked for until the other side of the socket, our standard input, is closed."""
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
                run_forked(_be, [str(parent), *json.loads(data)], (fds[0], fds[1], fds[2]), "cvc5_child")
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


def main() -> None:
    """Fork until the tests end."""
    from goedels_poetry.solvers import cvc5_child

    assert cvc5_child
    serve()


if __name__ == "__main__":
    main()
