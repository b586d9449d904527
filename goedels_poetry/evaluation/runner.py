"""Questions through an answerer: several at once, one bad one never stopping the rest, every answer kept in a log."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Protocol

from goedels_poetry.autoformalizer.rows import first_row
from goedels_poetry.errors import GoedelsPoetryError, RunLocked, StoreError, one_line
from goedels_poetry.evaluation.outcome import BadData, GoldQuestion, Outcome, digest, outcome, read_outcome
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.reasoning.steps import QueryResult

ANSWERS = "answers.jsonl"
"""Name of the log in a report folder."""
_WRITTEN = re.compile(r"(answers(-\d+)?|results)\.jsonl|summary\.json")
"""Files of a report that might be taken for data."""


def is_of_report(file: Path) -> bool:
    """Whether ``bench`` has written it: a report that stands in a folder of problems is none of them."""
    answers = file.parent / ANSWERS
    if not _WRITTEN.fullmatch(file.name) or not os.path.isfile(answers):
        return False
    row = first_row(answers)
    return isinstance(row, Mapping) and "key" in row and ("result" in row or "error" in row)


class AnswerLog:
    """Answers by key, in a file that only grows. One process at a time; a context manager.

    Args:
        file: made when it is missing, with its folder.
        fresh: begin with none; a log that is there is kept under another name, since its answers were paid for.
        read: raises where an answer cannot be made use of: damaged, or written by another version.

    A last line that was cut off by a crash is taken away when the file is opened, and its question asked again. A
    line of which nothing can be made stays where it is and counts as no answer. ``notes`` says so.

    Raises:
        RunLocked: another process is writing it.
        BadData: the folder is none. StoreError: the file cannot be opened or read.
    """

    def __init__(
        self, file: Path, *, fresh: bool = False, read: Callable[[Mapping[str, Any]], object] = lambda answer: None
    ) -> None:
        self.file = file
        self._usable = read
        self.repaired = False
        """Whether a torn line was taken away."""
        self.unreadable = 0
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as problem:
            raise _unusable(file, problem) from problem
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if fresh:
                self._put_aside()
            self._answers = self._read()
        except BlockingIOError:
            os.close(self._fd)
            raise RunLocked(f"{file}: another process is working on it; wait for it, or choose another --out") from None
        except OSError as problem:
            os.close(self._fd)
            raise _unusable(file, problem) from problem

    def __enter__(self) -> AnswerLog:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write."""
        os.close(self._fd)

    def __len__(self) -> int:
        return len(self._answers)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know about the file."""
        torn = [f"{self.file}: the last line was cut off; its question is asked again"] if self.repaired else []
        bad = f"{self.unreadable} line{'s' * (self.unreadable != 1)} cannot be read, damaged or of another version"
        broken = [f"{self.file}: {bad}; what they answer is asked again"] if self.unreadable else []
        return (*torn, *broken)

    def __contains__(self, key: str) -> bool:
        return key in self._answers

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The latest answer of that key."""
        return self._answers.get(key)

    def add(self, key: str, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Append an answer, on the disk when this returns; gives back what a later run will read."""
        line = json.dumps({"key": key, **answer}, default=str)
        data = f"{line}\n".encode()
        while data:
            data = data[os.write(self._fd, data) :]
        os.fsync(self._fd)
        self._answers[key] = json.loads(line)
        return self._answers[key]

    def _put_aside(self) -> None:
        if not os.fstat(self._fd).st_size:
            return
        number = 1
        while (kept := self.file.with_name(f"{self.file.stem}-{number}{self.file.suffix}")).exists():
            number += 1
        shutil.copyfile(self.file, kept)
        os.ftruncate(self._fd, 0)

    def _read(self) -> dict[str, Mapping[str, Any]]:
        """The latest answer of each key."""
        answers: dict[str, Mapping[str, Any]] = {}
        at = 0
        with open(self.file, "rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    os.ftruncate(self._fd, at)
                    self.repaired = True
                    break
                try:
                    answer = json.loads(line)
                    self._usable(answer)
                    answers[answer["key"]] = answer
                except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, BadData):
                    self.unreadable += 1
                at += len(line)
        return answers


def _unusable(file: Path, problem: OSError) -> GoedelsPoetryError:
    """Why there can be no answers in a file, and what to do: a mistake of who named its folder, or the disk's fault."""
    folder = file.parent
    if os.path.lexists(folder) and not os.path.isdir(folder):
        what = "a link that leads nowhere" if os.path.islink(folder) and not os.path.exists(folder) else "no folder"
        return BadData(f"{folder} is {what}, and answers and report need one: name another place (--out)")
    if problem.errno in (errno.ENOTDIR, errno.ENAMETOOLONG, errno.EEXIST, errno.EISDIR):
        return BadData(f"{problem.filename or file}: {problem.strerror}; name another place (--out)")
    return StoreError(
        f"{file}: {problem.strerror or problem}; the same command goes on afterwards, or name another place (--out)"
    )


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
    """Asks the questions that the log does not answer yet, ``jobs`` at once, ``samples`` times each.

    ``limits`` are those of the whole run; ``on_outcome`` gets each outcome as it comes, those of the log first.
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
    ) -> None:
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
            reply = {"error": result.away} if result.away else {"result": result.to_json()}
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
