"""Files that users name, read whole: never more than a limit, and never what is no text at all."""

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


__all__ = ["read_bytes"]
