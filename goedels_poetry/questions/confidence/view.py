"""What models are shown of a case: the text and the names without the program, and the program without the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from goedels_poetry.kernel.printer import declarations, show
from goedels_poetry.kernel.refutation.theory import declarations_and_definitions
from goedels_poetry.questions.entailment.program import LogicProgram, Origin

MAX_TEXT = 30_000
"""Characters of the text, and of the vocabulary."""


@dataclass(frozen=True, slots=True)
class ProgramView:
    """Plain texts, so that they can be made where the program is read and used where models are asked."""

    question: str
    text: str
    """One numbered sentence a line; "" without a text."""
    vocabulary: str
    """Declarations of all that the program can speak of: no bodies of definitions, no formula."""
    program: str
    """Bare SMT-LIB: what is declared and defined, then the premises in order, then the goals; no labels, no remarks."""
    added: tuple[bool, ...]
    """Of each premise, whether it is not from the text."""
    remarks: tuple[str, ...]
    """Of each premise, what its author says that it says; "" where nothing."""
    goals: int

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {**asdict(self), "added": list(self.added), "remarks": list(self.remarks)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> ProgramView:
        """The inverse of :meth:`to_json`."""
        return cls(**{**data, "added": tuple(data["added"]), "remarks": tuple(data["remarks"])})


def view_of(program: LogicProgram, question: str, sentences: Sequence[str]) -> ProgramView:
    """What to show; the sentences are those of the text by number, from 1."""
    lines = [*declarations_and_definitions(program.signature)]
    lines += [f"(assert {show(premise.formula)})" for premise in program.premises]
    lines += [f"(define-fun {_goal(goal.name)} () Bool {show(goal.formula)})" for goal in program.goals]
    return ProgramView(
        question,
        "\n".join(_line(number, text, text == question) for number, text in enumerate(sentences, 1))[:MAX_TEXT],
        "\n".join(declarations(program.signature))[:MAX_TEXT],
        "\n".join(lines),
        tuple(premise.origin is Origin.WORLD or not sentences for premise in program.premises),
        tuple(premise.words for premise in program.premises),
        len(program.goals),
    )


def _line(number: int, text: str, asked: bool) -> str:
    return f"{number}. {'(the question: what it asks is not stated) ' if asked else ''}{text}"


def _goal(name: str) -> str:
    return name if name == "goal" else f"goal-{name}"
