"""Without a language model small functions are enumerated; what they may be called is decided by the same checks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scripted_code import Scripted, write

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.search.tasks.code_file import code_task

TASKS = Path(__file__).parents[2] / "theorems" / "python" / "tasks"


def task_of(name: str) -> CodeTask:
    return code_task((TASKS / f"{name}.toml").read_text("utf-8"), name)


async def test_a_model_is_asked_where_the_examples_alone_say_too_little(home: Path) -> None:
    task = CodeTask("The square of n.", "def f(n: int) -> int", examples=(("f(2)", "4"),))
    script = Scripted("def f(n: int) -> int:\n    return n * n")
    done = await write(task, script, home)
    assert done.result.verdict is Verdict.TESTED
    assert [entry["by"] for entry in done.attempts] == ["model"]


async def test_what_is_enumerated_comes_before_the_model_and_costs_it_nothing(home: Path) -> None:
    script = Scripted("def sum_of_squares(xs):\n    return 1")
    done = await write(
        replace(task_of("sum_of_squares"), tests=("assert sum_of_squares([9]) == 81",), ensures=()), script, home
    )
    assert done.result.verdict is Verdict.TESTED
    assert [entry["by"] for entry in done.attempts] == ["synthesis"]
    assert script.asked == []
    assert len(script.prosecuted) == 1
