"""Lengths of time: one parser for every option and setting, and every wrong word answered with what is accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from goedels_poetry.cli.app import app
from goedels_poetry.settings.declared import Budgets, ModelSettings
from goedels_poetry.settings.seconds import FORMS, seconds


@pytest.mark.parametrize(
    ("said", "meant"),
    {
        "10": 10,
        "2.5": 2.5,
        "0": 0,
        "1e3": 1000,
        "10s": 10,
        "5m": 300,
        "1h30m": 5400,
        "1H 30M": 5400,
        "500ms": 0.5,
        "1m30s": 90,
        "1.5h": 5400,
        "2d": 172_800,
    }.items(),
)
def test_a_length_of_time_is_read_as_people_write_it(said: str, meant: float) -> None:
    assert seconds(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "",
        " ",
        "s",
        "-1",
        "-5s",
        "nan",
        "inf",
        "1e999",
        "10sec",
        "ten",
        "1m1m",
        "30m1h",
        "1h-5m",
        "1_0",
        "١s",
        "9" * 400,
    ],
)
def test_what_is_none_is_refused_with_the_forms_that_are(said: str) -> None:
    with pytest.raises(ValueError, match="is no length of time") as refused:
        seconds(said)
    assert FORMS in str(refused.value)
    assert len(str(refused.value)) < 300


def options() -> Iterator[tuple[str, Any]]:
    program: Any = get_command(app)
    for name in program.list_commands(None):
        yield from ((name, option) for option in program.get_command(None, name).params)


def test_every_option_in_seconds_is_read_by_it() -> None:
    in_seconds = [
        (name, option.opts[0])
        for name, option in options()
        if option.opts[0].endswith(("timeout", "seconds")) and option.metavar != "MS"
    ]
    assert {("prove", "--timeout"), ("prove", "--max-solver-seconds"), ("check", "--timeout")} <= {*in_seconds}
    for name, option in in_seconds:
        ran = CliRunner().invoke(app, [name, option, "soon"])
        assert (ran.exit_code, FORMS in " ".join(ran.output.split())) == (2, True), (name, option, ran.output)


def test_a_wrong_length_of_time_is_told_with_the_option(cli: Any) -> None:
    ran = cli("prove", "t.smt2", "--timeout", "10 parsecs")
    assert ran.code == 2
    assert "--timeout" in ran.err
    assert FORMS in " ".join(ran.err.split())


def test_a_limit_below_the_least_is_told(cli: Any) -> None:
    ran = cli("check", "nowhere", "--timeout", "50ms")
    assert (ran.code, "at least 0.1 s" in ran.err) == (2, True)


def test_settings_take_units_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Budgets(wall_seconds="1h30m", solver_seconds=2).model_dump()["wall_seconds"] == 5400
    assert ModelSettings(timeout_seconds="2m").timeout_seconds == 120
    with pytest.raises(ValueError, match="is no length of time"):
        Budgets(wall_seconds="soon")
    with pytest.raises(ValueError, match="greater than 0"):
        Budgets(wall_seconds="0s")
