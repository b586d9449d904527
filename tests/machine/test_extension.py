"""A package of somebody else adds an agent and a strategy; nothing of ours is edited."""

from __future__ import annotations

import importlib
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_language import ToyLanguage, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import Verdict
from goedels_poetry.store.results import Event

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
