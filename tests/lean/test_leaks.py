"""Requests leave nothing behind in Lean's memory, which is freed by hand in our driver."""

import json
import subprocess
from pathlib import Path

import pytest

from goedels_poetry.languages.lean.runtime import embedded

FEW = 300
"""Bytes a request: Lean's own caches may still grow a little."""


@pytest.mark.usefixtures("lean")
def test_no_kind_of_request_leaks() -> None:
    ours, program = Path(embedded.__file__).parent, Path(__file__).with_name("leaks.cjs")
    command = [str(embedded.node_program()), str(program), str(ours), str(embedded.cache_folder())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=115)
    assert done.returncode == 0, done.stderr
    lost = json.loads(done.stdout)
    assert lost.pop("a string that nobody frees") >= 1000, "what counts, counts"
    assert len(lost) == 14
    assert {kind: bytes for kind, bytes in lost.items() if bytes > FEW} == {}
