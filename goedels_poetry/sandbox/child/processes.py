"""Which processes descend from one, and the removal of folders that a hostile program has filled."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # the module typing takes longer to load than all of ours
if TYPE_CHECKING:
    from collections.abc import Callable


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


# Remove a folder that a hostile program has filled


def remove(folder: str) -> None:
    """Remove a folder and all in it, following no link; never raises: what cannot be removed stays.

    One folder is open at a time and none is named by its whole path, so depth costs neither descriptors, nor recursion,
    nor names that are too long.
    """
    try:
        _empty(folder)
        os.rmdir(folder)
    except OSError:  # what else could be done about it
        return


def _empty(folder: str) -> None:
    os.chmod(folder, 0o700)
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        above: list[tuple[str, list[str], tuple[int, int]]] = []  # name of where we are, what is left beside it, parent
        left = _remove_files(here)
        while True:
            if left:
                name = left.pop()
                where = os.fstat(here)
                os.chmod(name, 0o700, dir_fd=here)  # a folder, as we have seen, and nobody is left to change it
                below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
                os.close(here)
                here = below
                above.append((name, left, (where.st_dev, where.st_ino)))
                left = _remove_files(here)
            elif above:
                name, left, expected = above.pop()
                parent = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
                os.close(here)
                here = parent
                where = os.fstat(here)
                if (where.st_dev, where.st_ino) != expected:  # somebody moved it: not our way back
                    return
                _try(os.rmdir, name, here)
            else:
                return
    finally:
        os.close(here)


def _remove_files(here: int) -> list[str]:
    """Remove all in an open folder but the folders, whose names are returned."""
    folders = []
    with os.scandir(here) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                _try(os.unlink, entry.name, here)
    return folders


def _try(remove_one: Callable[..., None], name: str, here: int) -> None:
    try:
        remove_one(name, dir_fd=here)
    except OSError:  # it stays, and so does what it is in
        return
