"""What passes its checks and has a contract is proved where that can be had."""

from __future__ import annotations

import asyncio
from pathlib import Path

from goedels_poetry import RunResult, Settings
from goedels_poetry.checker import check_any
from goedels_poetry.cli.code import with_proof
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
