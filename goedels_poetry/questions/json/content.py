"""What stands in a program, read from JSON and typed, before it becomes SMT-LIB text."""

from __future__ import annotations

from dataclasses import dataclass, field

from goedels_poetry.questions.entailment.program import Origin
from goedels_poetry.questions.json.expressions import ExpressionParser
from goedels_poetry.questions.json.sorts import SortManager
from goedels_poetry.questions.json.symbols import Symbol
from goedels_poetry.questions.json.text import Node
from goedels_poetry.questions.json.typed import Typed


@dataclass(frozen=True, slots=True)
class Statement:
    """A premise, a constraint of the objectives, or a goal."""

    name: str
    formula: Typed
    node: Node
    origin: Origin = Origin.UNSAID
    sentences: tuple[int, ...] = ()
    words: str = ""


@dataclass(frozen=True, slots=True)
class Aim:
    """An objective."""

    maximize: bool
    term: Typed
    node: Node


@dataclass
class Content:
    """A program, typed."""

    sorts: SortManager
    parser: ExpressionParser
    functions: list[Symbol] = field(default_factory=list)
    premises: list[Statement] = field(default_factory=list)
    goals: list[Statement] = field(default_factory=list)
    aims: list[Aim] = field(default_factory=list)
    constraints: list[Statement] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
