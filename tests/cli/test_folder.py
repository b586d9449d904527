"""A folder in one process: the checker works beside the next search, and nobody can tell but by the clock."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

SAME_NAME = {
    "a_bool.smt2": ("(declare-const p Bool)\n(prove (or p (not p)))\n", "proved"),
    "b_int.smt2": ("(declare-const p Int)\n(prove (>= (* p p) 0))\n", "proved"),
    "c_premise.smt2": ("(declare-const p Bool)\n(assert p)\n(prove p)\n", "proved"),
    "d_none.smt2": ("(declare-const p Bool)\n(prove p)\n", "refuted"),
    "e_unknown_name.smt2": ("(prove (or q (not q)))\n", "invalid"),
    "f_function.smt2": (
        "(define-fun-rec p ((n Int)) Int (ite (<= n 0) 0 (p (- n 1))))\n(prove (= (p 1) 0))\n",
        "proved",
    ),
    "g_absurd.smt2": ("(declare-const p Bool)\n(assert (and p (not p)))\n(prove (= 1 2))\n", "inconsistent"),
    "h_bool.smt2": ("(declare-const p Bool)\n(declare-const q Bool)\n(prove (=> (and p q) (or q p)))\n", "proved"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "many"
    place.mkdir()
    for name, (text, _) in SAME_NAME.items():
        (place / name).write_text(text, "utf-8")
    return place


def test_what_one_theorem_declares_or_assumes_no_other_one_knows_and_all_come_in_their_order(
    cli: Any, folder: Path
) -> None:
    ran = cli("prove", folder, "--json")
    results = ran.objects()
    assert [Path(result["input"]).name for result in results] == list(SAME_NAME)
    assert {Path(r["input"]).name: r["verdict"] for r in results} == {
        n: verdict for n, (_, verdict) in SAME_NAME.items()
    }
    assert {r["trust_level"] for r in results if r["verdict"] == "proved"} == {"L3"}
    again = cli("prove", folder, "--json").objects()
    assert [result["verdict"] for result in again] == [verdict for _, verdict in SAME_NAME.values()]


def test_the_same_theorem_twice_is_proved_once(cli: Any, tmp_path: Path) -> None:
    for name in ("one.smt2", "two.smt2", "three.smt2"):
        Path(name).write_text(SAME_NAME["a_bool.smt2"][0], "utf-8")
    one, two, three = cli("prove", "one.smt2", "two.smt2", "three.smt2", "--json").objects()
    assert one["verdict"] == two["verdict"] == three["verdict"] == "proved"
    assert one["run_id"] == two["run_id"] == three["run_id"]
    assert (one["skipped"], two["skipped"], three["skipped"]) == (False, True, True)


def test_a_worker_that_is_killed_costs_no_theorem(home: Path, tmp_path: Path) -> None:
    from tests.cli.conftest import COMMAND, environment

    for number in range(14):
        (tmp_path / f"t{number:02}.smt2").write_text(
            f"(declare-const p{number} Bool)\n(prove (=> p{number} p{number}))\n"
        )
    files = sorted(str(path) for path in tmp_path.glob("*.smt2"))
    with subprocess.Popen(
        [*COMMAND, "prove", *files, "--quiet", "--no-proof"],
        stdout=subprocess.PIPE,
        env=environment(home),
        cwd=tmp_path,
        text=True,
    ) as ran:
        assert ran.stdout is not None
        told = []
        for line in ran.stdout:
            told.append(line)
            if sum("trust level" in each for each in told) == 5 and "trust level" in line:
                _kill_a_worker(ran.pid)
    assert ran.returncode == 0, "".join(told)
    assert sum("trust level L3" in line for line in told) == 14


def _kill_a_worker(pid: int) -> None:
    """One that was forked last; it may have ended by then."""
    for nursery in _below(pid):
        for worker in _below(nursery)[-1:]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)


def _below(pid: int) -> list[int]:
    return [int(child) for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()]
