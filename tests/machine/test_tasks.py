"""Tasks and languages that others bring along."""

import importlib
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import toy_task
from toy_language import ToyLanguage, theorem
from toy_task import RIDDLES, Riddle
from trees_by_hand import MakeFramework

from goedels_poetry import Verdict
from goedels_poetry.search.machine.kinds import KINDS, id_of, task_of
from goedels_poetry.search.tasks.base import Task
from goedels_poetry.search.tasks.change import Change
from goedels_poetry.search.tasks.claim import Claim, FormalTheorem
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.store.results import Event

MACHINE = Path(__file__).parents[2] / "goedels_poetry" / "search" / "machine"
SUPPORT = Path(toy_task.__file__).parent

TASKS: list[Task] = [
    FormalTheorem("A text."),
    Claim("A text."),
    Claim("A text.", "definitions", steps=("first", "then"), round_trip=False),
    Question("A text."),
    Question("A text.", "One. Two.", choices=(("A", "one"), ("B", "two")), known=("Two.",), sample=2),
    CodeTask(
        "The double of x.", "def double(x: int) -> int", examples=(("double(2)", "4"),), ensures=("result == 2 * x",)
    ),
    Change("x = 1\n", error="NameError: name 'y' is not defined", tests=("pytest",)),
    Question("A text.", conversation=(("assistant", "a program"), ("user", "proved")), task="critique"),
]


@pytest.fixture
def riddles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, Riddle.kind, RIDDLES)


# -- a fourth task -----------------------------------------------------------------------------------------------
async def test_a_fourth_task_with_a_queue_agents_and_a_conclusion_of_its_own_needs_one_line_of_the_table(
    framework: MakeFramework, riddles: None
) -> None:
    events: list[Event] = []
    result = await framework().arun_task(Riddle("T"), ToyLanguage(), {}, on_event=events.append)
    assert result.verdict is Verdict.PROVED
    assert result.input == "riddle of T"
    assert result.answer == {"riddle": "T", "read": "T", "suffix": ".toy"}
    assert "the riddle was let out" in result.warnings
    steps = [(event.agent, event.outcome) for event in events]
    assert steps[:3] == [("framework", "begun"), ("rewriter", "rewritten"), ("framework", "let out")]
    assert steps[-1] == ("framework", "verdict: proved")


async def test_the_certificate_is_about_the_text_that_the_task_submits(framework: MakeFramework, riddles: None) -> None:
    result = await framework().arun_task(Riddle("T"), ToyLanguage(), {})
    assert result.certificate is not None
    certified = json.loads((result.certificate).read_text())
    assert json.loads(certified["theorem"])["root"] == "T"


async def test_a_task_that_cannot_be_worked_on_is_an_invalid_input_and_leaves_no_run(
    framework: MakeFramework, riddles: None
) -> None:
    fw = framework()
    result = await fw.arun_task(Riddle(""), ToyLanguage(), {})
    assert (result.verdict, result.reason) == (Verdict.INVALID, "the riddle is empty")
    assert fw.runs() == []


async def test_a_task_leaves_nothing_to_later_runs_unless_it_says_so(framework: MakeFramework, riddles: None) -> None:
    fw = framework()
    await fw.arun_task(Riddle("T"), ToyLanguage(), {})
    assert not (fw.settings.data_dir / "lemmas.db").exists()
    await fw.arun(theorem(), name="t")
    assert (fw.settings.data_dir / "lemmas.db").exists()


async def test_a_fourth_task_goes_on_after_kill_9_in_another_process(
    framework: MakeFramework, riddles: None, tmp_path: Path
) -> None:
    run_id = killed_after_its_first_step(tmp_path / "killed")
    fw = framework(home=tmp_path / "killed")
    with fw.open_store(run_id) as store:
        task = task_of(store)
        assert store.root().status != "proved"
    assert task == Riddle("T", 0.5)
    result = await fw.aresume(run_id)
    assert (result.verdict, result.run_id) == (Verdict.PROVED, run_id)
    assert result.answer == {"riddle": "T", "read": "T", "suffix": ".toy"}
    with fw.open_store(run_id) as store:
        outcomes = [event.outcome for event in store.events()]
    assert outcomes.count("begun") == outcomes.count("rewritten") == outcomes.count("let out") == 1


def killed_after_its_first_step(home: Path) -> str:
    """The id of a riddle's run whose process was killed when its own agent had committed, and no other."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SUPPORT), str(MACHINE.parents[2])])}
    command = [sys.executable, str(SUPPORT / "toy_task.py"), str(home), "0.5", "T"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        run_id = process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()
    assert run_id
    return run_id


def test_the_same_text_is_another_run_for_each_kind_and_for_all_that_the_result_depends_on() -> None:
    ids = [id_of(task, "toy", options, None) for task in TASKS for options in ({}, {"assume_definitions": True})]
    assert len(set(ids)) == 2 * len(TASKS)
    for task in TASKS:
        assert id_of(task, "toy", {}, None) != id_of(task, "smt", {}, None)
        assert id_of(task, "toy", {"file": "a.toy"}, None) == id_of(task, "toy", {"file": "b.toy"}, None)


CODE = """
from dataclasses import replace

from goedels_poetry import ProofNode, agent, strategy


@agent(queue="retrieve", name="librarian")
async def librarian(node, deps):
    def apply(txn):
        txn.put(replace(node, queue="sketch"))
        return "asked the librarian"

    return apply


@strategy(name="split in two", languages=("toy",))
async def split_in_two(goal):
    if goal.statement == "boom":
        raise RuntimeError("the strategy has a bug")
    if goal.depth_left < 20:
        return None
    return {"children": [{"statement": "left half"}, {"statement": "right half"}]}
"""

ENTRY_POINTS = """
[goedels_poetry.agents]
library = somebodys_plugin
broken = somebodys_broken_plugin

[goedels_poetry.strategies]
halves = somebodys_plugin:split_in_two
nothing = somebodys_plugin:CODELESS
"""


def wheel(folder: Path) -> Path:
    """A wheel built by hand, so that installing it needs no build back end and no network."""
    info = "somebodys_plugin-1.0.dist-info"
    files = {
        "somebodys_plugin.py": CODE,
        "somebodys_broken_plugin.py": "raise ImportError('needs a library that is not there')",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: somebodys-plugin\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": ENTRY_POINTS,
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    path = folder / "somebodys_plugin-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package installed by pip into a directory that is then on the import path."""
    target = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([*install, "--quiet", "--no-cache-dir", str(wheel(tmp_path))], check=True)
    monkeypatch.syspath_prepend(target)
    importlib.invalidate_caches()
    yield target
    for name in ("somebodys_plugin", "somebodys_broken_plugin"):
        sys.modules.pop(name, None)


async def test_an_installed_package_adds_an_agent_and_a_strategy(installed: Path, framework: MakeFramework) -> None:
    events: list[Event] = []
    goals = {"T": {"proof": None, "exhausted": True}}
    fw = framework(ToyLanguage())
    result = await fw.arun(theorem(goals=goals), name="t", on_event=events.append)
    assert result.verdict is Verdict.PROVED
    seen = [(event.agent, event.outcome) for event in events]
    assert ("librarian", "asked the librarian") in seen
    assert ("sketcher", "sketched: split in two") in seen
    with fw.open_store(result.run_id) as store:
        assert [node.statement for node in store.nodes()] == ["", "left half", "right half"]
        assert store.root().strategy == "split in two"


async def test_a_broken_plugin_is_named_and_left_out(installed: Path, framework: MakeFramework) -> None:
    fw = framework()
    result = await fw.arun(theorem(), name="t")
    assert result.verdict is Verdict.PROVED
    with fw.open_store(result.run_id) as store:
        assert "somebodys_broken_plugin" in store.events()[0].reason
    named = [warning for warning in result.warnings if "broken" in warning]
    assert named == [
        "plug-in 'broken' (somebodys_broken_plugin) left out: ImportError: needs a library that is not there"
    ]
    assert any("'nothing'" in warning and "left out" in warning for warning in result.warnings)
