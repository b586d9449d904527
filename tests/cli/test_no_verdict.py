"""What keeps a theorem from being worked on is no verdict about it: it has a name, an exit code and JSON of its own."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from goedels_poetry.cli.run_errors import worst_code
from goedels_poetry.framework import GoedelsPoetryFramework

ROOT = Path(__file__).parents[2]
EASY = "(declare-const p Bool)\n(prove (or p (not p)))\n"
OTHER = "(declare-const q Bool)\n(prove (=> q q))\n"


def schema(name: str) -> Any:
    return json.loads((ROOT / "docs" / "schema" / f"{name}-v1.json").read_text("utf-8"))


@pytest.fixture
def locked(cli: Any, tmp_path: Path, home: Path) -> Iterator[Path]:
    """A theorem whose run somebody, in fact this process, works on; and another one beside it."""
    (tmp_path / "locked.smt2").write_text(EASY)
    (tmp_path / "other.smt2").write_text(OTHER)
    assert cli("prove", "locked.smt2").code == 0
    (lock,) = home.glob("runs/*/lock")
    with lock.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield lock


def test_a_run_that_another_process_works_on_has_no_verdict_and_the_others_go_on(cli: Any, locked: Path) -> None:
    ran = cli("prove", "locked.smt2", "other.smt2", "--json", "--quiet")
    first, second = ran.objects()
    jsonschema.validate(first, schema("result"))
    jsonschema.validate(second, schema("result"))
    assert (ran.code, first["verdict"], first["exit_code"]) == (75, None, 75)
    assert first["error"]["kind"] == "locked"
    assert locked.parent.name in first["reason"]
    assert (second["verdict"], second["exit_code"], second["error"]) == ("proved", 0, None)


def test_a_defect_has_no_verdict_and_the_others_go_on(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = GoedelsPoetryFramework.arun

    async def broken(self: Any, text: str, **how: Any) -> Any:
        if "(or p" in text:
            raise ZeroDivisionError("a defect")
        return await real(self, text, **how)

    monkeypatch.setattr(GoedelsPoetryFramework, "arun", broken)
    (tmp_path / "broken.smt2").write_text(EASY)
    (tmp_path / "other.smt2").write_text(OTHER)
    ran = cli("prove", "broken.smt2", "other.smt2", "--json", "--quiet")
    first, second = ran.objects()
    jsonschema.validate(first, schema("result"))
    assert (ran.code, first["verdict"], first["exit_code"], first["error"]["kind"]) == (70, None, 70, "internal")
    assert "ZeroDivisionError: a defect" in first["reason"]
    assert "Traceback" in Path(first["error"]["log"]).read_text()
    assert second["verdict"] == "proved"


def test_of_several_the_worst_is_the_exit_code() -> None:
    assert worst_code([]) == 0
    assert worst_code([0, 3]) == 3
    assert worst_code([3, 1, 5]) == 5
    assert worst_code([5, 75]) == 75
    assert worst_code([75, 74]) == 74
    assert worst_code([74, 4, 2]) == 2
    assert worst_code([2, 70]) == 70


def test_lean_that_is_not_there_is_no_verdict_and_the_others_go_on(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__LEAN__KIND", "kimina")
    (tmp_path / "t.lean").write_text("theorem t : 1 + 1 = 2 := by sorry\n")
    (tmp_path / "other.smt2").write_text(OTHER)
    ran = cli("prove", "t.lean", "other.smt2", "--json", "--quiet")
    first, second = ran.objects()
    jsonschema.validate(first, schema("result"))
    assert (ran.code, first["verdict"], first["exit_code"], first["error"]["kind"]) == (69, None, 69, "missing")
    assert "Lean is not available" in first["reason"] and "goedels-poetry doctor" in first["reason"]
    assert second["verdict"] == "proved"
    page = cli("prove", "t.lean", "--quiet")
    assert page.code == 69 and "not done  t.lean" in page.out and "unknown" not in page.out
