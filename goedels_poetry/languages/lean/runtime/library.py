"""What a Lean knows that a proof could cite: names, and the symbols of their statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Constant:
    """A declaration. Its symbols are names of constants, literals (``#0``) and pairs of a symbol and one of its
    argument's (``List.map>List.append``)."""

    name: str
    theorem: bool
    """Its type is a proposition."""
    conclusion: tuple[str, ...]
    context: tuple[str, ...]
    """Symbols of the types of its variables and hypotheses that the conclusion does not have."""


@dataclass(frozen=True, slots=True)
class Library:
    """The declarations of a text, and the theorems of its imports."""

    own: tuple[Constant, ...] = ()
    imported: tuple[Constant, ...] = ()


@runtime_checkable
class LeanLibrarian(Protocol):
    """A Lean that can list what it knows. Not every one can: a Kimina server cannot."""

    def library(self, prefix: str, code: str, imported: bool, seconds: float) -> Library | None:
        """What prefix + code declares, and on demand the theorems of the imports; None when there is no answer."""


def read_library(answer: dict[str, Any]) -> Library | None:
    """The JSON answer of our drivers."""
    if answer.get("status") != "done":
        return None
    symbols = answer["symbols"]

    def constant(entry: list[Any]) -> Constant:
        name, theorem, conclusion, context = entry
        return Constant(
            name, bool(theorem), tuple([symbols[i] for i in conclusion]), tuple([symbols[i] for i in context])
        )

    return Library(tuple(map(constant, answer["own"])), tuple(map(constant, answer["imported"])))
