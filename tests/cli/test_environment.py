"""Variables of the environment that look like settings and are none are told, once and with the right name."""

from collections.abc import Callable
from typing import Any

import pytest

from goedels_poetry import Settings
from goedels_poetry.settings.declared import UnknownVariable, unknown_variables
from goedels_poetry.settings.names import DEFAULT_HOME


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("GOEDELS_POETRY__HOMES", "GOEDELS_POETRY__HOME"),
        ("GOEDELS_POETRY__SEDE", "GOEDELS_POETRY__SEED"),
        ("GOEDELS_POETRY__SEED__X", "GOEDELS_POETRY__SEED"),
        ("GOEDELS_POETRY__BUDGET__WALL_SECONDS", "GOEDELS_POETRY__BUDGETS__WALL_SECONDS"),
        ("goedels_poetry__model__default", "GOEDELS_POETRY__MODELS__DEFAULT"),
        ("GOEDELS_POETRY_HOME", "GOEDELS_POETRY__HOME"),
        ("GOEDELS_POETRY_BUDGETS_WALL_SECONDS", "GOEDELS_POETRY__BUDGETS__WALL_SECONDS"),
    ],
)
def test_a_name_that_is_no_setting_is_told_with_the_nearest_one_that_is(wrong: str, right: str) -> None:
    assert unknown_variables({wrong: "1"}) == [
        f"the environment variable {wrong} names no setting; did you mean {right}?"
    ]


def test_a_name_that_is_near_to_none_is_told_alone() -> None:
    assert unknown_variables({"GOEDELS_POETRY__QQQ": "1"}) == [
        "the environment variable GOEDELS_POETRY__QQQ names no setting"
    ]


@pytest.mark.parametrize(
    "name",
    [
        "GOEDELS_POETRY__HOME",
        "goedels_poetry__seed",
        "GOEDELS_POETRY__BUDGETS__DEPTH",
        "GOEDELS_POETRY__MODELS__PROVER__API_KEY",
        "GOEDELS_POETRY__BUDGETS",
        "GOEDELS_POETRY_LEAN",
        "GOEDELS_POETRY_CONTRACTS",
        "GOEDELS_POETRY_SOMETHING_OF_OTHERS",
        "HOME",
    ],
)
def test_settings_and_variables_of_others_are_not_told(name: str) -> None:
    assert unknown_variables({name: "1"}) == []


def test_who_makes_settings_is_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOEDELS_POETRY__HOME", raising=False)
    monkeypatch.setenv("GOEDELS_POETRY__HOMES", "/somewhere")
    with pytest.warns(UnknownVariable, match="did you mean GOEDELS_POETRY__HOME"):
        assert Settings().home == DEFAULT_HOME


def test_a_command_says_it_in_one_line_on_standard_error_and_goes_on(program: Callable[..., Any]) -> None:
    ran = program("runs", env={"GOEDELS_POETRY__HOMES": "/somewhere"})
    assert ran.code == 0
    lines = [line for line in ran.err.splitlines() if "HOMES" in line]
    assert lines == [
        "warning: the environment variable GOEDELS_POETRY__HOMES names no setting; did you mean GOEDELS_POETRY__HOME?"
    ]
