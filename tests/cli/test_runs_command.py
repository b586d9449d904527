"""`runs` with filters, and `runs --prune`: what goes, what stays, and that nothing goes without being asked for."""

import json
import re
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.runs import Runs

DAY = 86_400
MADE = (
    ("aaaaaaaaaaaa", "theorems/add.smt2", "smt", Verdict.PROVED, 0),
    ("bbbbbbbbbbbb", "Sort.lean", "lean", Verdict.UNKNOWN, 3),
    ("cccccccccccc", "theorems/SORT.smt2", "smt", Verdict.UNKNOWN, 40),
    ("dddddddddddd", "killed.smt2", "smt", None, 50),
)
"""Id, name, language, verdict, days of age."""


@pytest.fixture
def home_with_runs(home: Path) -> Path:
    runs = Runs(home)
    for run_id, name, language, verdict, days in MADE:
        run = runs.nth(run_id, 1)
        run.path.mkdir(parents=True)
        (run.path / "certificate").mkdir()
        (run.path / "certificate" / "proof").write_bytes(b"x" * 50_000)
        result = RunResult(name, verdict, run_id, reason="no lemma was found") if verdict else None
        card = {"run_id": run_id, "name": name, "language": language, "started": time.time() - days * DAY}
        run.write_card(**card, **({"result": result.to_json()} if result else {}))
        text = json.loads((run.path / "run.json").read_text("utf-8"))
        (run.path / "run.json").write_text(json.dumps(text | {"updated": text["started"]}), "utf-8")
    return home


def ids(cli: Any, *options: str) -> list[str]:
    return [run["run_id"][0] for run in cli("runs", "--json", *options).objects()]


def test_runs_are_filtered(cli: Any, home_with_runs: Path) -> None:
    assert ids(cli) == ["a", "b", "c", "d"]
    assert ids(cli, "--verdict", "unknown") == ["b", "c"]
    assert ids(cli, "--verdict", "proved,stopped") == ["a", "d"]
    assert ids(cli, "--verdict", "proved", "--verdict", "UNKNOWN") == ["a", "b", "c"]
    assert ids(cli, "--since", "2d") == ["a"]
    assert ids(cli, "--since", time.strftime("%Y-%m-%d", time.localtime(time.time() - 10 * DAY))) == ["a", "b"]
    assert ids(cli, "--older-than", "1w") == ["c", "d"]
    assert ids(cli, "--match", "sort") == ["b", "c"]
    assert ids(cli, "--match", "ccc") == ["c"]
    assert ids(cli, "--match", "no lemma", "--language", "smt", "--since", "6w") == ["a", "c"]
    assert ids(cli, "--verdict", "unknown", "--limit", "1") == ["b"]
    table = cli("runs", "--language", "smt").out
    assert re.search(r"3 runs, 0\.2 MB", table)
    assert table.count("51 kB") == 2  # and of the one without a result a little less
    assert cli("runs", "--match", "nothing like it").out == "none of 4 runs\n"


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--verdict", "maybe"), "maybe"),
        (("--since", "soon"), "soon"),
        (("--older-than", "-3d"), "-3d"),
        (("--prune", "--yes"), "every run"),
        (("--keep", "3"), "--prune"),
        (("--yes",), "--prune"),
        (("--prune", "--keep", "-1"), "--keep"),
    ],
)
def test_what_cannot_be_meant_is_said_and_nothing_is_deleted(
    cli: Any, home_with_runs: Path, options: tuple[str, ...], word: str
) -> None:
    ran = cli("runs", *options)
    assert ran.code == 2
    assert word in ran.err
    assert ids(cli) == ["a", "b", "c", "d"]


def test_pruning_says_first_what_would_go(cli: Any, home_with_runs: Path) -> None:
    told = cli("runs", "--prune", "--older-than", "30d")
    assert (told.code, "cccccccccccc" in told.out, "bbbbbbbbbbbb" in told.out) == (0, True, False)
    assert "would be deleted: 2 runs, 0.1 MB; with --yes they are" in told.out
    (data,) = cli("runs", "--prune", "--keep", "1", "--json").objects()
    assert (data["deleted"], [run[0] for run in data["runs"]], data["kept"]) == (False, ["b", "c", "d"], [])
    assert data["bytes"] > 150_000
    assert ids(cli) == ["a", "b", "c", "d"]


def test_pruning_deletes_what_it_said_and_leaves_nothing_behind(cli: Any, home_with_runs: Path) -> None:
    done = cli("runs", "--prune", "--older-than", "30d", "--yes")
    assert (done.code, "deleted: 2 runs" in done.out) == (0, True)
    assert ids(cli) == ["a", "b"]
    assert sorted(path.name for path in (home_with_runs / "runs").iterdir()) == ["a" * 12, "b" * 12]
    done = cli("runs", "--prune", "--keep", "0", "--yes")
    assert (done.code, ids(cli)) == (0, [])


def test_a_run_that_is_being_worked_on_stays(cli: Any, home_with_runs: Path) -> None:
    with Runs(home_with_runs).nth("c" * 12, 1).lock():
        assert ids(cli, "--verdict", "running") == ["c"]
        done = cli("runs", "--prune", "--older-than", "30d", "--yes")
        assert (done.code, "cccccccccccc stays: it is being worked on" in done.out) == (0, True)
        assert ids(cli) == ["a", "b", "c"]


def test_a_deleted_run_is_not_answered_from_and_a_certificate_elsewhere_stays(cli: Any, tmp_path: Path) -> None:
    theorem = tmp_path / "square.smt2"
    theorem.write_text("(declare-const x Int)(assert (not (>= (* x x) 0)))(check-sat)", "utf-8")
    (first,) = cli("prove", theorem, "--json", "--out", "proofs").objects()
    (kept,) = cli("prove", theorem, "--json", "--out", "proofs").objects()
    assert kept["run_id"] == first["run_id"]
    assert kept["metrics"]["wall_seconds"] == first["metrics"]["wall_seconds"], "answered from what is kept"
    assert "proved earlier" in cli("prove", theorem, "--out", "proofs").out
    assert cli("runs", "--prune", "--keep", "0", "--yes").code == 0
    assert (tmp_path / first["certificate"] / "theorem.smt2").exists()
    assert "proved earlier" not in cli("prove", theorem).out
    (anew,) = cli("prove", theorem, "--json").objects()
    assert (anew["verdict"], anew["run_id"]) == ("proved", first["run_id"])
    assert Path(anew["certificate"]).is_relative_to(tmp_path / "home") or "home" in anew["certificate"]


def test_a_damaged_run_is_repaired_and_the_command_that_began_it_goes_on(cli: Any, theorems: Path, home: Path) -> None:
    theorem = theorems / "reverse_twice.smt2"
    assert cli("prove", theorem, "--max-steps", "6", "--quiet").code == 5
    (tree,) = (home / "runs").glob("*/proof.db")
    run = tree.parent.name
    assert cli("runs", "repair", run).out == f"{run}: proof.db is whole; nothing was changed\n"
    with sqlite3.connect(tree) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name='history'").fetchone()
    content = bytearray(tree.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xaa" * 4096
    tree.write_bytes(content)
    refused = cli("prove", theorem)
    assert "`runs repair` saves what can be read" in refused.out + refused.err
    (saved,) = cli("runs", "repair", run[:6], "--json").objects()
    assert (saved["run_id"], saved["saved"]["commits"]) == (run, saved["saved"]["of"])
    assert Path(saved["aside"]).read_bytes() == bytes(content)
    (result,) = cli("prove", theorem, "--json").objects()
    assert (result["verdict"], result["run_id"]) == ("proved", run)
    assert cli("runs", "repair", "ffffffffffff").code == 2
