"""What a small theorem does not need is not loaded, and nothing else is different for that."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from goedels_poetry.cli import prove as prove_command
from goedels_poetry.cli.app import app
from goedels_poetry.cli.configure import _validated, settings
from goedels_poetry.cli.main import FEW_COLLECTIONS, MORE_COLLECTIONS
from goedels_poetry.cli.report import Report, show
from goedels_poetry.cli.short import run_short, told_to_prove
from goedels_poetry.settings import Budgets, LeanSettings, ModelSettings, Settings
from goedels_poetry.settings import declared as declarations
from goedels_poetry.settings.plain import Plain, plain_settings
from goedels_poetry.trace.terminal import PIPE_WIDTH, console, lines_to, say
from goedels_poetry.tree.results import RunResult
from goedels_poetry.tree.state import NodeStatus, ProofNode, Verdict

HEAVY = ("langgraph", "pydantic", "pydantic_settings", "rich", "typer", "z3", "cvc5")
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


# -- settings ---------------------------------------------------------------------------------------------------
def plainly(value: Any) -> Any:
    """A group of settings of either kind as plain values."""
    if isinstance(value, Plain):
        fields = type(value.validated()).model_fields
        return {name: plainly(vars(value)[name]) for name in fields}
    if hasattr(type(value), "model_fields"):
        return {name: plainly(getattr(value, name)) for name in type(value).model_fields}
    return value


def with_types(value: Any) -> Any:
    return {name: with_types(v) for name, v in value.items()} if isinstance(value, dict) else (type(value), value)


@pytest.fixture
def nothing_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in [*os.environ]:
        if name.upper().startswith("GOEDELS_POETRY__"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".goedels_poetry"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"seed": 7},
        {"budgets": {"wall_seconds": 300.0}},
        {"budgets": {"wall_seconds": 5}},
        {"budgets": {"wall_seconds": None}},
        {"max_concurrency": 3, "use_memory": False, "model_first": True, "symbolic_queries": 0},
        {"models": {"model": None, "base_url": None, "record": None, "replay": None}, "budgets": {}},
    ],
)
@pytest.mark.parametrize("home", [None, "elsewhere"])
def test_what_is_told_without_the_library_is_what_the_library_says(
    nothing_said: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], home: str | None
) -> None:
    if home is not None:
        monkeypatch.setenv("GOEDELS_POETRY__HOME", home)
    plain, validated = plain_settings(os.environ, given), _validated(dict(given))
    assert plain is not None
    assert isinstance(validated, declarations.Settings)
    assert with_types(plainly(plain)) == with_types(plainly(validated))
    assert with_types(plainly(plain.validated())) == with_types(plainly(validated))
    assert plain == validated
    assert (plain.data_dir, plain.max_attempts) == (validated.data_dir, validated.max_attempts)
    assert plain.models.role("prover").model is validated.models.role("prover").model is None


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GOEDELS_POETRY__SEED", "3"),
        ("goedels_poetry__seed", "3"),
        ("GOEDELS_POETRY__BUDGETS__WALL_SECONDS", "9"),
        ("GOEDELS_POETRY__NONSENSE", "x"),
        ("GOEDELS_POETRY__HOME", ""),
        ("goedels_poetry__home", "somewhere"),
        ("GOEDELS_POETRY_HOME", "somewhere"),
    ],
)
def test_whoever_says_something_in_the_environment_is_heard(
    nothing_said: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert plain_settings(os.environ, {}) is None


def test_a_configuration_file_is_heard_wherever_the_data_directory_is(
    nothing_said: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert isinstance(settings(), Plain)
    nothing_said.mkdir()
    (nothing_said / "config.toml").write_text("seed = 5\n")
    assert settings().seed == 5
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path / "other"))
    assert settings().seed == 0
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.toml").symlink_to(nothing_said / "config.toml")
    assert settings().seed == 5


@pytest.mark.parametrize(
    "given",
    [
        {"seed": True},
        {"max_concurrency": 0},
        {"budgets": {"wall_seconds": -1.0}},
        {"budgets": {"wall_seconds": float("inf")}},
        {"budgets": {"depth": 3}},
        {"models": {"model": "some"}},
        {"when_hopeless": "keep"},
    ],
)
def test_what_has_to_be_looked_at_is_left_to_the_library(nothing_said: Path, given: dict[str, Any]) -> None:
    assert plain_settings(os.environ, given) is None


def test_plain_settings_are_frozen_and_know_all_that_validated_ones_know(nothing_said: Path) -> None:
    plain = settings(seed=4)
    assert isinstance(plain, Plain)
    assert isinstance(plain, Settings)
    assert isinstance(plain.budgets, Budgets)
    assert not isinstance(plain.budgets, LeanSettings)
    assert plain.model_copy(update={"seed": 5}).seed == 5
    assert plain.model_dump()["budgets"]["depth"] == 20
    assert plain.model_fields_set == {"seed"}
    assert repr(plain) == repr(_validated({"seed": 4}))
    with pytest.raises(ValueError, match="frozen"):
        plain.seed = 5
    with pytest.raises(AttributeError):
        plain.no_such_setting  # noqa: B018


def test_a_class_of_settings_behaves_like_the_one_that_it_stands_for(nothing_said: Path) -> None:
    assert Settings.model_fields is declarations.Settings.model_fields
    assert isinstance(Settings(), declarations.Settings)
    assert isinstance(declarations.Settings(), Settings)
    assert issubclass(declarations.Budgets, Budgets)
    assert not isinstance(7, Settings)

    class Own(ModelSettings):
        more: int = 1

    assert issubclass(Own, declarations.ModelSettings)
    assert Own(more=2, retries=3).retries == 3


# -- command lines ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "line",
    [
        "t.smt2",
        "t.smt2 -q",
        "--quiet t.smt2 u.smt2",
        "folder --json --jobs 3",
        "t.smt2 -j 2 --seed 11 --timeout 2.5 --fresh",
        "t.smt2 --no-bank --timeout 0 --out some/where",
        "t.smt2 --timeout 10",
        "t.smt2 --timeout 90s",
        "t.smt2 --timeout 1.5m",
        "t.smt2 --timeout 500ms",
        "t.smt2 --proof",
        "--no-proof t.smt2",
        "t.smt2 --proof --no-proof",
    ],
)
def test_a_short_line_means_what_it_means_when_it_is_parsed(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(prove_command, "prove_all", lambda request: asked.append(request) or 0)
    assert CliRunner().invoke(app, ["prove", *line.split()]).exit_code == 0
    assert run_short(["prove", *line.split()], {}) == 0
    parsed, short = asked
    assert short == parsed
    assert with_types(vars(short)) == with_types(vars(parsed))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "-",
        "--help",
        "t.smt2 --resume",
        "t.lean --diff",
        "t.lean --write",
        "t.smt2 --jobs",
        "t.smt2 --jobs 0",
        "t.smt2 --jobs -1",
        "t.smt2 --jobs=2",
        "t.smt2 -j2",
        "t.smt2 --seed 1_0",
        "t.smt2 --seed 1 --seed 2",
        "t.smt2 --timeout -1",
        "t.smt2 --timeout nan",
        "t.smt2 --timeout 1e3",
        "t.smt2 --timeout 1h30m",
        "t.smt2 --timeout 10sec",
        "t.smt2 --quie",
        "t.smt2 -qj 2",
        "t.smt2 -- u.smt2",
        "t.smt2 --model m",
        "t.smt2 --out --json",
    ],
)
def test_what_is_not_understood_at_first_sight_is_parsed(line: str) -> None:
    assert told_to_prove(line.split()) is None


def test_no_other_command_and_no_completion_is_short() -> None:
    assert run_short(["runs"], {}) is None
    assert run_short([], {}) is None
    assert run_short(["prove", "t.smt2"], {"_GOEDELS_POETRY_COMPLETE": "complete_bash"}) is None
    assert run_short(["ask", "--program", "p.json", "--json"], {}) is None


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
