"""A damaged ``proof.db``: what can be read of it is saved, is as it was, and the run goes on from there."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
from many_goals import many_goals

from goedels_poetry.errors import StoreError
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.repair import is_whole, repair, salvage
from goedels_poetry.store.runs import RunDir

PAGE = 4096


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a run of some hundred goals, all of it in one file."""
    path = many_goals(tmp_path_factory.mktemp("large") / "proof.db", 300)
    with ProofStore(path) as store:
        store.set_meta(options={})
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def damaged(path: Path, target: Path, pages: list[int], *, seed: int = 0) -> Path:
    """A copy with pages that hold nothing but noise; the first one is never among them."""
    content = bytearray(path.read_bytes())
    for page in pages:
        content[page * PAGE : (page + 1) * PAGE] = random.Random(seed + page).randbytes(PAGE)
    target.write_bytes(content)
    return target


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(20))
def test_what_is_saved_is_a_past_moment_of_the_run_exactly_as_it_was(large: Path, tmp_path: Path, seed: int) -> None:
    pages = random.Random(seed).sample(range(1, large.stat().st_size // PAGE), 1 + seed % 4)
    broken = damaged(large, tmp_path / "proof.db", pages, seed=seed)
    before = broken.read_bytes()
    try:
        saved = salvage(broken, tmp_path / "saved.db")
    except StoreError as problem:  # a page without which nobody finds the others
        assert "nothing of it can be saved; --fresh begins the run anew" in str(problem)
        assert not (tmp_path / "saved.db").exists()
        return
    finally:
        assert broken.read_bytes() == before
        assert not list(tmp_path.glob(".salvage-*"))
    assert is_whole(tmp_path / "saved.db")
    with ProofStore(large, read_only=True) as old, ProofStore(tmp_path / "saved.db", read_only=True) as new:
        assert (saved.commits, saved.of <= old.seq) == (new.seq, True)
        assert new.nodes() == old.nodes(as_of=saved.commits)
        assert new.queue_lengths() == (old.events()[saved.commits - 1].queues if saved.commits else {})
        assert [event.outcome for event in new.events()] == [e.outcome for e in old.events()[: saved.commits]]


def test_a_file_of_which_nothing_can_be_saved_stays_as_it_is(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "runs" / "0123456789ab")
    run.path.mkdir(parents=True)
    run.proof_db.write_bytes(b"SQLite format 3\0" + b"\xaa" * 9000)
    before = run.proof_db.read_bytes()
    with pytest.raises(StoreError, match="nothing of it can be saved"):
        repair(run)
    assert run.proof_db.read_bytes() == before
    assert sorted(path.name for path in run.path.iterdir()) == ["lock", "proof.db"]
