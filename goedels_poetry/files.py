"""Files by name: what stands there, and texts read whole, never more of them than a limit."""

from __future__ import annotations

import errno
import os
import stat


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """At most ``most + 1`` bytes of a file, so that whoever gets more than ``most`` knows that it is too large.

    A device may never end, a pipe is waited for until somebody writes it: so nothing is read beyond that.

    Raises:
        OSError: it cannot be read; always with the file's name. ValueError: there is a NUL character in the name.
    """
    name = os.fspath(path)
    try:
        mode = os.stat(name).st_mode
        if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            raise OSError(errno.EINVAL, "not a file of text")
        with open(name, "rb") as file:
            return file.read(most + 1)
    except OSError as error:
        if error.filename is None:
            error.filename = name
        raise


def is_no_file(path: str | os.PathLike[str]) -> bool:
    """Whether something stands there that is no regular file: a folder, a pipe, or a link that leads nowhere.

    SQLite would wait for a pipe where no signal reaches it, and begin a database wherever a link happens to lead.
    """
    return os.path.lexists(path) and not os.path.isfile(path)


__all__ = ["is_no_file", "read_bytes"]
