"""Tests that are meant to break a function: those count that follow from the task, and what fails is remembered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from scripted_code import Scripted, proposals, write

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.testing.contracts import MEANS
from goedels_poetry.search.tasks.code import CodeTask

SIGN = CodeTask(
    "1 for positive numbers, -1 for negative ones, 0 for 0.",
    "def sign(n: int) -> int",
    examples=(("sign(3)", "1"), ("sign(-2)", "-1"), ("sign(0)", "0")),
    requires=("n < 10**9",),
    ensures=("result == (n > 0) - (n < 0)",),
    model_first=True,
)
RIGHT = "def sign(n: int) -> int:\n    return (n > 0) - (n < 0)"
SLY = "def sign(n: int) -> int:\n    return 0 if (n * n) % 1000003 == 710375 else (n > 0) - (n < 0)"
"""Wrong on 7919 and hardly anywhere else: 7919 ** 2 % 1000003 == 710375."""


ASIDE = (
    ("sign(7)", "-1"),  # an opinion: the contract decides otherwise
    ("sign(3)", "2"),  # contradicts an example
    ("sign(10**12)", "1"),  # not allowed
    ("sgn(1)", "1"),
    ("sign(open('/etc/passwd'))", "1"),
    ("sign(1, 2)", "1"),
    ("sign(m=1)", "1"),
)


async def test_what_follows_from_the_task_breaks_a_function_and_is_remembered_and_the_rest_is_set_aside(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for effort in ("normal", "thorough"):  # neither finds by itself what the sly function hides
        monkeypatch.setitem(MEANS, effort, MEANS["quick"])
    hostile = (proposals(("sign(7919)", "1"), ("sign(n=1)", "1")), proposals(*ASIDE))
    script = Scripted(SLY, RIGHT, hostile=hostile)
    done = await write(SIGN, script, home)
    assert done.result.verdict is Verdict.TESTED, done.result.reason
    assert done.outcomes == ["passed", "failed", "passed"]
    assert done.attempts[1]["input"] == {"n": "7919"}
    assert "n = 7919" in script.prompt(1)
    assert SLY in str(script.prosecuted[0]["messages"][-1]["content"])
    assert done.source.strip() == RIGHT
    assert [trace.status for trace in done.state.history] == ["failed", "success"]
    aside = done.result.answer["aside"] if done.result.answer else []
    assert len(aside) == len(ASIDE)
    assert any("contradicts the example" in line for line in aside)
    assert any("the task does not decide it" in line and "sign(7)" in line for line in aside)
    assert set(aside) <= set(done.result.warnings)


async def test_a_function_that_had_passed_when_a_budget_ended_is_the_answer_and_one_that_had_not_is_none(
    home: Path,
) -> None:
    task = replace(SIGN, requires=(), ensures=())
    too_early = await write(task, Scripted(RIGHT), home / "1", budgets={"agent_steps": 1})
    assert too_early.result.verdict is Verdict.OUT_OF_BUDGET
    done = await write(task, Scripted(RIGHT), home / "2", budgets={"agent_steps": 3})
    assert done.result.verdict is Verdict.TESTED, done.result.reason
    assert done.source.strip() == RIGHT
    assert any("agent steps" in line and "nobody went on to break" in line for line in done.result.warnings)
