"""How what a proof speaks of is called in Lean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from goedels_poetry.kernel.terms import Sort, Term


class Words(Protocol):
    """How what a proof speaks of is called in Lean: a `LeanTheory`, or the words of a user's own file."""

    @property
    def header(self) -> str:
        """The text that stands before all steps."""
        ...

    @property
    def context(self) -> str:
        """Commands that make what is open, and the premises, variables of the theorems that follow."""
        ...

    @property
    def arguments(self) -> tuple[str, ...]:
        """What a theorem under `context` has to be given first."""
        ...

    @property
    def hypotheses(self) -> tuple[tuple[str, str], ...]:
        """Names and texts of the premises."""
        ...

    @property
    def equations(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """Names and texts of hypotheses that say what functions are that the text does not define."""
        ...

    @property
    def definitions(self) -> Mapping[str, str]:
        """Lean's names of defined functions, selectors and testers."""
        ...

    def name(self, symbol: str) -> str:
        """Lean's name of a function or constructor."""
        ...

    def sort(self, sort: Sort) -> str:
        """Lean's type for a sort."""
        ...

    def binders(self, variables: Sequence[Term]) -> str:
        """Variables with their types."""
        ...

    def prop(self, term: Term) -> str:
        """A formula as a proposition; raises `NotTranslatable`."""
        ...

    def value(self, term: Term) -> str:
        """A term as a value; raises `NotTranslatable`."""
        ...
