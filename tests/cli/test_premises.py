"""The command ``premises``, where there is nothing to look up; with Lean it is run by the test of the documents."""

from pathlib import Path

import pytest

from goedels_poetry.cli.premises import look_up
from goedels_poetry.cli.tools import Premises

THEOREMS = Path(__file__).parents[2] / "theorems"


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (str(THEOREMS / "smt" / "reverse_twice.smt2"), "smt has no library in which premises could be looked up"),
        (str(THEOREMS), "a folder; name one file"),
        ("no/such/file.lean", "cannot read no/such/file.lean"),
        (str(Path(__file__).parents[2] / "pyproject.toml"), "no proof language for"),
    ],
)
def test_what_cannot_be_searched_is_named_and_is_an_invalid_input(
    file: str, reason: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "400")
    assert look_up(Premises(file=file)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert reason in " ".join(captured.err.split())
