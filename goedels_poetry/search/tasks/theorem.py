"""A theorem in formal text: the language reads it, and what is proved is what was given."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.client import Models
from goedels_poetry.protocol.base import Language, Theorem
from goedels_poetry.protocol.resembling import with_language_hint
from goedels_poetry.search.tasks.base import Session, Stop, bare_root
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ProofNode, Queue


@dataclass(frozen=True, slots=True)
class FormalTheorem:
    """Somebody's own formal text. Its premises and its goal are looked at before any search."""

    kind: ClassVar[str] = "theorem"
    title: ClassVar[str] = ""
    first_queue: ClassVar[str] = Queue.CHECK_SEMANTICS
    learns: ClassVar[bool] = True

    text: str

    @classmethod
    def again(cls, text: str, identity: dict[str, Any]) -> FormalTheorem:
        """The theorem of a run that goes on."""
        return cls(text, **identity)

    @property
    def identity(self) -> dict[str, Any]:
        """See `Task`: text, language and options say everything."""
        return {}

    def check(self, language: Language, models: Models | None) -> None:
        """See `Task`: without models, symbolic agents do the work."""

    async def read(self, language: Language, options: dict[str, Any]) -> Theorem:
        """See `Task`."""
        try:
            read = await language.read(self.text, copy.deepcopy(options))
        except InvalidInput as error:
            with_language_hint(error.in_text(self.text), self.text, language.name)
            raise
        return replace(read, text=self.text, options=options)

    async def prepare(self, language: Language, theorem: Theorem) -> ProofNode:
        """See `Task`."""
        return replace(bare_root(language, self.first_queue), key=await language.canonical(theorem, ""))

    async def settle(self, stop: Stop, session: Session) -> Stop:
        """See `Task`: when the search is over, it is over."""
        return stop

    def submission(self, store: StoreReader) -> str:
        """See `Task`."""
        return self.text

    def conclude(self, result: RunResult, store: StoreReader, theorem: Theorem, suffix: str) -> RunResult:
        """See `Task`: there is nothing to add."""
        return result
