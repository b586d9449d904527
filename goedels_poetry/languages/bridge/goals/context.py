"""What is known in one reading of one goal, and what every part of the reading builds on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.languages.bridge.goals.expressions import Expr, const
from goedels_poetry.languages.bridge.goals.facts import Facts
from goedels_poetry.languages.bridge.goals.instances import Instances
from goedels_poetry.languages.bridge.goals.kinds import Kinds
from goedels_poetry.languages.bridge.goals.naming import Names
from goedels_poetry.languages.bridge.goals.numbers import Numbers
from goedels_poetry.languages.bridge.goals.script import Script
from goedels_poetry.languages.bridge.goals.sorts import Sorts

PROOF = const("gp_proof")
"""Stands for every proof: which one it is makes no difference."""


@dataclass(slots=True)
class Context(ABC):
    """One reading; terms are read by :meth:`term`, which functions and matches call again for their parts."""

    facts: Facts
    unary: bool
    names: Names = field(default_factory=Names)
    script: Script = field(default_factory=Script)
    sorts: Sorts = field(init=False)
    kinds: Kinds = field(init=False)
    numbers: Numbers = field(init=False)
    instances: Instances = field(init=False)

    def __post_init__(self) -> None:
        self.sorts = Sorts(self.facts, self.names, self.unary)
        self.kinds = Kinds(self.facts, self.sorts)
        self.numbers = Numbers(self.script, self.sorts, self.names, self.unary)
        self.instances = Instances(self.facts)

    @abstractmethod
    def term(self, e: Expr, env: Mapping[str, str]) -> str:
        """A term or formula; ``env``: terms for the variables that are values. Raises :class:`Unreadable`."""

    def all(self, es: Sequence[Expr], env: Mapping[str, str]) -> str:
        """Several terms, side by side."""
        return " ".join(self.term(e, env) for e in es)

    def tables(self) -> list[dict[Any, Any]]:
        """All that reading a term may add to."""
        return [*self.script.tables(), *self.sorts.tables()]

    def restore(self, before: Sequence[dict[Any, Any]]) -> None:
        """As it was: a term that cannot be read leaves nothing behind."""
        for table, old in zip(self.tables(), before, strict=True):
            table.clear()
            table.update(old)
