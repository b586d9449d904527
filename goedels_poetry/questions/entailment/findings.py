"""What is known about a logic program once it was decided: plain, frozen data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from goedels_poetry.kernel.verdict import Verdict
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
    trust_level: str | None = None
    """"L0": one solver; "L1": posed again in a fresh process; "L2": the premises are shown to have a model; "L3": a
    second, independent solver confirms the verdict."""
