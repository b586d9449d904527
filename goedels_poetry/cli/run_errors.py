"""Why a command has no verdict: exit code, one line for people, the traceback in a file; and which exit code counts."""

from __future__ import annotations

import os
import re
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from goedels_poetry.errors import GoedelsPoetryError, MissingTool, RunLocked, StoreError
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.results import AWAY, UNAVAILABLE, RunResult

INTERNAL_ERROR = 70
"""Exit code for a defect of this program (EX_SOFTWARE of sysexits.h); no verdict has it."""
NOT_STORED = 74
"""Exit code when a file, or the disk, let us down (EX_IOERR)."""
LOCKED = 75
"""Exit code when another process works on the run: try again later (EX_TEMPFAIL)."""
INTERRUPTED = 130
"""Exit code when Ctrl-C ended the program before there was a result (128 + SIGINT)."""


class Unusable(Exception):
    """The command cannot begin; the message says what to do."""


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


_LOCKS = Path("/proc/locks")
"""Who holds which lock, on Linux."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an input has no verdict at all: that says nothing about it."""

    kind: str
    """``away`` (a model), ``locked``, ``missing``, ``storage`` or ``internal``."""
    reason: str
    """One line for people."""
    exit_code: int
    pid: int | None = None
    """Of the process that works on the run, where that can be told."""
    log: str | None = None
    """File with the details."""

    @property
    def title(self) -> str:
        """What stands where a verdict would."""
        titles = {"locked": "locked", "missing": "not done", "storage": "not done", AWAY: "not run"}
        return titles.get(self.kind, "internal error")

    def to_json(self) -> dict[str, Any]:
        """The object ``error`` of ``--json``."""
        return {name: value for name, value in asdict(self).items() if name != "exit_code"}


def outage_of(result: RunResult) -> Failure | None:
    """Why a result has no verdict: a model could not be asked; None where it has one."""
    return Failure(AWAY, result.away, UNAVAILABLE) if result.away else None


def failure_of(error: Exception, data_dir: Path) -> Failure:
    """What an exception means for the input that it stopped; the traceback of a defect goes to a file."""
    if isinstance(error, RunLocked):
        run = re.search(r"\brun (\w+)", str(error))
        pid = lock_holder(data_dir / "runs" / run[1] / "lock") if run else None
        who = "another process" if pid is None else f"another process (pid {pid})"
        which = f" {run[1]}" if run else ""
        words = f"{who} works on this run{which}; wait for it, stop it, or begin a separate run with --fresh"
        return Failure("locked", words, LOCKED, pid)
    if isinstance(error, MissingTool):
        return Failure("missing", str(error), UNAVAILABLE)
    if isinstance(error, OSError) and error.filename:
        place = os.fsdecode(error.filename)
        ours = Path(place).is_relative_to(data_dir) and data_dir != Path()
        what_to_do = "; GOEDELS_POETRY__HOME names another data directory" if ours else ""
        return Failure("storage", f"{place}: {error.strerror}{what_to_do}", NOT_STORED)
    if isinstance(error, (GoedelsPoetryError, OSError)):
        return Failure("storage", str(error) or type(error).__name__, NOT_STORED)
    if is_without_room(error):
        return Failure("storage", f"{describe(error)}; the same command goes on afterwards", NOT_STORED)
    log = save_traceback(error)
    words = f"a defect of this program: {describe(error)}" + (f"; details in {log}" if log else "")
    return Failure("internal", words, INTERNAL_ERROR, log=log)


def lock_holder(lock: Path) -> int | None:
    """The process that holds a lock on a file; None: nobody, or that cannot be told here."""
    try:
        file, lines = lock.stat(), _LOCKS.read_text("ascii").splitlines()
    except (OSError, ValueError):
        return None
    holders = {pid for pid, inode in _held(lines) if inode == file.st_ino and pid > 0}
    return holders.pop() if len(holders) == 1 else None


def _held(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Process and inode of each lock of a whole file (``12: FLOCK ADVISORY WRITE 345 fe:00:678 0 EOF``)."""
    for line in lines:
        words = line.split()
        if len(words) == 8 and words[1] == "FLOCK" and words[4].lstrip("-").isdigit():
            yield int(words[4]), int(words[5].rpartition(":")[2])


WORST_FIRST = (
    Verdict.INVALID,
    Verdict.INCONSISTENT,
    Verdict.REFUTED,
    Verdict.OUT_OF_BUDGET,
    Verdict.UNKNOWN,
    Verdict.TESTED,
    Verdict.PROVED,
)
"""Several inputs exit with the code of the worst verdict. Broken questions come before a clear no, which nothing can
change any more, and that before missing answers."""


def exit_code_of(result: RunResult, required: Verdict | None = None) -> int:
    """The exit code of a result; that of ``unknown`` where the verdict is good news and below what is ``required``.

    What was tested and is disputed is less than tested.
    """
    enough = (
        required is None or result.verdict is Verdict.PROVED or (required is result.verdict and not result.disputed)
    )
    return result.exit_code or (0 if enough else Verdict.UNKNOWN.exit_code)


def worst_code(codes: Iterable[int]) -> int:
    """The exit code of a batch whose inputs would exit with ``codes`` alone; 0 for none.

    What has no verdict counts as a missing answer, and before those that a larger limit may bring; a defect of this
    program counts before all.
    """
    broken, rest = WORST_FIRST[:3], WORST_FIRST[3:]
    undone = (NOT_STORED, UNAVAILABLE, LOCKED)
    order = [INTERNAL_ERROR, *(v.exit_code for v in broken), *undone, *(v.exit_code for v in rest)]
    return min(codes, key=order.index, default=0)
