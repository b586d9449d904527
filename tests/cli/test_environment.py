"""Variables of the environment that look like settings and are none are told, once and with the right name."""

from collections.abc import Callable
from typing import Any

import pytest

from goedels_poetry.settings.declared import unknown_variables


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


def test_a_command_says_it_in_one_line_on_standard_error_and_goes_on(program: Callable[..., Any]) -> None:
    ran = program("runs", env={"GOEDELS_POETRY__HOMES": "/somewhere"})
    assert ran.code == 0
    lines = [line for line in ran.err.splitlines() if "HOMES" in line]
    assert lines == [
        "warning: the environment variable GOEDELS_POETRY__HOMES names no setting; did you mean GOEDELS_POETRY__HOME?"
    ]
