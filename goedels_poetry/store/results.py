"""What a run hands to its caller: events while it goes on, one result at the end. Plain, JSON-able data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from goedels_poetry.kernel.verdict import Verdict

UNAVAILABLE = 69
"""Exit code when a tool or a server that is needed is not there (EX_UNAVAILABLE of sysexits.h)."""
AWAY = "away"
"""Kind of error: a model could not be asked."""
SCHEMA_VERSION = 1
"""Version of the JSON form of :class:`RunResult`."""


ONLY_ADVICE = "advice about a question, and no answer to it"
"""Reason of a run that asks a model for advice: `unknown` for programs, no verdict where people read it."""
ADVICE, ADVISED = "advice", "the model's advice was read"
"""What people read in the place of its verdict, and of the outcome of its last event."""


@dataclass(frozen=True)
class Event:
    """One commit of a run: what one agent did to one node."""

    seq: int
    """Revision of the store that this commit made: 1, 2, 3, ..."""
    ts: float
    """Seconds since the epoch."""
    agent: str
    node: str
    outcome: str
    """One word or a short phrase, e.g. ``proved``, ``rejected``, ``backtracked to 0.0_0001``."""
    queues: dict[str, int] = field(default_factory=dict)
    """Lengths of the queues that hold something after this commit."""
    reason: str = ""
    run_id: str = ""
    """Set on events that a listener gets; a store's own log belongs to one run anyway."""

    def to_json(self) -> dict[str, Any]:
        """This event as one JSON object (a line of ``trace``)."""
        return asdict(self)

    @property
    def text(self) -> str:
        """``agent: outcome (reason)``, for people."""
        if self.reason == ONLY_ADVICE:
            return f"{self.agent}: {ADVISED}"
        return f"{self.agent}: {self.outcome}{f' ({self.reason})' if self.reason else ''}"


OnEvent: TypeAlias = Callable[[Event], None]
"""Is called in the event loop after every commit of a run; must not block."""


@dataclass(frozen=True, slots=True)
class OpenGoal:
    """A goal that was left unproved, and what blocked it."""

    node: str
    statement: str
    depth: int
    reason: str = ""
    attempts: int = 0
    strategy: str | None = None


def outage(away: str) -> dict[str, Any] | None:
    """The object ``error`` of a result without a verdict, see `RunResult.away`."""
    return {"kind": AWAY, "reason": away, "pid": None, "log": None} if away else None


@dataclass(frozen=True, slots=True)
class RunResult:
    """The outcome of one theorem."""

    input: str
    """File name or other name of the theorem as the caller gave it."""
    verdict: Verdict
    run_id: str = ""
    """"" when the input was invalid: then there is no run."""
    language: str = ""
    certificate: Path | None = None
    trust_level: str | None = None
    counterexample: dict[str, Any] | None = None
    core: list[str] | None = None
    unneeded: list[str] | None = None
    """Premises and hypotheses that the proof was seen to do without."""
    reason: str = ""
    metrics: dict[str, Any] = field(default_factory=dict)
    """steps, attempts, backtracks, backtracks_by_depth, bans, lemmas_reused, solver_seconds, solver_calls,
    resource_units, nodes, wall_seconds."""
    open_goals: tuple[OpenGoal, ...] = ()
    warnings: tuple[str, ...] = ()
    disputed: tuple[dict[str, Any], ...] = ()
    """Of a function that passed its checks: calls on which the words of its task are held against it,
    ``{"call", "input", "expected", "words", "reason"}``."""
    location: dict[str, Any] | None = None
    """``{"line", "column", "hint"}`` of an invalid input."""
    run_dir: Path | None = None
    formalization: dict[str, Any] | None = None
    """Of a claim in plain words: ``{"informal", "formal", "attempts", "judged", "judge_reason", "round_trip",
    "tests", "stated", "confirmed", "file"}``. The verdict is about ``formal``."""
    checked_by: str | None = None
    """The plug-in whose checker gave the verdict; None: ours, or no checker was asked."""
    checked: dict[str, Any] | None = None
    """What the checker has said of its work: ``{"axioms", "checkers"}``, as the receipt has it; None: not known."""
    away: str = ""
    """Which model could not be asked, where that kept the run from a verdict: `verdict` says nothing then."""
    answer: dict[str, Any] | None = None
    """Of a logic program: what the checker found, a `goedels_poetry.reasoning.VerificationResult` as JSON."""

    @property
    def exit_code(self) -> int:
        """Process exit code for this verdict, or that there is none."""
        return UNAVAILABLE if self.away else self.verdict.exit_code

    @property
    def verdict_text(self) -> str:
        """The verdict for people: "tested, disputed" where something is held against what was tested; or `ADVICE`."""
        if self.reason == ONLY_ADVICE:
            return ADVICE
        return f"{self.verdict}, disputed" if self.is_disputed else str(self.verdict)

    @property
    def is_disputed(self) -> bool:
        """Whether it was tested only, and the words of the task are held against it."""
        return self.verdict is Verdict.TESTED and bool(self.disputed)

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints: stable keys, JSON values only.

        What the command alone knows (``resume``, ``proof``, ``seconds``) is null, ``skipped`` false. Where a model
        could not be asked ``verdict`` is null and ``error`` says so.
        """
        data = asdict(self) | dict.fromkeys(("resume", "proof", "seconds"))
        data |= {"exit_code": self.exit_code, "skipped": False}
        data["schema"] = SCHEMA_VERSION
        data["verdict"] = None if self.away else str(self.verdict)
        data["error"] = outage(data.pop("away"))
        for key in ("certificate", "run_dir"):
            data[key] = str(data[key]) if data[key] is not None else None
        data["open_goals"] = list(data["open_goals"])
        data["warnings"], data["disputed"] = list(self.warnings), list(self.disputed)
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RunResult:
        """The inverse of :meth:`to_json`; unknown keys are ignored."""
        known = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        error = data.get("error")
        known["away"] = str(error["reason"]) if isinstance(error, dict) and error["kind"] == AWAY else ""
        known["verdict"] = Verdict(Verdict.UNKNOWN if known["away"] else known["verdict"])
        for key in ("certificate", "run_dir"):
            known[key] = Path(known[key]) if known.get(key) else None
        known["open_goals"] = tuple(OpenGoal(**goal) for goal in known.get("open_goals", ()))
        known["warnings"], known["disputed"] = (tuple(known.get(name, ())) for name in ("warnings", "disputed"))
        return cls(**known)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of ``runs``."""

    run_id: str
    name: str
    language: str
    status: str
    """"running", "stopped" (resumable), or "finished"."""
    verdict: Verdict | None
    reason: str
    started: float
    """Seconds since the epoch."""
    updated: float
    nodes: int
    steps: int
    size: int = 0
    """Bytes of the run's folder."""
    certificate: str | None = None
    gone: bool = False
    """Whether the certificate is not there any more: nothing shows the verdict, and the same command finds it anew."""
