"""A logic program as text for solvers, in names that no solver can mistake. Trusted code, and deterministic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from goedels_poetry.languages.logic.program import LogicPremise, LogicProgram
from goedels_poetry.languages.smt.encoding import Encoding, check_closed
from goedels_poetry.languages.smt.printer import declarations_and_definitions
from goedels_poetry.languages.smt.terms import Term, not_

_NAME = re.compile(r"\bp\.([0-9]+)\b")


class Posing:
    """What solvers are asked about one program.

    Raises:
        EncodingError: something cannot be handed to a solver faithfully.
    """

    def __init__(self, program: LogicProgram, premises: Sequence[LogicPremise] | None = None) -> None:
        """``premises``: these in place of the program's."""
        self.program = program
        self.premises = tuple(program.premises if premises is None else premises)
        self.encoding = Encoding(program.signature)
        self.declarations = "\n".join(declarations_and_definitions(self.encoding.signature()))
        self._assertions = [self.assertion(p.formula, f"p.{i}") for i, p in enumerate(self.premises)]

    @cached_property
    def prelude(self) -> str:
        """Declarations, definitions and the named premises."""
        return "\n".join((self.declarations, *self._assertions))

    def assertion(self, formula: Term, name: str = "") -> str:
        """A closed formula as an assertion; premises have names of ours, ``p.0`` and so on."""
        check_closed(formula)
        text = self.encoding.text(formula)
        return f"(assert (! {text} :named {name}))" if name else f"(assert {text})"

    def negation(self, formula: Term) -> str:
        """The negation of a closed formula as an assertion."""
        return self.assertion(not_(formula))

    def script(self, *extras: str, only: Sequence[str] | None = None) -> str:
        """All of it as one script; ``only`` these premises, by name."""
        lines = self._assertions
        if only is not None:
            chosen = frozenset(only)
            lines = [line for line, p in zip(lines, self.premises, strict=True) if p.name in chosen]
        return "\n".join(("(set-logic ALL)", self.declarations, *lines, *extras))

    def names(self, core: str) -> tuple[str, ...]:
        """The premises in an unsat core, by name and in their order."""
        numbers = {int(n) for n in _NAME.findall(core)}
        return tuple(p.name for i, p in enumerate(self.premises) if i in numbers)


__all__ = ["Posing"]
