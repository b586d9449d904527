"""What a test of a formalization found out, and the two seams through which tests reach a solver and a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from goedels_poetry.questions.entailment.findings import Entailment
from goedels_poetry.questions.entailment.program import LogicProgram

Outcome = Literal["passed", "warning", "failed", "skipped"]
"""``failed``: most likely the program does not say what the text says; ``warning``: perhaps; ``skipped``: not known."""

Solve: TypeAlias = Callable[[LogicProgram], Entailment]
"""Decides a program within limits of its own; a second or two are enough for what the tests ask. Called in a thread."""

Ask: TypeAlias = Callable[[str, Mapping[str, str], Mapping[str, Any]], Awaitable["dict[str, Any] | str"]]
"""Fills in the prompt of that name, asks a model for an object of that JSON Schema; a text says why there is none."""


@dataclass(frozen=True, slots=True)
class FormalizationTest:
    """One question about how well a program says what was said in words."""

    name: str
    """One of the names in `confidence.FACTORS`."""
    outcome: Outcome
    text: str
    """One line for people."""
    about: tuple[str, ...] = ()
    """Premises, symbols, sentences or facts that it is about."""

    def to_json(self) -> dict[str, Any]:
        """As it stands in a result."""
        return {"name": self.name, "outcome": self.outcome, "words": self.text, "about": list(self.about)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> FormalizationTest:
        """The inverse of :meth:`to_json`."""
        return cls(data["name"], data["outcome"], data["words"], tuple(data["about"]))
