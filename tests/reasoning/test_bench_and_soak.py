"""The scripts that measure programs a second and watch long runs: that they find right what is right."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=100, cwd=SCRIPTS, env=environment
    )


def test_our_verdicts_are_those_of_solver_processes_that_share_nothing_with_us() -> None:
    done = run("bench_questions.py", "--programs", "16", "--rounds", "1", "--bar", "0", "--threads", "4", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert len(found["programs_per_second"]) == 4


def test_threads_whose_solvers_are_killed_get_no_wrong_answer_and_leave_nothing_behind() -> None:
    done = run("soak_questions.py", "--threads", "4", "--seconds", "1", "--kill")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "wrong: 0; raised: 0; grown: False; processes left: 0" in done.stdout
    (killed,) = re.findall(r"killed: (\d+)", done.stdout)
    assert int(killed) >= 3
