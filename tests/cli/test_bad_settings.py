"""A bad setting is told with the place where it was said, and what is wrong with it; the same on every path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.cli.configure import BadSettings, settings


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path))
    return tmp_path / "config.toml"


def told(**flags: Any) -> str:
    with pytest.raises(BadSettings) as bad:
        settings(**flags)
    return str(bad.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('seed = 1\n[budgets]\ndepth = "x"\n', ": budgets.depth: Input should be a valid integer"),
        ("sede = 1\n", ": sede: there is no such setting; did you mean seed?"),
        ("[budgets]\n\ndpeth = 1\n", ": budgets.dpeth: there is no such setting; did you mean budgets.depth?"),
        ("[budgets]\nqqq = 1\n", ": budgets.qqq: there is no such setting; budgets has wall_seconds, agent_steps,"),
        ("budgets = {depth = -1}\n", ": budgets.depth: Input should be greater than or equal to 0, not -1"),
        ("budgets.depth = -1\n", ": budgets.depth: Input"),
        ('[schedule]\nbeam = [1, "x"]\n', ": schedule.beam[1]: Input"),
        ('[models.prover]\nmodel = "m"\nbase_url = "ftp"\n', ": models.prover.base_url: 'ftp' is not an address"),
        ("budgets = 3\n", ": budgets: Input"),
        ("seed = \n", ": Invalid value"),
        ("seed = 1\nseed = 2\n", ": Cannot overwrite a value"),
        ("seed", ": Expected '='"),
        ('[budgets]\nwall_seconds = "soon"\n', ": budgets.wall_seconds: 'soon' is no length of time"),
    ],
)
def test_the_file_is_named(file: Path, text: str, words: str) -> None:
    file.write_text(text)
    assert told().startswith(f"{file}{words}")


def test_a_secret_is_not_told(file: Path) -> None:
    file.write_text("[models.prover]\napi_key = 12345\n")
    assert told() == f"{file}: models.prover.api_key: Input should be a valid string"
