"""Parts of the data directory that are not what they should be: named, waited for by nobody, in nobody else's way."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.errors import StoreError
from goedels_poetry.search.machine.checkpoints import reader
from goedels_poetry.store import database, shared_database
from goedels_poetry.store.runs import RunDir

EASY = "(declare-const p Bool)\n(prove (or p (not p)))\n"


def _pipe(file: Path) -> None:
    file.unlink(missing_ok=True)
    os.mkfifo(file)


def _folder(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.mkdir()


def _circle(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.symlink_to(file)


def _nowhere(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.symlink_to(file.with_name("nowhere"))


def _empty(file: Path) -> None:
    file.write_bytes(b"")
    for tail in ("-wal", "-shm"):
        file.with_name(file.name + tail).unlink(missing_ok=True)


@pytest.fixture
def run(cli: Any, home: Path, tmp_path: Path) -> Path:
    """The folder of a run that has proved something."""
    (tmp_path / "t.smt2").write_text(EASY)
    assert cli("prove", "t.smt2", "--quiet").code == 0
    (folder,) = (home / "runs").iterdir()
    return folder


@pytest.mark.parametrize("instead", [_pipe, _folder, _circle, _empty])
def test_a_proof_tree_that_is_none_is_named_with_what_to_do(
    cli: Any, run: Path, instead: Callable[[Path], None]
) -> None:
    instead(run / "proof.db")
    for words in (("show", run.name), ("trace", run.name), ("trace", "--compare", run.name, run.name)):
        ran = cli(*words)
        assert ran.code == 2 and "proof.db" in ran.err and "--fresh begins the run anew" in ran.err, (words, ran)
    ran = cli("runs", "repair", run.name)
    assert ran.code in (1, 2) and "Error" not in ran.err and run.name in ran.err, ran
    again = cli("prove", "t.smt2", "--json")
    assert (again.code, again.objects()[0]["verdict"]) == (0, "proved"), again


@pytest.mark.parametrize("instead", [_pipe, _folder, _circle, _empty])
@pytest.mark.parametrize("file", ["run.json", "lock"])
def test_of_many_runs_one_that_cannot_be_read_hides_no_other(
    cli: Any, run: Path, file: str, instead: Callable[[Path], None]
) -> None:
    whole = run.with_name("0" * 12)
    shutil.copytree(run, whole)
    instead(run / file)
    ran = cli("runs")
    assert ran.code == 0 and whole.name in ran.out, ran
    assert cli("show", run.name).code == 0


@pytest.mark.parametrize(
    ("file", "instead"), [("lemmas.db", _pipe), ("lemmas.db", _nowhere), ("strategies.db", _folder)]
)
def test_a_bank_that_is_no_file_is_done_without_and_said(
    cli: Any, run: Path, home: Path, file: str, instead: Callable[[Path], None]
) -> None:
    instead(home / file)
    ran = cli("prove", "t.smt2", "--fresh", "--json")
    (result,) = ran.objects()
    assert (ran.code, result["verdict"]) == (0, "proved")
    assert any(file in warning and "it is no file" in warning for warning in result["warnings"]), result["warnings"]


@pytest.mark.parametrize("instead", [_pipe, _folder, _circle, _nowhere])
def test_what_is_no_file_is_refused_before_sqlite_waits_for_it_or_begins_another(
    tmp_path: Path, instead: Callable[[Path], None]
) -> None:
    file = tmp_path / "graph.db"
    instead(file)
    with pytest.raises(StoreError, match="is no file; --fresh"):
        database.connect(file, read_only=False)
    with pytest.raises(sqlite3.OperationalError, match="it is no file"):
        shared_database.connect(file, "")
    with pytest.raises(StoreError, match="is no file"), reader(RunDir(tmp_path)):
        pass
    assert not (tmp_path / "nowhere").exists()
