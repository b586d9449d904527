"""The checker's patience: the second solver gets a bounded time, and what it leaves open costs a trust level only."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from goedels_poetry.checker import check_certificate
from goedels_poetry.checker.smt import portfolio
from goedels_poetry.checker.smt.jobs import certify_judgement
from goedels_poetry.solvers.limits import Answer, Limits

CONTRADICTION = """
(declare-const x Int)
(assert (> x 0))
(assert (< x 0))
(prove (= x 7))
"""


class Stubborn:
    """A second solver that never decides anything, and keeps count."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    def ask(self, script: str, limits: Limits, **_: object) -> Answer:
        self.asked.append(limits.seconds)
        return Answer("unknown", "timeout")


def test_what_a_killed_check_left_behind_is_cleared_away(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left, other = tmp_path / f".proof.{dead.pid}.abc", tmp_path / f".proof.{os.getpid()}.abc"
    for folder in (left, other):
        folder.mkdir()
    payload = {"theorem": CONTRADICTION, "verdict": "inconsistent", "directory": str(tmp_path / "proof")}
    assert certify_judgement(payload)["path"] == str(tmp_path / "proof")
    assert {path.name for path in tmp_path.iterdir()} == {"proof", other.name}


def test_the_second_solver_is_not_asked_when_its_time_is_over(tmp_path: Path) -> None:
    payload = {
        "theorem": CONTRADICTION,
        "verdict": "inconsistent",
        "directory": str(tmp_path / "proof"),
        "total_seconds": 60.0,
    }
    made = certify_judgement(payload)
    assert (made["verdict"], made["trust_level"]) == ("inconsistent", "L3")
    hurried = check_certificate(tmp_path / "proof", second_seconds=0.0)
    assert str(hurried.trust_level) == "L2"
    assert hurried.obligations.second == 0
    assert len(hurried.undecided_by_second) == hurried.obligations.total


def test_the_second_solver_gets_little_for_an_obligation_and_nothing_when_patience_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stubborn = Stubborn()
    with portfolio.Solvers.start(Limits(seconds=20.0), second=False) as solvers:
        monkeypatch.setattr(solvers, "second", stubborn)
        assert solvers.confirms("(assert true)").status == "unknown"
        assert stubborn.asked == [portfolio.CONFIRMING] * len(portfolio.CVC5_OPTIONS)
        solvers.patience = 0.0
        assert "not asked" in solvers.confirms("(assert true)").reason
        solvers.patience, solvers.until = portfolio.PATIENCE, time.monotonic()
        assert "no time" in solvers.confirms("(assert true)").reason
        assert len(stubborn.asked) == len(portfolio.CVC5_OPTIONS)
        monkeypatch.undo()
