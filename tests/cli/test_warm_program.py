"""A program that is forked from one that has loaded it is the program: in what it says, and in what it can import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import warm_program
from foreign_packages import install

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("words", [["runs"], ["prove", "--no-such-option"]], ids=" ".join)
def test_it_says_what_a_program_says_that_is_started(words: list[str], tmp_path: Path) -> None:
    env = os.environ | {"GOEDELS_POETRY__HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "goedels_poetry", *words]
    started = subprocess.run(command, stdin=subprocess.DEVNULL, env=env, cwd=tmp_path, capture_output=True, text=True)
    forked = warm_program.run(words, env, tmp_path)
    assert started.returncode == forked.returncode
    assert (started.stdout, started.stderr) == (forked.stdout, forked.stderr)


def test_it_finds_what_it_is_told_and_nothing_of_the_tests(program: Any, tmp_path: Path) -> None:
    install(tmp_path / "site", "stranger", "", {"checkers:x": "y"})
    said = program("doctor", env={"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path / 'site'}"}).out
    assert "x by stranger 1.0" in said
    assert "toy" not in said, "a package that the tests themselves can import"


def test_what_is_for_python_itself_goes_to_one_that_has_not_begun(program: Any) -> None:
    assert warm_program.fits(os.environ | {"PYTHONPATH": "anything"}) == (sys.platform == "linux")
    assert "import time:" in program("--version", env={"PYTHONPROFILEIMPORTTIME": "1"}).err
