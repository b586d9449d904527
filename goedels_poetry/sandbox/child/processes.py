"""Which processes descend from one, and what they keep on disk without a name, as /proc tells."""

from __future__ import annotations

import os
import stat


def descendants(pid: int, most: int | None = None) -> list[int]:
    """The children of a process, theirs, and so on, until they are more than `most`; [] where nobody can tell.

    A tree that grows faster than it is walked would have no end.
    """
    found: list[int] = []
    waiting = [pid]
    while waiting and (most is None or len(found) <= most):
        parent = waiting.pop()
        try:
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children", "rb") as file:
                    below = [int(word) for word in file.read().split()]
                found += below
                waiting += below
        except OSError:  # it has ended
            continue
    return found


def nameless_bytes(pids: list[int]) -> int:
    """How much of the disk is taken by files that these processes have open and that were removed."""
    size = 0
    for pid in pids:
        try:
            numbers = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue
        for number in numbers:
            try:
                about = os.stat(f"/proc/{pid}/fd/{number}")
            except OSError:
                continue
            if about.st_nlink == 0 and stat.S_ISREG(about.st_mode):
                size += about.st_blocks * 512
    return size
