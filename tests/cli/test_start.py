"""What a small theorem does not need is not loaded, and nothing else is different for that."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from goedels_poetry.cli.main import FEW_COLLECTIONS, MORE_COLLECTIONS
from goedels_poetry.cli.report import Report, show
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import NodeStatus, ProofNode
from goedels_poetry.trace.terminal import PIPE_WIDTH, console, lines_to, say

HEAVY = ("langgraph", "langchain_core", "openai", "z3", "cvc5")
THEOREM = "(declare-const p Bool)\n(prove (or p (not p)))\n"


# -- what is loaded ---------------------------------------------------------------------------------------------
def test_a_small_theorem_is_proved_without_what_it_does_not_need(program: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "t.smt2").write_text(THEOREM)
    ran = program("prove", tmp_path / "t.smt2", "--quiet", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert ran.code == 0
    assert "trust level L3" in ran.out
    loaded = {line.rpartition("|")[2].strip() for line in ran.err.splitlines()}
    assert "goedels_poetry.cli.prove" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_a_long_program_leaves_what_it_has_loaded_out_of_its_collections(tmp_path: Path) -> None:
    code = """
import gc, importlib
program = importlib.import_module("goedels_poetry.cli.main")
def command():
    print(gc.get_freeze_count(), *gc.get_threshold())
    for _ in range(3):
        gc.collect()  # the first one is noticed, and only that
    print(gc.get_freeze_count() > 1_000, *gc.get_threshold())
program.main = command
program.run()
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    few, more = (" ".join(map(str, thresholds)) for thresholds in (FEW_COLLECTIONS, MORE_COLLECTIONS))
    assert ran.stdout.splitlines() == [f"0 {few}", f"True {more}"]


# -- pages ----------------------------------------------------------------------------------------------------------
def page(out: Console, result: RunResult, nodes: list[ProofNode], theorem: str) -> None:
    show(out, Report(result, theorem, nodes, skipped=result.reason == "again"))


@pytest.mark.parametrize("theorem", ["(or p (not p))", "p", "p and q", "(= x |odd name|)", "∀ x", "x" * 2 * PIPE_WIDTH])
@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_page_that_is_not_drawn_looks_like_one_that_is(theorem: str, verdict: Verdict) -> None:
    result = RunResult(
        "a name [bold] :smile: \x1b[31m.smt2",
        verdict,
        run_id="1234",
        reason="again" if verdict is Verdict.PROVED else "because\tof this",
        trust_level="L3",
        warnings=("one warning",),
        metrics={"nodes": 1, "wall_seconds": 0.25},
    )
    nodes = [ProofNode("0", statement="", status=NodeStatus.PROVED)]
    drawn, plain = io.StringIO(), io.StringIO()
    page(console(drawn), result, nodes, theorem)
    page(lines_to(plain), result, nodes, theorem)
    assert plain.getvalue() == drawn.getvalue()
    assert plain.getvalue().count("\n") >= 3


@pytest.mark.parametrize("variable", ["FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE"])
def test_whoever_wants_colours_or_columns_in_a_pipe_has_them(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "1" if variable != "COLUMNS" else "40")
    drawn, told = io.StringIO(), io.StringIO()
    say(console(drawn), "proved", "bold green")
    say(lines_to(told), "proved", "bold green")
    assert told.getvalue() == drawn.getvalue()
    assert isinstance(lines_to(sys.stdout), Console)
