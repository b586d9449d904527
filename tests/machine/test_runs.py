"""Runs on disk whose notes somebody has damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from goedels_poetry.tree.runs import Runs


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
