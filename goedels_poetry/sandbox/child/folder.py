"""The program's own folder: filled before it starts, looked at when it has ended. No symbolic link is ever followed."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # the module typing takes longer to load than all of ours
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_CHUNK = 1 << 20
_DEEPEST = 200


def write_files(folder: str, files: Mapping[str, bytes], user: int | None) -> None:
    """Write files by their names relative to `folder`, in folders that are made; they belong to `user`, when given.

    What stands in their places is replaced. Raises OSError, also where a folder on the way is a symbolic link.
    """
    for name, content in files.items():
        *above, last = name.split("/")
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in above:
                try:
                    os.mkdir(part, 0o755, dir_fd=place)
                    if user is not None:
                        os.chown(part, user, user, dir_fd=place, follow_symlinks=False)
                except FileExistsError:
                    pass
                place = _step(place, part)
            mode = _remove(place, last)
            file = os.open(last, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode, dir_fd=place)
            with open(file, "wb") as out:
                out.write(content)
                os.fchmod(file, mode)
                if user is not None:
                    os.fchown(file, user, user)
        finally:
            os.close(place)


def _remove(place: int, name: str) -> int:
    """The permissions of what stood there, or those of a new file."""
    try:
        old = os.stat(name, dir_fd=place, follow_symlinks=False)
        os.unlink(name, dir_fd=place)
    except FileNotFoundError:
        return 0o644
    return stat.S_IMODE(old.st_mode) if stat.S_ISREG(old.st_mode) else 0o644


def _step(place: int, part: str) -> int:
    below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
    os.close(place)
    return below


def read_files(folder: str, names: Collection[str], limit: int) -> dict[str, bytes]:
    """Those of these files that there are: ordinary ones, as long as they are together within `limit` bytes."""
    found: dict[str, bytes] = {}
    for name in names:
        *above, last = name.split("/")
        try:
            place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                for part in above:
                    place = _step(place, part)
                file = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
            finally:
                os.close(place)
            with open(file, "rb") as opened:
                size = os.fstat(file).st_size
                if stat.S_ISREG(os.fstat(file).st_mode) and size <= limit:
                    found[name] = opened.read(limit)
                    limit -= len(found[name])
        except OSError:
            continue
    return found


def copy_tree(
    source: str, folder: str, *, skip: Collection[str], link: bool, user: int | None, named: tuple[str, str]
) -> None:
    """Copy what is in `source` into `folder`: symbolic links as such, no devices, pipes and sockets.

    Args:
        folder: an empty one.
        skip: folders of `source` that are not copied, relative to it.
        link: make links to what is skipped; otherwise it is mounted there.
        user: whose the copies are, when given.
        named: what the program calls `source` and `folder`; links within the first lead into the second.

    Raises OSError that names what could not be read or written.
    """
    waiting = [""]
    while waiting:
        below = waiting.pop()
        with os.scandir(os.path.join(source, below)) as entries:
            for entry in entries:
                name = os.path.join(below, entry.name)
                target = os.path.join(folder, name)
                if name in skip:
                    if link:
                        os.symlink(entry.path, target)
                    continue
                if entry.is_symlink():
                    os.symlink(_moved(os.readlink(entry.path), *named), target)
                elif entry.is_dir(follow_symlinks=False):
                    os.mkdir(target, 0o700 | stat.S_IMODE(entry.stat().st_mode))
                    waiting.append(name)
                elif entry.is_file(follow_symlinks=False):
                    _copy_file(entry.path, target)
                else:
                    continue
                if user is not None:
                    os.chown(target, user, user, follow_symlinks=False)


def _moved(target: str, source: str, folder: str) -> str:
    """Where a link leads when the tree it leads into has moved."""
    if target == source or target.startswith(source.rstrip("/") + "/"):
        return folder + target[len(source.rstrip("/")) :]
    return target


def _copy_file(source: str, target: str) -> None:
    with open(source, "rb", buffering=0) as read:
        there = os.fstat(read.fileno())
        out = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(out, "wb", buffering=0) as write:
            while chunk := read.read(_CHUNK):
                view = memoryview(chunk)
                while view:
                    view = view[write.write(view) :]
            os.fchmod(out, stat.S_IMODE(there.st_mode) & 0o777)
            os.utime(out, ns=(there.st_atime_ns, there.st_mtime_ns))


def used(folder: str, own: bool, most_bytes: int, most_files: int) -> tuple[int, int]:
    """How many bytes and files are in a folder; counting ends soon after either bound.

    Args:
        folder: the program's.
        own: it is a file system of its own, which knows by itself.
        most_bytes: a bound.
        most_files: a bound.
    """
    if own:
        there = os.statvfs(folder)
        return (there.f_blocks - there.f_bfree) * there.f_frsize, there.f_files - there.f_ffree
    size = count = 0
    waiting = [(folder, 0)]
    while waiting and size <= most_bytes and count <= most_files:
        place, depth = waiting.pop()
        if depth > _DEEPEST:  # soon no path reaches what is in it
            return size, most_files + 1
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    count += 1
                    if count > most_files:
                        break
                    try:
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append((entry.path, depth + 1))
                        else:
                            size += entry.stat(follow_symlinks=False).st_blocks * 512
                    except OSError:
                        continue
        except OSError:  # gone, or closed to us
            continue
    return size, count
