"""What terms are compiled to: closures over a frame of values, and how they are put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from goedels_poetry.kernel.refutation.operations import Undecided, Value
from goedels_poetry.kernel.terms import Term

Code: TypeAlias = Callable[[list[Value]], Value]


@dataclass(frozen=True)
class Places:
    """Where in a frame things stand: the variables, and from ``width`` on the values of parts that are shared."""

    slots: dict[Term, int]
    width: int
    kept: dict[Term, int]
    done: dict[Term, Code] = field(default_factory=dict)
    """The code of parts."""


def shared(term: Term) -> list[Term]:
    """The parts that occur in several places, outside of quantifiers."""
    seen: set[Term] = set()
    found: dict[Term, None] = {}
    stack = [term]
    while stack:
        part = stack.pop()
        for a in () if part.binders else part.args:
            if a in seen:
                found.setdefault(a)
            elif a.args:
                seen.add(a)
                stack.append(a)
    return list(found)


def kept_in_frame(code: Code, place: int) -> Code:
    """``code``, run once a frame."""

    def run(frame: list[Value]) -> Value:
        kept = frame[place]
        if kept is None:
            try:
                kept = frame[place] = (code(frame), None)
            except Undecided as reason:
                kept = frame[place] = (None, reason)
        value, undecided = kept
        if undecided is not None:
            raise undecided
        return value

    return run


def junction(codes: list[Code], stop: bool) -> Code:
    """``and``/``or``: an operand that decides counts even where another is undecided (the logic is two-valued)."""

    def run(frame: list[Value]) -> Value:
        undecided: Undecided | None = None
        for code in codes:
            try:
                if code(frame) is stop:
                    return stop
            except Undecided as reason:
                undecided = reason
        if undecided is not None:
            raise undecided
        return not stop

    return run
