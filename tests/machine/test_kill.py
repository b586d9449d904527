"""kill -9 at random moments of real processes: the final tree is the undisturbed one's."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import kill_test
import pytest
from toy_language import ToyLanguage, theorem

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.errors import RunLocked


@pytest.mark.timeout(300)
def test_fact_33_killed_runs_resume_to_the_same_tree_and_count_no_attempt_twice(tmp_path: Path) -> None:
    goal = {"proof": None, "exhausted": True, "sketches": [{"strategy": "s", "children": ["g:2:p", "g:2:q"]}]}
    source = theorem(goals={"T": goal}, latency=0.02)  # some forty goals
    lines: list[str] = []
    kill_test.kill_test(tmp_path, source, "g.toy", "toy", kills=2, seed=7, longest=1.0, say=lines.append)
    assert "proved" in lines[0]


def start(home: Path, **spec: Any) -> subprocess.Popen[str]:
    goals = {"T": {"proof": None, "exhausted": True, "sketches": [{"strategy": "s", "children": list("ABCDEF")}]}}
    trial = kill_test.Trial(home, theorem(goals=goals, latency=0.6, **spec), "t.toy", "toy")
    process: subprocess.Popen[str] = trial.start()
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


def test_two_processes_never_work_on_one_run(tmp_path: Path) -> None:
    process = start(tmp_path / "run")
    try:
        with GoedelsPoetryFramework(Settings(home=tmp_path / "run"), language=ToyLanguage()) as framework:
            assert [summary.status for summary in framework.runs()] == ["running"]
            source = (tmp_path / "run" / "theorem").read_text()
            with pytest.raises(RunLocked, match="another process"):
                framework.run(source, name="t.toy")
            process.kill()
            process.communicate()
            assert [summary.status for summary in framework.runs()] == ["stopped"]
            assert framework.run(source, name="t.toy").verdict is Verdict.PROVED
    finally:
        process.kill()
        process.communicate()
