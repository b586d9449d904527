"""A goal as strategies see it: its sequent as data, and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from goedels_poetry.protocol.base import Goal


class Variable(NamedTuple):
    """A variable of a goal; the goal is to hold for all its values."""

    name: str
    sort: str
    inductive: bool
    """Whether it is of a datatype that refers to itself, or an integer: so that induction on it says something."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Sequent:
    """What a goal says. Texts are in the language."""

    statement: str
    """All of it in one text."""
    text: str
    """The same for people and models, in several lines."""
    variables: tuple[Variable, ...] = ()
    hypotheses: tuple[str, ...] = ()
    conclusion: str = ""
    functions: tuple[str, ...] = ()
    """Functions of the theorem that occur in it."""

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Sequent:
        """From what a worker process answers."""
        variables = tuple(Variable(*each) for each in found["variables"])
        return cls(
            found["statement"],
            found["text"],
            variables,
            tuple(found["hypotheses"]),
            found["conclusion"],
            tuple(found["functions"]),
        )


@runtime_checkable
class Readable(Protocol):
    """What a language offers besides so that strategies see goals as data."""

    async def sequent(self, goal: Goal) -> Sequent:
        """The goal, at the root, too, where `Goal.statement` is empty."""
        ...
