"""Questions through an answerer: several at once, resumable, one bad one never stopping the rest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Protocol

from goedels_poetry.errors import one_line
from goedels_poetry.evaluation.log import AnswerLog
from goedels_poetry.evaluation.outcome import Outcome, outcome, read_outcome
from goedels_poetry.evaluation.questions import GoldQuestion, digest
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.reasoning.results import QueryResult

INTERRUPTED = "interrupted"


class Answerer(Protocol):
    """Who is asked."""

    @property
    def setup(self) -> Mapping[str, Any]:
        """All that an answer depends on besides question and text, as JSON values: models, prompts, versions, …

        Answers that were given under another setup are not used again.
        """
        ...

    async def answer(self, question: str, context: str, sample: int) -> QueryResult:
        """The answer. ``sample`` tells apart several ones to the same question. An exception fails the question."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """What a whole run may spend; what is under way when one is reached is finished. None: no limit."""

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    """US dollars."""
    seconds: float | None = None
    """Of this call; the others are over all calls that the answers come from."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of it."""

    outcomes: tuple[Outcome, ...]
    """Of every question that has an answer or failed, sample by sample, in the order of the questions."""
    missing: int
    """Questions times samples that were not begun, or broken off."""
    asked: int
    """How many were asked now; the others were in the log."""
    errors: int = 0
    """How many failed by an error, and will be asked again."""
    stopped: str = ""
    """Why something is missing."""


def cache_key(question: GoldQuestion, setup: Mapping[str, Any], sample: int) -> str:
    """What an answer is kept under: everything that it depends on, and no id."""
    return digest(question.question, question.context, dict(setup), sample)


class Runner:
    """Asks the questions that the log does not answer yet.

    Args:
        answerer: who is asked.
        log: where answers are kept.
        jobs: questions asked at once.
        samples: answers to each question.
        limits: of the whole run.
        on_outcome: called with each outcome as it comes, those of the log first.
        on_unused: called before anything is asked with how many answers the log has that answer nothing of this.
    """

    def __init__(
        self,
        answerer: Answerer,
        log: AnswerLog,
        *,
        jobs: int = 1,
        samples: int = 1,
        limits: Limits | None = None,
        on_outcome: Callable[[Outcome], None] | None = None,
        on_unused: Callable[[int], None] | None = None,
    ) -> None:
        self._on_unused = on_unused
        self._answerer = answerer
        self._log = log
        self._jobs = max(1, jobs)
        self._samples = max(1, samples)
        self._limits = limits or Limits()
        self._on_outcome = on_outcome or _ignore
        self._stopped = ""
        self._asked = 0
        self._errors = 0
        self._spent = Limits(calls=0, tokens=0, money=0.0, seconds=0.0)

    def interrupt(self, reason: str = INTERRUPTED) -> None:
        """Begin no further question; what is under way is finished."""
        self._stopped = self._stopped or reason

    async def run(self, questions: Sequence[GoldQuestion]) -> Run:
        """Ask; the same call again goes on with what is missing, and asks again what failed by an error."""
        self._began = time.monotonic()
        setup = dict(self._answerer.setup)
        # Sample by sample, so that a run that is broken off has asked every question before any question twice.
        work: dict[str, list[tuple[GoldQuestion, int]]] = {}
        for sample in range(self._samples):
            for question in questions:
                work.setdefault(cache_key(question, setup, sample), []).append((question, sample))
        done: dict[tuple[str, int], Outcome] = {}
        open_keys: list[str] = []
        for key, asking in work.items():
            known = self._log.get(key)
            if known is None or known.get("error"):
                open_keys.append(key)
            else:
                self._record(asking, known, done)
        unused = len(self._log) - sum(key in self._log for key in work)
        if unused and self._on_unused is not None:
            self._on_unused(unused)
        queue = iter(open_keys)
        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._jobs, len(open_keys))):
                group.create_task(self._work(queue, work, done))
        ordered = [
            done[question.key, sample]
            for question in questions
            for sample in range(self._samples)
            if (question.key, sample) in done
        ]
        missing = self._samples * len(questions) - len(ordered)
        return Run(tuple(ordered), missing, self._asked, self._errors, self._stopped if missing else "")

    async def _work(
        self,
        queue: Iterator[str],
        work: Mapping[str, list[tuple[GoldQuestion, int]]],
        done: dict[tuple[str, int], Outcome],
    ) -> None:
        while not self._over():
            key = next(queue, None)
            if key is None:
                return
            question, sample = work[key][0]
            answer = await self._ask(question, sample)
            if answer is None:
                continue
            try:
                kept = self._log.add(key, answer)
            except OSError as problem:  # an answer that is not kept must not be in a figure
                self.interrupt(f"{self._log.file} cannot be written: {problem.strerror or problem}")
                return
            self._record(work[key], kept, done)

    async def _ask(self, question: GoldQuestion, sample: int) -> dict[str, Any] | None:
        """What the log keeps; None when the question was broken off by an interrupt and has to be asked again."""
        self._asked += 1
        began = time.monotonic()
        reply: dict[str, Any]
        try:
            result = await self._answerer.answer(question.question, question.context, sample)
        except Exception as problem:  # noqa: BLE001 - whatever goes wrong with one question must not stop the others
            reply = {"error": one_line(problem)}
        else:
            if self._stopped and result.verdict is Verdict.OUT_OF_BUDGET:
                return None
            reply = {"result": result.to_json()}
        seconds = time.monotonic() - began
        if "result" in reply:  # who works on many machines knows better how long it waited for one
            seconds = reply["result"]["costs"].get("seconds", seconds)
        return {"id": question.id, "dataset": question.dataset, "sample": sample, "seconds": round(seconds, 3), **reply}

    def _record(
        self,
        asking: Sequence[tuple[GoldQuestion, int]],
        answer: Mapping[str, Any],
        done: dict[tuple[str, int], Outcome],
    ) -> None:
        """The answer's outcome for each question that it answers; equal questions with other ids share one."""
        error = answer.get("error")
        result = str(error) if error else read_result(answer["result"])
        for number, (question, sample) in enumerate(asking):
            seconds = float(answer.get("seconds", 0.0)) if number == 0 else 0.0
            each = outcome(question, result, sample, seconds, repeated=number > 0)
            done[question.key, sample] = each
            self._errors += bool(error)
            self._charge(each)
            self._on_outcome(each)

    def _charge(self, spent: Outcome) -> None:
        now = self._spent
        self._spent = Limits(
            calls=(now.calls or 0) + spent.calls,
            tokens=(now.tokens or 0) + spent.tokens,
            money=(now.money or 0.0) + spent.money,
        )

    def _over(self) -> bool:
        """Whether nothing more may be begun; says why."""
        spent = {**asdict(self._spent), "seconds": time.monotonic() - self._began}
        for name, limit in asdict(self._limits).items():
            if limit is not None and spent[name] >= limit:
                self.interrupt(f"the limit of {limit:g} {_UNITS[name]} for the whole run is reached")
        return bool(self._stopped)


_UNITS = {"calls": "model calls", "tokens": "tokens", "money": "US dollars", "seconds": "seconds"}


def read_result(data: Mapping[str, Any]) -> QueryResult:
    """The inverse of ``QueryResult.to_json``; keys of other versions are passed over."""
    names = {field.name for field in fields(QueryResult)}
    known = {name: value for name, value in data.items() if name in names}
    return QueryResult(**{**known, "verdict": Verdict(data["verdict"])})


def check_answer(answer: Mapping[str, Any]) -> None:
    """Raise some error where no outcome can be made of what a log holds: damaged, or of another version."""
    result = str(answer["error"]) if answer.get("error") else read_result(answer["result"])
    seconds = float(answer.get("seconds", 0.0))
    made = outcome(GoldQuestion("", "", "", "", "true"), result, 0, seconds, repeated=False)
    read_outcome(made.to_json())  # no amount that cannot be


def _ignore(outcome: Outcome) -> None:
    return None
