"""What a job has tried on a goal, as data: for people who ask why nothing was found, and what is going on now.

A job keeps a `TrialLog` of a bounded number of trials. What it has kept comes back with a result that leaves something
open; a job that goes on for longer writes its log to a file as it goes, so that others see what it is at, and so that
what it has tried is not lost when it is stopped.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

MOST_KEPT = 40
"""Trials that are kept of a job; the others are counted."""
MOST_TEXT = 400
"""Characters of each text of a trial."""
TACTICS = ("tactics", "further tactics", "library search", "witnesses")
"""Strategies that try one tactic after another on the goal as it stands."""
ENOUGH = "true in every test, not proved; the goal follows from it"
"""Result of a lemma that would do."""
HINT = "hint"
"""The strategy of sketches and lemmas that come with a theorem."""
WAITING = "waiting for"
"""The strategy while a request to a model is out."""
UNTRANSLATED = "no proof is tried: "
"""How the reason of a function begins that has no translation: no budget gives it one."""
NOT_APPLIED = "does not apply here"
"""Result of a strategy that has found nothing to try."""
MOST_LINES = 4_000
"""Lines of a file, which then begins anew with what is kept."""


class Status(StrEnum):
    """What came of a trial."""

    PROVED = "proved"
    """It closed the goal, or it is a lemma that was proved on the way."""
    OPEN = "open"
    """It applies and leaves something open: see `Trial.left`."""
    FAILED = "failed"
    """It closed nothing, and nothing speaks against it: a lemma that holds in every test, a tactic that gives up."""
    REFUTED = "refuted"
    """A lemma that is false."""
    REJECTED = "rejected"
    """It was proposed and not accepted, or is banned here."""
    TIMEOUT = "timeout"
    """It was stopped, or used up what it may use."""
    ERROR = "error"
    """It raised an exception."""
    UNDER_WAY = "under way"
    """It has begun and not ended: of a job that was stopped, or goes on."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried on a goal."""

    strategy: str
    """A strategy, a tactic family, the prompt of a model; in the names that the documentation uses."""
    what: str = ""
    """What it was applied to or said: variables, a lemma, a tactic; a formula is a text of the language."""
    status: Status = Status.FAILED
    result: str = ""
    """One line for people."""
    seconds: float | None = None
    """Wall time; None where nobody has measured it."""
    left: str = ""
    """The simplest subgoal that it left open, as a text of the language."""
    lemma: bool = False
    """Whether ``what`` is a lemma that the strategy has guessed."""
    times: int = 1
    """How often the same was tried with the same result; ``seconds`` are those of all."""

    def to_json(self) -> dict[str, Any]:
        """A JSON object with every field."""
        return {**asdict(self), "status": str(self.status)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Trial:
        """The inverse of `to_json`; fields that are missing have their defaults, others are ignored."""
        known = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        said = known.get("status")
        known["status"] = Status(said) if said in list(Status) else Status.FAILED
        return cls(**known)


@dataclass(slots=True)
class TrialLog:
    """The trials of one job, the most telling of them kept. One thread at a time."""

    place: str | Path | None = None
    """Where a job that goes on for longer writes its log; None: nowhere."""
    used: bool = False
    """Whether anybody has written there, or asked where it is."""
    step: str = ""
    """The strategy that is under way."""
    dropped: int = 0
    """How many further trials there were than are kept."""
    _step_began: float = 0.0
    _kept: dict[tuple[str, str, Status], Trial] = field(default_factory=dict)
    _file: IO[str] | None = None
    _lines: int = 0

    # -- what a job says -------------------------------------------------------------------------------------------
    def begin(self, strategy: str, what: str = "") -> None:
        """A strategy begins; the one before it has come to nothing."""
        self.end()
        self.step, self._step_began = strategy, time.monotonic()
        self.at(what)

    def end(self, status: Status = Status.FAILED, result: str = "no proof", *, what: str = "", left: str = "") -> None:
        """The strategy that is under way has ended."""
        if self.step:
            strategy, self.step = self.step, ""
            self.tried(what, status, result, time.monotonic() - self._step_began, strategy=strategy, left=left)

    def tried(
        self,
        what: str,
        status: Status,
        result: str,
        seconds: float | None = None,
        *,
        strategy: str = "",
        left: str = "",
        lemma: bool = False,
    ) -> None:
        """Something has been tried in the course of the present strategy, or of the one that is named."""
        rounded = None if seconds is None else round(seconds, 3)
        self._keep(Trial(strategy or self.step, what, status, result, rounded, left, lemma))

    def wants(self, status: Status) -> bool:
        """Whether a further trial of this status may be kept; where it may not, it is only counted."""
        if len(self._kept) < MOST_KEPT or self._largest() is not status:
            return True
        self.dropped += 1
        return False

    def at(self, what: str) -> None:
        """What the present strategy is doing now."""
        self._write({"at": time.time(), "strategy": self.step, "what": what[:MOST_TEXT]})

    def waiting(self, model: str) -> None:
        """A model is asked; "": it has answered. The file is left to the jobs that come after."""
        self._write({"at": time.time(), "strategy": WAITING if model else "", "what": model})
        if self._file is not None:
            self._file.close()
            self._file = None

    def clear(self) -> None:
        """Forget everything: nothing is open, so nobody will ask."""
        self.step = ""
        self._kept.clear()
        self.dropped = 0

    # -- what is kept ----------------------------------------------------------------------------------------------
    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials that are kept, in the order in which they were first tried."""
        return tuple(self._kept.values())

    def to_json(self) -> dict[str, Any]:
        """What comes back with a job's result: ``{"trials": [...], "more": n}``; {} without any."""
        self.end()
        return {"trials": [trial.to_json() for trial in self.trials], "more": self.dropped} if self._kept else {}

    def take(self, data: dict[str, Any]) -> None:
        """Add what `to_json` gave."""
        for trial in data.get("trials", ()):
            self._keep(Trial.from_json(trial), written=False)
        self.dropped += int(data.get("more", 0))

    def _keep(self, trial: Trial, *, written: bool = True) -> None:
        trial = replace(
            trial,
            what=_cut(trial.what),
            result=_cut(trial.result),
            left=_storable(trial.left) if len(trial.left) <= MOST_TEXT else "",  # half a formula is none
        )
        key = ("" if trial.lemma else trial.strategy, trial.what, trial.status)
        known = self._kept.get(key)
        self._kept[key] = trial if known is None else _together(known, trial)
        if len(self._kept) > MOST_KEPT:  # the least telling goes: the longest text, and of those as long the latest
            status = self._largest()
            least = [
                (len(each.left), len(each.what), n, at)
                for n, (at, each) in enumerate(self._kept.items())
                if each.status is status
            ]
            self.dropped += self._kept.pop(max(least)[-1]).times
        if written:
            self._write({"trial": trial.to_json()})

    def _largest(self) -> Status:
        """The status of most of the trials."""
        return Counter(trial.status for trial in self._kept.values()).most_common(1)[0][0]

    # -- the file --------------------------------------------------------------------------------------------------
    @property
    def path(self) -> Path | None:
        """The place, for who writes or reads there."""
        self.used = True
        return None if self.place is None else Path(self.place)

    def _write(self, line: dict[str, Any]) -> None:
        path = self.path if self.place is not None else None
        if path is None:
            return
        try:
            if self._file is None or self._lines > MOST_LINES:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file, self._lines = path.open("w", encoding="utf-8"), 0
                kept = [{"more": self.dropped}, *({"trial": trial.to_json()} for trial in self.trials)]
                self._file.writelines(f"{json.dumps(each)}\n" for each in kept)
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
            self._lines += 1
        except OSError:  # a full disk costs nobody a proof
            self.place = None

    def close(self) -> None:
        """Nothing is written any more. The file stays."""
        if self._file is not None:
            self._file.close()
        self._file = self.place = None


def _cut(text: str) -> str:
    text = _storable(" ".join(text.split()))
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 3]}..."


def _storable(text: str) -> str:
    """Without lone surrogates, which no database takes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _together(one: Trial, other: Trial) -> Trial:
    known = [trial.seconds for trial in (one, other) if trial.seconds is not None]
    seconds = round(sum(known), 3) if known else None
    left = min(filter(None, (one.left, other.left)), key=len, default="")
    return replace(one, result=other.result, seconds=seconds, times=one.times + other.times, left=left)


# -- reading what a job writes -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Doing:
    """What a job is at."""

    strategy: str
    what: str
    since: float
    """Seconds since the epoch."""


def _said(path: Path) -> list[dict[str, Any]]:
    """What the lines of a file say; a file has few, for it begins anew after `MOST_LINES`. Nothing without a file."""
    try:
        return [_line(line) for line in path.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return []


def doing(path: Path) -> Doing | None:
    """What the job that writes this file is at; None while it has said nothing."""
    last = next((said for said in reversed(_said(path)) if "at" in said), None)
    return None if last is None else Doing(last["strategy"], last["what"], last["at"])


def unfinished(path: Path, *, now: float | None = None) -> TrialLog:
    """What the job that wrote this file has tried, the last thing as under way; an empty log without a file.

    ``now``: seconds since the epoch, when the job was stopped; by default when the file was last written.
    """
    log = TrialLog()
    try:
        ended = path.stat().st_mtime if now is None else now
    except OSError:
        return log
    last: dict[str, Any] = {}
    for said in _said(path):
        if "at" in said:
            last = said
        elif "more" in said:
            log.take(said)
        elif trial := said.get("trial"):
            log.take({"trials": [trial]})
            if trial["strategy"] == last.get("strategy"):  # it goes on without what has ended, or is over
                last = {**last, "what": ""} if trial["what"] else {}
    if last.get("strategy"):
        seconds = max(0.0, ended - last["at"])
        log.tried(last.get("what", ""), Status.UNDER_WAY, "was under way", seconds, strategy=last["strategy"])
    return log


def _line(text: str) -> dict[str, Any]:
    """What a line says; {} for the beginning of the tail, a line that is being written, and damaged ones."""
    try:
        said = json.loads(text)
        if "trial" in said:
            return {"trial": Trial.from_json(said["trial"]).to_json()}
        if "at" in said:
            return {"at": float(said["at"]), "strategy": str(said["strategy"]), "what": str(said["what"])}
        return {"more": int(said["more"])}
    except (ValueError, TypeError, KeyError):
        return {}


# -- where a job finds its log -------------------------------------------------------------------------------------

_LOG: ContextVar[TrialLog | None] = ContextVar("trial log", default=None)


@contextmanager
def logging_trials(log: TrialLog) -> Iterator[TrialLog]:
    """Inside, `trial_log` is this one, in every task that is begun there."""
    token = _LOG.set(log)
    try:
        yield log
    finally:
        _LOG.reset(token)
        log.close()


def trial_log() -> TrialLog:
    """The log of the job under way; one that nobody reads where there is none."""
    log = _LOG.get()
    return TrialLog() if log is None else log


def nearest(trials: Sequence[Trial]) -> Trial | None:
    """The trial that has left the simplest subgoal open."""
    return min((trial for trial in trials if trial.left), key=lambda trial: len(trial.left), default=None)
