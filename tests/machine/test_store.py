"""The proof store: one transaction a step, exactly once, and every past moment can be looked at and forked."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_language import generated
from trees_by_hand import MakeFramework

from goedels_poetry.errors import BudgetExceeded, StaleWork, StoreError
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ROOT, ProofNode, Queue, child_id


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    database = request.getfixturevalue("database") if request.param == "postgres" else None
    with ProofStore(tmp_path / "proof.db", database=database) as store:
        yield store


def put(*nodes: ProofNode) -> Any:
    def apply(txn: Txn) -> str:
        for node in nodes:
            txn.put(node)
        return "put"

    return apply


def test_a_commit_with_a_known_key_changes_nothing(store: ProofStore) -> None:
    def attempt(txn: Txn) -> str:
        node = txn.get(ROOT)
        txn.put(replace(node, attempts=node.attempts + 1))
        return "tried"

    store.commit("init", "test", ROOT, put(ProofNode(id=ROOT)))
    assert store.commit("prover:0@1", "prover", ROOT, attempt, cost={"steps": 1}) is not None
    assert store.commit("prover:0@1", "prover", ROOT, attempt, cost={"steps": 1}) is None
    assert store.get(ROOT).attempts == 1
    assert store.spent()["steps"] == 1


def test_a_result_for_an_older_revision_is_dropped_but_its_cost_is_counted(store: ProofStore) -> None:
    store.commit("init", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.PROVE)))
    store.commit("other", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.DECIDE)))
    with pytest.raises(StaleWork):
        store.commit("prover:0@1", "prover", ROOT, put(), expect=1, cost={"solver_seconds": 2.0})
    store.commit("next", "test", ROOT, put())
    assert store.spent()["solver_seconds"] == 2.0
    assert store.begin_work([("prover:0@1", "prover", ROOT, 1)]) == [False]


def test_a_failing_commit_leaves_no_trace(store: ProofStore) -> None:
    store.commit("init", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.PROVE)))

    def apply(txn: Txn) -> str:
        txn.put(ProofNode(id="0.0_0000", queue=Queue.PROVE))
        txn.save_text("a text")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.commit("x", "x", ROOT, apply)
    assert (store.seq, store.queue_lengths()) == (1, {"prove": 1})
    assert store.find("0.0_0000") is None
    assert store.spent()["nodes"] == 1


def test_of_commits_made_together_each_is_all_or_nothing(store: ProofStore) -> None:
    def fails(txn: Txn) -> str:
        txn.put(ProofNode(id=child_id(ROOT, 0, 1), queue=Queue.PROVE))
        raise ZeroDivisionError

    store.commit("init", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.PROVE)))
    with store.together():
        store.commit("one", "test", ROOT, put(ProofNode(id=child_id(ROOT, 0, 0), queue=Queue.PROVE)), cost={"steps": 1})
        with pytest.raises(ZeroDivisionError):
            store.commit("two", "test", ROOT, fails, cost={"steps": 1})
        with pytest.raises(StaleWork):
            store.commit("three", "test", ROOT, put(), expect=7, cost={"steps": 1, "solver_seconds": 2})
        assert store.commit("one", "test", ROOT, fails) is None
        store.commit("four", "test", ROOT, put(ProofNode(id=child_id(ROOT, 0, 2))), cost={"steps": 1})
    assert [event.seq for event in store.events()] == [1, 2, 3]
    assert store.find(child_id(ROOT, 0, 1)) is None
    assert store.queue_lengths() == store.events()[-1].queues == {"prove": 2}
    assert store.spent() == store.spent(as_of=3)
    assert store.spent()["steps"] == 2, "one was undone, one came too late"
    assert store.spent()["solver_seconds"] == 2, "who came too late has worked all the same"


def test_commits_made_together_are_lost_together(store: ProofStore) -> None:
    store.commit("init", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.PROVE)))
    with pytest.raises(KeyboardInterrupt), store.together():
        store.commit("one", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.DECIDE)), cost={"steps": 1})
        raise KeyboardInterrupt
    assert (store.seq, store.queue_lengths()) == (1, {"prove": 1})
    assert "steps" not in store.spent()
    assert store.commit("one", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.DECIDE))) is not None
    assert (store.seq, store.queue_lengths()) == (2, {"decide": 1})


def test_when_the_disk_is_full_none_of_those_made_together_is_there(tmp_path: Path) -> None:
    with ProofStore(tmp_path / "proof.db") as store:
        store.commit("init", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.PROVE)))
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count={pages + 2}")
        large = ProofNode(id=ROOT, statement="x" * 100_000, queue=Queue.SKETCH)
        with pytest.raises(StoreError, match="disk is full"), store.together():
            store.commit("one", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.DECIDE)))
            with contextlib.suppress(StoreError):
                store.commit("two", "test", ROOT, put(large))
            store.commit("three", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.VERIFY)))
            store.commit("four", "test", ROOT, put(large))
        assert (store.seq, store.queue_lengths()) == (1, {"prove": 1})
        assert [event.outcome for event in store.events()] == ["put"]
        assert store.root().queue == Queue.PROVE


def test_the_node_budget_is_never_exceeded(store: ProofStore) -> None:
    store.max_nodes = 2
    store.commit("init", "test", ROOT, put(ProofNode(id=ROOT)))
    with pytest.raises(BudgetExceeded):
        store.commit("x", "x", ROOT, put(*(ProofNode(id=child_id(ROOT, 0, i)) for i in range(2))))
    assert [node.id for node in store.nodes()] == [ROOT]


def test_statements_survive_byte_for_byte(store: ProofStore) -> None:
    for i, text in enumerate(["\\neq \\theta \\n\t", "∀ x, x ≤ 𝔸", "a\r\nb\0c", ""]):
        store.commit(f"k{i}", "test", ROOT, put(ProofNode(id=ROOT, statement=text)))
        assert store.get(ROOT).statement == text


def test_only_the_checker_may_say_proved(store: ProofStore) -> None:
    from goedels_poetry import Verdict

    with pytest.raises(ValueError, match="checker"):
        store.commit("x", "x", ROOT, lambda txn: str(txn.set_verdict(Verdict.PROVED, "")))


async def _run_store(framework: MakeFramework) -> ProofStore:
    fw = framework()
    result = await fw.arun(generated(3), name="t")
    assert result.metrics["backtracks"] > 0
    return fw.open_store(result.run_id)


def _picture(store: ProofStore, seq: int | None = None) -> list[Any]:
    return [(n.id, n.queue, n.status, n.attempts, n.pending, n.strategy) for n in store.nodes(as_of=seq)]


async def test_any_past_moment_can_be_forked_and_goes_on_from_there(framework: MakeFramework, tmp_path: Path) -> None:
    with await _run_store(framework) as store:
        last = store.seq
        for seq in (1, last // 3, last // 2, last - 1):
            with store.fork(tmp_path / f"fork{seq}.db", seq) as fork:
                assert _picture(fork) == _picture(store, seq)
                lengths: dict[str, int] = {}
                for node in fork.nodes():
                    if node.queue:
                        lengths[node.queue] = lengths.get(node.queue, 0) + 1
                assert fork.queue_lengths() == lengths == store.events(seq - 1)[0].queues
                assert fork.spent() == store.spent(as_of=seq)
                assert fork.history(ROOT) == store.history(ROOT, as_of=seq)
                assert fork.bans(ROOT) == store.bans(ROOT, as_of=seq)


async def test_a_reader_sees_the_run_while_it_is_written(framework: MakeFramework) -> None:
    fw = framework()
    seen: list[int] = []

    def look(event: Any) -> None:
        if event.seq == 10:
            with fw.open_store(fw.runs()[0].run_id) as reader:
                seen.append(reader.seq)
                with pytest.raises(sqlite3.OperationalError):
                    reader._db.execute("DELETE FROM head")

    await fw.arun(generated(2), name="t", on_event=look)
    assert seen and seen[0] >= 10


def test_what_is_no_database_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "proof.db").write_bytes(b"this is no database at all" * 100)
    with pytest.raises(StoreError, match=r"proof\.db"):
        ProofStore(tmp_path / "proof.db")
    with pytest.raises(StoreError, match="is not there; --fresh"):
        ProofStore(tmp_path / "nothing.db", read_only=True)
