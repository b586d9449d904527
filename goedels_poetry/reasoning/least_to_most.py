"""Least to most: subquestions in order, each answered with what is proved of those before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.reasoning.steps import Machine, Solve, Task, in_turn, was_stopped
from goedels_poetry.reasoning.subquestions import (
    SubAnswer,
    ask_whole,
    below,
    check_most,
    plan,
    relying_on,
    stopped_early,
)


@dataclass(frozen=True, slots=True)
class LeastToMost:
    """From the easiest part to the whole. Costs one call and k runs more."""

    name: ClassVar[str] = "least_to_most"
    max_steps: int = 5
    """Further subquestions of a plan are left out."""

    def __post_init__(self) -> None:
        check_most("max_steps", self.max_steps)

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """The answer to the question by a program that may rely on what is proved of the steps."""
        questions, advice = await plan(task, machine, "steps", self.max_steps)
        answers: list[SubAnswer] = []
        costs = advice.costs
        for number, question in enumerate(questions, 1):
            result = await inner(below(relying_on(task.after(costs), answers), question))
            answers.append(SubAnswer(number, question, result))
            costs = in_turn(costs, result.costs)
            if was_stopped(result):
                return stopped_early(answers, result, costs, self.name, advice)
        return await ask_whole(task, inner, answers, costs, self.name, advice)
