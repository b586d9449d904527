"""The proof store: one transaction a step, exactly once, and every past moment can be looked at and forked."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toy_language import generated
from trees_by_hand import MakeFramework

from goedels_poetry.errors import BudgetExceeded, StaleWork, StoreError
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.state import ROOT, ProofNode, Queue, child_id, relocate, subtree_range
from goedels_poetry.store.txn import Txn


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


def test_who_is_told_of_a_commit_cannot_change_what_the_store_knows(store: ProofStore) -> None:
    commit = store.commit("init", "test", ROOT, put(ProofNode(id=ROOT, queue=Queue.PROVE)))
    assert commit is not None
    commit.event.queues.clear()
    assert store.queue_lengths() == {"prove": 1}


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


IDS = [ROOT, *(child_id(ROOT, g, n) for g in (0, 1) for n in (0, 1)), child_id(child_id(ROOT, 0, 1), 0, 0)]
STEPS = st.tuples(
    st.sampled_from(["put", "read", "cut", "fails", "lost together"]),
    st.sampled_from(IDS),
    st.sampled_from([None, Queue.PROVE, Queue.SKETCH]),
    st.sampled_from(["", "(= a b)"]),
    st.integers(0, 1),
)


def change(step: str, node: ProofNode) -> Any:
    def apply(txn: Txn) -> str:
        if step == "cut":
            txn.cut(node.id, node.generation)
        elif step != "read":
            txn.put(node)
        txn.store.find(node.id)  # what is read on the way is kept, too
        if step == "fails":
            raise ZeroDivisionError
        return "done"

    return apply


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, max_size=14))
def test_what_the_writer_keeps_of_its_nodes_is_what_the_file_says(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Any]
) -> None:
    path = tmp_path_factory.mktemp("store") / "proof.db"
    with ProofStore(path) as store, ProofStore(path, read_only=True) as reader:
        for number, (step, node_id, queue, statement, generation) in enumerate(steps):
            node = ProofNode(id=node_id, queue=queue, statement=statement, generation=generation)
            lost = store.together() if step == "lost together" else contextlib.nullcontext()
            with contextlib.suppress(ZeroDivisionError), lost:
                store.commit(str(number), "test", node_id, change(step, node))
                if step == "lost together":
                    raise ZeroDivisionError
            for each in IDS:
                assert (store.find(each), store.revision(each)) == (reader.find(each), reader.revision(each))
            assert store.queue_lengths() == reader.queue_lengths()


KINDS = "put anew read cut log log-first lemma wait again stale fails fails-after-reading"
MOVES = st.tuples(
    st.sampled_from(KINDS.split()),
    st.sampled_from(IDS),
    st.sampled_from([None, Queue.PROVE, Queue.SKETCH]),
)


def move(what: str, node: ProofNode, seen: list[Any]) -> Any:
    """Writes, and looks at what has been written: by this step and by those before it."""

    def look(txn: Txn) -> None:
        store, key = txn.store, node.statement
        found = store.find(node.id)
        seen.append((found and (found.queue, found.statement), store.revision(node.id), store.seq))
        queue = Queue.PROVE
        known = (
            [item[:2] for item in islice(store.waiting(queue), store.seq % 4)],
            [item[:2] for item in store.peek(queue, -1)],
            len(store.history(node.id)),
            store.lemma(key),
            sorted(txn.waiters(ROOT)),
            store.recorded("3"),
        )
        standing = store._rows("SELECT node_id, seq FROM head WHERE queue=? ORDER BY node_id", queue)
        asked = (
            standing[: store.seq % 4],
            standing,
            len(store._rows("SELECT 1 FROM history WHERE node_id=?", node.id)),
            next((each for (each,) in store._rows("SELECT node_id FROM lemma WHERE key=?", key)), None),
            sorted(w for (w,) in store._rows("SELECT waiter FROM waits JOIN head ON node_id=waiter WHERE cut IS NULL")),
            bool(store._rows("SELECT 1 FROM event WHERE key='3'")),
        )
        assert known == asked
        seen.append(known)

    def apply(txn: Txn) -> str:
        if what not in ("put", "anew", "fails"):
            look(txn)
        if what == "anew":  # as if the root were decomposed for the first time, whatever stands there already
            txn.put(replace(node, queue=Queue.DECIDE))
        if what == "log-first":
            txn.log(node.id, "note", reason="before it is there")
        if what == "cut":
            txn.cut(node.id, node.generation)
        elif what != "read":
            txn.put(node)
        if what == "log":
            txn.log(node.id, "note", reason=node.statement)
        if what == "lemma":
            txn.add_lemma(node.statement, node.id)
        if what == "wait":
            txn.wait(node.id, ROOT)
        if what not in ("put", "fails"):
            look(txn)
        if what.startswith("fails"):
            raise ZeroDivisionError
        return "done"

    return apply


def rows_of(store: ProofStore) -> dict[str, list[Any]]:
    tables = ("event", "rev", "head", "cut", "waits", "lemma", "history", "blob")
    rows = {table: store._rows(f"SELECT * FROM {table}") for table in tables}
    rows["event"] = [(*row[:4], *row[5:]) for row in rows["event"]]  # without the time
    return {table: sorted(found, key=repr) for table, found in rows.items()}


@settings(max_examples=60, deadline=None)
@example([((what, IDS[1], None), False) for what in ("put", "fails", "anew")])
@given(st.lists(st.tuples(MOVES, st.booleans()), max_size=16))
def test_steps_made_together_leave_the_file_that_they_leave_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, moves: list[Any]
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("goedels_poetry.store.reads._PAGE", 2)
        _alone_and_together(tmp_path_factory, moves)


def _alone_and_together(tmp_path_factory: pytest.TempPathFactory, moves: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("stores")
    saw: dict[str, list[Any]] = {"alone": [], "together": []}
    with ProofStore(folder / "alone.db") as alone, ProofStore(folder / "together.db") as together:
        for name, store in (("alone", alone), ("together", together)):
            with contextlib.ExitStack() as group:
                for number, ((what, node_id, queue), ends) in enumerate(moves):
                    if name == "together" and (ends or not number):
                        group.close()
                        group.enter_context(store.together())
                    key = str(number - 1 if what == "again" else number)
                    statement = ("s0", "s1", "too long")[number % 3]
                    node = ProofNode(id=node_id, queue=queue, statement=statement, generation=number % 2)
                    with contextlib.suppress(ZeroDivisionError, StaleWork):
                        expect = 1_000 if what == "stale" else None
                        store.commit(key, "test", node_id, move(what, node, saw[name]), expect=expect, cost={"x": 1})
        assert rows_of(alone) == rows_of(together)
        assert saw["alone"] == saw["together"]
        assert (alone.seq, alone.spent(), alone.queue_lengths()) == (
            together.seq,
            together.spent(),
            together.queue_lengths(),
        )
        standing = alone._rows("SELECT queue, count(*) FROM head WHERE queue IS NOT NULL GROUP BY queue")
        assert alone.queue_lengths() == dict(standing)
        assert alone.spent().get("nodes", 0) == alone._row("SELECT count(*) FROM head")[0]


def test_a_step_that_leaves_its_node_where_it_was_is_refused(store: ProofStore) -> None:
    """What was done and what is to be done are told apart by the revision alone."""
    done = store.commit("init", "test", ROOT, put(ProofNode(id=ROOT)))
    assert done is not None
    with pytest.raises(RuntimeError, match="left the node where it was"):
        store.commit("idle", "idler", ROOT, lambda txn: "nothing", expect=done.event.seq, cost={"steps": 1})
    assert (store.seq, store.recorded("idle"), store.spent().get("steps", 0)) == (done.event.seq, False, 0)


def test_the_node_budget_is_never_exceeded(store: ProofStore) -> None:
    store.max_nodes = 2
    store.commit("init", "test", ROOT, put(ProofNode(id=ROOT)))
    with pytest.raises(BudgetExceeded):
        store.commit("x", "x", ROOT, put(*(ProofNode(id=child_id(ROOT, 0, i)) for i in range(2))))
    assert [node.id for node in store.nodes()] == [ROOT]


def test_equal_texts_are_stored_once(store: ProofStore) -> None:
    nodes = [ProofNode(id=child_id(ROOT, 0, i), statement="the same long statement") for i in range(5)]
    store.commit("init", "test", ROOT, put(*nodes))
    assert store._row("SELECT count(*) FROM blob")[0] == 1
    assert store.get("0.0_0003").statement == "the same long statement"


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


async def test_every_commit_is_an_event_in_order(framework: MakeFramework) -> None:
    with await _run_store(framework) as store:
        events = store.events()
        assert [event.seq for event in events] == list(range(1, store.seq + 1))
        assert events[0].outcome == "begun"
        assert events[-1].outcome == "verdict: proved"
        assert {event.agent for event in events} >= {"judge", "prover", "verifier", "sketcher", "backtrack"}


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


async def test_a_store_that_is_closed_leaves_one_file(tmp_path: Path) -> None:
    store = ProofStore(tmp_path / "proof.db")
    await store.on_own_thread(store.commit, "init", "test", ROOT, put(ProofNode(id=ROOT)))
    await store.aclose()
    assert not (tmp_path / "proof.db-wal").exists()  # all is in its place
    with pytest.raises(sqlite3.ProgrammingError):
        store.root()
    with ProofStore(tmp_path / "proof.db", read_only=True) as again:
        assert again.seq == 1


async def test_two_stores_at_once_have_a_thread_each(tmp_path: Path) -> None:
    with ProofStore(tmp_path / "a.db") as one, ProofStore(tmp_path / "b.db") as other:
        assert await one.on_own_thread(threading.get_ident) != await other.on_own_thread(threading.get_ident)


def test_what_is_no_database_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "proof.db").write_bytes(b"this is no database at all" * 100)
    with pytest.raises(StoreError, match=r"proof\.db"):
        ProofStore(tmp_path / "proof.db")
    with pytest.raises(StoreError, match="is not there; --fresh"):
        ProofStore(tmp_path / "nothing.db", read_only=True)


PATHS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=4)


@given(PATHS, PATHS)
@settings(max_examples=200, deadline=None)
def test_a_subtree_is_exactly_a_range_of_keys(first: Any, second: Any) -> None:
    def path(steps: Any) -> str:
        name = ROOT
        for generation, index in steps:
            name = child_id(name, generation, index)
        return name

    above, below = path(first), path(second)
    low, high = subtree_range(above)
    assert (low <= below < high) == (len(second) > len(first) and second[: len(first)] == first)
    if len(second) > len(first):
        low, high = subtree_range(above, 3)
        expected = second[: len(first)] == first and second[len(first)][0] == 3
        assert (low <= below < high) == expected


def test_relocation_moves_ids_and_nothing_else() -> None:
    value = {"cites": ["0.1_0002", "0.1_0002.0_0000", "0.1_0003"], "text": "0.1_0002 is an id", "n": "0", "k": 3}
    moved = relocate(value, "0.1_0002", "La1")
    assert moved == {"cites": ["La1", "La1.0_0000", "0.1_0003"], "text": "0.1_0002 is an id", "n": "0", "k": 3}
    assert relocate(moved, "La1", "0.1_0002") == value
