"""A logic program as it has been read: premises, what is asked of them, and what is to be made large or small.

Both dialects (SMT-LIB 2 and the JSON logic language) end here; whatever decides a program sees nothing else of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import Term


class Origin(StrEnum):
    """Where a premise comes from, as the program says."""

    UNSAID = ""
    TEXT = "text"
    """Sentences of the text that the question is about."""
    WORLD = "world"
    """Knowledge of the world that is not in the text."""
    CLOSURE = "closure"
    """The closed world: what cannot be derived is false. Added by us, never by a program."""
    DERIVED = "derived"
    """The answer to an earlier question."""
    READING = "reading"
    """One way to take the words of the text, which nothing that is proved rests on."""


SAID = (Origin.WORLD, Origin.DERIVED, Origin.READING)
"""Origins that a program says with words, in an attribute or a member of the same name."""
DEFINITION = "the recursive definition of "
"""How the words of a premise begin that is a definition whose recursion is not seen to end."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the program's text: line and column from 1, or a JSON path, or both."""

    line: int | None = None
    column: int | None = None
    path: str = ""
    """E.g. ``knowledge_base[2].assertion``."""


@dataclass(frozen=True, slots=True)
class LogicPremise:
    """A closed formula that is taken for true. Names are unique within a program."""

    name: str
    formula: Term
    place: Place = Place()
    origin: Origin = Origin.UNSAID
    sentences: tuple[int, ...] = ()
    """Numbers, from 1, of the sentences of the text that it renders."""
    words: str = ""
    """What the program says that it says, e.g. the piece of world knowledge."""
    instead: str = ""
    """Of a reading: the name of the premise that it replaces; "" for one that is added."""


@dataclass(frozen=True, slots=True)
class LogicGoal:
    """A closed formula that is asked for: does it follow, does its negation, or neither?"""

    name: str
    """``goal``, the option's letter of a multiple-choice question, or the name of a verification."""
    formula: Term
    place: Place = Place()
    words: str = ""
    marked: bool = True
    """False when the program does not say what it asks, so that its last assertion was taken."""
    negated: bool = False
    """Of a goal that is not marked: whether the program asserts ``(not formula)``, to see it fail."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A term of sort Int, Real or BitVec whose largest or smallest value under the premises is asked for."""

    maximize: bool
    term: Term
    place: Place = Place()


@dataclass(frozen=True, slots=True)
class LogicProgram:
    """What a program says and asks. At least one goal or objective."""

    dialect: str
    """``smt2`` or ``json``."""
    text: str
    """As it was given, byte for byte as decoded."""
    signature: Signature
    premises: tuple[LogicPremise, ...]
    goals: tuple[LogicGoal, ...]
    objectives: tuple[Objective, ...] = ()
    constraints: tuple[LogicPremise, ...] = ()
    """Hold for the objectives only, beside the premises."""
    readings: tuple[LogicPremise, ...] = ()
    """Other ways to take the text; no premises: see `readings`."""
    warnings: tuple[str, ...] = ()
    """What was left aside while reading it, one line each."""


def apart(premises: Iterable[LogicPremise]) -> tuple[tuple[LogicPremise, ...], tuple[LogicPremise, ...]]:
    """Premises, and readings, which are none."""
    every = tuple(premises)
    return tuple(p for p in every if p.origin is not Origin.READING), tuple(
        p for p in every if p.origin is Origin.READING
    )


def statement_of(program: LogicProgram) -> str:
    """What a program asks, in one line: its goals and objectives, in their order."""
    goals = [
        show(goal.formula) if goal.name == "goal" else f"{goal.name}: {show(goal.formula)}" for goal in program.goals
    ]
    best = [f"{'maximize' if o.maximize else 'minimize'} {show(o.term)}" for o in program.objectives]
    return "; ".join((*goals, *best))
