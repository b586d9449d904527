"""Results of questions, and parts of post-processors: a question with its time, runs, sums of costs, votes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.result import Answer, Grade, Semantics, World, grade_of
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.store.results import UNAVAILABLE, outage

# What comes back of a program and of a question


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What is known about a question."""

    question: str
    answer: Answer
    verdict: Verdict
    context: str = ""
    backend: str = "smt2"
    semantics: Semantics = "entailment"
    world: World = "open"
    program: str | None = None
    """The formal program that the answer rests on, as the model wrote it."""
    goal: str = ""
    """What was asked, formally."""
    goal_words: str = ""
    """What was asked, in words."""
    core: tuple[dict[str, Any], ...] | None = None
    """Premises used, as in :class:`VerificationResult`, each with ``"text"``: the sentences themselves."""
    sentences: tuple[dict[str, Any], ...] = ()
    """Sentences of the text that were used: ``{"number", "text"}``."""
    assumptions: tuple[str, ...] = ()
    """What the answer rests on that is not in the text."""
    reading_answer: Answer = None
    """What follows under a reading of the text, where the program itself leaves the question open."""
    reading_assumptions: tuple[str, ...] = ()
    """What that reading takes the text to say."""
    readings: tuple[dict[str, Any], ...] = ()
    """Readings of the text with another answer, as in :class:`VerificationResult`."""
    said_answer: Answer = None
    """A model's own word, where it was asked for one (``best_guess``) and nothing else gives an answer."""
    countermodel: dict[str, Any] | None = None
    countermodel_words: str = ""
    """Of an answer ``unknown``: a world in which the premises are true and the goal is false."""
    conditions: tuple[dict[str, Any], ...] = ()
    """Of an answer ``unknown``: each ``{"answer": "yes" | "no", "facts": [formulas], "words", "sentences", "text"}``,
    with which it would be that answer; the sentences are those of the text about what the facts are about."""
    finding: str = ""
    """Of a question to a policy: see `questions.policy.finding_of`."""
    policy: dict[str, Any] | None = None
    """That policy: ``{"title", "digest", "reviewed"}``, see `Policy.card`."""
    options: tuple[dict[str, Any], ...] = ()
    """Of a multiple-choice question: each ``{"name", "text", "verdict"}``."""
    votes: dict[str, int] = field(default_factory=dict)
    """Answers of the samples, when there were several: ``{"true": 3, "unknown": 2}``."""
    attempts: int = 0
    """Programs that were written and posed."""
    history: tuple[dict[str, Any], ...] = ()
    """Every attempt: ``{"program", "verdict", "reason"}``, oldest first."""
    subanswers: tuple[dict[str, Any], ...] = ()
    """Of a question that was split: what is known of its parts, each ``{"number", "question", "derived", "answer",
    "verdict", "program", "core", "sentences", "assumptions", "certificate", "confidence", "reason", "run_id"}``.
    ``derived`` is the sentence that the answer above may rest on, "" for a part that stayed open."""
    steps: tuple[dict[str, Any], ...] = ()
    """What post-processors did, oldest first: ``{"post", "outcome"?, "reason"?, "run_id"?, ...}``."""
    confidence: dict[str, Any] = field(default_factory=dict)
    """How far the formalisation can be trusted: ``{"level": "high" | "medium" | "low", "score", "tests": [...]}``."""
    costs: dict[str, Any] = field(default_factory=dict)
    """``{"calls", "input_tokens", "output_tokens", "money", "cached_replies", "solver_seconds", "wall_seconds"}``.
    Replies from the cache cost nothing."""
    certificate: str | None = None
    trust_level: str | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()
    run_id: str = ""
    away: str = ""
    """As of `RunResult`: the verdict says nothing then."""

    @property
    def success(self) -> bool:
        """Whether there is an answer."""
        return self.answer is not None

    @property
    def grade(self) -> Grade:
        """How well founded the best answer is."""
        return grade_of(self.answer, self.verdict, self.reading_answer, self.said_answer)

    @property
    def graded_answer(self) -> Answer:
        """The best answer there is, to be read with its grade."""
        by_grade = {"reading": self.reading_answer, "likely": self.said_answer}
        return by_grade.get(self.grade, self.answer)

    @property
    def exit_code(self) -> int:
        """As of `RunResult`."""
        return UNAVAILABLE if self.away else self.verdict.exit_code

    def to_json(self) -> dict[str, Any]:
        """The object that ``ask --json`` prints."""
        data = asdict(self)
        del data["away"]
        graded = {"grade": self.grade, "graded_answer": self.graded_answer}
        return {**data, **graded, "verdict": None if self.away else str(self.verdict), "error": outage(self.away)}


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task:
    """A question that is to be answered, and the time that the steps before have taken of the budgets."""

    question: Question
    used_wall_seconds: float = 0.0
    used_solver_seconds: float = 0.0

    def asking(self, **changes: Any) -> Task:
        """The same with another question."""
        return replace(self, question=replace(self.question, **changes))

    def after(self, *costs: dict[str, Any]) -> Task:
        """The same when these steps, one after the other, have been paid for."""
        paid = in_turn(*costs)
        return replace(
            self,
            used_wall_seconds=self.used_wall_seconds + paid.get("wall_seconds", 0.0),
            used_solver_seconds=self.used_solver_seconds + paid.get("solver_seconds", 0.0),
        )


Solve = Callable[[Task], Awaitable[QueryResult]]
"""Answers a question: by one run of the machine, or by several."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A model's words about a question or a program; they decide nothing."""

    reply: dict[str, Any] | None = None
    """None: nothing that can be used."""
    reason: str = ""
    """Why it cannot be used."""
    costs: dict[str, Any] = field(default_factory=dict)
    run_id: str = ""
    stopped: bool = False
    """Whether a budget or an interrupt ended it: then nothing more is begun."""
    away: bool = False
    """Whether the model could not be asked."""


class Machine(Protocol):
    """Durable runs of the state machine. Asking again for one that has ended costs nothing."""

    async def answer(self, task: Task) -> QueryResult:
        """Formalize, verify, correct, decide: once. A limit that is reached is a result, not an exception."""
        ...

    async def advise(self, task: Task) -> Advice:
        """Advice about the question; see :attr:`~goedels_poetry.search.tasks.question.Question.task`."""
        ...


@runtime_checkable
class PostProcessor(Protocol):
    """Turns one way of answering into a better one. Frozen data; its fields are its configuration."""

    name: ClassVar[str]

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """Answer ``task``.

        Args:
            inner: the way of answering before this post-processor: the machine itself, or another post-processor.
            machine: single runs, for what is no answer to the question itself.
        """
        ...


def chain(processors: Sequence[PostProcessor], machine: Machine) -> Solve:
    """The machine with post-processors around it, the first one next to it."""
    solve: Solve = machine.answer
    for processor in processors:
        solve = _around(processor, solve, machine)
    return solve


def _around(processor: PostProcessor, inner: Solve, machine: Machine) -> Solve:
    async def solve(task: Task) -> QueryResult:
        return await processor(task, inner, machine)

    return solve


async def at_once(works: Iterable[Awaitable[T]]) -> list[T]:
    """All results, in order. When one fails the others are cancelled before its exception is passed on."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


# -- costs -------------------------------------------------------------------------------------------------------


def in_turn(*costs: dict[str, Any]) -> dict[str, Any]:
    """Costs of steps one after the other."""
    total: dict[str, Any] = {}
    for cost in costs:
        for name, amount in cost.items():
            total[name] = round(total.get(name, 0) + amount, 6) if isinstance(amount, int | float) else amount
    return total


def side_by_side(*costs: dict[str, Any]) -> dict[str, Any]:
    """Costs of steps at the same time: the wall time is that of the longest."""
    total = in_turn(*costs)
    if "wall_seconds" in total:
        total["wall_seconds"] = max(cost.get("wall_seconds", 0.0) for cost in costs)
    return total


# -- results -----------------------------------------------------------------------------------------------------


def was_stopped(result: QueryResult) -> bool:
    """Whether a limit or an interrupt ended it, so that nothing more is begun."""
    return result.verdict is Verdict.OUT_OF_BUDGET


def is_decided(result: QueryResult) -> bool:
    """Whether there is an answer and the checker's word for it."""
    return result.verdict in (Verdict.PROVED, Verdict.REFUTED) and result.answer is not None


def word_of(answer: Answer) -> str:
    """``true``, ``false``, or the option's letter or the optimum as it is."""
    return str(answer).lower() if isinstance(answer, bool) else str(answer)


def score(result: QueryResult) -> float:
    """Confidence in the formalization, from 0 to 1."""
    return float(result.confidence.get("score", 0.0))


def standing(winner: QueryResult, runs: Sequence[QueryResult], costs: dict[str, Any]) -> QueryResult:
    """The winner of several runs (it is one of them), with their attempts, histories and steps together."""
    return replace(
        winner,
        attempts=sum(run.attempts for run in runs),
        history=tuple(entry for run in runs for entry in run.history),
        steps=tuple(step for run in runs for step in run.steps),
        costs=costs,
    )


def without_answer(result: QueryResult, reason: str) -> QueryResult:
    """No answer, and nothing that one would rest on. The evidence for each is in the list of steps."""
    asked = ("question", "context", "backend", "semantics", "world")
    done = ("votes", "attempts", "history", "subanswers", "steps", "costs", "warnings", "run_id")
    facts = {name: getattr(result, name) for name in (*asked, *done)}
    return QueryResult(**facts, answer=None, verdict=Verdict.UNKNOWN, reason=reason)


def noted(result: QueryResult, warning: str = "", **step: Any) -> QueryResult:
    """A result with one more step of a post-processor, and a warning when it is one."""
    warnings = dict.fromkeys((*result.warnings, warning) if warning else result.warnings)
    return replace(result, steps=(*result.steps, step), warnings=tuple(warnings))


def evidence(result: QueryResult) -> dict[str, Any]:
    """The basis of a result, for the list of steps: JSON."""
    return {
        "answer": result.answer,
        "verdict": str(result.verdict),
        "program": result.program,
        "core": None if result.core is None else list(result.core),
        "certificate": result.certificate,
        "confidence": result.confidence,
        "run_id": result.run_id,
    }


# -- votes -------------------------------------------------------------------------------------------------------


def vote_of(result: QueryResult) -> str:
    """The word under which a result is counted: the answer of a decided one, else the verdict."""
    return word_of(result.answer) if is_decided(result) else str(result.verdict)


@dataclass(frozen=True, slots=True)
class Tally:
    """The votes so far, and how many may still come.

    Only decided samples elect; the others are counted and reported. The answer with the most votes wins, and nothing
    wins when two have equally many.
    """

    votes: tuple[str, ...]
    """One for each sample, in their order."""
    decided: tuple[bool, ...]
    """Whether each of them has an answer."""
    left: int = 0
    """Samples that have not been asked for."""

    @classmethod
    def of(cls, results: Sequence[QueryResult], samples: int) -> Tally:
        """The votes of ``results`` when there are to be ``samples`` of them."""
        votes = tuple(map(vote_of, results))
        return cls(votes, tuple(map(is_decided, results)), max(0, samples - len(results)))

    @property
    def counts(self) -> dict[str, int]:
        """Votes by word, most frequent first, then in the order in which they came."""
        return dict(Counter(self.votes).most_common())

    @property
    def leaders(self) -> tuple[str, ...]:
        """The answers with the most votes: none, one, or those of a tie."""
        counts = self._answers()
        most = max(counts.values(), default=0)
        return tuple(answer for answer, count in counts.items() if count == most)

    @property
    def lead(self) -> int:
        """By how many votes the first answer is ahead of the next; 0 for a tie and without any."""
        first, second = [*sorted(self._answers().values(), reverse=True), 0, 0][:2]
        return first - second

    @property
    def settled(self) -> bool:
        """Whether what is left cannot change which answer wins, nor make it a tie."""
        return self.left == 0 or self.lead > self.left

    @property
    def needed(self) -> int:
        """The smallest number of further samples after which it may be settled."""
        return 0 if self.settled else min(self.left, (self.left - self.lead) // 2 + 1)

    @property
    def text(self) -> str:
        """The votes in words: ``3 true, 2 unknown``."""
        return ", ".join(f"{count} {vote}" for vote, count in self.counts.items()) or "no votes"

    def _answers(self) -> Counter[str]:
        return Counter(vote for vote, decided in zip(self.votes, self.decided, strict=True) if decided)
