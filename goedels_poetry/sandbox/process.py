"""Start the process of its own, feed and read it, never wait for it longer than the limits say, and end it."""

from __future__ import annotations

import contextlib
import marshal
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from goedels_poetry.sandbox.child.processes import descendants
from goedels_poetry.sandbox.limits import SandboxLimits, usage
from goedels_poetry.solvers.child import Process, close_pipes
from goedels_poetry.solvers.preload import ForkServer, forked

PACKAGE = Path(__file__).parents[1]
# Our modules belong to packages whose faces are not for them: only their folders are made known. What a program of our
# own is made of stays loaded in it; of the others there is no trace.
_BOOT = """
import sys
for name, path in {folders}:
    sys.modules[name] = type(sys)(name)
    sys.modules[name].__path__ = [path]
for name in {modules}:
    __import__(name)
sys.dont_write_bytecode = True
before = frozenset(sys.modules) - {{{own}}}
from goedels_poetry.sandbox.child.launch import main
if {fork}:
    from goedels_poetry.solvers.fork_server import main as serve
    serve()
main({descriptors}, before)
"""
_ROOMS = ("sandbox", "solvers")
FOLDERS = tuple(str(PACKAGE / room) for room in _ROOMS)
"""Of what the launcher consists of."""
_SETUP_SECONDS = 20.0
"""Beyond the wall limit, for copying folders on a machine that is busy."""
_GRACE_SECONDS = 2.0
"""For the keeper to end everything and report, once it has been told; then it is killed."""
_DRAIN_SECONDS = 0.2
_WAIT_SECONDS = 0.5
_LOOK_SECONDS = 0.1
_LOOK_SECONDS_AT_MANY = 0.02
"""How often the processes of a command are counted: where the kernel does not bound them, this does."""
_OURS = 2  # the keeper, and the first process of the program itself
_ENDED = 64  # that nobody has waited for yet
_MOST_KILLED = 10_000
_CHUNK = 1 << 16
_THREADS = 512


@dataclass(slots=True)
class Outcome:
    """What was read of a process: its streams, the keeper's report, why we stopped it ("" when we did not)."""

    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    report: bytearray = field(default_factory=bytearray)
    stopped: str = ""
    seconds: float = 0.0
    failure: str = ""


def launcher(config: Mapping[str, Any], descriptors: Sequence[int], fork: bool = False) -> list[str]:
    """The command of the launcher with its three file descriptors; ``fork``: of what forks launchers.

    As ``python -I``, but that it hears the variables we set: all others are gone.
    """
    package = PACKAGE.name
    own = {package: str(PACKAGE), **{f"{package}.{room}": place for room, place in zip(_ROOMS, FOLDERS, strict=True)}}
    text = _BOOT.format(
        folders=(*own.items(), *config["folders"]),
        modules=config["modules"],
        own=", ".join(map(repr, own)),
        fork=fork,
        descriptors=", ".join(map(str, descriptors)),
    )
    more = [str(os.getpid())] if fork else []
    return [os.path.realpath(sys.executable), "-P", "-s", "-S", "-c", text, *more]


def _started(
    config: Mapping[str, Any], walls: Sequence[str], environment: Mapping[str, str], passed: Sequence[int]
) -> Process:
    """The launcher: a fork of a warm parent, which runs nothing and has no secrets, or a process of its own.

    A command has its own: thousands of processes that it may leave dead would be the parent's to bury.
    """
    request = {"main": "", "modules": [], "environment": environment, "folder": "/"}
    command = launcher(config, (3, 4, 5), fork=True)
    parent = {name: environment[name] for name in ("PATH", "LANG", "PYTHONHASHSEED")}
    fork = None
    if not walls and config["tree"] is None:
        fork = forked(tuple(command), lambda: ForkServer(command, parent), request, passed)
    if fork is not None:
        return fork
    return subprocess.Popen(
        [*walls, *launcher(config, passed)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env=dict(environment),
        pass_fds=passed,
        start_new_session=True,
    )


def run_process(
    config: Mapping[str, Any],
    walls: Sequence[str],
    environment: Mapping[str, str],
    stdin: bytes,
    limits: SandboxLimits,
    cancelled: int | None,
) -> Outcome:
    """Run what `config` says to its end, or to a limit. Never raises but for a programming error.

    Args:
        config: what ``child/launch.py`` reads.
        walls: the beginning of the command, [] for none.
        limits: of output and time here; the others are the launcher's.
        cancelled: a file descriptor that can be read when nobody wants the result any more.
    """
    outcome = Outcome()
    with contextlib.ExitStack() as closing:
        try:
            wanted = closing.enter_context(tempfile.TemporaryFile())
            marshal.dump(dict(config), wanted)
            wanted.seek(0)
            ends = [
                closing.enter_context(os.fdopen(fd, "wb" if n % 2 else "rb", 0))
                for n, fd in enumerate(os.pipe() + os.pipe())
            ]
            report, reporting, lifeline, holding = ends
            process = _started(config, walls, environment, (wanted.fileno(), reporting.fileno(), lifeline.fileno()))
        except (OSError, ValueError, RuntimeError) as failure:
            outcome.failure = str(failure)
            return outcome
        reporting.close()
        lifeline.close()
        try:
            _Loop(process, report.fileno(), holding, stdin, limits, config, cancelled, outcome).run()
        finally:
            _end(process)
    return outcome


class _Loop:
    """Reads all that comes, in one thread, until nothing more can come or the time is over."""

    def __init__(
        self,
        process: Process,
        report: int,
        holding: IO[bytes],
        stdin: bytes,
        limits: SandboxLimits,
        config: Mapping[str, Any],
        cancelled: int | None,
        outcome: Outcome,
    ) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.process, self.limits, self.config, self.outcome = process, limits, config, outcome
        self.unsent = memoryview(stdin)
        self.started = time.monotonic()
        self.deadline = self.started + limits.wall_seconds + _SETUP_SECONDS
        self.selector = selectors.DefaultSelector()
        self.into = {
            process.stdout.fileno(): outcome.stdout,
            process.stderr.fileno(): outcome.stderr,
            report: outcome.report,
        }
        self.often = _LOOK_SECONDS_AT_MANY if limits.processes else _LOOK_SECONDS
        self.measured = self.started
        self.report, self.holding, self.cancelled = report, holding, cancelled
        self.most_report = config["keep_bytes"] + (1 << 20)
        for number in self.into:
            os.set_blocking(number, False)
            self.selector.register(number, selectors.EVENT_READ)
        if stdin:
            os.set_blocking(process.stdin.fileno(), False)
            self.selector.register(process.stdin.fileno(), selectors.EVENT_WRITE)
        else:
            process.stdin.close()
        if cancelled is not None:
            self.selector.register(cancelled, selectors.EVENT_READ)

    def run(self) -> None:
        """Until all streams have ended, or the process has and what it left is read, or the time is over."""
        looked, ended = self.started, None
        with self.selector:
            while self.into:
                now = time.monotonic()
                if now >= self.deadline:
                    self.outcome.stopped = self.outcome.stopped or "wall"
                    break
                if ended is None and self.process.poll() is not None:
                    ended = now
                    self.deadline = min(self.deadline, now + _DRAIN_SECONDS)
                if now - looked >= self.often:
                    self._look(now)
                    looked = now
                for key, _ in self.selector.select(min(self.often, self.deadline - now)):
                    self._serve(key.fd)
        self.outcome.seconds = time.monotonic() - self.started

    def _serve(self, number: int) -> None:
        if number == self.cancelled:
            self._stop("cancelled")
            self.selector.unregister(number)
        elif number in self.into:
            self._read(number)
        else:
            self._write(number)

    def _read(self, number: int) -> None:
        try:
            chunk = os.read(number, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.selector.unregister(number)
            del self.into[number]
            return
        if number == self.report:
            room = self.most_report - len(self.outcome.report)
        else:
            room = self.limits.output_bytes - len(self.outcome.stdout) - len(self.outcome.stderr)
        if number == self.report and not self.outcome.report:
            self.deadline = min(self.deadline, time.monotonic() + self.limits.wall_seconds + _GRACE_SECONDS)
        self.into[number] += chunk[: max(0, room)]
        if len(chunk) > room:
            self._stop("output")

    def _write(self, number: int) -> None:
        try:
            self.unsent = self.unsent[os.write(number, self.unsent[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # nobody reads
            self.unsent = self.unsent[:0]
        if not self.unsent and self.process.stdin:
            self.selector.unregister(number)
            with contextlib.suppress(OSError):
                self.process.stdin.close()

    def _stop(self, why: str) -> None:
        """Tell the keeper to end everything."""
        if not self.outcome.stopped:
            self.outcome.stopped = why
            self.deadline = min(self.deadline, time.monotonic() + _GRACE_SECONDS)
            self.holding.close()

    def _look(self, now: float) -> None:
        """End a command whose processes use too much together: limits of the kernel are those of single processes."""
        allowed = self.limits.processes
        below = descendants(self.process.pid, allowed + _OURS + _ENDED)
        if len(below) > allowed + _OURS + _ENDED:
            self._stop("processes")
            return
        if now - self.measured < _LOOK_SECONDS:
            return
        self.measured = now
        used = usage(below)
        if allowed and used.cpu_seconds > self.limits.cpu_seconds:
            self._stop("cpu")
        elif allowed and used.memory > (self.limits.memory_mb << 20) + (used.processes << 24):
            self._stop("memory")
        elif used.processes > allowed + _OURS or used.threads > _THREADS:
            self._stop("processes")


def _end(process: Process) -> None:
    """No process is left, whatever state this one is in: first those that it waits for, or has yet to wait for."""
    for wait in (_WAIT_SECONDS, _WAIT_SECONDS):
        try:
            process.wait(wait)
            break
        except subprocess.TimeoutExpired:
            for pid in descendants(process.pid, _MOST_KILLED):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    close_pipes(process)
