"""`AutoformalizationResult`: what a run of the state machine has made of one item."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.base import FAILED
from goedels_poetry.store.results import UNAVAILABLE, RunResult, outage

PROOF_FILE = "proof"
_PLACED = re.compile(r"(\d+):(\d+): (.*)", re.DOTALL)
_ERROR = re.compile(r"\berror(?:\([\w.]+\))?:")
_STAGES = {
    "tests": "tests",
    "judge": "unfaithful",
    "round trip": "round_trip",
    "premises": "contradiction",
}
UNREADABLE, NO_REPLY = "unreadable", "no_reply"


@dataclass(frozen=True, slots=True)
class AttemptError:
    """Why a text was rejected. For Lean's own messages the fields are those of `errors.LeanError`."""

    category: str
    """Lean's messages: as `errors.ErrorCategory`; else ``unreadable``, ``no_reply``, ``tests``, ``unfaithful``,
    ``round_trip`` or ``contradiction``."""
    message: str
    line_number: int | None = None
    """From 1, in the text with its context."""
    column: int | None = None
    severity: str = "error"
    suggested_fixes: tuple[str, ...] = ()
    original_stderr: str = ""
    stage: str = ""
    """Who rejected it: "formalizer", "tests", "judge", "round trip" or "premises"."""
    attempt: int = 0
    """0-based round of the formalizer."""


@dataclass(frozen=True, slots=True)
class AutoformalizationResult:
    """One item: what came of it, and how."""

    success: bool
    """There is a formal statement that every test has let pass, and where a proof was asked for, the checker has
    accepted one."""
    final_code: str | None
    """The formal text: with its proof where one was asked for and found; None without success."""
    attempts: int
    """Rounds of the formalizer."""
    total_time: float
    """Seconds, of this call."""
    errors_encountered: tuple[AttemptError, ...] = ()
    generation_log: tuple[dict[str, Any], ...] = ()
    """What was asked and answered, and what was rejected, oldest first."""
    cache_info: dict[str, Any] = field(default_factory=dict)
    """Hits, misses and hit rates of the executor's cache so far."""
    item_id: str = ""
    statement: str = ""
    """The claim."""
    language: str = ""
    formal: str | None = None
    """The formal statement, without a proof; also where the tests or the proof failed later."""
    round_trip: str | None = None
    """What a model that did not know the claim read in it."""
    tests: tuple[dict[str, str], ...] = ()
    """``{"test", "outcome", "words"}``: what was tested, and what came out."""
    judged: bool = False
    """Whether a model said that claim and formal text say the same."""
    confirmed: bool | None = None
    """A person's word; None: nobody was asked."""
    verdict: str = ""
    """Of the run: ``proved``, ``refuted``, ...; ``unknown`` where no proof was asked for."""
    reason: str = ""
    run_id: str = ""
    certificate: str | None = None
    warnings: tuple[str, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    """calls, tokens, money (US dollars), cache_hits, solver_seconds of the whole run."""

    away: str = ""
    """As of `RunResult`."""

    @property
    def exit_code(self) -> int:
        """0 for success, else that of the run, see `RunResult`."""
        if self.away and not self.success:
            return UNAVAILABLE
        return 0 if self.success else Verdict(self.verdict).exit_code or Verdict.UNKNOWN.exit_code

    def to_json(self) -> dict[str, Any]:
        """JSON values only; without the log of what was asked and answered."""
        data = asdict(self)
        data["id"] = data.pop("item_id")
        data["exit_code"] = self.exit_code
        data["error"] = outage(data.pop("away"))
        data["verdict"] = None if self.away else self.verdict
        del data["generation_log"]
        return data


def outcome(
    run: RunResult,
    item_id: str,
    statement: str,
    log: list[dict[str, Any]],
    seconds: float,
    info: dict[str, Any],
    *,
    prove: bool,
) -> AutoformalizationResult:
    """The result of an item from that of its run and all that was said in it."""
    facts = run.formalization or {}
    stated = bool(facts.get("stated")) and facts.get("confirmed") is not False
    spoken_against = (Verdict.REFUTED, Verdict.INCONSISTENT, Verdict.INVALID)
    success = run.verdict is Verdict.PROVED if prove else stated and run.verdict not in spoken_against
    formal = facts.get("formal")
    models = run.metrics.get("models", {})
    return AutoformalizationResult(
        success=success,
        final_code=(_proof(run.certificate, formal) if prove else formal) if success else None,
        attempts=int(facts.get("attempts", 0)),
        total_time=seconds,
        errors_encountered=tuple(_errors(log, run.language)),
        generation_log=tuple(entry for entry in log if entry["kind"] in ("model", "formalization")),
        cache_info=info,
        item_id=item_id,
        statement=statement,
        language=run.language,
        formal=formal,
        round_trip=facts.get("round_trip"),
        tests=(*facts.get("tests", ()), *_refutation(run)),
        judged=bool(facts.get("judged")),
        confirmed=facts.get("confirmed"),
        verdict=str(run.verdict),
        away=run.away,
        reason="" if success else run.reason,
        run_id=run.run_id,
        certificate=str(run.certificate) if run.certificate else None,
        warnings=run.warnings,
        metrics={
            "calls": float(models.get("calls", 0)),
            "tokens": float(models.get("tokens", 0)),
            "money": float(models.get("money", 0)),
            "cache_hits": float(models.get("replies_from_cache", 0)),
            "solver_seconds": float(run.metrics.get("solver_seconds", 0)),
        },
    )


def _refutation(run: RunResult) -> list[dict[str, str]]:
    """The counterexample of a statement that is false, as one more test."""
    if run.verdict is not Verdict.REFUTED:
        return []
    found = run.counterexample or {}
    values = ", ".join(f"{name} = {value}" for name, value in (found.get("values") or {}).items())
    description = values or str(found.get("words") or found.get("text") or run.reason)
    return [{"test": "counterexample", "outcome": FAILED, "words": description}]


def _proof(certificate: Path | None, formal: str | None) -> str | None:
    """The file with the proof, where the language's certificate has one that is a whole text; else the statement."""
    for file in sorted(certificate.glob(f"{PROOF_FILE}.*")) if certificate is not None else ():
        return file.read_text("utf-8")
    return formal


def _errors(log: list[dict[str, Any]], language: str) -> list[AttemptError]:
    """What was rejected and why, in order: each distinct reason of a round once."""
    found: list[AttemptError] = []
    samples: list[str] = []
    faults: set[str] = set()
    for entry in log:
        if entry["kind"] == "model" and entry["role"] == "formalizer":
            replies = entry["exchange"]["replies"]
            samples = list(dict.fromkeys(r["reason"] for r in replies if r["reason"]))
            faults = {r["error"] for r in replies if r["error"]}
            continue
        if entry["kind"] != "formalization":
            continue
        stage, attempt = str(entry["stage"]), int(entry["attempt"])
        if stage in ("formalizer", "tests") and samples:
            for reason in samples:
                if reason in faults:
                    found.append(AttemptError(NO_REPLY, reason, stage=stage, attempt=attempt))
                else:
                    found += errors_of(reason, stage, attempt, entry.get("formal", ""), language)
        else:
            found.append(AttemptError(_STAGES.get(stage, UNREADABLE), entry["reason"], stage=stage, attempt=attempt))
        samples = []
    return found


def errors_of(reason: str, stage: str, attempt: int, code: str, language: str) -> list[AttemptError]:
    """What a language says against a text; Lean's messages by category."""
    placed = _PLACED.match(reason)
    if placed is None and (language != "lean" or _ERROR.search(reason) is None):
        return [AttemptError(_STAGES.get(stage, UNREADABLE), reason, stage=stage, attempt=attempt)]
    if language == "lean":
        line = f"Main.lean:{placed[1]}:{int(placed[2]) - 1}: error: {placed[3]}" if placed is not None else reason
        return [
            AttemptError(
                str(error.category),
                error.message,
                error.line_number,
                error.column,
                str(error.severity),
                tuple(error.suggested_fixes),
                reason,
                stage,
                attempt,
            )
            for error in _classifier().classify_errors(line, code)
        ]
    assert placed is not None
    place = (int(placed[1]), int(placed[2]))
    return [AttemptError(UNREADABLE, placed[3], *place, stage=stage, attempt=attempt, original_stderr=reason)]


@cache
def _classifier() -> Any:
    from goedels_poetry.lean.errors.classify import ErrorClassifier  # it is big, and only Lean's messages need it

    return ErrorClassifier()
