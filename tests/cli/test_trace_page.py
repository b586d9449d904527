"""`trace RUN --html FILE` and `trace --compare A B`."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

FALSE = "(prove (forall ((x Int)) (= x (+ x 1))))"


@pytest.fixture
def two_runs(cli: Any, theorems: Path, tmp_path: Path) -> tuple[str, str]:
    """A theorem that is proved by a sketch, and one that is false."""
    (tmp_path / "false.smt2").write_text(FALSE)
    found = cli("prove", theorems / "swap_twice.smt2", "false.smt2", "--json").objects()
    assert [result["verdict"] for result in found] == ["proved", "refuted"]
    return found[0]["run_id"], found[1]["run_id"]


def test_the_page_is_one_file_that_asks_nobody(cli: Any, two_runs: tuple[str, str], tmp_path: Path) -> None:
    ran = cli("trace", two_runs[0][:8], "--html", "run.html")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    page = (tmp_path / "run.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert two_runs[0] in page
    assert "default-src &#x27;none&#x27;" in page
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https:" not in page
    assert not stat.S_IMODE((tmp_path / "run.html").stat().st_mode) & 0o111
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


def test_a_page_that_cannot_be_written_is_a_line(cli: Any, two_runs: tuple[str, str]) -> None:
    ran = cli("trace", two_runs[0], "--html", "missing/run.html")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot write missing/run.html" in ran.err
    assert cli("trace", "nonsense", "--html", "run.html").code == 2


def test_two_runs_side_by_side(cli: Any, two_runs: tuple[str, str]) -> None:
    a, b = two_runs
    table = cli("trace", "--compare", a, b).out
    assert "different theorems" in table
    assert {a, b, "proved", "refuted"} <= set(table.split())
    assert "first difference: goal 0" in table
    (found,) = cli("trace", "--compare", a, b, "--json").objects()
    assert (found["schema"], found["same_theorem"]) == (1, False)
    assert (found["a"]["verdict"], found["b"]["verdict"]) == ("proved", "refuted")
    assert found["proved_in_a_only"]["count"] == found["a"]["figures"]["proved"] >= 1
    assert found["parting"]["a"]["seq"] == found["parting"]["b"]["seq"]
    assert found["parting"]["a"]["outcome"] != found["parting"]["b"]["outcome"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("RUN", "--compare", "RUN", "RUN"),
        ("RUN", "--json"),
        ("RUN", "--html", "x.html", "--format", "dot"),
        ("RUN", "--html", "x.html", "--at", "1"),
        ("--compare", "RUN", "RUN", "--at", "1"),
        ("--compare", "RUN"),
        ("--compare", "RUN", "nonsense"),
    ],
)
@pytest.mark.sample(3)
def test_options_that_do_not_go_together_are_refused(
    cli: Any, two_runs: tuple[str, str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    ran = cli("trace", *(two_runs[0] if word == "RUN" else word for word in arguments))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err
    assert not (tmp_path / "x.html").exists()
