"""What a search answered is not searched for again by the next test that asks the very same.

A handful of theorems are proved by dozens of tests, most of which are about something else: models, streams, documents.
What a search is told is all that its answer depends on; so the first who asks pays. Certificates are checked each time,
by the checker's own processes, and what was not answered (a limit, a killed process) is asked again. The processes
among which a run's tests are distributed share a folder of answers.
"""

import contextlib
import copy
import functools
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.smt.language import SmtLanguage

_answers: dict[str, Any] = {}
_folders: list[Path] = []


def share(folder: Path) -> None:
    """From now on the processes that name the same folder of this run answer each other."""
    folder.mkdir(exist_ok=True)
    _folders[:] = [folder]


def _found(asked: str) -> bool:
    """Whether it is among the answers of this process, now."""
    for folder in _folders if asked not in _answers else ():
        with contextlib.suppress(FileNotFoundError):
            _answers[asked] = json.loads((folder / _name(asked)).read_text("utf-8"))
    return asked in _answers


def _keep(asked: str, answer: Any) -> None:
    _answers[asked] = answer
    for folder in _folders:
        written = folder / f"{_name(asked)}.{os.getpid()}"
        written.write_text(json.dumps(answer), "utf-8")
        written.replace(folder / _name(asked))


def _name(asked: str) -> str:
    return hashlib.sha256(asked.encode()).hexdigest()


class Remembering:
    """The pool of a language that does the same job once."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    async def run(self, job: str, payload: dict[str, Any], *limits: Any) -> Any:
        asked = json.dumps([job, {name: value for name, value in payload.items() if name != "log"}], sort_keys=True)
        if not _found(asked):
            _keep(asked, await self._pool.run(job, payload, *limits))
        return copy.deepcopy(_answers[asked])


def use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the patches are undone, languages that are made in this process remember."""
    begin = SmtLanguage.__init__

    @functools.wraps(begin)
    def remembering(language: SmtLanguage, *arguments: Any, **named: Any) -> None:
        begin(language, *arguments, **named)
        language._pool = Remembering(language._pool)

    monkeypatch.setattr(SmtLanguage, "__init__", remembering)
