"""The log of answers: one line of JSON an answer, appended whole; kill -9 loses only what was being asked."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from goedels_poetry.autoformalizer.rows import first_row
from goedels_poetry.errors import GoedelsPoetryError, RunLocked, StoreError
from goedels_poetry.evaluation.questions import BadData

ANSWERS = "answers.jsonl"
"""Name of the log in a report folder."""
_WRITTEN = re.compile(r"(answers(-\d+)?|results)\.jsonl|summary\.json")
"""Files of a report that might be taken for data."""


def is_of_report(file: Path) -> bool:
    """Whether ``bench`` has written it: a report that stands in a folder of problems is none of them."""
    answers = file.parent / ANSWERS
    if not _WRITTEN.fullmatch(file.name) or not os.path.isfile(answers):
        return False
    row = first_row(answers)
    return isinstance(row, Mapping) and "key" in row and ("result" in row or "error" in row)


class AnswerLog:
    """Answers by key, in a file that only grows. One process at a time; a context manager.

    Args:
        file: made when it is missing, with its folder.
        fresh: begin with none; a log that is there is kept under another name, since its answers were paid for.
        read: raises where an answer cannot be made use of: damaged, or written by another version.

    A last line that was cut off by a crash is taken away when the file is opened, and its question asked again. A
    line of which nothing can be made stays where it is and counts as no answer. ``notes`` says so.

    Raises:
        RunLocked: another process is writing it.
        BadData: the folder is none. StoreError: the file cannot be opened or read.
    """

    def __init__(
        self, file: Path, *, fresh: bool = False, read: Callable[[Mapping[str, Any]], object] = lambda answer: None
    ) -> None:
        self.file = file
        self._usable = read
        self.repaired = False
        """Whether a torn line was taken away."""
        self.unreadable = 0
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as problem:
            raise _unusable(file, problem) from problem
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if fresh:
                self._put_aside()
            self._places = self._read()
        except BlockingIOError:
            os.close(self._fd)
            raise RunLocked(f"{file}: another process is working on it; wait for it, or choose another --out") from None
        except OSError as problem:
            os.close(self._fd)
            raise _unusable(file, problem) from problem

    def __enter__(self) -> AnswerLog:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write."""
        os.close(self._fd)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know about the file."""
        torn = [f"{self.file}: the last line was cut off; its question is asked again"] if self.repaired else []
        bad = f"{self.unreadable} line{'s' * (self.unreadable != 1)} cannot be read, damaged or of another version"
        broken = [f"{self.file}: {bad}; what they answer is asked again"] if self.unreadable else []
        return (*torn, *broken)

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The latest answer of that key, read from the file: all of them may be more than memory holds."""
        if key not in self._places:
            return None
        at, size = self._places[key]
        answer: Mapping[str, Any] = json.loads(os.pread(self._fd, size, at))
        return answer

    def add(self, key: str, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Append an answer, on the disk when this returns; gives back what a later run will read."""
        line = json.dumps({"key": key, **answer}, default=str)
        data = f"{line}\n".encode()
        size = len(data)
        while data:
            data = data[os.write(self._fd, data) :]
        os.fsync(self._fd)
        self._places[key] = (os.fstat(self._fd).st_size - size, size)
        written: Mapping[str, Any] = json.loads(line)
        return written

    def _put_aside(self) -> None:
        if not os.fstat(self._fd).st_size:
            return
        number = 1
        while (kept := self.file.with_name(f"{self.file.stem}-{number}{self.file.suffix}")).exists():
            number += 1
        shutil.copyfile(self.file, kept)
        os.ftruncate(self._fd, 0)

    def _read(self) -> dict[str, tuple[int, int]]:
        """Where the latest answer of each key stands: its first byte, and how many it has."""
        places: dict[str, tuple[int, int]] = {}
        at = 0
        with open(self.file, "rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    os.ftruncate(self._fd, at)
                    self.repaired = True
                    break
                try:
                    answer = json.loads(line)
                    self._usable(answer)
                    places[sys.intern(answer["key"])] = (at, len(line))
                except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, BadData):
                    self.unreadable += 1
                at += len(line)
        return places


def _unusable(file: Path, problem: OSError) -> GoedelsPoetryError:
    """Why there can be no answers in a file, and what to do: a mistake of who named its folder, or the disk's fault."""
    folder = file.parent
    if os.path.lexists(folder) and not os.path.isdir(folder):
        what = "a link that leads nowhere" if os.path.islink(folder) and not os.path.exists(folder) else "no folder"
        return BadData(f"{folder} is {what}, and answers and report need one: name another place (--out)")
    if problem.errno in (errno.ENOTDIR, errno.ENAMETOOLONG, errno.EEXIST, errno.EISDIR):
        return BadData(f"{problem.filename or file}: {problem.strerror}; name another place (--out)")
    return StoreError(
        f"{file}: {problem.strerror or problem}; the same command goes on afterwards, or name another place (--out)"
    )
