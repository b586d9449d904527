"""The last check of a candidate: one that breaks only there leaves the task open, and refutes nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from goedels_poetry.checker.python.certify import certify
from goedels_poetry.protocol.base import Theorem
from goedels_poetry.python.language import PythonLanguage
from goedels_poetry.search.tasks.code import CodeTask

TASK = CodeTask(
    "The distance of x from zero.", "def distance(x: int) -> int", ensures=("result >= 0", "result == abs(x)")
)
WRONG = "def distance(x: int) -> int:\n    return x\n"
OWN = f"""from goedels_poetry.contracts import ensures


@ensures(lambda result, x: result == abs(x))
{WRONG}"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(("of_a_task", "verdict"), [(True, "unknown"), (False, "refuted")])
def test_a_candidate_that_breaks_at_the_last_check_refutes_no_task(
    of_a_task: bool, verdict: str, tmp_path: Path
) -> None:
    source = WRONG if of_a_task else OWN
    found = {"source": source, "checks": TASK.checks.to_json(), "report": {"outcome": "passed"}}
    answer = found | ({"task": TASK.text} if of_a_task else {})
    evidence = asyncio.run(PythonLanguage(workers=1).assemble_answer(Theorem("python", TASK.text), answer))
    report = certify(
        {
            "claim": "tested",
            "source": source,
            "function": "distance",
            "evidence": evidence,
            "directory": str(tmp_path / "certificate"),
            "info": {},
            "seed": 0,
        }
    )
    assert report["verdict"] == verdict, report
    assert not (tmp_path / "certificate").exists()
