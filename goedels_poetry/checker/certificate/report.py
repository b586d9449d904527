"""What the checker says about a certificate."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from goedels_poetry.kernel.verdict import Verdict

MAY_RISE = "the level may rise when checked again: {}"
"""A note on what is a matter of how busy the machine is."""


class TrustLevel(IntEnum):
    """How much was checked; each level includes the ones below it, but for L4, which rests on L2."""

    ACCEPTED = 0  # the verifier agreed, but nothing was compared with what a user gave
    REBUILT = 1  # rebuilt from the theorem's text, every obligation shown again by a fresh solver, or a fresh Lean
    NOT_VACUOUS = 2  # and the premises were shown to be consistent
    CONFIRMED = 3  # and confirmed once more: by a second solver, or by Lean's kernel over every declaration
    STEP_BY_STEP = 4  # and all of the proof was checked step by step with no solver: in Lean, or by proof objects

    def __str__(self) -> str:
        return f"L{self.value}"


@dataclass(frozen=True)
class Counts:
    """Numbers of obligations: how many there are, and how many each solver answered with ``unsat``."""

    total: int = 0
    first: int = 0
    second: int = 0


@dataclass(frozen=True)
class Reading:
    """Of how many formulas a solver was asked whether we read them as they stand, and for how many it agreed."""

    posed: int
    confirmed: int


@dataclass(frozen=True)
class ProofObjects:
    """How many obligations have a proof object that was checked step by step, and why each of the others has none."""

    checked: int
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckReport:
    """The verdict of the checker, found from nothing but the certificate's files and fresh solver processes.

    verdict: ``proved``, ``refuted`` or ``inconsistent`` when the certificate shows that; ``invalid`` when its
        theorem does not parse; ``unknown`` otherwise, with ``reasons``.
    retry: a solver could not be run or was cut off by time, so that another check may decide what this one did not.
    refused: the certificate itself is at fault (tampered with, incomplete, wrong), or a solver contradicts it.
    trust_level: None unless something was shown.
    rule: name of the rule that refused a Lean file, and ``place``, its line and column (both from 1) there.
    axioms: what a Lean proof rests on; what theorems of the library rest on is not asked.
    checked_by: the plug-in whose checker this is; "" for ours.
    versions: of what did the checking, where that matters for the verdict.
    undecided_by_first, undecided_by_second: names of the obligations that the first, or the second solver did not
        answer with ``unsat``; the other one did.
    needed: names of the premises that a proof rests on; None when that is not told.
    unneeded: names of those premises and hypotheses of which it was seen that the proof does without them.
    reading: how much of the theorem's text a solver reads as we do; None when nobody was asked.
    proofs: what came of the proof objects; None when they were not asked for.
    notes: what a reader should know although it does not change the verdict.
    """

    verdict: Verdict
    trust_level: TrustLevel | None = None
    refused: bool = False
    obligations: Counts = Counts()
    undecided_by_first: tuple[str, ...] = ()
    undecided_by_second: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    core: tuple[str, ...] = ()
    needed: tuple[str, ...] | None = None
    unneeded: tuple[str, ...] = ()
    statement: str = ""
    seconds: float = 0.0
    counterexample: dict[str, str] = field(default_factory=dict)
    rule: str = ""
    place: tuple[int, int] | None = None
    axioms: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    checked_by: str = ""
    retry: bool = False
    reading: Reading | None = None
    proofs: ProofObjects | None = None

    @property
    def accepted(self) -> bool:
        """Whether the certificate shows what it claims."""
        return self.trust_level is not None or self.verdict is Verdict.TESTED
