"""What the checker says about a certificate."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

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

    def to_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "verdict": self.verdict.value,
            "trust_level": None if self.trust_level is None else str(self.trust_level),
            "refused": self.refused,
            "retry": self.retry,
            "obligations": asdict(self.obligations),
            "undecided_by_first": list(self.undecided_by_first),
            "undecided_by_second": list(self.undecided_by_second),
            "reasons": list(self.reasons),
            "notes": list(self.notes),
            "assumptions": list(self.assumptions),
            "core": list(self.core),
            "needed": None if self.needed is None else list(self.needed),
            "statement": self.statement,
            "seconds": round(self.seconds, 3),
            "counterexample": dict(self.counterexample),
            **self.about_lean(),
            **({"checked_by": self.checked_by} if self.checked_by else {}),
            **({"reading": asdict(self.reading)} if self.reading is not None else {}),
            **self.about_proofs(),
        }

    @classmethod
    def from_json(cls, json: dict[str, Any]) -> CheckReport:
        """What `to_json` has written."""
        lists = ("undecided_by_first", "undecided_by_second", "reasons", "notes", "assumptions", "core", "axioms")
        level, needed, line = json["trust_level"], json["needed"], json.get("line")
        return cls(
            Verdict(json["verdict"]),
            None if level is None else TrustLevel(int(level.removeprefix("L"))),
            **{name: tuple(json.get(name, ())) for name in lists},
            refused=json["refused"],
            retry=json["retry"],
            obligations=Counts(**json["obligations"]),
            needed=None if needed is None else tuple(needed),
            statement=json["statement"],
            seconds=json["seconds"],
            counterexample=json["counterexample"],
            rule=json.get("rule") or "",
            place=None if line is None else (line, json["column"]),
            versions=json.get("versions", {}),
            checked_by=json.get("checked_by", ""),
            reading=Reading(**json["reading"]) if json.get("reading") else None,
            proofs=ProofObjects(p["checked"], tuple(p["without"])) if (p := json.get("proofs")) else None,
        )

    def about_proofs(self) -> dict[str, Any]:
        """What came of proof objects; empty when they were not asked for."""
        if self.proofs is None:
            return {}
        return {"proofs": {"checked": self.proofs.checked, "without": list(self.proofs.without)}}

    def about_lean(self) -> dict[str, Any]:
        """What only a check by Lean tells; empty for others."""
        if not (self.versions or self.rule or self.place):
            return {}
        line, column = self.place or (None, None)
        place = {"line": line, "column": column}
        return {"rule": self.rule or None, **place, "axioms": list(self.axioms), "versions": dict(self.versions)}

    @property
    def accepted(self) -> bool:
        """Whether the certificate shows what it claims."""
        return self.trust_level is not None or self.verdict is Verdict.TESTED


@dataclass(frozen=True, slots=True)
class Certificate:
    """A checker's answer about what a run claims, and where the certificate lies that it has accepted."""

    verdict: Verdict
    path: Path | None = None
    """None when none was written."""
    trust_level: str | None = None
    """"L1" to "L3", see `TrustLevel`; None unless something was shown."""
    reason: str = ""
    warnings: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    """The report as JSON; of a logic program ``result`` besides."""
    checked_by: str = ""
    """The plug-in whose checker this is; "" for ours."""
