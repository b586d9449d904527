"""A theorem in formal text: the language reads it, and what is proved is what was given."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from goedels_poetry.errors import InvalidInput
from goedels_poetry.protocol.base import Language, Theorem
from goedels_poetry.search.tasks.base import Task
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ProofNode, Queue


@dataclass(frozen=True)
class FormalTheorem(Task):
    """Somebody's own formal text. Its premises and its goal are looked at before any search."""

    kind: ClassVar[str] = "theorem"
    learns: ClassVar[bool] = True
    first_queue: ClassVar[str] = Queue.CHECK_SEMANTICS

    text: str

    async def read(self, language: Language, options: dict[str, Any]) -> Theorem:
        """See `Task`."""
        try:
            read = await language.read(self.text, copy.deepcopy(options))
        except InvalidInput as error:
            raise error.in_text(self.text) from None
        return replace(read, text=self.text, options=options)

    async def prepare(self, language: Language, theorem: Theorem) -> ProofNode:
        """See `Task`."""
        return replace(await super().prepare(language, theorem), key=await language.canonical(theorem, ""))

    def submission(self, store: StoreReader) -> str:
        """See `Task`."""
        return self.text
