"""Recordings: every question and answer of a run in one file of JSON Lines, and answering from such a file.

The first line names the models, so that a replay asks in their names without any being configured. Keys and
headers are never written. Prompts and replies are: a recording is as private as they are.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.models.requests import Reply, Request, Usage

FORMAT = "goedels-poetry recording"
VERSION = 1


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
        head = {"format": FORMAT, "version": VERSION, "note": note, "roles": roles}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size:
                Recording.load(path)
            self._file = path.open("a", encoding="utf-8")
            if path.stat().st_size:
                self._file.write("\n")  # after a crash the last line may have no end
        except OSError as problem:
            raise RecordingError(f"{path} cannot be written: {problem}") from problem
        self._write(head)

    def write(self, request: Request, question: dict[str, Any], reply: Reply) -> None:
        """Add one answer, a fault included."""
        about = {"role": request.role, "prompt": request.prompt, "node": request.node}
        self._write({"about": about, "question": question, "reply": _to_json(reply)})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, line: dict[str, Any]) -> None:
        self._file.write(json.dumps(line, sort_keys=True, default=str) + "\n")
        self._file.flush()


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
            lines = path.read_text(encoding="utf-8").split("\n")
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
                    roles |= line["roles"]
                else:
                    answers.setdefault(_key(line["question"]), deque()).append(_from_json(line["reply"]))
            except (ValueError, KeyError, TypeError, AttributeError) as problem:
                if number == 1:
                    raise RecordingError(f"{path} is not a recording: its first line is another one") from problem
        return cls(path, roles, answers)

    def answer(self, request: Request, question: dict[str, Any]) -> Reply:
        """The recorded answer, or one that says that there is none."""
        found = self._answers.get(_key(question))
        if not found:
            about = f"role {request.role}, prompt {request.prompt}, goal {request.node or '-'}"
            sample = f"attempt {question['attempt']}, sample {question['sample']}"
            return Reply(error=f"not in the recording {self.path.name}: {about}, {sample}")
        return found.popleft() if len(found) > 1 else found[0]


def _key(question: dict[str, Any]) -> str:
    return sha256(json.dumps(question, sort_keys=True, default=str).encode()).hexdigest()


def _to_json(reply: Reply) -> dict[str, Any]:
    return asdict(reply) | {"parsed": None}  # found again in the text


def _from_json(data: dict[str, Any]) -> Reply:
    known = {name: data[name] for name in Reply.__dataclass_fields__ if name in data}
    return Reply(**{**known, "usage": Usage(**known.get("usage", {}))})


__all__ = ["Recorder", "Recording", "RecordingError"]
