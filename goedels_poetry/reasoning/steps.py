"""What post-processors are made of: a question with the time it has used, runs of the machine, sums of their costs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.search.tasks.question import Question

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task:
    """A question that is to be answered, and what has been used up before."""

    question: Question
    used_wall_seconds: float = 0.0
    used_solver_seconds: float = 0.0
    """What the steps before this one have taken of the budgets on time: it is no longer there to be spent."""

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
    """What a model said about a question or a program; it decides nothing."""

    reply: dict[str, Any] | None = None
    """None: nothing that can be used."""
    reason: str = ""
    """Why it cannot be used."""
    costs: dict[str, Any] = field(default_factory=dict)
    run_id: str = ""
    stopped: bool = False
    """Whether a budget or an interrupt ended it: then nothing more is begun."""


class Machine(Protocol):
    """Durable runs of the state machine. Each is kept, so that asking again for one that has ended costs nothing."""

    async def answer(self, task: Task) -> QueryResult:
        """Formalize, verify, correct, decide: once. A limit that is reached is a result, not an exception."""
        ...

    async def advise(self, task: Task) -> Advice:
        """What a model says to the question's :attr:`~goedels_poetry.search.tasks.question.Question.task`."""
        ...


@runtime_checkable
class PostProcessor(Protocol):
    """Turns one way of answering into a better one. Frozen data; its fields are its configuration."""

    name: ClassVar[str]

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """Answer ``task``.

        Args:
            task: the question.
            inner: what stands before this post-processor: the machine itself, or another post-processor.
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


def was_stopped(result: QueryResult) -> bool:
    """Whether a limit or an interrupt ended it, so that nothing more is begun."""
    return result.verdict is Verdict.OUT_OF_BUDGET


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


def standing(winner: QueryResult, runs: Sequence[QueryResult], costs: dict[str, Any]) -> QueryResult:
    """``chosen`` as what several runs (it is one of them) amount to: their attempts, histories and steps together."""
    return replace(
        winner,
        attempts=sum(run.attempts for run in runs),
        history=tuple(entry for run in runs for entry in run.history),
        steps=tuple(step for run in runs for step in run.steps),
        costs=costs,
    )


def without_answer(result: QueryResult, reason: str) -> QueryResult:
    """No answer, and nothing that one would rest on. What spoke for each stands in the list of steps."""
    return replace(
        result,
        answer=None,
        verdict=Verdict.UNKNOWN,
        program=None,
        core=None,
        sentences=(),
        assumptions=(),
        countermodel=None,
        countermodel_words="",
        options=(),
        confidence={},
        certificate=None,
        trust_level=None,
        reason=reason,
    )


def noted(result: QueryResult, warning: str = "", **step: Any) -> QueryResult:
    """A result with one more step of a post-processor, and a warning when it is one."""
    warnings = dict.fromkeys((*result.warnings, warning) if warning else result.warnings)
    return replace(result, steps=(*result.steps, step), warnings=tuple(warnings))


def evidence(result: QueryResult) -> dict[str, Any]:
    """What a result rests on, for the list of steps: JSON."""
    return {
        "answer": result.answer,
        "verdict": str(result.verdict),
        "program": result.program,
        "core": None if result.core is None else list(result.core),
        "certificate": result.certificate,
        "confidence": result.confidence,
        "run_id": result.run_id,
    }
