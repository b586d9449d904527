"""The demonstration of lateral thinking: three tasks, each with an approach that fails twice and one that passes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from scripted_code import Scripted, write

PATH = Path(__file__).resolve().parents[2] / "scripts" / "lateral_thinking.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lateral_thinking_script", PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "outcomes", "banned"),
    [
        ("factorial", ["failed", "failed", "banned", "passed"], "recursion"),
        ("fibonacci", ["failed", "failed", "banned", "passed"], "recursion"),
        ("coins", ["failed", "failed", "banned", "passed"], "greedy"),
    ],
)
async def test_what_failed_twice_is_not_run_again_and_another_approach_passes(
    name: str, outcomes: list[str], banned: str, script: ModuleType, home: Path
) -> None:
    task, functions = script.SCENARIOS[name]
    asked = Scripted(*functions)
    done = await write(task, asked, home)
    assert script.holds(done), done.result.reason
    assert done.outcomes == outcomes
    assert done.state.forbidden_strategies == (banned,)
    told = "\n".join(script.shown(task, done))
    assert f"{banned}  BANNED" in told
    assert "'approach_failures': 2, 'forbidden_approaches': 1, 'conversation_entries'" in told
    assert banned in asked.prompt(2)
