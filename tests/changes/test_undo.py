"""Every state of a run can be had again, a run can go on from any of them, and a killed one goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, Server
from scripted_changes import STATS, Scripted, change, work

from goedels_poetry.errors import InvalidInput
from goedels_poetry.search.agents.changes import go_back
from goedels_poetry.search.tasks.change import steps_of, text_of_step
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.runs import Runs

PROGRAM = Path(__file__).resolve().parents[1] / "support" / "scripted_changes.py"
MENDED = STATS.replace("    return sum(xs)", "    if not xs:\n        return 0\n    return sum(xs)")
BROKEN = MENDED.replace("max(xs) - min(xs)", "max(xs)")


def opened(home: Path, run: str) -> ProofStore:
    return ProofStore(Runs(home).get(run).proof_db, read_only=True)


async def test_a_person_goes_back_behind_what_was_kept_and_on_with_another_change(tmp_path: Path) -> None:
    other = STATS.replace("sum(xs) / len(xs)", "sum(xs) / len(xs) if xs else 0")
    done = await work(change(patches=(BROKEN, MENDED)), tmp_path)
    assert done.moves == ["refine by table", "keep by table"] and done.text == MENDED
    run = done.result.run_id
    with opened(tmp_path, run) as store:
        states = [text_of_step(store, step, STATS) for step in range(3)]
        assert states == [STATS, BROKEN, MENDED]
        with pytest.raises(KeyError):
            text_of_step(store, 3, STATS)
    with pytest.raises(InvalidInput, match="no state after step 7"):
        go_back(tmp_path, run, 7)
    checked = Runs(tmp_path).get(run).path / "certificate"
    checked.mkdir(exist_ok=True)
    (checked / "what").write_text("was checked before")
    assert go_back(tmp_path, run[:6], 0, (other,)) == run
    assert (checked.with_name("certificate-1") / "what").is_file() and not checked.exists()  # it makes room
    again = await work(change(), tmp_path, run_id=run)
    assert again.text == other and again.claims_tested
    assert again.moves == ["refine by table", "keep by table", "roll_back by person", "keep by table"]
    with opened(tmp_path, run) as store:
        assert [text_of_step(store, step, STATS) for step in range(4)] == [STATS, BROKEN, MENDED, other]
        assert [step.get("to") for step in steps_of(store)[1:]] == [1, 0, 3]


class Steady(Scripted):
    """Answers the same question the same, as one that was under way at a kill is asked again."""

    def __init__(self, changes: list[str], decisions: list[str]) -> None:
        super().__init__(changes, decisions)
        self.times: Counter[str] = Counter()
        self._said: dict[str, Answer] = {}

    def __call__(self, asked: dict[str, Any]) -> Answer:
        question = str(asked["messages"])
        self.times[question] += 1
        if question not in self._said:
            self._said[question] = super().__call__(asked)
        return self._said[question]


def killed(home: Path, url: str, moment: str) -> bool:
    """Work in a process of its own, killed as soon as it says that ``moment``."""
    command = [sys.executable, str(PROGRAM), str(home), url]
    environment = {**os.environ, "GOEDELS_POETRY__HOME": str(home)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment
    ) as process:
        assert process.stdout is not None
        said = any(line.strip().startswith(moment) for line in process.stdout)
        if said:
            os.killpg(process.pid, signal.SIGKILL)
    return said


@pytest.mark.whole("machine/test_tasks.py::test_a_fourth_task_goes_on_after_kill_9_in_another_process")
async def test_a_killed_run_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    model = Steady([f"```python\n{BROKEN}```", f"```python\n{MENDED}```"], ["refine"])
    with Server(model) as server:
        assert killed(tmp_path, server.url, "decider refine")
        done = await work(change(), tmp_path, server)
    assert done.moves == ["refine by model", "keep by table"] and done.text == MENDED and done.claims_tested
    assert max(model.times.values()) <= 2  # what no reply had come to was asked again
    assert len(model.asked_for_changes) == 2 and len(model.asked_for_decisions) == 1
    assert sum(event.outcome == "resumed" for event in done.events) == 1
