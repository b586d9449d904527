"""Files by name: what stands there, and texts read whole, never more of them than a limit."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
import warnings
from pathlib import Path

PATIENCE = 2.0
"""Seconds for which a pipe may have nothing to say before somebody should know what is waited for."""
_LOOK = 0.25
"""Seconds after which Python is asked again whether a signal has come: one that comes just before the waiting begins
does not end it."""
_CHUNK = 1 << 20


class Waiting(UserWarning):
    """Nothing comes out of a pipe; the text says which one, in words for a person."""


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """At most ``most + 1`` bytes of a file, so that whoever gets more than ``most`` knows that it is too large.

    A device may never end: so nothing is read beyond that. A pipe is waited for until all who write it have closed it,
    with a warning (`Waiting`) where nothing comes for `PATIENCE`; in the main thread a signal ends that, as far as its
    handler raises.

    Raises:
        OSError: it cannot be read; always with the file's name. ValueError: there is a NUL character in the name.
    """
    name = os.fspath(path)
    try:
        mode = os.stat(name).st_mode
        if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            raise OSError(errno.EINVAL, "not a file of text")
        if stat.S_ISFIFO(mode) and sys.platform == "linux":  # elsewhere a pipe that nobody has opened yet is at its end
            return _from_pipe(name, most + 1)
        with open(name, "rb") as file:
            return file.read(most + 1)
    except OSError as error:
        if error.filename is None:
            error.filename = name
        raise


def _from_pipe(name: str, most: int) -> bytes:
    from select import POLLIN, poll

    pipe = at_once(name, os.O_RDONLY)
    try:
        wanted, data, since, silent = poll(), bytearray(), time.monotonic(), False
        wanted.register(pipe, POLLIN)
        while len(data) < most:
            if not wanted.poll(1000 * _LOOK):
                if not silent and time.monotonic() - since >= PATIENCE:
                    silent = True
                    how = "goes on or is closed" if data else "is written"
                    warnings.warn(f"waiting until {name} (a pipe) {how}; Ctrl-C ends it", Waiting, stacklevel=3)
                continue
            try:
                chunk = os.read(pipe, min(_CHUNK, most - len(data)))
            except BlockingIOError:  # somebody else has read it
                continue
            if not chunk:
                break
            data += chunk
            since = time.monotonic()
        return bytes(data)
    finally:
        os.close(pipe)


def at_once(path: str, flags: int) -> int:
    """An opener that waits for nobody, where a pipe stands in the place of a file; ENXIO: nobody reads that pipe."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)


def is_no_file(path: str | os.PathLike[str]) -> bool:
    """Whether something stands there that is no regular file: a folder, a pipe, or a link that leads nowhere.

    SQLite would wait for a pipe where no signal reaches it, and begin a database wherever a link happens to lead.
    """
    return os.path.lexists(path) and not os.path.isfile(path)


def files_in(folder: str | os.PathLike[str], suffixes: tuple[str, ...]) -> list[Path]:
    """The files of a folder with one of these suffixes, in letters of either case, sorted, recursively.

    Hidden files are left out, pipes too, which would be waited for; not a link that leads nowhere: reading says so.
    """
    names = (Path(place) / name for place, _, names in os.walk(folder) for name in names if name[0] != ".")
    found = sorted(file for file in names if file.name.lower().endswith(suffixes))
    return [file for file in found if file.is_file() or not file.exists()]


def free_place(folder: Path) -> Path:
    """The folder, or where there is one already the first of ``NAME-2``, ``NAME-3``, … that is free."""
    place, number = folder, 1
    while place.exists():
        number += 1
        place = folder.with_name(f"{folder.name}-{number}")
    return place


_PACKAGE = Path(__file__).parent
_IN_A_CHECKOUT = {"theorems": "theorems", "schema": "docs/schema"}
"""What the build puts below ``data/`` of the package, and where it is before that."""


def shipped(what: str) -> Path:
    """The folder ``theorems`` or ``schema``. Raises FileNotFoundError: this installation came without it."""
    for folder in (_PACKAGE / "data" / what, _PACKAGE.parent / _IN_A_CHECKOUT[what]):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(2, "this installation came without them", what)
