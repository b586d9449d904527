"""Packages of somebody else, installed in a folder of a test: what pip would leave there."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def install(site: Path, package: str, code: str, entry_points: Mapping[str, str]) -> None:
    """A package of one module. ``entry_points``: ``group:name`` to the attribute of the module."""
    info = site / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (site / f"{package}.py").write_text(code)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = []
    for where, attribute in entry_points.items():
        group, _, name = where.partition(":")
        lines += [f"[goedels_poetry.{group}]", f"{name} = {package}{attribute and ':' + attribute}"]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def command(site: Path, home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The real program, in a process of its own, with these packages installed."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{site}", "GOEDELS_POETRY__HOME": str(home)}
    words = [sys.executable, "-m", "goedels_poetry", *map(str, arguments)]
    return subprocess.run(words, env=environment, cwd=home.parent, capture_output=True, text=True, timeout=110)
