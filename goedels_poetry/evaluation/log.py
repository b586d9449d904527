"""The log of answers: one line of JSON an answer, appended whole; kill -9 loses only what was being asked."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goedels_poetry.errors import RunLocked
from goedels_poetry.evaluation.questions import BadData

ANSWERS = "answers.jsonl"
"""Name of the log in a report folder."""


class AnswerLog:
    """Answers by key, in a file that only grows. One process at a time; a context manager.

    Args:
        file: made when it is missing, with its folder.
        fresh: begin with none; a log that is there is kept under another name, since its answers were paid for.

    A last line that was cut off by a crash is taken away when the file is opened, and its question asked again. A
    line of which nothing can be made stays where it is and counts as no answer. ``notes`` says so.

    Raises:
        RunLocked: another process is writing it.
        BadData: the file cannot be opened.
    """

    def __init__(self, file: Path, *, fresh: bool = False) -> None:
        self.file = file
        self.repaired = False
        """Whether a torn line was taken away."""
        self.unreadable = 0
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as problem:
            raise BadData(f"{file}: {problem.strerror or problem}") from problem
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if fresh:
                self._put_aside()
            self._answers = self._read()
        except BlockingIOError:
            os.close(self._fd)
            raise RunLocked(f"{file}: another process is working on it; wait for it, or choose another --out") from None
        except OSError as problem:
            os.close(self._fd)
            raise BadData(f"{file}: {problem.strerror or problem}") from problem

    def __enter__(self) -> AnswerLog:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write."""
        os.close(self._fd)

    def __len__(self) -> int:
        return len(self._answers)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know about the file."""
        torn = [f"{self.file}: the last line was cut off; its question is asked again"] if self.repaired else []
        bad = self.unreadable
        broken = [f"{self.file}: {bad} lines cannot be read; their questions are asked again"] if bad else []
        return (*torn, *broken)

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The latest answer of that key."""
        return self._answers.get(key)

    def add(self, key: str, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Append an answer, on the disk when this returns; gives back what a later run will read."""
        line = json.dumps({"key": key, **answer}, default=str)
        data = f"{line}\n".encode()
        while data:
            data = data[os.write(self._fd, data) :]
        os.fsync(self._fd)
        written: Mapping[str, Any] = json.loads(line)
        self._answers[key] = written
        return written

    def _put_aside(self) -> None:
        data = self.file.read_bytes()
        if not data:
            return
        number = 1
        while (kept := self.file.with_name(f"{self.file.stem}-{number}{self.file.suffix}")).exists():
            number += 1
        kept.write_bytes(data)
        os.ftruncate(self._fd, 0)

    def _read(self) -> dict[str, Mapping[str, Any]]:
        data = self.file.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.ftruncate(self._fd, whole)
            self.repaired = True
        answers: dict[str, Mapping[str, Any]] = {}
        for line in data[:whole].splitlines():
            try:
                answer = json.loads(line)
                answers[answer["key"]] = answer
            except (ValueError, KeyError, TypeError, RecursionError):
                self.unreadable += 1
        return answers


__all__ = ["ANSWERS", "AnswerLog"]
