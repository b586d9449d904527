"""When a command cannot go on: its exit code, one line for the person, the traceback in a file."""

from __future__ import annotations

import os
import tempfile
import time
import traceback

from goedels_poetry.errors import MissingTool, RunLocked, StoreError

UNAVAILABLE = 69
"""Exit code when a tool that is needed is not there (EX_UNAVAILABLE)."""
INTERNAL_ERROR = 70
"""Exit code for a defect of this program (EX_SOFTWARE of sysexits.h); no verdict has it."""
NOT_STORED = 74
"""Exit code when a file, or the disk, let us down (EX_IOERR)."""
LOCKED = 75
"""Exit code when another process works on the run: try again later (EX_TEMPFAIL)."""
INTERRUPTED = 130
"""Exit code when Ctrl-C ended the program before there was a result (128 + SIGINT)."""

_THREADS = "can't start new thread"


def code_after_failure(error: Exception, otherwise: int) -> int:
    """Exit code of a command that an exception ended, where it has one of its own; else ``otherwise``."""
    own = {RunLocked: LOCKED, StoreError: NOT_STORED, MissingTool: UNAVAILABLE}
    return next((code for kind, code in own.items() if isinstance(error, kind)), otherwise)


def describe(error: BaseException) -> str:
    """The exception in one line of at most 300 characters."""
    if isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        return describe(error.exceptions[0])
    if isinstance(error, MemoryError):
        from goedels_poetry.solvers.launch import memory_limit_mb

        limit = memory_limit_mb()
        return "not enough memory" if limit is None else f"not enough memory: `ulimit -v` leaves {limit} MB"
    if _THREADS in str(error):
        return "no thread or process can be started; `ulimit -u` and `ulimit -v` say how much there may be"
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= 300 else text[:297] + "..."


def is_without_room(error: BaseException) -> bool:
    """Whether the system had no memory, or none for another thread: Python has no class of errors for that."""
    return isinstance(error, MemoryError) or _THREADS in str(error)


def save_traceback(error: BaseException) -> str | None:
    """Log the traceback; the log's path, or None."""
    return save_log("".join(traceback.format_exception(error)))


def save_log(text: str) -> str | None:
    """Append to a file in the data directory's log folder, else in the temporary one; its path, or None."""
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    home = os.environ.get("GOEDELS_POETRY__HOME") or "~/.goedels_poetry"
    for folder in (os.path.join(os.path.expanduser(home), "logs"), tempfile.gettempdir()):
        path = os.path.join(folder, name)
        try:
            os.makedirs(folder, exist_ok=True)
            with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text + "\n")
        except OSError:
            continue  # the next folder; with none writable the line on the terminal has to do
        return path
    return None
