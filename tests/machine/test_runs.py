"""Runs on disk: damaged notes, locks, and deletion."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from goedels_poetry.errors import RunLocked, UnknownRun
from goedels_poetry.store.runs import TRASH, RunDir, Runs


@pytest.mark.parametrize(
    "card", ["{bad", "[]", '{"started": "x"}', '{"result": 5}', '{"result": {"verdict": "?"}}', '{"name": 7}']
)
def test_a_damaged_card_is_no_card(tmp_path: Path, card: str) -> None:
    folder = tmp_path / "runs" / "0123456789ab"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(card, "utf-8")
    (run,) = Runs(tmp_path).all()
    assert run.summary().status == "stopped"
    assert run.result() is None
    assert not run.is_finished()


def made(home: Path, run_id: str) -> RunDir:
    run = RunDir(home / "runs" / run_id)
    run.path.mkdir(parents=True)
    run.write_card(run_id=run_id, name="by hand", started=1.0)
    return run


def test_whoever_only_looks_stops_nobody_and_sees_nobody_who_only_looks(tmp_path: Path) -> None:
    run = made(tmp_path, "0123456789ab")
    with run.lock():
        assert run.is_locked()
    done, seen = threading.Event(), []

    def look() -> None:
        while not done.is_set():
            seen.append(run.is_locked())

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(20):
            with run.lock():
                pass
    finally:
        done.set()
        for looker in lookers:
            looker.join()
    assert seen


def test_only_the_whole_id_deletes_and_only_what_nobody_works_on(tmp_path: Path) -> None:
    runs, run = Runs(tmp_path), made(tmp_path, "0123456789ab")
    with pytest.raises(UnknownRun, match="whole id"):
        runs.delete("0123")
    with run.lock(), pytest.raises(RunLocked):
        runs.delete("0123456789ab")
    with pytest.raises(RunLocked, match="gone on"):
        runs.delete("0123456789ab", updated=5.0)
    assert [each.run_id for each in runs.all()] == ["0123456789ab"]
    for name in ("..", TRASH, "../runs/0123456789ab", ""):
        with pytest.raises(UnknownRun):
            runs.delete(name)
