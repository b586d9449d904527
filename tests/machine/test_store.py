"""The store of a run: what is kept, listed, damaged and repaired."""

import contextlib
import random
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from many_goals import many_goals
from toy_language import generated, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import Verdict
from goedels_poetry.errors import BudgetExceeded, RunLocked, StaleWork, StoreError, UnknownRun
from goedels_poetry.search.machine import checkpoints
from goedels_poetry.store import database
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.repair import is_whole, repair, salvage
from goedels_poetry.store.runs import TRASH, RunDir, Runs
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


@pytest.mark.parametrize(
    "card",
    [
        "{bad", "[]", '{"started": "x"}', '{"result": 5}', '{"result": {"verdict": "?"}}', '{"name": 7}',
        '{"result": {"input": "t", "verdict": null}}', '{"result": {"input": "t", "verdict": null, "error": 7}}',
        '{"result": {"input": "t", "verdict": null, "error": {"kind": "locked", "reason": ""}}}',
        '{"result": {"input": "t", "verdict": null, "error": {}}}',
    ],
)  # fmt: skip
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
