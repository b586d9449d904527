"""One child process behind two pipes: bounded in time and output, killable, gone when we are gone."""

from __future__ import annotations

import contextlib
import importlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, NoReturn, Protocol, TypeVar

from goedels_poetry.solvers.launch import bind_to_parent, limit_memory, name_process
from goedels_poetry.solvers.surroundings import children_environment, module_command, program_environment

T = TypeVar("T")

_LAUNCHER = str(Path(__file__).with_name("launch.py"))
KILLED = -signal.SIGKILL
"""The return code of a child that somebody else has killed, if we have not."""
WHO_KILLS = "the system does that when memory runs out: let less run beside it, or give it more"
_READ = 1 << 16
_COMPLAINTS = 4096
_MOST_FDS = 4096
REAPING = 0.2
"""Seconds that a worker gets to end and reap its solvers before it is killed with them."""
_REAPING_STEP = 0.002

# A worker shares its process group with its solvers, so that killing the group kills them too.
share_group = False


class Process(Protocol):
    """What a `Child` needs of a `subprocess.Popen`, or of a worker that the nursery has forked."""

    pid: int
    returncode: int | None

    @property
    def stdin(self) -> IO[bytes] | None:
        """Open, unbuffered."""

    @property
    def stdout(self) -> IO[bytes] | None:
        """Open, unbuffered."""

    @property
    def stderr(self) -> IO[bytes] | None:
        """Open, unbuffered."""

    def poll(self) -> int | None:
        """The return code, or None while it runs."""

    def wait(self) -> int:
        """The return code, when it has ended."""

    def kill(self) -> None:
        """SIGKILL."""

    def terminate(self) -> None:
        """SIGTERM."""


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
    launcher = [sys.executable, "-I", "-S", _LAUNCHER, str(os.getpid()), str(address_space)]
    return [*launcher, program, *arguments]


def _end(process: Process, owner: int) -> None:
    """Kill, reap, close the pipes. A forked copy of the owner must not end the original's children."""
    if os.getpid() != owner:
        return
    process.kill()
    process.wait()
    _close_pipes(process)


def _close_pipes(process: Process) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr, getattr(process, "status", None)):
        if pipe is not None:
            pipe.close()


def start_program(program: str, *arguments: str, address_space: int) -> Child:
    """Run a foreign program bound to this process, with so many bytes of address space.

    A worker binds it between fork and exec, which saves it the wrapper: what is called there imports nothing and takes
    no lock that another thread could hold. Raises OSError or RuntimeError.
    """
    surroundings = program_environment()
    if not share_group:
        command = executable_command(program, *arguments, address_space=address_space)
        return Child(command, environment=surroundings)
    parent = os.getpid()

    def prepare() -> None:
        bind_to_parent(parent)
        limit_memory(address_space)

    return Child([program, *arguments], prepare, surroundings)


def start_module(module: str, *arguments: str) -> Child:
    """Run a module of ours as a child.

    A worker that has no second thread forks once more; it was forked from a parent that has the module loaded, or loads
    it now, once. Raises OSError or RuntimeError.
    """
    if share_group and threading.active_count() == 1:
        with contextlib.suppress(ImportError, MemoryError):  # a process of its own says what is missing
            return Child(OwnFork(importlib.import_module(module).main, arguments, module.rpartition(".")[2]))
    return Child(module_command(module, *arguments))


class Fork(ABC):
    """A process that was forked and not started, with the face of a `subprocess.Popen`."""

    def __init__(self, pid: int, stdin: int, stdout: int, stderr: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdin: IO[bytes] = os.fdopen(stdin, "wb", 0)
        self.stdout: IO[bytes] = os.fdopen(stdout, "rb", 0)
        self.stderr: IO[bytes] = os.fdopen(stderr, "rb", 0)
        self._lock = threading.Lock()  # two threads may ask how it ended

    @abstractmethod
    def poll(self) -> int | None:
        """The return code, or None while it runs."""

    @abstractmethod
    def wait(self) -> int:
        """The return code, when it has ended."""

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""
        self._send(signal.SIGKILL)

    def terminate(self) -> None:
        """SIGTERM, unless it has ended."""
        self._send(signal.SIGTERM)

    def _send(self, number: signal.Signals) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)


class OwnFork(Fork):
    """A fork of this process that runs one function."""

    def __init__(self, main: Callable[[], None], arguments: Sequence[str], name: str) -> None:
        """``main`` finds in `sys.argv` what it would find there as a program; ``name``: for ``ps``."""
        (child_in, stdin), (stdout, child_out), (stderr, child_err) = (os.pipe() for _ in range(3))
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            run_forked(main, [str(parent), *arguments], (child_in, child_out, child_err), name)
        for fd in (child_in, child_out, child_err):
            os.close(fd)
        super().__init__(pid, stdin, stdout, stderr)

    def poll(self) -> int | None:
        """See `Fork.poll`."""
        with self._lock:
            if self.returncode is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
            return self.returncode

    def wait(self) -> int:
        """See `Fork.wait`."""
        with contextlib.suppress(ChildProcessError):  # another thread has reaped it
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        code = self.poll()
        assert code is not None
        return code


def run_forked(main: Callable[[], None], arguments: Sequence[str], pipes: tuple[int, int, int], name: str) -> NoReturn:
    """In a process that was just forked: be a program of our own, and end with it."""
    code = 1
    try:
        for caught in (signal.SIGTERM, signal.SIGCHLD, signal.SIGINT):
            signal.signal(caught, signal.SIG_DFL)
        for number, fd in enumerate(pipes):
            os.dup2(fd, number)
        os.closerange(3, _MOST_FDS)
        name_process(f"poetry-{name}")
        sys.argv = [sys.argv[0], *arguments]
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001  it is the end of this process; the last words go where they are read
        traceback.print_exc()
    finally:
        os._exit(code)


class Child:
    """A started child. Not for use by two threads at once, except ``kill``."""

    def __init__(
        self,
        command: Sequence[str] | Process,
        prepare: Callable[[], None] | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        """``command``: to be started, or a process that was. ``prepare`` runs in it before the command."""

        def start() -> subprocess.Popen[bytes]:
            assert isinstance(command, Sequence)
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=not share_group,
                env=environment or children_environment(),
                preexec_fn=prepare,  # noqa: PLW1509  see `start_program`
            )

        self._process: Process = start_process(start) if isinstance(command, Sequence) else command
        self._end = weakref.finalize(self, _end, self._process, os.getpid())  # at the latest when we end
        if share_group:
            _held.add(self)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._err = self._process.stderr.fileno()
        self._complaints = b""
        self._asked = False
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

    @property
    def closed(self) -> bool:
        """Whether whoever used it has let go of it."""
        return not self._end.alive

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
        """End the child and everything it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if not share_group:
                os.killpg(self._process.pid, signal.SIGKILL)
        self.kill()

    def ask_to_end(self) -> bool:
        """Have a worker end what it has started, reap it, and end; whether it was not asked before."""
        first, self._asked = not self._asked, True
        if first:
            self._process.terminate()
        return first

    def end_group(self) -> None:
        """As ``kill_group``, but a worker first gets a moment to reap its solvers. Not by an event loop."""
        self.ask_to_end()
        until = time.monotonic() + REAPING
        while not self._ended() and (left := until - time.monotonic()) > 0:
            told = getattr(self._process, "status", None)
            select.select([told] if told is not None else [], [], [], left if told is not None else _REAPING_STEP)
        self.kill_group()

    def _ended(self) -> bool:
        """Whether it is over; leaves it unreaped, so that its process group is nobody else's meanwhile."""
        if self._process.returncode is not None:
            return True
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        except ChildProcessError:  # a child of the nursery, which keeps it until we let go
            return self._process.poll() is not None

    def close(self) -> None:
        """Kill and release the pipes. Only by the thread that uses the child.

        A worker reaps it later, see `reap`: that takes longer than many an answer.
        """
        if not share_group or self._end.detach() is None:
            self._end()
            return
        self._process.kill()
        _close_pipes(self._process)
        _killed.append(self._process)
        if len(_killed) > _MOST_KILLED:
            reap()


_held: weakref.WeakSet[Child] = weakref.WeakSet()
"""Those of a worker that are in use, or kept for its next job."""
_killed: list[Process] = []
_MOST_KILLED = 16


def reap() -> None:
    """Bury the children that a worker has killed."""
    while _killed:
        _killed.pop().wait()


def bury() -> None:
    """Reap those of a worker's children that somebody else has ended while it had no job; see `reap`."""
    for each in list(_held):
        if not each.alive:
            _held.discard(each)
    reap()
