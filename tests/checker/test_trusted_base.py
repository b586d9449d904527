"""What the checker rests on: no search, no agent, no model, no graph."""

from __future__ import annotations

import subprocess
import sys


def test_the_checker_imports_nothing_of_the_search() -> None:
    program = "import sys; from goedels_poetry.checker import *; print('\\n'.join(sorted(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    ours = [name for name in loaded if name.startswith("goedels_poetry.")]
    assert "goedels_poetry.checker.smt.check" in ours
    for word in ("engine", "agents", "strategies", "memory", "graph", "supervisor", "models", "checker.jobs"):
        assert not [name for name in ours if f".{word}" in name], word
