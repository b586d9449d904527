"""Runs that are killed, and tools that are lost."""

import errno
import subprocess
from pathlib import Path
from typing import Any

import kill_test
import pytest
from toy_language import ToyLanguage, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.errors import MissingTool, RunLocked, Unavailable
from goedels_poetry.languages import Goal, Outcome, Theorem
from goedels_poetry.solvers.limits import SolverUnavailable


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


class Failing(ToyLanguage):
    """The first direct attempt meets with an error that is not its own."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error: Exception | None = error

    async def prove(self, goal: Goal) -> Outcome:
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return await super().prove(goal)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EMFILE, "Too many open files"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        SolverUnavailable("z3 cannot be run: exit code 1"),
        Unavailable("no worker"),
        MissingTool("the cluster does not answer any more"),
    ],
    ids=str,
)
async def test_what_the_machine_cannot_do_now_costs_no_attempt(framework: MakeFramework, error: Exception) -> None:
    fw = framework(Failing(error))
    result = await fw.arun(theorem(), name="t")
    assert result.verdict is Verdict.OUT_OF_BUDGET
    assert "the machine cannot go on" in result.reason and str(error.args[-1]) in result.reason
    assert result.reason.endswith(f"run {result.run_id} can be resumed")
    again = await fw.arun(theorem(), name="t")
    assert (again.verdict, again.run_id) == (Verdict.PROVED, result.run_id)
    with fw.open_store(again.run_id) as store:
        assert store.root().attempts == 1


class CannotAssemble(ToyLanguage):
    """What is needed to put the proof together for the checker is not there the first time."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error: Exception | None = error

    async def assemble(self, theorem: Theorem, derivation: list[dict[str, Any]]) -> dict[str, Any]:
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return await super().assemble(theorem, derivation)


async def test_a_check_for_which_the_machine_has_nothing_to_give_is_made_on_resume(framework: MakeFramework) -> None:
    fw = framework(CannotAssemble(OSError(errno.EMFILE, "Too many open files")))
    result = await fw.arun(theorem(), name="t")
    assert result.verdict is Verdict.OUT_OF_BUDGET
    assert "the machine cannot go on before the whole proof was checked" in result.reason
    assert result.reason.endswith(f"run {result.run_id} can be resumed")
    assert (await fw.arun(theorem(), name="t")).verdict is Verdict.PROVED
