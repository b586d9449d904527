"""Every state of a run can be had again, and a run can go on from any of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted_changes import STATS, change, work

from goedels_poetry.errors import InvalidInput
from goedels_poetry.search.agents.changes import go_back
from goedels_poetry.search.tasks.change import steps_of, text_of_step
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.runs import Runs

MENDED = STATS.replace("    return sum(xs)", "    if not xs:\n        return 0\n    return sum(xs)")
BROKEN = MENDED.replace("max(xs) - min(xs)", "max(xs)")


def opened(home: Path, run: str) -> ProofStore:
    return ProofStore(Runs(home).get(run).proof_db, read_only=True)


async def test_a_person_goes_back_behind_what_was_kept_and_on_with_another_change(tmp_path: Path) -> None:
    other = STATS.replace("sum(xs) / len(xs)", "sum(xs) / len(xs) if xs else 0")
    done = await work(change(patches=(BROKEN, MENDED)), tmp_path)
    assert done.moves == ["refine by table", "keep by table"] and done.text == MENDED
    run = done.result.run_id
    with opened(tmp_path, run) as store:
        states = [text_of_step(store, step, STATS) for step in range(3)]
        assert states == [STATS, BROKEN, MENDED]
        with pytest.raises(KeyError):
            text_of_step(store, 3, STATS)
    with pytest.raises(InvalidInput, match="no state after step 7"):
        go_back(tmp_path, run, 7)
    checked = Runs(tmp_path).get(run).path / "certificate"
    checked.mkdir(exist_ok=True)
    (checked / "what").write_text("was checked before")
    assert go_back(tmp_path, run[:6], 0, (other,)) == run
    assert (checked.with_name("certificate-1") / "what").is_file() and not checked.exists()  # it makes room
    again = await work(change(), tmp_path, run_id=run)
    assert again.text == other and again.claims_tested
    assert again.moves == ["refine by table", "keep by table", "roll_back by person", "keep by table"]
    with opened(tmp_path, run) as store:
        assert [text_of_step(store, step, STATS) for step in range(4)] == [STATS, BROKEN, MENDED, other]
        assert [step.get("to") for step in steps_of(store)[1:]] == [1, 0, 3]
