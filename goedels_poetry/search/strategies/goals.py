"""The goal that a strategy is asked about: everything that agents know of it, its sequent, and ways to decompose it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.protocol.base import Goal, Sequent, Variable

Name = Any
"""A variable or a term: a text, or anything whose text it is (a `Variable`)."""


class UnusableSketch(GoedelsPoetryError):
    """What a strategy has proposed is no sketch of the language; the words name what is missing or wrong."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Begun by a method of `StrategyGoal`, refined by the methods here; frozen, each returns another one.

    At most one of `induct`, `induct_along`, `induct_by`, `cases` and `witness` is its rule; without one the goal is
    tried directly and by one induction, with the lemmas.
    """

    lemmas: tuple[dict[str, Any], ...] = ()
    rule: tuple[tuple[str, Any], ...] = ()
    """The one rule, by its key."""
    generalised: str = ""
    open_cases: bool = True
    """Whether cases that are not closed at once become goals of their own."""
    proof: str = ""
    """For languages whose sketches are texts with holes."""
    variables: tuple[str, ...] = ()
    """Those of the goal, where they are known: only they can be inducted on."""

    def lemma(self, formula: str, *, uses: tuple[int, ...] | None = None) -> Self:
        """A lemma that is proved first, by itself; variables of the goal in it are for all values.

        Args:
            formula: of the language.
            uses: positions (from 0) of the earlier lemmas that its proof needs; None: it may use all.
        """
        entry: dict[str, Any] = {"statement": formula}
        return replace(self, lemmas=(*self.lemmas, entry | ({} if uses is None else {"uses": list(uses)})))

    def generalise(self, formula: str) -> Self:
        """A formula that implies the goal and is easier to prove by induction."""
        return replace(self, generalised=formula)

    def induct(self, *on: Name, base: Name = None, width: int = 1, depth: int = 1) -> Self:
        """Induction on a variable of the goal; on several of datatypes: nested, outermost first.

        Args:
            on: variables.
            base: of an integer: the term from which it goes up, 0 by default.
            width: of an integer: so many base cases, at most 6.
            depth: of a datatype: so many constructors at a time, at most 3.
        """
        names = [str(each) for each in on]
        unknown = [name for name in names if name not in self.variables]
        if self.variables and (unknown or not on):
            what = f"{', '.join(unknown)} is no variable of the goal" if unknown else "no variable is given"
            raise UnusableSketch(f"induct: {what}; it has {', '.join(self.variables)}")
        extra = {} if base is None else {"from": str(base)}
        return self._by("induction", {"on": names, "width": width, "depth": depth, **extra})

    def induct_along(self, function: Name, *at: Name) -> Self:
        """The hypothesis where a recursive function calls itself, at its arguments in the goal (its first call)."""
        return self._by("induction", {"along": str(function), **({"at": [str(each) for each in at]} if at else {})})

    def induct_by(self, measure: Name) -> Self:
        """Well-founded induction on an integer term."""
        return self._by("induction", {"measure": str(measure)})

    def cases(self, *on: Name) -> Self:
        """The constructors of variables of datatypes, or a formula that holds or does not."""
        texts = [str(each) for each in on]
        return self._by("cases", texts[0] if len(texts) == 1 else texts)

    def witness(self, *terms: Name) -> Self:
        """Terms for the bound variables of an existential conclusion."""
        return self._by("witness", [str(each) for each in terms])

    def closed(self) -> Self:
        """Nothing, where a case stays open that is not closed at once."""
        return replace(self, open_cases=False)

    @property
    def content(self) -> dict[str, Any] | str:
        """As the language reads it: see ``sketch_format`` of its description, which is in every prompt."""
        if self.proof:
            return self.proof
        more = {"generalise": self.generalised} if self.generalised else {}
        return {"lemmas": list(self.lemmas), **more, **dict(self.rule), "leave_open": self.open_cases}

    def _by(self, name: str, how: Any) -> Self:
        if self.rule:
            raise UnusableSketch(f"one rule at a time, not {self.rule[0][0]} and {name}")
        return replace(self, rule=((name, how),))


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
