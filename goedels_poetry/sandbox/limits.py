"""What an untrusted program may use, what processes use together, and what became of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from goedels_poetry.errors import InvalidInput

_MOST = 1 << 40


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What a program may use.

    Attributes:
        cpu_seconds: processor time, of all its processes together.
        wall_seconds: time on the clock, from its first line.
        memory_mb: MiB of address space beyond the interpreter's own, for each process; for commands with several
            processes also what they have in memory together.
        output_bytes: of standard output and standard error together.
        disk_mb: MiB in its folder, beyond what the folder began with.
        processes: how many it may start beside itself; 0: none.
        open_files: file descriptors of each process.
    """

    cpu_seconds: float = 10
    wall_seconds: float = 20
    memory_mb: int = 512
    output_bytes: int = 1_000_000
    disk_mb: int = 16
    processes: int = 0
    open_files: int = 64

    def __post_init__(self) -> None:
        """Raises InvalidInput for a limit that limits nothing, or leaves nothing."""
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name in ("processes", "output_bytes") else 1 if isinstance(value, int) else 0.001
            if not least <= value <= _MOST:
                raise InvalidInput(f"the limit {field.name} cannot be {value}")


@dataclass(frozen=True, slots=True)
class SandboxResult:
    """What became of a program. Nothing in it is evidence of more than that: the program wrote output and files.

    Attributes:
        status: ``exited`` (by itself, whatever its exit code), ``cpu``, ``wall``, ``memory``, ``output``, ``disk`` (the
            limit it ran into), ``killed`` (by a signal), ``unavailable`` (it was not run).
        returncode: of a program that exited; minus the signal of one that was killed.
        stdout: at most so many bytes as the limits say, together with `stderr`.
        cpu_seconds: of its first process and those it waited for.
        files: those that were asked for and that it left.
        explanation: one line for people.
    """

    status: str
    returncode: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    cpu_seconds: float
    files: Mapping[str, bytes]
    explanation: str


UNAVAILABLE: Final = "unavailable"
_LAST_LINE = 200


def explain(status: str, returncode: int | None, limits: SandboxLimits, stderr: bytes, more: str) -> str:
    """One line for people about what became of a program."""
    if status == "cpu":
        return f"it used more than {limits.cpu_seconds:g} s of processor time"
    if status == "wall":
        return f"it did not end within {limits.wall_seconds:g} s"
    if status == "memory":
        return f"it needed more than {limits.memory_mb} MB of memory"
    if status == "output":
        return f"it printed more than {limits.output_bytes} bytes"
    if status == "disk":
        return f"it wrote more than {limits.disk_mb} MB, or too many files, into its folder"
    if status == UNAVAILABLE:
        return f"it was not run: {more or 'the process for it could not be started'}"
    if status == "killed":
        return more or f"it was killed by {_signal(returncode)}"
    if returncode == 0:
        return "it ended by itself with exit code 0"
    last = next((line for line in reversed(stderr.decode("utf-8", "replace").splitlines()) if line.strip()), "")
    return f"it ended with exit code {returncode}" + (f": {last.strip()[:_LAST_LINE]}" if last else "")


def _signal(returncode: int | None) -> str:
    try:
        return signal.Signals(-(returncode or 0)).name
    except ValueError:
        return f"signal {-(returncode or 0)}"


# What processes use together, as /proc tells

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process and its descendants use: seconds of processor time (of those waited for too), bytes, counts."""

    cpu_seconds: float
    memory: int
    processes: int
    threads: int


def usage(pids: list[int]) -> Usage:
    """What these processes use together; one that has ended counts for nothing."""
    ticks = memory = processes = threads = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        ticks += sum(int(word) for word in fields[11:15])
        threads += int(fields[17])
        memory += max(0, int(fields[21])) * _PAGE
        processes += fields[0] != b"Z"
    return Usage(ticks / _TICKS, memory, processes, threads)


def tasks_of(user: int) -> int:
    """How many processes and threads a user has, by which the system bounds how many more there may be."""
    count = 0
    try:
        names = os.listdir("/proc")
    except OSError:
        return 0
    for name in names:
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == user:
                    count += len(os.listdir(f"/proc/{name}/task"))
            except OSError:  # it has ended
                continue
    return count
