"""One child process behind two pipes: bounded in time and output, killable, gone when we are gone."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue

_LAUNCHER = str(Path(__file__).with_name("launch.py"))
_READ = 1 << 16
_COMPLAINTS = 4096
REAPING = 0.2
"""Seconds that a worker gets to end and reap its solvers before it is killed with them."""
_REAPING_STEP = 0.002

# Else glibc may hand the heap back to the system at every (reset) and fault it in again: z3's fresh contexts
# were then seen to cost 6.7 ms instead of 1.5 ms.
_MALLOC = {"MALLOC_TRIM_THRESHOLD_": str(1 << 28), "MALLOC_MMAP_THRESHOLD_": str(1 << 25)}

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
        self._jobs: SimpleQueue[tuple[Callable[[], object], SimpleQueue[object]]] = SimpleQueue()
        threading.Thread(target=self._run, name="goedels-poetry-spawner", daemon=True).start()

    def _run(self) -> None:
        while True:
            job, reply = self._jobs.get()
            try:
                reply.put(job())
            except BaseException as error:  # noqa: BLE001 - handed to the caller, who raises it
                reply.put(error)

    def popen(self, start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        reply: SimpleQueue[object] = SimpleQueue()
        self._jobs.put((start, reply))
        result = reply.get()
        if isinstance(result, BaseException):
            raise result
        assert isinstance(result, subprocess.Popen)
        return result


_lock = threading.Lock()
_spawners: dict[int, _Spawner] = {}  # by process id: threads do not survive a fork


def _popen(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    pid = os.getpid()
    with _lock:
        if pid not in _spawners:
            _spawners[pid] = _Spawner()
    return _spawners[pid].popen(start)


def executable_command(program: str, *arguments: str, address_space: int) -> list[str]:
    """The command line that runs a foreign program bound to this process."""
    launcher = [sys.executable, "-I", "-S", _LAUNCHER, str(os.getpid()), str(address_space)]
    return [*launcher, program, *arguments]


def module_command(module: str, *arguments: str) -> list[str]:
    """The command line that runs one of our own modules, never one of the working directory."""
    return [sys.executable, "-P", "-m", module, str(os.getpid()), *arguments]


def _environment() -> dict[str, str]:
    """Children import from where we import, and hash alike so that results repeat."""
    path = os.pathsep.join(p for p in sys.path if p)
    return {**os.environ, **_MALLOC, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """Kill, reap, close the pipes. A forked copy of the owner must not end the original's children."""
    if os.getpid() != owner:
        return
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


class Child:
    """A started child. Not for use by two threads at once, except ``kill``."""

    def __init__(self, command: Sequence[str]) -> None:
        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=not share_group,
                env=_environment(),
            )

        self._process = _popen(start)
        self._end = weakref.finalize(self, _end, self._process, os.getpid())  # at the latest when we end
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
                self._process.wait()
                self._listen()
                raise ChildDied(self._process.returncode, bytes(reply), self._complaints)
            reply += chunk
            if len(reply) > max_bytes:
                raise ChildFlood
            if not rest and complete(reply):
                return reply

    def _listen(self) -> bool:
        """Keep the end of what the child says on standard error; False when that is closed."""
        try:
            said = os.read(self._err, _READ)
        except BlockingIOError:
            return True
        self._complaints = (self._complaints + said)[-_COMPLAINTS:]
        return bool(said)

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
        while not self._ended() and time.monotonic() < until:
            time.sleep(_REAPING_STEP)
        self.kill_group()

    def _ended(self) -> bool:
        """Whether it is over; leaves it unreaped, so that its process group is nobody else's meanwhile."""
        if self._process.returncode is not None:
            return True
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        except ChildProcessError:
            return True

    def close(self) -> None:
        """Kill and release the pipes. Only by the thread that uses the child."""
        self._end()
