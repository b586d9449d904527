"""What comes of reading a goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from goedels_poetry.languages.bridge.goals.expressions import Expr
from goedels_poetry.languages.bridge.goals.script import Symbol


@dataclass(frozen=True, slots=True)
class Reading:
    """A goal as the engine reads it, and how to say in Lean what the engine says."""

    text: str
    symbols: Mapping[str, Symbol]
    types: Mapping[str, Expr]
    """Of each sort."""
    variables: tuple[tuple[Expr, Expr, str], ...]
    """What the goal is about that is no value: types, instances, functions; with their types and binders."""
    numbers: frozenset[str]
    functions: tuple[str, ...]
    """Constants that have definitions in the script."""
    dropped: int = 0
    """Hypotheses that could not be read."""
    operations: Mapping[str, str] = field(default_factory=dict)
    """Functions of the script that are operations on natural numbers, with their signs."""
    places: Mapping[int, str] = field(default_factory=dict)
    """The variables of the script's goal, by their places among the variables and hypotheses of Lean's."""
