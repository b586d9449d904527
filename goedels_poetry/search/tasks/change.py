"""A change to a file: what is wrong, and which changes are proposed. Its moves are in `change_moves`."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.client import Models
from goedels_poetry.protocol.base import Language, Theorem
from goedels_poetry.python.changes import ChangeCase, plain, read_proposal, unified
from goedels_poetry.search.tasks.base import Task
from goedels_poetry.search.tasks.change_extraction import unfenced
from goedels_poetry.search.tasks.change_moves import KEPT, SURVEY, state_of, state_text, steps_of
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import RunResult

Json = dict[str, Any]

MAX_FILE = 2_000_000
"""Characters of a file that is changed."""
MAX_ATTEMPTS = 6
NOBODY = "no change is proposed: give one with --patch FILE, or a language model with --model NAME"
NOTHING_WRONG = "say what is wrong: --error TEXT, --test COMMAND or --run COMMAND"


@dataclass(frozen=True)
class Change(Task):
    """What is to be changed, and why."""

    kind: ClassVar[str] = "change"
    first_queue: ClassVar[str] = SURVEY

    text: str
    """The file, every character as it is."""
    file: str = "file.py"
    """Its path below the project's folder."""
    path: str = ""
    """Where it is on this machine."""
    link: str = ""
    """Its path where it was named by a link to it."""
    files: str = "{}"
    """The rest of the project as JSON; see `ChangeCase.files`."""
    executable: tuple[str, ...] = ()
    error: str = ""
    tests: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    meant: tuple[str, ...] = ()
    patches: tuple[str, ...] = ()
    """Proposed changes, in the order in which they are tried."""
    max_attempts: int = MAX_ATTEMPTS
    """Changes by a model, besides those that are given."""
    seconds: float = 60.0
    """Processor seconds for one run of the tests."""

    @cached_property
    def case(self) -> ChangeCase:
        """What is needed to verify a change."""
        return ChangeCase(
            self.file,
            self.text,
            json.loads(self.files),
            self.executable,
            self.error,
            self.tests,
            self.run,
            self.meant,
            self.seconds,
        )

    @property
    def title(self) -> str:
        """See `Task`."""
        return f"change of {self.file}"

    def check(self, language: Language, models: Models | None) -> None:
        """See `Task`."""
        if len(self.text) > MAX_FILE:
            raise InvalidInput(f"{self.file} is longer than {MAX_FILE} characters")
        if not (self.error.strip() or self.tests or self.run):
            raise InvalidInput(NOTHING_WRONG)
        if not self.case.is_python and not (self.tests or self.run):
            raise InvalidInput(
                f"{self.file} is no Python file: it takes a test command (--test) to verify a change of it"
            )
        if self.max_attempts < 1 or self.seconds <= 0:
            raise InvalidInput("the numbers of attempts and of seconds must be positive")
        for number, patch in enumerate(self.patches, 1):
            self._check_patch(patch, f"patch {number}" if len(self.patches) > 1 else "the patch")
        has_model = models is not None and models.has("corrector")
        if not (self.patches or has_model):
            raise InvalidInput(NOBODY)

    def _check_patch(self, patch: str, what: str) -> None:
        """Raise InvalidInput when it is no change at all; one that has no place is an attempt."""
        try:
            read_proposal(unfenced(patch), plain(self.text), self.file, link=self.link)
        except InvalidInput as problem:
            raise InvalidInput(f"{what} cannot be used: {problem}") from None

    async def read(self, language: Language, options: Json) -> Theorem:
        """See `Task`."""
        return Theorem(language.name, self.title, options, self.title)

    def submission(self, store: StoreReader) -> str:
        """See `Task`: the file as it was left."""
        return state_text(store, store.root(), KEPT, self.text)

    def conclude(self, result: RunResult, store: StoreReader, theorem: Theorem, suffix: str) -> RunResult:
        """See `Task`: the state that was left, how it came about, and the report on it."""
        root = store.root()
        kept = state_of(store, root, KEPT)
        text = state_text(store, root, KEPT, self.text)
        told = {
            "file": self.file,
            "path": self.path,
            "state": int(kept["step"]),
            "text": text,
            "diff": unified(self.text, text, self.file),
            "report": kept.get("report"),
            "steps": steps_of(store),
        }
        return replace(result, answer={"change": told})
