"""The goal that a strategy is asked about: everything that agents know of it, its sequent, and ways to decompose it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Self

from goedels_poetry.protocol.base import Goal
from goedels_poetry.protocol.sequents import Sequent, Variable
from goedels_poetry.search.strategies.proposals import Name, Proposal, UnusableSketch

_EMPTY = Sequent("", "")


@dataclass(frozen=True, slots=True)
class StrategyGoal(Goal):
    """A `Goal` whose ``statement`` is never empty, at the root neither."""

    language: str = ""
    sequent: Sequent = field(default=_EMPTY)

    @classmethod
    def of(cls, goal: Goal, language: str, sequent: Sequent) -> Self:
        """Of what agents know of it."""
        known = {each.name: getattr(goal, each.name) for each in fields(Goal)}
        return cls(**{**known, "statement": sequent.statement}, language=language, sequent=sequent)

    @property
    def text(self) -> str:
        """The goal in words: its variables, numbered hypotheses, and the conclusion."""
        return self.sequent.text

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Each with ``name``, ``sort`` and ``inductive``."""
        return self.sequent.variables

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """Formulas of the language."""
        return self.sequent.hypotheses

    @property
    def conclusion(self) -> str:
        """A formula of the language."""
        return self.sequent.conclusion

    @property
    def functions(self) -> tuple[str, ...]:
        """Functions of the theorem that occur in the goal."""
        return self.sequent.functions

    # -- ways to decompose it: each is the beginning of a proposal, see `Proposal` -----------------------------
    def lemma(self, formula: str, *, uses: tuple[int, ...] | None = None) -> Proposal:
        """See `Proposal.lemma`."""
        return self._begun("lemma").lemma(formula, uses=uses)

    def generalise(self, formula: str) -> Proposal:
        """See `Proposal.generalise`."""
        return self._begun("generalise").generalise(formula)

    def induct(self, *on: Name, **more: Any) -> Proposal:
        """See `Proposal.induct`."""
        return self._begun("induct").induct(*on, **more)

    def induct_along(self, function: Name, *at: Name) -> Proposal:
        """See `Proposal.induct_along`."""
        return self._begun("induct_along").induct_along(function, *at)

    def induct_by(self, measure: Name) -> Proposal:
        """See `Proposal.induct_by`."""
        return self._begun("induct_by").induct_by(measure)

    def cases(self, *on: Name) -> Proposal:
        """See `Proposal.cases`."""
        return self._begun("cases").cases(*on)

    def witness(self, *terms: Name) -> Proposal:
        """See `Proposal.witness`."""
        return self._begun("witness").witness(*terms)

    def tactics(self, *lines: str) -> Proposal:
        """In Lean: a proof by these lines of tactics, with ``sorry`` exactly where a subgoal is left.

        Raises:
            UnusableSketch: in another language, or there are none.
        """
        if self.language != "lean":
            raise UnusableSketch(f"tactics are for goals in Lean; this one is in {self.language}: use induct or cases")
        if not lines:
            raise UnusableSketch("tactics() takes lines of tactics")
        return Proposal(proof="by\n" + "\n".join(f"  {line}" for each in lines for line in each.splitlines()))

    def _begun(self, method: str) -> Proposal:
        if self.language == "lean":
            raise UnusableSketch(f'{method} is not for goals in Lean: use goal.tactics("intro n", "induction n", ...)')
        return Proposal(variables=tuple(variable.name for variable in self.variables))
