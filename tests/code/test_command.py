"""The command ``code``: the verdict last, the function where it was asked for, and nothing overwritten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import scripted_code  # noqa: F401  the machine's table
from model_server import Answer, Server
from scripted_code import Scripted, proposals
from typer.testing import CliRunner, Result

from goedels_poetry.cli.app import app
from goedels_poetry.store.results import RunResult

TASK = """
task = "The double of x."
signature = "def double(x: int) -> int"
examples = ["double(2) == 4", "double(-3) == -6"]
max_attempts = 3
"""
RIGHT = "def double(x: int) -> int:\n    return x + x\n"
WRONG = "def double(x: int) -> int:\n    return x * x\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "double.toml"
    path.write_text(TASK, "utf-8")
    return path


def command(*arguments: str | Path, script: Scripted | None = None) -> Result:
    """The command by itself; with a script there is a model."""
    line = ["code", *(str(argument) for argument in arguments)]
    if script is None:
        return CliRunner().invoke(app, line)
    with Server(script) as server:
        return CliRunner().invoke(app, [*line, "--model", "scripted", "--base-url", server.url, "--model-first"])


def test_the_function_is_written_whole_and_nothing_is_overwritten(file: Path, tmp_path: Path) -> None:
    place = tmp_path / "double.py"
    done = command(file, "--save", place, script=Scripted(RIGHT))
    assert done.exit_code == 0, done.output
    assert place.read_text("utf-8") == RIGHT
    assert f"written to {place}" in done.stdout
    place.write_text("mine", "utf-8")
    script = Scripted(RIGHT)
    refused = command(file, "--save", place, script=script)
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert place.read_text("utf-8") == "mine"
    assert script.asked == []
    assert command(file, "--save", place, "--force", script=Scripted(RIGHT)).exit_code == 0
    assert place.read_text("utf-8") == RIGHT
    assert not list(tmp_path.glob(".*tmp"))


def test_what_did_not_pass_is_not_written(file: Path, tmp_path: Path) -> None:
    place = tmp_path / "double.py"
    done = command(file, "--save", place, script=Scripted(WRONG, WRONG.replace("x * x", "x")))
    assert done.exit_code == 1
    assert not place.exists()
    assert done.stdout.rstrip().splitlines()[-1].startswith("unknown")
    assert "the best attempt (1 of 2 checks)" in done.stdout


def test_json_is_one_object_a_task(file: Path) -> None:
    done = command(file, "--json", script=Scripted(RIGHT, hostile=(proposals(("double(0)", "1")),)))
    result: dict[str, Any] = json.loads(done.stdout)
    assert (result["verdict"], result["exit_code"], result["language"]) == ("tested", 0, "python")
    assert result["answer"]["source"] == RIGHT
    assert [entry["outcome"] for entry in result["answer"]["attempts"]] == ["passed"]
    assert "the task does not decide it" in result["warnings"][0]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TASK.replace("examples", "example"), "3|4"),
        ("task = ", "not TOML"),
        (TASK.replace("def double(x: int)", "def double(x: int"), "signature"),
    ],
)
def test_a_task_that_cannot_be_read_is_invalid_with_its_line(text: str, message: str, file: Path) -> None:
    file.write_text(text, "utf-8")
    done = command(file)
    assert done.exit_code == 2
    assert any(each in done.stdout for each in message.split("|"))
    assert done.stdout.rstrip().splitlines()[-1].startswith("invalid")


def test_several_tasks_end_with_a_table_and_the_worst_exit_code(file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("task = 1", "utf-8")
    folder = tmp_path / "functions"
    done = command(file, broken, "--save", folder, script=Scripted(RIGHT))
    assert done.exit_code == 2
    lines = done.stdout.rstrip().splitlines()
    assert lines[-1] == "1 of 2 tested"
    assert [path.name for path in folder.iterdir()] == [f"{str(file)[1:].removesuffix('.toml').replace('/', '_')}.py"]


HUMAN_EVAL = {
    "task_id": "Own/0",
    "prompt": 'def double(x: int) -> int:\n    """ The double of x.\n    >>> double(2)\n    4\n    """\n',
    "entry_point": "double",
    "canonical_solution": "    return 2 * x\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(-3) == -6\n",
}
MBPP = {
    "task_id": 7,
    "text": "Write a function to find the double of x.",
    "code": "def double(x):\n  return 2 * x",
    "test_list": ["assert double(2) == 4", "assert double(-3) == -6"],
    "test_setup_code": "",
    "challenge_test_list": [],
}


@pytest.mark.parametrize("record", [HUMAN_EVAL, MBPP], ids=["HumanEval", "MBPP"])
def test_problems_of_data_sets_are_tasks(record: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    other = {**record, "task_id": "Own/1" if "prompt" in record else 8}
    path.write_text("".join(json.dumps(each) + "\n" for each in (record, other)), "utf-8")
    script = Scripted(WRONG, RIGHT)
    done = command(path, "--json", "--limit", "1", script=script)
    result = json.loads(done.stdout)
    assert result["verdict"] == "tested", done.output
    assert [entry["outcome"] for entry in result["answer"]["attempts"]] == ["failed", "passed"]
    missing = command(path, "--problem", result["input"], "--problem", "nowhere")
    assert missing.exit_code == 2
    assert "there is no problem nowhere" in missing.stderr
    path.write_text(json.dumps(record) + "\n{broken\n", "utf-8")
    broken = command(path)
    assert broken.exit_code == 2
    assert f"{path}:2" in broken.stderr


HALVES = """
task = "Half of a number of coins, rounded up."
signature = "def half(n: int) -> int"
examples = ["half(4) == 2", "half(0) == 0"]
"""
DOWN = "def half(n: int) -> int:\n    return n // 2\n"
ROUNDED = Answer('```json\n{"tests": [{"call": "half(5)", "expected": "3", "words": "rounded up"}]}\n```')


@pytest.mark.parametrize(
    ("require", "code"), [((), 0), (("--require", "tested"), 1), (("--require", "proved"), 1)], ids=str
)
def test_the_verdict_says_that_it_is_disputed_and_the_exit_code_where_it_is_asked_for(
    require: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    file = tmp_path / "half.toml"
    file.write_text(HALVES, "utf-8")
    done = command(file, *require, script=Scripted(DOWN, hostile=(ROUNDED,)))
    assert done.exit_code == code, done.output
    *_, line, reason, verdict = done.stdout.rstrip().splitlines()
    assert verdict.startswith(f"tested, disputed  {file}")
    assert any("disputed: " in each and "half(5)" in each and "rounded up" in each for each in (line, reason))
    told = command(file, *require, "--json", script=Scripted(DOWN, hostile=(ROUNDED,)))
    result = json.loads(told.stdout)
    assert (result["verdict"], result["exit_code"], result["disputed"][0]["input"]) == ("tested", code, {"n": "5"})
    assert RunResult.from_json(result).disputed == tuple(result["disputed"])
    shown = CliRunner().invoke(app, ["show", result["run_id"]]).stdout.rstrip().splitlines()
    assert shown[-1].startswith(f"tested, disputed  {file}") and any("rounded up" in each for each in shown)
