"""What passes its checks and has a contract is proved where that can be had."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from goedels_poetry import RunResult, Settings
from goedels_poetry.checker import check_any
from goedels_poetry.cli.code import contracted, with_proof
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.code import CodeTask

TASK = CodeTask(
    "The distance of x from zero.",
    "def distance(x: int) -> int",
    examples=(("distance(-2)", "2"),),
    ensures=("result >= 0", "result in (x, -x)"),
)
RIGHT = "LIMIT = 3\n\n\ndef distance(x: int) -> int:\n    return x if x >= 0 else -x\n"


def proved(task: CodeTask, source: str, home: Path) -> RunResult:
    result = RunResult("distance", Verdict.TESTED, answer={"source": source, "attempts": []})
    return asyncio.run(with_proof(task, result, Settings(home=home), fresh=False))


def test_a_function_that_keeps_its_contract_is_proved_and_the_certificate_is_about_it(tmp_path: Path) -> None:
    result = proved(TASK, RIGHT, tmp_path)
    assert result.verdict is Verdict.PROVED and result.certificate is not None and result.answer is not None
    assert check_any(result.certificate, result.answer["proved"], theorem="distance").verdict is Verdict.PROVED
    assert "@ensures(lambda result, x: result >= 0)" in result.answer["proved"]


def test_an_input_that_no_check_came_upon_takes_the_verdict_back(tmp_path: Path) -> None:
    result = proved(TASK, RIGHT.replace("x >= 0", "x > -7919"), tmp_path)
    assert result.verdict is Verdict.UNKNOWN and result.counterexample is not None


def test_without_a_contract_nothing_more_is_tried(tmp_path: Path) -> None:
    task = CodeTask("The distance of x from zero.", "def distance(x: int) -> int", examples=(("distance(-2)", "2"),))
    assert proved(task, RIGHT, tmp_path).verdict is Verdict.TESTED
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("head", ["", "from functools import cache\n\n\n@cache\n"])
def test_the_contract_stands_before_the_function_and_its_decorators(head: str) -> None:
    lines = contracted(TASK, f"{head}def distance(x: int) -> int:\n    return abs(x)\n").splitlines()
    first = lines.index("@ensures(lambda result, x: result >= 0)")
    assert lines[first - 2] == "from goedels_poetry.contracts import ensures, raises, requires"
    assert "def distance" in "\n".join(lines[first:])
