"""Ctrl-C, TERM and a closed terminal where no batch is under way: one line, and the exit code that shells give."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "goedels_poetry"]
WHEN_LOADING = """
import os, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number:d})
sys.meta_path.insert(0, Finder())
"""
"""A `sitecustomize`: the signal comes when that module is about to be loaded."""


@pytest.mark.parametrize(
    ("words", "module", "number"),
    [
        (("prove", "t.smt2"), "goedels_poetry.cli.app", signal.SIGINT),
        (("prove", "t.smt2"), "goedels_poetry.cli.prove", signal.SIGTERM),
        (("prove", "t.smt2"), "goedels_poetry.framework", signal.SIGHUP),
        (("bench", "t.smt2"), "goedels_poetry.cli.bench", signal.SIGINT),
        (("bench", "t.smt2"), "goedels_poetry.evaluation", signal.SIGTERM),
    ],
)
def test_a_signal_while_the_program_loads_is_one_line_and_the_code_of_a_shell(
    words: tuple[str, ...], module: str, number: int, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(WHEN_LOADING.format(module=module, number=number), "utf-8")
    env = os.environ | {"GOEDELS_POETRY__HOME": str(tmp_path / "home"), "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    done = subprocess.run([*COMMAND, *words], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "interrupted\n")
    assert not (tmp_path / "home" / "runs").exists()
