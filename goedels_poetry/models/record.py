"""Recordings: every question and answer of a run in one file of JSON Lines, and answering from such a file.

The first line names the models, so that a replay asks in their names without any being configured. Keys and
headers are never written. Prompts and replies are: a recording is as private as they are.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections import deque
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.files import at_once, read_bytes
from goedels_poetry.models.cache import Asked
from goedels_poetry.models.requests import Reply, Request

FORMAT = "goedels-poetry recording"
VERSION = 1
MAX_BYTES = 1 << 30
"""Of a recording that is read."""
_REPLY = TypeAdapter(Reply)


class RecordingError(GoedelsPoetryError):
    """The file is no recording, or cannot be read or written."""


class Recorder:
    """Appends to a recording; each line is written at once."""

    def __init__(self, path: Path, roles: dict[str, dict[str, Any]], note: str = "") -> None:
        """Begin a recording, or go on with one.

        Args:
            path: the file.
            roles: what each role's answers depend on, see ``Endpoint.facts``.
            note: for people, e.g. that the answers are scripted.
        """
        self.problem = ""
        """Why the recording ends before the run does; "" as long as it goes on."""
        head = {"format": FORMAT, "version": VERSION, "note": note, "roles": roles}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size:
                Recording.load(path)
            # Nothing is left over for closing, which could fail; a pipe that nobody reads is refused, not waited for.
            self._file = open(path, "ab", buffering=0, opener=at_once)  # noqa: SIM115
            os.set_blocking(self._file.fileno(), True)
        except OSError as problem:
            why = "nobody reads it (a pipe)" if problem.errno == errno.ENXIO else problem
            raise RecordingError(f"{path} cannot be written: {why}") from problem
        try:
            if path.stat().st_size:
                self._put("\n")  # after a crash the last line may have no end
            self._write(head)
        except OSError as problem:
            self._file.close()
            raise RecordingError(f"{path} cannot be written: {problem}") from problem

    def write(self, request: Request, question: dict[str, Any], reply: Reply) -> None:
        """Add one answer, a fault included. When the disk is full, the recording ends, not the run."""
        if self.problem:
            return
        about = {"role": request.role, "prompt": request.prompt, "node": request.node}
        try:
            self._write({"about": about, "question": question, "reply": _to_json(reply)})
        except OSError as problem:
            self.problem = f"the recording {self._file.name} is not complete: {problem}"

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, line: dict[str, Any]) -> None:
        self._put(json.dumps(line, sort_keys=True, default=str) + "\n")

    def _put(self, text: str) -> None:
        data = text.encode()
        if self._file.write(data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@cache
def _piped(path: Path, device: int, inode: int) -> bytes:
    """What came out of a pipe: that can be had but once, and every sample of a benchmark has models of its own."""
    return read_bytes(path, MAX_BYTES)


def _text(path: Path) -> str:
    about = path.stat()
    data = _piped(path, about.st_dev, about.st_ino) if stat.S_ISFIFO(about.st_mode) else read_bytes(path, MAX_BYTES)
    if len(data) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MAX_BYTES >> 20} MB")
    return data.decode()


class Recording:
    """A recording to answer from. Equal questions get their answers in the order of the file, the last one again."""

    def __init__(self, path: Path, roles: dict[str, dict[str, Any]], answers: dict[str, deque[Reply]]) -> None:
        self.path = path
        self.roles = roles
        self._answers = answers

    @classmethod
    def load(cls, path: Path) -> Recording:
        """Read a recording; lines that a crash cut off are passed over.

        Raises:
            RecordingError: no such file, or not a recording.
        """
        try:
            if path.is_char_device():
                raise RecordingError(f"{path} is not a recording but a device")
            lines = _text(path).split("\n")
        except (OSError, UnicodeDecodeError) as problem:
            raise RecordingError(f"{path} cannot be read: {problem}") from problem
        roles: dict[str, dict[str, Any]] = {}
        answers: dict[str, deque[Reply]] = {}
        for number, text in enumerate(lines, 1):
            try:
                line = json.loads(text)
                if number == 1 or "format" in line:
                    if line["format"] != FORMAT or line["version"] > VERSION:
                        raise RecordingError(f"{path} is not a recording that this version understands")
                    roles |= {str(role): dict(facts) for role, facts in line["roles"].items()}
                else:
                    answers.setdefault(Asked(line["question"]).key, deque()).append(
                        _REPLY.validate_python(line["reply"])
                    )
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as problem:
                if number == 1:
                    raise RecordingError(f"{path} is not a recording: its first line is another one") from problem
        return cls(path, roles, answers)

    def answer(self, request: Request, question: Asked) -> Reply:
        """The recorded answer, or one that says that there is none."""
        found = self._answers.get(question.key)
        if not found:
            about = f"role {request.role}, prompt {request.prompt}, goal {request.node or '-'}"
            sample = f"attempt {question.value['attempt']}, sample {question.value['sample']}"
            return Reply(error=f"not in the recording {self.path.name}: {about}, {sample}")
        return found.popleft() if len(found) > 1 else found[0]


def _to_json(reply: Reply) -> dict[str, Any]:
    return asdict(reply) | {"parsed": None}  # found again in the text
