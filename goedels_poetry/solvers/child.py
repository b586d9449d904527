"""One child process behind two pipes: bounded in time and output, killable, gone when we are gone."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import IO, Any, BinaryIO, TypeVar

from goedels_poetry.solvers import launch
from goedels_poetry.solvers.launch import children_environment, module_command, run_forked

T = TypeVar("T")

KILLED = -signal.SIGKILL
"""The return code of a child that somebody else has killed, if we have not."""
WHO_KILLS = "the system does that when memory runs out: let less run beside it, or give it more"
_READ = 1 << 16
_COMPLAINTS = 4096
_MOST_STATUS = 64
_LOOK_AGAIN = 0.02

# A worker shares its process group with its solvers, so that killing the group kills them too.
share_group = False


class ChildTimeout(Exception):
    """The deadline passed before the reply was complete."""


class ChildFlood(Exception):
    """The child wrote more than it may."""


class ChildDied(Exception):
    """The child ended.

    code: its return code (negative: signal). output: the reply it had begun. complaints: the end of its
    standard error.
    """

    def __init__(self, code: int, output: bytes, complaints: bytes) -> None:
        super().__init__(exit_reason(code))
        self.complaints = complaints
        self.code = code
        self.output = output


def exit_reason(code: int) -> str:
    """A return code in words."""
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


class _Spawner:
    """Starts every child from one thread that lives as long as the process.

    Linux delivers the parent-death signal when the *thread* that started the child ends, so children started
    from short-lived threads would die with them.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Callable[[], Any], SimpleQueue[Any]]] = SimpleQueue()
        threading.Thread(target=self._run, name="goedels-poetry-spawner", daemon=True).start()

    def _run(self) -> None:
        while True:
            job, reply = self._jobs.get()
            try:
                reply.put(job())
            except BaseException as error:  # noqa: BLE001 - handed to the caller, who raises it
                reply.put(error)

    def started(self, start: Callable[[], T]) -> T:
        reply: SimpleQueue[T | BaseException] = SimpleQueue()
        self._jobs.put((start, reply))
        result = reply.get()
        if isinstance(result, BaseException):
            raise result
        return result


_lock = threading.Lock()
_spawners: dict[int, _Spawner] = {}  # by process id: threads do not survive a fork


def start_process(start: Callable[[], T]) -> T:
    """Start a process from a thread that lives as long as this process."""
    if threading.current_thread() is threading.main_thread():
        return start()
    pid = os.getpid()
    with _lock:
        if pid not in _spawners:
            _spawners[pid] = _Spawner()
    return _spawners[pid].started(start)


def executable_command(program: str, *arguments: str, address_space: int) -> list[str]:
    """The command line that runs a foreign program bound to this process."""
    launcher = [sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), str(address_space)]
    return [*launcher, program, *arguments]


def start_program(program: str, *arguments: str, address_space: int) -> Child:
    """Run a foreign program bound to this process, in so many bytes of address space. Raises OSError."""
    if _may_fork():
        return Child(_fork(launch.main, (str(address_space), program, *arguments), "solver"))
    return Child(executable_command(program, *arguments, address_space=address_space))


def _may_fork() -> bool:
    """Whether this is a worker, which has no second thread."""
    return share_group and threading.active_count() == 1


def start_module(module: str, *arguments: str) -> Child:
    """Run a module of ours as a child.

    A worker forks once more: its own parent has the module loaded, or it loads it now, once, and starting another
    interpreter would double the time of a small check. Raises OSError, RuntimeError.
    """
    if _may_fork():
        with contextlib.suppress(ImportError, MemoryError):  # a process of its own says what is missing
            return Child(_fork(importlib.import_module(module).main, arguments, module.rpartition(".")[2]))
    return Child(module_command(module, *arguments))


class Forked:
    """A process that was forked and not started, with the part of `subprocess.Popen` that a `Child` needs."""

    def __init__(self, pid: int, pipes: Sequence[int], status: BinaryIO | None = None) -> None:
        """``status``: where a fork server writes the exit code of its worker; None for a child of this process."""
        self.pid = pid
        self.returncode: int | None = None
        self.status = status
        if status is not None:
            os.set_blocking(status.fileno(), False)
        self.stdin: IO[bytes] = os.fdopen(pipes[0], "wb", 0)
        self.stdout: IO[bytes] = os.fdopen(pipes[1], "rb", 0)
        self.stderr: IO[bytes] = os.fdopen(pipes[2], "rb", 0)
        self._lock = threading.Lock()  # two threads may ask how it ended

    def poll(self) -> int | None:
        """The return code, or None while it runs."""
        with self._lock:
            if self.returncode is None and self.status is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
            elif self.returncode is None and self.status is not None:
                with contextlib.suppress(BlockingIOError):  # it runs
                    line = b"" if self.status.closed else os.read(self.status.fileno(), _MOST_STATUS)
                    self.returncode = int(line) if line else KILLED  # it ends with its server
            return self.returncode

    def wait(self, timeout: float = math.inf) -> int:
        """The return code, when it has ended. Raises subprocess.TimeoutExpired after so many seconds."""
        until = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("a fork", timeout)
            if self.status is None:
                with contextlib.suppress(ChildProcessError):  # another thread has reaped it
                    os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            else:
                select.select([self.status], [], [], _LOOK_AGAIN)  # another thread may have read it
        return code

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def _fork(main: Callable[[], None], arguments: Sequence[str], name: str) -> Forked:
    """A fork of this process that runs ``main``, which finds in `sys.argv` what it would find as a program."""
    (child_in, stdin), (stdout, child_out), (stderr, child_err) = (os.pipe() for _ in range(3))
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        run_forked(main, [str(parent), *arguments], (child_in, child_out, child_err), name)
    for fd in (child_in, child_out, child_err):
        os.close(fd)
    return Forked(pid, (stdin, stdout, stderr))


Process = subprocess.Popen[bytes] | Forked


def _end(process: Process, owner: int) -> None:
    """Kill, reap, close the pipes. A forked copy of the owner must not end the original's children."""
    if os.getpid() != owner:
        return
    process.kill()
    process.wait()
    close_pipes(process)


def close_pipes(process: Process) -> None:
    """Close our ends of the pipes of a process that has ended."""
    for pipe in (process.stdin, process.stdout, process.stderr, getattr(process, "status", None)):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


class Child:
    """A started child. Not for use by two threads at once, except ``kill``."""

    def __init__(self, command: Sequence[str] | Forked) -> None:
        """``command``: to be started, or a process that was."""
        self._process: Process = command if isinstance(command, Forked) else start_process(lambda: _started(command))
        self._end = weakref.finalize(self, _end, self._process, os.getpid())  # at the latest when we end
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._err = self._process.stderr.fileno()
        self._complaints = b""
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        os.set_blocking(self._err, False)
        self._poll = select.poll()
        self._poll.register(self._err, select.POLLIN)
        self._poll.register(self._out, select.POLLIN)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it is still running; reaps it when it is not."""
        return self._process.poll() is None

    def exchange(
        self, data: bytes, complete: Callable[[bytearray], bool], deadline: float, max_bytes: int
    ) -> bytearray:
        """Send data and read until the reply is complete, both at once so that neither pipe blocks the other.

        Raises ChildTimeout (``deadline`` is in time.monotonic seconds), ChildFlood or ChildDied. After any
        exception the stream is out of step and the child must be killed.
        """
        reply = bytearray()
        rest = memoryview(data)
        writing = False
        while True:
            if rest:
                try:
                    rest = rest[os.write(self._in, rest) :]
                except BlockingIOError:
                    pass  # the pipe is full: wait below until it can be written or read
                except BrokenPipeError:
                    rest = rest[len(rest) :]  # what it said before it died is still worth reading
            if bool(rest) != writing:
                writing = bool(rest)
                if writing:
                    self._poll.register(self._in, select.POLLOUT)
                else:
                    self._poll.unregister(self._in)
            left = deadline - time.monotonic()
            if left <= 0:
                raise ChildTimeout
            events = dict(self._poll.poll(left * 1000 + 1))
            if self._err in events and not self._listen():
                self._poll.unregister(self._err)
            if self._out not in events:
                continue
            chunk = os.read(self._out, _READ)
            if not chunk:
                code = self._process.wait()
                self._listen()
                raise ChildDied(code, bytes(reply), self._complaints)
            reply += chunk
            if len(reply) > max_bytes:
                raise ChildFlood
            if not rest and complete(reply):
                return reply

    def _listen(self) -> bool:
        """Keep the end of what the child says on standard error; False when that is closed."""
        try:
            got = os.read(self._err, _READ)
        except BlockingIOError:
            return True
        self._complaints = (self._complaints + got)[-_COMPLAINTS:]
        return bool(got)

    def kill(self) -> None:
        """End the child at once and reap it. Safe from any thread, at any time, twice."""
        self._process.kill()
        self._process.wait()

    def kill_group(self) -> None:
        """End the child and everything it started. Safe as ``kill`` is."""
        if not share_group and (isinstance(self._process, subprocess.Popen) or self._process.poll() is None):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self.kill()

    def close(self) -> None:
        """Kill and release the pipes. Only by the thread that uses the child."""
        self._end()


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=not share_group,
        env=children_environment(),
    )
