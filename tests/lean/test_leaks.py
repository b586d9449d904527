"""Requests leave nothing behind in Lean's memory, which is freed by hand in our driver."""

from pathlib import Path

import pytest
from lean_programs import found_by

FEW = 300
"""Bytes a request: Lean's own caches may still grow a little."""


@pytest.mark.whole("lean/test_typechecker.py::test_memory_runs_out")
@pytest.mark.usefixtures("lean")
def test_no_kind_of_request_leaks() -> None:
    lost = found_by(Path(__file__).with_name("leaks.cjs"))
    assert lost.pop("a string that nobody frees") >= 1000, "what counts, counts"
    assert len(lost) == 13
    assert {kind: bytes for kind, bytes in lost.items() if bytes > FEW} == {}
