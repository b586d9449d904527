"""The machine that post-processors use: durable runs of one framework, all of them within one budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.accounting import Ledger, SharedBudget
from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.reasoning.solving import costs_of, solve
from goedels_poetry.reasoning.steps import Advice, PostProcessor, Task, chain
from goedels_poetry.search.machine.runner import MachineRunner
from goedels_poetry.search.tasks.question import TITLE_LENGTH, Question
from goedels_poetry.store.results import OnEvent


class SharedRuns:
    """Runs that belong to one question. Every one is kept under an id of its own, so that a resume finds it again.

    Args:
        framework: its settings' budgets hold for all runs together.
        fresh: begin every run anew.
        on_event: called after every commit of every run; must not block.
    """

    def __init__(self, framework: MachineRunner, *, fresh: bool = False, on_event: OnEvent | None = None) -> None:
        self._framework = framework
        self._fresh = fresh
        self._on_event = on_event
        self._ledger = Ledger(framework.settings.budgets)

    async def answer(self, task: Task) -> QueryResult:
        """One run; see :func:`~goedels_poetry.reasoning.solving.solve`."""
        return await solve(
            self._framework,
            task.question,
            fresh=self._fresh,
            on_event=self._on_event,
            allowance=self._budget(task),
        )

    async def advise(self, task: Task) -> Advice:
        """One run of the refiner."""
        question = task.question
        run = await self._framework.aask(
            question,
            name=" ".join(f"{question.task}: {question.text}".split())[:TITLE_LENGTH],
            fresh=self._fresh,
            on_event=self._on_event,
            allowance=self._budget(task),
        )
        reply = (run.answer or {}).get("said")
        stopped = run.verdict is Verdict.OUT_OF_BUDGET
        return Advice(reply, "" if reply else run.reason, costs_of(run.metrics), run.run_id, stopped)

    def _budget(self, task: Task) -> SharedBudget:
        return SharedBudget(self._ledger, task.used_wall_seconds, task.used_solver_seconds)


async def solve_with(
    framework: MachineRunner,
    question: Question,
    processors: Sequence[PostProcessor],
    *,
    fresh: bool = False,
    out: Path | None = None,
    on_event: OnEvent | None = None,
) -> QueryResult:
    """Answer a question with post-processors around the machine; without any it is one run.

    Asking again goes on where it stood: runs that have ended are not asked again, those that were stopped go on.

    Raises:
        RunLocked: another process is at one of the runs.
    """
    if not processors:
        return await solve(framework, question, fresh=fresh, out=out, on_event=on_event)
    with framework.together():
        machine = SharedRuns(framework, fresh=fresh, on_event=on_event)
        result = await chain(processors, machine)(Task(question))
        if out is not None and result.certificate is not None:
            certified = await framework.aresume(result.run_id, out=out)
            warnings = tuple(dict.fromkeys((*result.warnings, *certified.warnings)))
            result = replace(result, certificate=str(certified.certificate or result.certificate), warnings=warnings)
        return result
