"""Damaged, locked and full databases: what is a cache begins anew, and nothing of it becomes a verdict."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from toy_language import generated, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import Verdict
from goedels_poetry.errors import StoreError
from goedels_poetry.search.machine import checkpoints
from goedels_poetry.store import database

PAGE = 4096


def damage(path: Path, *, header: bool = False) -> None:
    """Bytes that are no database's, from the beginning or behind the first page; the log is gone as well."""
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    start = 0 if header else PAGE
    assert len(content) > start
    path.write_bytes(content[:start] + b"\xaa" * (len(content) - start))


def put_aside(path: Path) -> list[str]:
    return [p.name for p in path.parent.glob(f"{path.name}.damaged-*") if not p.name.endswith(("-wal", "-shm"))]


@pytest.mark.parametrize("header", [True, False], ids=["in the header", "within"])
async def test_a_damaged_memory_is_put_aside_once_and_a_new_one_is_filled(
    framework: MakeFramework, tmp_path: Path, header: bool
) -> None:
    home = tmp_path / "home"
    await framework().arun(theorem(), name="t")
    for name in ("lemmas.db", "strategies.db"):
        damage(home / name, header=header)
    result = await framework().arun(theorem(), name="t", fresh=True)
    assert result.verdict is Verdict.PROVED
    aside = [name for file in ("lemmas.db", "strategies.db") for name in put_aside(home / file)]
    assert len(aside) == 2
    assert all(any(name in warning for warning in result.warnings) for name in aside), result.warnings
    later = await framework().arun(theorem(), name="t", fresh=True)
    assert later.verdict is Verdict.PROVED and not later.warnings
    for name, table in (("lemmas.db", "lemma"), ("strategies.db", "strategy")):
        with sqlite3.connect(home / name) as db:
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() is not None


async def test_a_record_of_the_graph_that_is_damaged_within_is_put_aside_and_the_run_goes_on(
    framework: MakeFramework, tmp_path: Path
) -> None:
    stopped = await framework(budgets={"agent_steps": 6}).arun(generated(3), name="t")
    assert stopped.verdict is Verdict.OUT_OF_BUDGET
    (graph,) = (tmp_path / "home" / "runs").glob("*/graph.db")
    damage(graph)
    result = await framework().arun(generated(3), name="t")
    assert result.run_id == stopped.run_id and result.verdict is Verdict.PROVED
    assert [w for w in result.warnings if w.startswith("graph.db was damaged: it is graph.db.damaged-")]
    assert len(put_aside(graph)) == 1


@pytest.mark.parametrize("name", ["proof.db", "graph.db"])
async def test_a_store_that_another_process_holds_is_named_and_the_run_goes_on_once_it_is_free(
    framework: MakeFramework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for module in (database, checkpoints):
        monkeypatch.setattr(module, "PATIENCE", 0.05)
    stopped = await framework(budgets={"agent_steps": 6}).arun(generated(2), name="t")
    (held,) = (tmp_path / "home" / "runs").glob(f"*/{name}")
    holder = sqlite3.connect(held, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match=rf"{name}: another process has held it for 5 s; once that has ended the same"):
        await framework().arun(generated(2), name="t")
    holder.execute("ROLLBACK")
    holder.close()
    result = await framework().arun(generated(2), name="t")
    assert (result.verdict, result.run_id) == (Verdict.PROVED, stopped.run_id)
