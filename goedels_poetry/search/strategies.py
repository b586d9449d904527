"""Named decomposition strategies. Languages bring their own; a package adds more by entry point, a caller by hand.

Declare one with :func:`strategy` and name it in the entry-point group ``goedels_poetry.strategies``, or give it to
``GoedelsPoetryFramework(strategies=[...])``. The sketcher asks these first (by past success), then the language.
Whatever they propose is verified like every other sketch. `goals` has the goal that they are asked about, `proposals`
what they may make of it.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from inspect import signature
from typing import Any, Self, TypeVar

from goedels_poetry import plugins
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.protocol.base import Goal, Sequent, Variable

Name = Any
"""A variable or a term: a text, or anything whose text it is (a `Variable`)."""


class UnusableSketch(GoedelsPoetryError):
    """What a strategy has proposed is no sketch of the language; the words name what is missing or wrong."""


class Decomposable:
    """Ways to decompose a goal: on a `StrategyGoal` each begins a proposal, on a `Proposal` it refines it.

    At most one of `induct`, `induct_along`, `induct_by`, `cases` and `witness` is the rule of a proposal; without one
    the goal is tried directly and by one induction, with the lemmas.
    """

    __slots__ = ()

    @abstractmethod
    def _begun(self, method: str) -> Proposal:
        """The proposal to refine by a method; raises UnusableSketch where the method is not for the goal."""

    def lemma(self, formula: str, *, uses: tuple[int, ...] | None = None) -> Proposal:
        """A lemma that is proved first, by itself; variables of the goal in it are for all values.

        Args:
            formula: of the language.
            uses: positions (from 0) of the earlier lemmas that its proof needs; None: it may use all.
        """
        begun, entry = self._begun("lemma"), {"statement": formula, **({} if uses is None else {"uses": list(uses)})}
        return replace(begun, lemmas=(*begun.lemmas, entry))

    def generalise(self, formula: str) -> Proposal:
        """A formula that implies the goal and is easier to prove by induction."""
        return replace(self._begun("generalise"), generalised=formula)

    def induct(self, *on: Name, base: Name = None, width: int = 1, depth: int = 1) -> Proposal:
        """Induction on a variable of the goal; on several of datatypes: nested, outermost first.

        Args:
            on: variables.
            base: of an integer: the term from which it goes up, 0 by default.
            width: of an integer: so many base cases, at most 6.
            depth: of a datatype: so many constructors at a time, at most 3.
        """
        known, names = self._begun("induct").variables, [str(each) for each in on]
        unknown = [name for name in names if name not in known]
        if known and (unknown or not on):
            what = f"{', '.join(unknown)} is no variable of the goal" if unknown else "no variable is given"
            raise UnusableSketch(f"induct: {what}; it has {', '.join(known)}")
        extra = {} if base is None else {"from": str(base)}
        return self._by("induct", "induction", {"on": names, "width": width, "depth": depth, **extra})

    def induct_along(self, function: Name, *at: Name) -> Proposal:
        """The hypothesis where a recursive function calls itself, at its arguments in the goal (its first call)."""
        where = {"at": [str(each) for each in at]} if at else {}
        return self._by("induct_along", "induction", {"along": str(function), **where})

    def induct_by(self, measure: Name) -> Proposal:
        """Well-founded induction on an integer term."""
        return self._by("induct_by", "induction", {"measure": str(measure)})

    def cases(self, *on: Name) -> Proposal:
        """The constructors of variables of datatypes, or a formula that holds or does not."""
        texts = [str(each) for each in on]
        return self._by("cases", "cases", texts[0] if len(texts) == 1 else texts)

    def witness(self, *terms: Name) -> Proposal:
        """Terms for the bound variables of an existential conclusion."""
        return self._by("witness", "witness", [str(each) for each in terms])

    def _by(self, method: str, name: str, how: Any) -> Proposal:
        begun = self._begun(method)
        if begun.rule:
            raise UnusableSketch(f"one rule at a time, not {begun.rule[0][0]} and {name}")
        return replace(begun, rule=((name, how),))


@dataclass(frozen=True, slots=True)
class Proposal(Decomposable):
    """Begun by a method of `StrategyGoal`, refined by the same methods; frozen, each returns another one."""

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

    def _begun(self, method: str) -> Proposal:
        return self


_EMPTY = Sequent("", "")


@dataclass(frozen=True, slots=True)
class StrategyGoal(Goal, Decomposable):
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


GROUP = "goedels_poetry.strategies"

Propose = Callable[[StrategyGoal], Awaitable[Proposal | dict[str, Any] | None]]
"""A coroutine function from a goal to a proposal or a sketch (see ``Language.sketch``); None: it has nothing to say."""
ProposeT = TypeVar("ProposeT", bound=Propose)


@dataclass(frozen=True, slots=True)
class Strategy:
    """One named way to decompose goals."""

    name: str
    propose: Propose
    languages: tuple[str, ...] = ()
    """Languages that it speaks; empty: all."""
    plugin: str = ""

    def speaks(self, language: str) -> bool:
        """Whether it can sketch goals of this language."""
        return not self.languages or language in self.languages


def strategy(*, name: str, languages: str | tuple[str, ...] = ()) -> Callable[[ProposeT], ProposeT]:
    """Declare a coroutine function ``(goal) -> proposal | sketch | None`` as a strategy of these languages; (): of all.

    Raises:
        TypeError: it is no coroutine function, or takes something else than the goal.
    """

    def declare(propose: ProposeT) -> ProposeT:
        plugins.must_be_async(propose, f"strategy {name}")
        try:
            signature(propose).bind(None)
        except TypeError as exc:
            raise TypeError(f"strategy {name} takes one argument, the goal: {exc}") from exc
        spoken = (languages,) if isinstance(languages, str) else tuple(languages)
        propose.__strategy__ = Strategy(name, propose, spoken)  # type: ignore[attr-defined]
        return propose

    return declare


def given(found: Iterable[Any]) -> tuple[Strategy, ...]:
    """The strategies that a caller brings: functions with ``@strategy``, or modules of some.

    Raises:
        RefusedPlugin: one is no strategy.
    """
    how = "@strategy(name=...)"
    marked = plugins.marked(found, "__strategy__", "strategy", how)
    return tuple(replace(each, plugin=origin) for each, origin in marked)


def load() -> tuple[tuple[Strategy, ...], list[str]]:
    """Every strategy declared by an installed plug-in, and a line for each plug-in that was left out."""
    found, problems = plugins.load(GROUP, "__strategy__")
    strategies = [replace(d.__strategy__, plugin=plugin.name) for plugin in found for d in plugin.declared]
    return tuple(strategies), problems


def fingerprint(name: str, sketch: dict[str, Any]) -> str:
    """Fingerprint of a sketch that brings none: the strategy's name, the subgoals that it leads to, and its rule."""
    statements = sorted(str(child.get("statement", "")) for child in sketch.get("children", ()))
    rule = [sketch[key] for key in _RULES if key in sketch]
    return f"{name}:{sha256(json.dumps([*statements, *rule], sort_keys=True).encode()).hexdigest()[:16]}"


_RULES = ("scheme", "query", "proof", "helpers")
"""Keys of what makes the subgoals of a sketch imply the goal, in our languages."""
