"""The command line as a person or a script meets it: its streams, its exit code.

``program`` is a process of its own. ``cli`` is the same entry point called in this process.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from called import FROM_OUTSIDE, call

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "goedels_poetry"]


@dataclass(frozen=True)
class Ran:
    """What a finished command left behind. No traceback is ever among it."""

    code: int
    out: str
    err: str

    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Cli = Callable[..., Ran]


def environment(home: Path, **more: str) -> dict[str, str]:
    quiet = {name: value for name, value in os.environ.items() if name not in FROM_OUTSIDE}
    return quiet | {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT)} | more


@pytest.fixture(scope="session")
def theorems() -> Path:
    return ROOT / "theorems" / "smt"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def cli(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Call the command in an empty directory with a data directory of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Ran:
        seen = {"GOEDELS_POETRY__HOME": str(home), **(env or {})}
        return Ran(*call([*map(str, arguments)], monkeypatch, capsys, seen, stdin))

    return run


@pytest.fixture
def program(home: Path, tmp_path: Path) -> Cli:
    """Run the command in an empty directory with a data directory of its own."""

    def run(
        *arguments: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None, seconds: float = 60
    ) -> Ran:
        seen = environment(home) | dict(env or {})
        command = [*COMMAND, *map(str, arguments)]
        done = subprocess.run(command, input=stdin, env=seen, cwd=tmp_path, capture_output=True, timeout=seconds)
        ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert "Traceback" not in ran.out + ran.err, ran.err
        return ran

    return run
