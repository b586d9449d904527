"""A base for languages of plug-ins: everything of `Language` that has a harmless default has it.

What is left to write is `read`, `prove` and `verify`; whoever decomposes adds `sketch` and `verify_sketch`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from hashlib import sha256
from typing import Any

from goedels_poetry.protocol.base import EXHAUSTED, Goal, Outcome, Theorem


class SimpleLanguage(ABC):
    """A `Language` without decomposition, repair and library. Every default may be replaced; see `Language`."""

    name: str
    suffixes: tuple[str, ...] = ()

    @abstractmethod
    async def read(self, text: str, options: dict[str, Any]) -> Theorem:
        """See `Language.read`."""

    @abstractmethod
    async def prove(self, goal: Goal) -> Outcome:
        """See `Language.prove`."""

    @abstractmethod
    async def verify(self, goal: Goal, candidate: dict[str, Any]) -> Outcome:
        """See `Language.verify`."""

    async def judge(self, theorem: Theorem) -> Outcome:
        """Nothing is known before the search."""
        return Outcome(True, {"verdict": "open"})

    async def correct(self, goal: Goal, candidate: dict[str, Any], report: Any) -> Outcome:
        """There is no repair."""
        return Outcome(False, reason=EXHAUSTED)

    async def sketch(self, goal: Goal) -> Outcome:
        """There is no decomposition of its own; strategies may bring some."""
        return Outcome(False, reason=EXHAUSTED)

    async def verify_sketch(self, goal: Goal, sketch: dict[str, Any]) -> Outcome:
        """No sketch is believed: what makes its children imply the goal is for the language to say."""
        return Outcome(False, {"report": "the language cannot verify sketches"}, "the language cannot verify sketches")

    async def correct_sketch(self, goal: Goal, sketch: dict[str, Any], report: Any) -> Outcome:
        """There is no repair."""
        return Outcome(False, reason=EXHAUSTED)

    async def retrieve(self, goal: Goal, lemmas: list[dict[str, Any]]) -> Outcome:
        """No lemma of an earlier run is used."""
        return Outcome(True, {"lemmas": []})

    async def canonical(self, theorem: Theorem, statement: str) -> str:
        """Statements are the same where their texts are, and only in the same theorem."""
        return f"{_hash(theorem.text)}:{_hash(statement)}"

    async def assemble(self, theorem: Theorem, derivation: list[dict[str, Any]]) -> dict[str, Any]:
        """The steps as they are."""
        return {"derivation": derivation}

    async def assemble_answer(self, theorem: Theorem, answer: dict[str, Any]) -> dict[str, Any]:
        """What `judge` gave, as it is."""
        return answer

    async def aclose(self) -> None:
        """It has started nothing."""
        return


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:20]
