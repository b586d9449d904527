"""What the rules of operators and forms may ask of the typer that they serve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Protocol, TypeAlias

from goedels_poetry.questions.json import syntax
from goedels_poetry.questions.json.rules import Rule
from goedels_poetry.questions.json.sorts import SortManager
from goedels_poetry.questions.json.syntax import Expression
from goedels_poetry.questions.json.typed import Typed

Scope: TypeAlias = Mapping[str, Typed]
"""What bound variables, and those of comprehensions, stand for."""

Build: TypeAlias = Callable[[tuple[Typed, ...], syntax.Call], Typed]
"""What makes a term of typed arguments; the call says where it stands."""


class TermBuilder(Protocol):
    """Types the parts of an expression; see `Typer`, which does it."""

    sorts: SortManager

    def term(self, expression: Expression, scope: Scope) -> Any:
        """A typed tree, or the rule that gives it."""

    def terms(self, expressions: Sequence[Expression], scope: Scope) -> Rule:
        """The typed trees of several."""

    def choose(self, condition: Typed, then: Typed, otherwise: Typed, at: int) -> Typed:
        """``then if condition else otherwise``."""

    def select(self, array: Typed, index: Typed, at: int) -> Typed:
        """``array[index]``."""

    def elements(self, source: Expression, scope: Scope) -> Rule:
        """The typed elements of a list, of an enumeration or of a range."""

    def expanded(self, expression: syntax.Comprehension, scope: Scope, conditions: bool = True) -> Rule:
        """The elements of a comprehension written out, each with its conditions."""

    def listed(self, expression: Expression, scope: Scope) -> NoReturn:
        """Refuse a list in the place of a term."""

    def quantified(self, head: str, call: syntax.Call, scope: Scope) -> Rule:
        """``ForAll([x, y: Int], body)``."""
