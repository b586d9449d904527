"""A logic program as text for solvers, in names that no solver can mistake. Trusted code, and deterministic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from goedels_poetry.kernel.encoding import Encoding, check_closed
from goedels_poetry.kernel.refutation.theory import for_models
from goedels_poetry.kernel.terms import Term, not_
from goedels_poetry.questions.entailment.program import LogicPremise, LogicProgram

_NAME = re.compile(r"\bp\.([0-9]+)\b")


class Encoder:
    """What solvers are asked about one program.

    Raises:
        EncodingError: something cannot be handed to a solver faithfully.
    """

    def __init__(self, program: LogicProgram, premises: Sequence[LogicPremise] | None = None) -> None:
        """``premises``: these in place of the program's."""
        self.program = program
        self.premises = tuple(program.premises if premises is None else premises)
        self.encoding = Encoding(program.signature)
        self.declarations = "\n".join(for_models(self.encoding.signature()))
        self._formulas = [self._text(p.formula) for p in self.premises]

    def extended(self, premises: Iterable[LogicPremise]) -> Encoder:
        """The same with more premises; what is known of the others is not worked out again."""
        new = tuple(premises)
        other = object.__new__(Encoder)
        other.program, other.encoding, other.declarations = self.program, self.encoding, self.declarations
        other.premises = (*self.premises, *new)
        other._formulas = [*self._formulas, *[self._text(p.formula) for p in new]]
        return other

    @cached_property
    def guards(self) -> list[str]:
        """Constants ``p.0`` and so on, one for each premise."""
        return [f"p.{i}" for i in range(len(self.premises))]

    @cached_property
    def guarded(self) -> str:
        """Declarations, definitions, and each premise under its guard: who assumes all guards has the premises."""
        pairs = zip(self.guards, self._formulas, strict=True)
        return "\n".join((self.declarations, *[f"(declare-const {g} Bool)(assert (=> {g} {t}))" for g, t in pairs]))

    @cached_property
    def named(self) -> str:
        """Declarations, definitions and the premises, each with the name of its guard."""
        pairs = zip(self.guards, self._formulas, strict=True)
        return "\n".join((self.declarations, *[f"(assert (! {t} :named {g}))" for g, t in pairs]))

    @cached_property
    def plain(self) -> str:
        """Declarations, definitions and the premises."""
        return f"{self.declarations}\n{self.some(None)}"

    def _text(self, formula: Term) -> str:
        check_closed(formula)
        return self.encoding.text(formula)

    def assertion(self, formula: Term) -> str:
        """A closed formula as an assertion."""
        return f"(assert {self._text(formula)})"

    def negation(self, formula: Term) -> str:
        """The negation of a closed formula as an assertion."""
        return self.assertion(not_(formula))

    def script(self, *extras: str, only: Sequence[str] | None = None) -> str:
        """All of it as one script; ``only`` these premises, by name."""
        return "\n".join(("(set-logic ALL)", self.declarations, self.some(only), *extras))

    def some(self, names: Sequence[str] | None) -> str:
        """Premises as assertions, by name; None: all of them."""
        chosen = None if names is None else frozenset(names)
        pairs = zip(self._formulas, self.premises, strict=True)
        return "\n".join([f"(assert {text})" for text, p in pairs if chosen is None or p.name in chosen])

    def names(self, core: str) -> tuple[str, ...]:
        """The premises whose guards a core speaks of, by name and in their order."""
        numbers = {int(n) for n in _NAME.findall(core)}
        return tuple(p.name for i, p in enumerate(self.premises) if i in numbers)
