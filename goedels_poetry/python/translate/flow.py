"""Points in a block of statements, and what is known of what comes after it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from goedels_poetry.kernel.terms import FALSE, Term, or_
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.types import Type


@dataclass
class Flow:
    """A point in a block: the frame, and the conditions under which the block has been left before it."""

    frame: Frame
    returned: Term = FALSE
    value: Value | None = None
    broke: Term = FALSE
    continued: Term = FALSE

    @property
    def left(self) -> Term:
        """That this point is not reached."""
        return or_([self.returned, self.broke, self.continued])


@dataclass(frozen=True, slots=True)
class After:
    """What is live after a block, after the loop around it and at its next round; ``tail``: the function ends there."""

    end: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    continued: frozenset[str] = frozenset()
    tail: bool = False


class Blocks(Protocol):
    """Who follows statements: what loops and patterns know of it."""

    result: Type

    def run(self, statements: Sequence[ast.stmt], flow: Flow, after: After) -> None:
        """Follow statements."""

    def finish(self, flow: Flow, node: ast.AST) -> None:
        """The function ends here."""

    def fork(self, test: Term, flow: Flow, a: Flow, b: Flow, node: ast.AST) -> None:
        """Go on after one branch or the other."""

    def take(self, flow: Flow, inner: Flow) -> None:
        """Go on after the one branch that is taken."""
