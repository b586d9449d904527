"""The command: it prints what would be done, writes only where it is told to, and never over another's work."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from model_server import Server
from scripted_changes import MEND, STATS, TESTS, UNITTEST, Scripted
from typer.testing import CliRunner, Result

from goedels_poetry.cli.app import app
from goedels_poetry.cli.report import NotWritten, write_in_place, write_new

MENDED = STATS.replace("    return sum(xs)", "    if not xs:\n        return 0\n    return sum(xs)")
WORDS = ("--error", "the mean of nothing should be 0")
"""Nothing that could be run: the change is kept, and nothing is claimed."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    (folder / "stats.py").write_text(STATS)
    (folder / "mend.diff").write_text(MEND)
    monkeypatch.chdir(folder)
    return folder


def call(*words: str, code: int) -> Result:
    done = CliRunner().invoke(app, ["change", *words, "--quiet"])
    assert done.exit_code == code, (done.output, done.exception)
    return done


def test_without_write_the_difference_is_shown_and_the_file_left_alone(project: Path) -> None:
    done = call("stats.py", *WORDS, "--patch", "mend.diff", code=1)
    assert "+    if not xs:" in done.output and "nothing was written; --write changes the file" in done.output
    assert "decision: keep (by table)" in done.output and "whether the goal is reached cannot be checked" in done.output
    assert (project / "stats.py").read_text() == STATS
    assert sorted(path.name for path in project.iterdir()) == ["mend.diff", "pyproject.toml", "stats.py"]
    again = call("stats.py", *WORDS, "--patch", "mend.diff", "--write", code=1)  # the same run: nothing is done twice
    assert again.output.splitlines()[-1] == done.output.splitlines()[-1]
    assert (project / "stats.py").read_text() == MENDED


def test_write_keeps_what_was_and_the_mode_and_restore_brings_every_state_back(project: Path) -> None:
    file = project / "stats.py"
    file.chmod(0o751)
    told = json.loads(call("stats.py", *WORDS, "--patch", "mend.diff", "--write", "--json", code=1).stdout)
    assert file.read_text() == MENDED and file.stat().st_mode & 0o777 == 0o751
    assert (project / "stats.py.orig").read_text() == STATS
    assert told["written"] == f"written: {file}; what it was is in {file}.orig"
    run = told["run_id"]
    assert call("--restore", f"{run}:1", code=0).stdout == MENDED
    assert call("--restore", f"{run}:0", "--save", "old.py", code=0) and (project / "old.py").read_text() == STATS
    call("--restore", f"{run}:0", "--write", code=0)
    assert file.read_text() == STATS and (project / "stats.py.orig.2").read_text() == MENDED
    assert "no state after step 5" in call("--restore", f"{run}:5", code=2).output
    assert "step 1 (patch 1): the goal cannot be checked" in call("--history", run, code=0).output
    call("--history", run, "--export", "all.jsonl", code=0)
    lines = [json.loads(line) for line in (project / "all.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines if line["kind"] != "failure"][-3:] == ["change", "verification", "decision"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nowhere.py", *WORDS), "there is no file nowhere.py"),
        ((), "which file is to be changed?"),
        (("stats.py", "--patch", "mend.diff"), "say what is wrong"),
        (("stats.py", *WORDS, "--patch", "none.diff"), "there is no file none.diff"),
        (("stats.py", *WORDS, "--patch", "pyproject.toml"), "the change is empty"),
        (("stats.py", *WORDS, "--patch", "prose.txt"), "the change is none"),
        (("data.bin", *WORDS), "no text file"),
        (("mend.diff", *WORDS, "--patch", "mend.diff"), "no Python file"),
        (("stats.py", *WORDS, "--test", "pytest '"), "cannot be read"),
        (("stats.py", *WORDS, "--write", "--save", "x"), "exclude each other"),
        (("--restore", "abc"), "not RUN:STEP"),
        (("--history", "abc"), "there is no run"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(project: Path, words: tuple[str, ...], says: str) -> None:
    (project / "prose.txt").write_text("Please make it better.\n")
    (project / "data.bin").write_bytes(b"\0\1\2")
    done = call(*words, code=1 if "there is no run" in says else 2)
    assert says in done.output and len(done.output.splitlines()) == 1


def test_a_file_that_somebody_has_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("mine\n")
    with pytest.raises(NotWritten, match="has been changed"):
        write_in_place(file, "what the run saw\n", "new\n")
    assert file.read_text() == "mine\n" and list(tmp_path.iterdir()) == [file]
    with pytest.raises(NotWritten, match="exists"):
        write_new(file, "new\n")


def test_what_is_no_plain_file_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "nowhere")
    for place in (pipe, link, Path("/dev/zero")):
        with pytest.raises(NotWritten, match="exists"):
            write_new(place, "new\n")
    with pytest.raises(NotWritten, match="no file"):
        write_in_place(pipe, None, "new\n")
    assert sorted(tmp_path.iterdir()) == [link, pipe] and link.is_symlink()


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.py", tmp_path / "link.py"
    real.write_bytes(b"a\r\n")
    link.symlink_to(real)
    backup = write_in_place(link, "a\r\n", "b\r\n")
    assert link.is_symlink() and real.read_bytes() == b"b\r\n" and backup == tmp_path / "real.py.orig"
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


def test_a_change_by_a_model_that_the_checker_accepts_is_tested_and_written(project: Path) -> None:
    (project / "test_stats.py").write_text(TESTS)
    model = Scripted([f"```diff\n{MEND}```"])
    with Server(model) as server:
        words = ("--test", UNITTEST, "--model", "scripted", "--base-url", server.url, "--json")
        taken: dict[str, Any] = json.loads(call("stats.py", *words, "--save", "test_stats.py", code=2).stdout)
        told: dict[str, Any] = json.loads(call("stats.py", *words, "--write", code=0).stdout)
    assert (taken["verdict"], taken["exit_code"]) == ("tested", 2) and "exists" in taken["written"]
    assert (project / "test_stats.py").read_text() == TESTS
    assert told["verdict"] == "tested" and Path(told["certificate"]).is_dir()
    assert (project / "stats.py").read_text() == MENDED
