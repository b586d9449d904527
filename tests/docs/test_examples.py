"""Each example installs as a package of somebody else's, and does what it says."""

import json
import os
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from foreign_packages import command

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PACKAGES = sorted(file.parent for file in EXAMPLES.glob("*/pyproject.toml"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of them, installed by pip into one folder; nothing is fetched."""
    pytest.importorskip("hatchling", reason="what the examples are built with is not installed")
    place = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run([*pip, "--target", place, *PACKAGES], capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def objects(done: "subprocess.CompletedProcess[str]") -> list[dict[str, Any]]:
    assert "Traceback" not in done.stderr, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_kind_is_there_and_small() -> None:
    groups = set()
    for package in PACKAGES:
        declared = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"].get("entry-points", {})
        groups |= {group.partition(".")[2] for group in declared}
        assert sum(len(file.read_text("utf-8").splitlines()) for file in package.rglob("*.py")) <= 60, package.name
    assert groups == {"agents", "strategies", "languages", "checkers"} and len(PACKAGES) == 5
    assert not list(EXAMPLES.rglob("*.egg-info")) and not list(EXAMPLES.rglob("build"))


def test_the_agent_the_retriever_and_the_strategy_take_part_in_a_run(site: Path, home: Path) -> None:
    (proved,) = objects(command(site, home, "prove", EXAMPLES / "strategy" / "plus.smt2", "--json", "-q"))
    assert (proved["verdict"], proved["trust_level"]) == ("proved", "L3")
    events = objects(command(site, home, "trace", "last"))
    outcomes = {(event["agent"], event["outcome"]) for event in events}
    assert any(agent == "audit" and outcome.endswith("audited after 1 failures") for agent, outcome in outcomes)
    assert any(agent == "house_facts" and "house facts: none" in outcome for agent, outcome in outcomes)
    assert any(outcome == "sketched: zero first" for _, outcome in outcomes)
    (page,) = objects(command(site, home, "show", "last", "--json"))
    assert {"failures", "depth"} <= next(h for h in page["nodes"][0]["history"] if h["kind"] == "audit").keys()


@pytest.mark.whole("docs/test_examples.py::test_the_agent_the_retriever_and_the_strategy_take_part_in_a_run")
def test_the_retriever_offers_what_the_theorem_speaks_of(site: Path, home: Path) -> None:
    theorem = ROOT / "theorems" / "smt" / "reverse_twice.smt2"
    assert objects(command(site, home, "prove", theorem, "--json", "-q"))[0]["verdict"] == "proved"
    told = [e["outcome"] for e in objects(command(site, home, "trace", "last")) if e["agent"] == "house_facts"]
    assert told and all(outcome.endswith("house facts: reverse_append, append_empty") for outcome in told)


def test_the_language_is_decided_by_its_own_checker_and_by_nobody_else(site: Path, home: Path, tmp_path: Path) -> None:
    for name, text in {"twelve": "12 is even\n", "seven": "7 is even\n"}.items():
        (tmp_path / f"{name}.parity").write_text(text)
    (even,) = objects(command(site, home, "prove", "twelve.parity", "--json", "-q"))
    assert (even["verdict"], even["checked_by"]) == ("proved", "goedels-poetry-example-language 1.0")
    assert command(site, home, "check", even["certificate"], "--against", "twelve.parity").returncode == 0
    assert command(site, home, "check", even["certificate"], "--against", "seven.parity").returncode != 0
    (odd,) = objects(command(site, home, "prove", "seven.parity", "--json", "-q"))
    assert (odd["verdict"], odd["certificate"]) == ("unknown", None)


@pytest.mark.whole("interfaces/test_pytest_plugin.py::test_every_contract_is_an_item_with_its_verdict")
def test_the_package_is_proved_as_its_ci_proves_it(site: Path, home: Path) -> None:
    source = EXAMPLES / "verified_package" / "src"
    done = objects(command(site, home, "prove", source, "--json", "-q", "--require", "proved"))
    assert {result["verdict"] for result in done} == {"proved"} and len(done) == 2
    sums = "from fair_share import pays; print(sum(pays(1000, 7, place) for place in range(7)))"
    env = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{site}"}
    assert subprocess.run([sys.executable, "-c", sums], env=env, capture_output=True, text=True).stdout == "1000\n"


def test_the_application_goes_on_with_what_the_proof_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path))
    runpy.run_path(str(EXAMPLES / "langgraph_app" / "app.py"), run_name="__main__")
    lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert lines == [["propose", "(prove"], ["prove", "refuted"], ["propose", "(prove"], ["prove", "proved"]]


def test_every_cell_of_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path))
    notebook = json.loads((EXAMPLES / "first_steps.ipynb").read_text("utf-8"))
    names: dict[str, Any] = {}
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        exec(compile(cell, "first_steps.ipynb", "exec"), names)  # as a kernel does
    assert (str(names["result"].verdict), str(names["wrong"].verdict)) == ("proved", "refuted")
    assert all(not cell.get("outputs") for cell in notebook["cells"])
