"""Theorems on their way from a text to what a language makes of it; an interrupt ends what takes long."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from goedels_poetry import languages
from goedels_poetry.errors import InvalidInput
from goedels_poetry.protocol.base import Language, Theorem
from goedels_poetry.search.machine.background import call_in
from goedels_poetry.search.tasks.base import Task

T = TypeVar("T")

READ_GRACE = 1.0
"""Seconds that an interrupt leaves to the reading of a theorem: most are read by then, and the run can be resumed."""


class Readings:
    """Those under way, on whichever loops."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Future[Any]] = set()

    async def of(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What it returns; None when an interrupt has ended it."""
        reading = asyncio.ensure_future(work)
        self._under_way.add(reading)
        try:
            return await reading
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not reading.cancelled() or (task is not None and task.cancelling()):
                raise
            return None
        finally:
            self._under_way.discard(reading)

    def interrupt(self) -> None:
        """End them in a moment; in any thread."""
        for reading in tuple(self._under_way):
            loop = reading.get_loop()
            call_in(loop, partial(loop.call_later, READ_GRACE, reading.cancel))


OPTIONS = ("theorem", "assume_definitions", "without", "seed", "file")
"""What languages of theorems take of a caller; the command line gives all of them the same."""
_THEOREMS = frozenset({"smt", "lean", "python"})


async def read(task: Task, language: Language, options: dict[str, Any]) -> Theorem:
    """See `Task.read`; RefusedPlugin for what a language of somebody else raises besides.

    Raises:
        InvalidInput: an option that no language of ours knows, which would change nothing.
    """
    unknown = [name for name in options if name not in OPTIONS]
    if language.name in _THEOREMS and unknown:
        raise InvalidInput(f"options: there is no `{unknown[0]}`", hint=f"there are {', '.join(OPTIONS[:2])}")
    with languages.blaming(language, "read the text"):
        return await task.read(language, options)


def text_of(path: os.PathLike[str]) -> str:
    """A file's text, byte for byte: line ends stay as they are. Raises OSError, UnicodeDecodeError."""
    return Path(path).read_bytes().decode()
