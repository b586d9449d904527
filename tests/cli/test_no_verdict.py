"""What keeps a theorem from being worked on is no verdict about it: it has a name, an exit code and JSON of its own."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from goedels_poetry.cli import ask_program
from goedels_poetry.cli.run_errors import code_after_failure, failure_of, lock_holder, worst_code
from goedels_poetry.errors import RunLocked, StoreError, UnknownRun
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


def test_the_page_says_who_works_on_it_instead_of_unknown(cli: Any, locked: Path) -> None:
    ran = cli("prove", "locked.smt2", "--quiet")
    assert ran.code == 75
    assert "another process" in ran.out
    assert "--fresh" in ran.out
    assert "locked  locked.smt2" in ran.out
    assert "unknown" not in ran.out


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux says who holds a lock")
def test_the_process_that_works_on_it_is_named(locked: Path, home: Path) -> None:
    if lock_holder(locked) is None:
        pytest.skip("this system does not say who holds a lock")
    assert lock_holder(locked) == os.getpid()
    failure = failure_of(RunLocked(f"run {locked.parent.name} is being worked on by another process"), home)
    assert (failure.pid, f"(pid {os.getpid()})" in failure.reason) == (os.getpid(), True)
    assert lock_holder(home / "nothing") is None


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


def test_a_defect_on_a_program_of_a_question_has_no_verdict(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> str:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(ask_program, "_backend", broken)
    (tmp_path / "p.smt2").write_text(EASY)
    (result,) = cli("ask", "--program", "p.smt2", "--json").objects()
    jsonschema.validate(result, schema("program"))
    assert (result["verdict"], result["exit_code"], result["error"]["kind"]) == (None, 70, "internal")
    ran = cli("ask", "--program", "p.smt2")
    assert (ran.code, "internal error  p.smt2" in ran.out, "unknown" in ran.out) == (70, True, False)


def test_a_disk_that_fails_is_no_verdict_either(tmp_path: Path) -> None:
    full, damaged = OSError(28, "No space left on device"), StoreError("written by a newer version")
    assert [failure_of(error, tmp_path).exit_code for error in (full, damaged)] == [74, 74]
    assert "No space left" in failure_of(full, tmp_path).reason


def test_commands_about_one_thing_exit_with_the_same_codes() -> None:
    assert code_after_failure(RunLocked("run 12 is being worked on"), 1) == 75
    assert code_after_failure(StoreError("damaged"), 2) == 74
    assert code_after_failure(UnknownRun("no such run"), 2) == 2


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


def test_doctor_says_what_is_not_installed_and_how_to_get_it(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOEDELS_POETRY_LEAN", str(tmp_path / "none"))
    lines = cli("doctor").out.splitlines()
    (line,) = [line for line in lines if "lean embedded" in line]
    assert line.startswith("--") and "not installed" in line and "goedels-poetry lean install" in line
    assert any(line.startswith("ok") and "z3" in line for line in lines)


@pytest.mark.parametrize("command", ["prove", "check", "premises", "bench"])
def test_a_mistyped_folder_of_lean_is_told_before_anything_is_fetched(
    cli: Any, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typo, theorem = tmp_path / "laen", tmp_path / "t.lean"
    theorem.write_text("theorem t : 1 + 1 = 2 := by sorry\n")
    monkeypatch.setattr("goedels_poetry.cli.lean.install", lambda *_, **__: pytest.fail("something is fetched"))
    quiet = ["--quiet"] if command == "prove" else []
    ran = cli(command, "t.lean", *quiet, env={"GOEDELS_POETRY_LEAN": str(typo)})
    assert ran.code == 2
    assert f"GOEDELS_POETRY_LEAN: {typo}: there is no such folder" in ran.out + ran.err
    assert "(121 MB): goedels-poetry lean install" in ran.out + ran.err
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "home") == ["t.lean"]


def test_doctor_says_that_the_folder_of_lean_is_mistyped(cli: Any, tmp_path: Path) -> None:
    found = {
        f["what"]: f["found"] for f in cli("doctor", "--json", env={"GOEDELS_POETRY_LEAN": str(tmp_path)}).objects()
    }
    assert found["lean in use"].startswith(f"GOEDELS_POETRY_LEAN: {tmp_path}: there is no Lean in this folder")


def test_a_file_that_nobody_could_work_on_is_not_said_to_have_nothing_to_fill_in(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__LEAN__KIND", "kimina")
    (tmp_path / "t.lean").write_text("theorem t : 1 + 1 = 2 := by sorry\n")
    ran = cli("prove", "t.lean", "--diff", "--quiet")
    assert ran.code == 69
    assert "Lean is not available" in ran.out + ran.err
    assert "nothing to fill in" not in ran.out + ran.err
