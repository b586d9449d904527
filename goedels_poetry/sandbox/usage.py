"""What processes use together, as /proc tells."""

from __future__ import annotations

import os
from dataclasses import dataclass

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
