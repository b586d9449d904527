"""Lengths of time: one parser for every option and setting, and every wrong word answered with what is accepted."""

from __future__ import annotations

from typing import Any

import pytest

from goedels_poetry.settings.declared import FORMS, seconds


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


def test_a_wrong_length_of_time_is_told_with_the_option(cli: Any) -> None:
    ran = cli("prove", "t.smt2", "--timeout", "10 parsecs")
    assert ran.code == 2
    assert "--timeout" in ran.err
    assert FORMS in " ".join(ran.err.split())
