"""The shell completes commands, options, languages and runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BASH = r"""
set -eu
program() { "$PYTHON" -m goedels_poetry "$@"; }
source /dev/stdin <<<"$(program --show-completion)"
complete -p goedels-poetry
printf '#!/bin/sh\nexec "$PYTHON" -m goedels_poetry "$@"\n' > "$PLACE/goedels-poetry"
chmod +x "$PLACE/goedels-poetry"
COMP_WORDS=(goedels-poetry prove --lang) COMP_CWORD=2
_goedels_poetry_completion "$PLACE/goedels-poetry"
echo "${COMPREPLY[*]}"
"""


def test_bash_takes_the_script_and_completes_with_it(tmp_path: Path, home: Path) -> None:
    env = {**os.environ, "PYTHON": sys.executable, "PLACE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", BASH], env=env, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    declared, completed = done.stdout.splitlines()
    assert declared == "complete -o default -F _goedels_poetry_completion goedels-poetry"
    assert completed == "--language"


def completed(cli: Any, shell: str, line: str) -> list[str]:
    words = line.split(" ")
    if shell == "bash":
        how = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    else:
        how = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    return [*filter(None, cli(env={"_GOEDELS_POETRY_COMPLETE": f"complete_{shell}", **how}).out.splitlines())]


def test_languages_and_runs_are_completed(cli: Any, home: Path) -> None:
    for name in ("abc123", "abd456", "unfinished"):
        (home / "runs" / name).mkdir(parents=True)
    for name in ("abc123", "abd456"):
        (home / "runs" / name / "run.json").write_text("{}")
    assert completed(cli, "bash", "goedels-poetry prove --language ") == ["smt", "lean", "python", "logic"]
    assert completed(cli, "bash", "goedels-poetry show ") == ["abc123", "abd456"]
    assert completed(cli, "bash", "goedels-poetry trace abd") == ["abd456"]
    assert completed(cli, "bash", "goedels-poetry show *") == []
