"""What is asked of solvers about a logic program, and what is known once it was decided: plain, frozen data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from goedels_poetry.kernel.terms import Term
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.models import Encoder
from goedels_poetry.questions.entailment.program import LogicPremise

Status = Literal["sat", "unsat", "unknown"]


@dataclass(frozen=True, slots=True)
class Checks:
    """What the solver said to the three questions; "unknown" also for one that was not posed any more."""

    premises: Status
    with_goal: Status
    with_negation: Status


@dataclass(frozen=True, slots=True)
class GoalAnswer:
    """What is known about one goal."""

    name: str
    verdict: Verdict
    """``proved``: it follows; ``refuted``: its negation does; ``inconsistent``: the premises contradict each other;
    ``unknown``: neither, or the limits were too tight."""
    checks: Checks
    core: tuple[str, ...] = ()
    """Names of premises that the verdict needs (proved, refuted, inconsistent)."""
    witness: dict[str, Any] | None = None
    """Values under which premises and goal are true."""
    countermodel: dict[str, Any] | None = None
    """Values under which the premises are true and the goal is false."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best value of an objective under the premises, shown to be reached and not to be exceeded."""

    maximize: bool
    value: int | str | None
    """An integer, a rational as ``"7/2"``, or None when there is none."""
    attained: bool
    reason: str = ""
    """Why there is none: "unbounded", "not attained (supremum 10)", "timeout", "inconsistent"."""
    model: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Condition:
    """Facts with which an open goal follows (``holds``), or its negation does; see `abduction`."""

    holds: bool
    facts: tuple[Term, ...]
    sentences: tuple[int, ...] = ()
    """Of the text: those whose premises speak of what the facts speak of."""


@dataclass(frozen=True, slots=True)
class Entailment:
    """What is known about a program."""

    verdict: Verdict
    """Of the only goal; of several: theirs when they agree, else ``unknown``."""
    goals: tuple[GoalAnswer, ...] = ()
    optima: tuple[Optimum, ...] = ()
    reason: str = ""
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    closure: tuple[LogicPremise, ...] = ()
    """Premises that the closed world added."""
    conditions: tuple[Condition, ...] = ()
    trust_level: str | None = None
    """"L0": one solver; "L1": posed again in a fresh process; "L2": the premises are shown to have a model; "L3": a
    second, independent solver confirms the verdict."""


# What is asked of solvers about one program

MEMORY_MB = 1024
"""Of each solver process."""
LEAST = 0.02
"""Seconds that make it worth asking."""


class Answer(Protocol):
    """A status with what was printed besides. What was cut off, refused or garbled is "unknown"."""

    @property
    def status(self) -> Literal["sat", "unsat", "unknown", "error"]:
        """Whether it is satisfiable."""

    @property
    def reason(self) -> str:
        """Why it is neither."""

    @property
    def output(self) -> str:
        """What was asked for besides."""


class Evidence(Protocol):
    """An answer with its evidence: the model of ``sat``, the assumptions that ``unsat`` needs, in z3's words."""

    @property
    def answer(self) -> Answer:
        """The status."""

    @property
    def model(self) -> str:
        """Empty where there is none."""

    @property
    def core(self) -> str:
        """Empty where there is none."""


class Queries(Protocol):
    """Questions about one program until its time is over. An ``extra`` is text of assertions beside the premises."""

    @property
    def encoder(self) -> Encoder:
        """The program."""

    @property
    def left(self) -> float:
        """Seconds that are left."""

    def quickly(self, extras: Sequence[str]) -> Sequence[Evidence]:
        """A first try at each."""

    def insistently(self, extra: str, seconds: float) -> Evidence:
        """Both solvers within so many seconds; without cores."""

    def optimum(self, maximize: bool, term: str, extra: str, seconds: float) -> Answer:
        """What an optimizer suggests for a term, beside ``extra``, as ``(objectives …)`` in ``output``."""

    def ask_for_values(self, encoder: Encoder, extra: str, terms: tuple[str, ...]) -> Answer:
        """Whether other premises are satisfiable together with ``extra``, and the values of terms where they are."""

    def core(self, extra: str, found: Evidence | None = None) -> tuple[str, ...]:
        """Names of premises that are enough for a question that was seen to be unsat; all of them when in doubt."""

    def trust(self, script: str, consistent: bool) -> tuple[str | None, str]:
        """The trust level of what a script shows by being unsat, or why nothing is to be concluded from it."""


class Solvers(Protocol):
    """Processes that are asked about one program at a time."""

    def queries(self, encoder: Encoder, seconds: float, memory_mb: int = MEMORY_MB, minimal: bool = False) -> Queries:
        """Begin to ask about a program. ``minimal``: make cores minimal."""
