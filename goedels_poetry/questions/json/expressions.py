"""Expressions of a program: text to typed tree."""

from __future__ import annotations

from collections.abc import Sequence

from goedels_poetry.kernel.terms import Sort
from goedels_poetry.questions.json import grammar
from goedels_poetry.questions.json.contract import Scope
from goedels_poetry.questions.json.operators import OPERATORS
from goedels_poetry.questions.json.sorts import SortManager
from goedels_poetry.questions.json.symbols import Symbols
from goedels_poetry.questions.json.typed import Typed, quantify
from goedels_poetry.questions.json.typer import NOTHING, Typer


class ExpressionParser:
    """Reads expressions over the sorts and symbols of one program, by a grammar of its own: nothing is evaluated."""

    def __init__(self, sorts: SortManager, symbols: Symbols | None = None) -> None:
        self.sorts = sorts
        self.symbols = symbols or Symbols(frozenset(OPERATORS))
        self.typer = Typer(self.symbols, sorts)

    def formula(self, text: str, scope: Scope = NOTHING) -> Typed:
        """The formula that ``text`` is.

        Raises:
            ExpressionError: with the offset in ``text``, what is wrong, and what to write instead.
        """
        return self.typer.formula(grammar.parse(text), scope)

    def term(self, text: str, scope: Scope = NOTHING) -> Typed:
        """The term that ``text`` is.

        Raises:
            ExpressionError: likewise.
        """
        return self.typer.value(grammar.parse(text), scope)

    def bind(self, variables: Sequence[tuple[str, Sort]]) -> tuple[tuple[tuple[str, Sort], ...], Scope]:
        """The variables of a quantifier and the scope inside it.

        Raises:
            ExpressionError: a name that no variable can have.
        """
        return self.typer.bind([(name, sort, 0) for name, sort in variables], NOTHING)

    @staticmethod
    def closed(head: str, bound: tuple[tuple[str, Sort], ...], body: Typed) -> Typed:
        """``body`` under a quantifier over ``bound``; itself when nothing is bound."""
        return quantify(head, bound, body, body.at) if bound else body
