"""A run that a budget stopped goes on where it was: nothing is asked twice, and no ban is forgotten."""

from __future__ import annotations

from pathlib import Path

from model_server import Server
from scripted_code import Scripted, model_at, run

from goedels_poetry import Settings
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.code import CodeTask

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
