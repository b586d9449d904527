"""A run that is killed at any moment goes on where it was: nothing is asked twice, and no ban is forgotten."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scripted_code import Answer, Scripted, Server, model_at, run

from goedels_poetry import Settings
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.code import CodeTask

PROGRAM = Path(__file__).resolve().parents[1] / "support" / "scripted_code.py"
TASK = CodeTask(
    "The factorial of n, also for large n.",
    "def factorial(n: int) -> int",
    examples=(("factorial(0)", "1"), ("factorial(5)", "120")),
    tests=("assert factorial(3000) // factorial(2999) == 3000",),
    model_first=True,
)
FUNCTIONS = (
    "def factorial(n):\n    return 1 if n <= 1 else n * factorial(n - 1)",
    "def factorial(n):\n    return 1 if n == 0 else factorial(n - 1) * n",
    "def factorial(n):\n    return n * factorial(n - 1) if n else 1",
    "def factorial(n):\n    found = 1\n    for k in range(2, n + 1):\n        found *= k\n    return found",
)
OUTCOMES = ["failed", "failed", "banned", "passed"]


class Steady(Scripted):
    """Answers the same question the same, as a request that was under way at a kill is sent again."""

    def __init__(self, *functions: str) -> None:
        super().__init__(*functions)
        self.times: Counter[str] = Counter()
        self._said: dict[str, Answer] = {}

    def __call__(self, asked: dict[str, Any]) -> Answer:
        question = str(asked["messages"])
        self.times[question] += 1
        if question not in self._said:
            self._said[question] = super().__call__(asked)
        return self._said[question]


def killed(home: Path, url: str, moment: str) -> bool:
    """Work on the task in a process of its own, killed as soon as it says that ``moment``; whether it came so far."""
    command = [sys.executable, str(PROGRAM), str(home), url, TASK.text]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        said = any(line.strip() == moment for line in process.stdout)
        os.killpg(process.pid, signal.SIGKILL) if said else None
    return said


@pytest.mark.whole("machine/test_tasks.py::test_a_fourth_task_goes_on_after_kill_9_in_another_process")
async def test_a_killed_run_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    script = Steady(*FUNCTIONS)
    with Server(script) as server:
        for moment in ("generator written", "decider fresh"):
            assert killed(tmp_path, server.url, moment)
        done = await run(TASK, Settings(home=tmp_path, models={"default": model_at(server.url)}))
    assert done.result.verdict is Verdict.TESTED, done.result.reason
    assert done.outcomes == OUTCOMES
    assert done.state.forbidden_strategies == ("recursion",)
    assert sum(event.outcome.startswith("resumed") for event in done.events) == 1
    # What no reply had come to when the run was killed is asked again; and there is the prosecutor.
    assert sum(script.times.values()) <= len(FUNCTIONS) + 1 + 1
    assert len(script.asked) == len(FUNCTIONS)


async def test_a_run_that_a_budget_stopped_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    script = Scripted(*FUNCTIONS)
    with Server(script) as server:
        model = {"default": model_at(server.url)}
        stopped = await run(TASK, Settings(home=tmp_path, models=model, budgets={"model_calls": 2}))
        assert stopped.result.verdict is Verdict.OUT_OF_BUDGET
        assert "model calls" in stopped.result.reason
        done = await run(TASK, Settings(home=tmp_path, models=model))
    assert done.result.verdict is Verdict.TESTED, done.result.reason
    assert done.outcomes == OUTCOMES
    assert len(script.asked) == len(FUNCTIONS)
