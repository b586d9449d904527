"""Decomposed: independent subquestions, each answered by a run of its own, then the question itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.reasoning.steps import Machine, Solve, Task, at_once, in_turn, side_by_side, was_stopped
from goedels_poetry.reasoning.subquestions import SubAnswer, ask_whole, below, check_most, plan, stopped_early


@dataclass(frozen=True, slots=True)
class Decomposed:
    """Split, answer the parts at the same time, then answer the whole. Costs one call and k runs more."""

    name: ClassVar[str] = "decomposed"
    max_subquestions: int = 5
    """Further ones of a plan are left out."""

    def __post_init__(self) -> None:
        check_most("max_subquestions", self.max_subquestions)

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """The answer to the question by a program that may rely on what is proved of the parts."""
        questions, advice = await plan(task, machine, "decompose", self.max_subquestions)
        at = task.after(advice.costs)
        results = await at_once(inner(below(at, question)) for question in questions)
        answers = [SubAnswer(n, *pair) for n, pair in enumerate(zip(questions, results, strict=True), 1)]
        costs = in_turn(advice.costs, side_by_side(*(result.costs for result in results)))
        for result in filter(was_stopped, results):
            return stopped_early(answers, result, costs, self.name, advice)
        return await ask_whole(task, inner, answers, costs, self.name, advice)
