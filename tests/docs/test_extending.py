"""docs/extending.md: its files run as they are printed, and its table of Protocols is what the code has."""

import asyncio
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry import Verdict
from goedels_poetry.checker import Checker, Submission

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text("utf-8")
FILES = [code for code in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S) if "GoedelsPoetryFramework(" in code]


def run(code: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A file as Python runs it, in a folder and with a data directory of its own."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(place / "home"))
    (place / "mine.py").write_text(code)
    return runpy.run_path("mine.py", run_name="__main__")


def test_one_file_of_forty_lines_adds_an_agent_and_a_strategy_and_shows_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tutorial = FILES[0]
    assert len(tutorial.splitlines()) <= 40
    result = run(tutorial, tmp_path, monkeypatch)["result"]
    said = capsys.readouterr().out
    assert str(result.verdict) == "proved"
    assert "agent librarian (__main__)" in said and "strategy zero first (__main__)" in said
    assert [warning for warning in result.warnings if "failed" in warning] == []
    for shown in ((tmp_path / "graph.mmd").read_text(), (tmp_path / "page.html").read_text(), said):
        assert "librarian" in shown and "zero first" in shown
    assert "asked the librarian: " in (tmp_path / "page.html").read_text()


def test_the_language_of_the_page_runs_and_is_worth_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(FILES[1], tmp_path, monkeypatch)
    assert "unknown the language parity claims proved; no checker is registered for it" in capsys.readouterr().out


def test_the_checker_of_the_page_decides_by_the_users_text_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = (code for code in re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S) if "ParityChecker" in code)
    checker = run(code, tmp_path, monkeypatch)["ParityChecker"]()
    assert isinstance(checker, Checker)

    def certify(text: str, half: int) -> Any:
        evidence = {"derivation": [{"id": "0", "proof": {"half": half}}]}
        claim = Submission("parity", Verdict.PROVED, text, {}, evidence, tmp_path / text, {})
        return asyncio.run(checker.certify(claim))

    accepted = certify("12 is even\n", 6)
    assert (accepted.verdict, accepted.trust_level) == ("proved", "L1")
    assert checker.check(accepted.path, "12 is even\n").accepted
    assert checker.check(accepted.path, "14 is even").refused
    for text, half in (("12 is odd", 6), ("13 is even", 6), ("12 is even", 7)):
        assert certify(text, half).verdict == "unknown"
