"""Writing a file that somebody works with: whole or not at all, with what it was beside it."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from goedels_poetry.errors import GoedelsPoetryError


class NotWritten(GoedelsPoetryError):
    """The file is as it was; the words say why."""


def write_in_place(path: Path, expected: str | None, text: str) -> Path:
    """Put a new text into a file's place; its mode stays. Returns where the old one is kept.

    Args:
        path: the file; a link is followed.
        expected: what has to stand there now; None: whatever does.
        text: the new content.

    Raises:
        NotWritten: it has been changed meanwhile, or is gone. OSError: it cannot be written.
    """
    place = Path(os.path.realpath(path))
    try:
        mode = place.stat()
        if not stat.S_ISREG(mode.st_mode):
            raise NotWritten(f"{path} is no file any more")
        now = place.read_bytes()
    except OSError as error:
        raise NotWritten(f"{path} cannot be read: {error.strerror or error}") from None
    if not os.access(place, os.W_OK):
        raise NotWritten(f"{path} may not be written")
    if expected is not None and now != _bytes(expected):
        raise NotWritten(f"{path} has been changed since the run began; it was left alone")
    backup = _backup(place, now, stat.S_IMODE(mode.st_mode))
    _replace(place, _bytes(text), stat.S_IMODE(mode.st_mode), owner=(mode.st_uid, mode.st_gid), still=now)
    return backup


def write_new(path: Path, text: str) -> None:
    """Write a file that is nobody's; raises NotWritten where there is one with another content."""
    data = _bytes(text)
    if path.is_symlink() or (path.exists() and not _says(path, data)):
        raise NotWritten(f"{path} exists; give another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


def write_whole(path: Path, text: str, *, overwrite: bool = True) -> None:
    """Write a file; a device or a pipe is written to, and never replaced.

    Raises:
        FileExistsError: something has appeared there meanwhile that is not to be overwritten.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(_bytes(text))
    else:
        _replace(path, _bytes(text), 0o666 & ~_umask(), overwrite=overwrite)


def _says(path: Path, data: bytes) -> bool:
    """Whether it is a plain file with these bytes; what has no end, such as a device, is not read."""
    return path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _backup(place: Path, now: bytes, mode: int) -> Path:
    """A copy of what stands there: FILE.orig, or FILE.orig.2 and so on; none that exists is written over."""
    number = 1
    while True:
        backup = place.with_name(f"{place.name}.orig{f'.{number}' if number > 1 else ''}")
        try:
            descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            if backup.is_file() and backup.read_bytes() == now:
                return backup
            number += 1
            continue
        with os.fdopen(descriptor, "wb") as file:
            file.write(now)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(backup, mode)
        return backup


def _replace(
    place: Path,
    data: bytes,
    mode: int,
    owner: tuple[int, int] | None = None,
    still: bytes | None = None,
    *,
    overwrite: bool = True,
) -> None:
    """Write into the same folder, then rename; ``still``: what has to stand there at the last moment."""
    descriptor, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if owner is not None:
            with contextlib.suppress(OSError):
                os.chown(name, *owner)
        os.chmod(name, mode)
        if still is not None and place.read_bytes() != still:
            raise NotWritten(f"{place} has been changed just now; it was left alone")
        if overwrite:
            os.replace(name, place)
        else:
            os.link(name, place)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)
