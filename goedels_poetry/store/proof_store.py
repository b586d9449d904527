"""`ProofStore`: commits with idempotency keys over immutable revisions, and forks of any past moment.

Keys are ``agent:node@seq``: a task that runs twice (kill -9, retry, time travel) finds its key and changes
nothing. The commit itself costs O(what changed), whatever the size of the tree.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar, cast

from goedels_poetry.errors import StaleWork, StoreError
from goedels_poetry.store.database import TABLES, connect, refuse
from goedels_poetry.store.reads import IDENTITY, StoreReader, Txn, compact
from goedels_poetry.store.results import Event
from goedels_poetry.store.state import subtree_range

if TYPE_CHECKING:
    from goedels_poetry.store.postgres import Database

P = ParamSpec("P")
T = TypeVar("T")

STEPS = "steps"
"""Name of a cost: commits of agents."""


class Commit(NamedTuple):
    """What a commit did: its event, and the key prefixes it cut off."""

    event: Event
    cuts: tuple[str, ...]


def _meant(fact: Any) -> Any:
    """A fact without the file's name, which only messages need."""
    return {name: value for name, value in fact.items() if name != "file"} if isinstance(fact, dict) else fact


def _plus(total: Mapping[str, float], *more: Mapping[str, float]) -> dict[str, float]:
    amounts = dict(total)
    for each in more:
        for name, amount in each.items():
            amounts[name] = amounts.get(name, 0) + amount
    return amounts


def _moved(lengths: Mapping[str, int], moves: Mapping[str, int]) -> dict[str, int]:
    """Lengths of the queues after some moves, without those that are empty; in alphabetical order."""
    after = _plus(lengths, moves)
    return {queue: int(after[queue]) for queue in sorted(after) if after[queue]}


class ProofStore(StoreReader):
    """The proof tree of one run. One process writes; any number may read (``read_only=True``)."""

    def __init__(self, path: Path, *, read_only: bool = False, database: Database | None = None) -> None:
        """Open or create ``path``; raises :class:`StoreError`.

        ``database``: where the tree is instead of in that file: that of the run whose folder the file would be in.
        """
        run_id = path.parent.name
        if read_only and not (path.exists() if database is None else database.has_tree(run_id)):
            raise StoreError(
                f"{path} is not there; --fresh begins the run anew"
                if database is None
                else f"there is no tree of run {run_id}"
            )
        if database is None:
            db = connect(path, read_only=read_only)
        else:  # what it does not have of sqlite3 is not used
            db = cast("sqlite3.Connection", database.tree(run_id, read_only=read_only))
        super().__init__(path, db)
        self._database = database
        self.read_only = read_only
        self._thread: ThreadPoolExecutor | None = None
        self._grouped = False
        self._lost: BaseException | None = None
        """Why commits that are being made together have been undone, all of them."""
        try:
            self._seq = super().seq
            self._queues = super().queue_lengths()
            self._spent = super().spent()
        except BaseException:
            db.close()  # with it a server frees the run for whoever tries again
            raise
        self.max_nodes: int | None = None
        """Nodes that may ever be created; a commit beyond it raises :class:`BudgetExceeded`."""

    async def on_thread(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a store method whose cost does not grow with the tree, so that the event loop does not wait for the disk.

        What it touches of a file is in memory, and nothing waits for the disk after a commit (see `database`): it runs
        at once. What waits for a server runs on the store's own thread.
        """
        return fn(*args, **kwargs) if self._database is None else await self.on_own_thread(fn, *args, **kwargs)

    async def on_own_thread(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for what may take long in any case."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="proofstore")
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: fn(*args, **kwargs))

    def close(self) -> None:
        """Finish what is being written and close the file."""
        if self._thread is not None:
            self._thread.shutdown()
        super().close()

    async def aclose(self) -> None:
        """The same on the store's own thread: SQLite moves the log into the file then, and waits for the disk."""
        await self.on_own_thread(super().close)
        if self._thread is not None:
            self._thread.shutdown()

    # -- cheap reads of the one writer -----------------------------------------------------------------------
    @property
    def seq(self) -> int:
        """Number of the latest commit; 0 for an empty store."""
        return super().seq if self.read_only else self._seq

    def queue_lengths(self) -> dict[str, int]:
        """Lengths of the queues that hold something; O(number of queues) for the writer."""
        if self.read_only:
            return super().queue_lengths()
        with self._lock:
            return dict(self._queues)

    def spent(self, *, as_of: int | None = None) -> dict[str, float]:
        """What the run has spent; see :meth:`StoreReader.spent`."""
        if self.read_only or as_of is not None:
            return super().spent(as_of=as_of)
        with self._lock:
            return dict(self._spent)

    # -- writes ------------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        """A transaction; among commits that are made together a step of theirs."""
        if self._lost is not None:
            raise self._lost
        self._db.execute("SAVEPOINT step" if self._grouped else "BEGIN IMMEDIATE")

    def _end(self) -> None:
        self._db.execute("RELEASE SAVEPOINT step" if self._grouped else "COMMIT")

    def _undo(self, problem: BaseException) -> None:
        """As if it had not been begun; raises what the database says of a problem of its own."""
        if self._db.in_transaction:
            for sql in ("ROLLBACK TO SAVEPOINT step", "RELEASE SAVEPOINT step") if self._grouped else ("ROLLBACK",):
                self._db.execute(sql)
        elif self._grouped:  # of some faults SQLite has rolled back everything itself
            self._lost = problem
        if isinstance(problem, sqlite3.Error):
            refuse(self.path, problem)

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is no commit of an agent."""
        with self._lock:
            try:
                self._begin()
                yield self._db
                self._end()
            except BaseException as exc:
                self._undo(exc)
                raise

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Commits inside are on disk together, or none is: each is all or nothing by itself.

        Raises:
            StoreError: the disk has refused one of them, or the whole; as if none had been made.
        """
        with self._lock:
            if self._grouped:
                raise RuntimeError("commits are being made together already")
            before = self._seq, self._queues, self._spent
            try:
                self._db.execute("BEGIN IMMEDIATE")
                self._grouped = True
                yield
                if self._lost is not None:
                    raise self._lost
                self._db.execute("COMMIT")
            except BaseException as exc:
                self._grouped = False
                self._seq, self._queues, self._spent = before
                self._undo(exc)
                raise
            finally:
                self._grouped, self._lost = False, None

    def commit(
        self,
        key: str,
        agent: str,
        node_id: str,
        apply: Callable[[Txn], str],
        *,
        expect: int | None = None,
        cost: dict[str, float] | None = None,
    ) -> Commit | None:
        """Apply once, in one transaction.

        Args:
            key: idempotency key; when it is recorded already nothing happens and None is returned.
            apply: changes the tree through the :class:`Txn`, returns the outcome word of the event.
            expect: revision at which the node was handed out.

        Raises:
            StaleWork: the node has moved on or is cut off (what it has cost is counted all the same, the step is not).
            RuntimeError: ``apply`` has left the node where it was, although a revision was expected.
        """
        with self._lock:
            try:
                return self._commit(key, agent, node_id, apply, expect, cost or {})
            except StaleWork:
                paid = {name: amount for name, amount in (cost or {}).items() if name != STEPS}
                self._spent = _plus(self._spent, paid)  # written with the next commit
                raise

    def _commit(
        self,
        key: str,
        agent: str,
        node_id: str,
        apply: Callable[[Txn], str],
        expect: int | None,
        cost: dict[str, float],
    ) -> Commit | None:
        try:
            self._begin()
            present = expect is not None and self.revision(node_id) == expect
            # A step that is recorded has moved its node on.
            known = not present and self.recorded(key)
            self._db.execute("DELETE FROM under_way WHERE key=?", (key,))
            if known:
                self._end()
                return None
            if expect is not None and not present:
                raise StaleWork(f"{node_id} has moved on since revision {expect}")
            txn = Txn(self, self._db, self._seq + 1, self.max_nodes)
            outcome = apply(txn)
            if present and self.revision(node_id) == expect:  # it would be handed out again and again
                raise RuntimeError(f"agent {agent} left the node where it was")
            lengths = _moved(self._queues, txn.moved)
            spent = _plus(self._spent, txn.spent, cost)
            event = Event(txn.seq, time.time(), agent, node_id, outcome, lengths, txn.reason)
            row = (event.seq, key, agent, node_id, event.ts, outcome, event.reason)
            amounts = (compact(lengths), compact(spent), compact(cost))
            self._db.execute("INSERT INTO event VALUES(?,?,?,?,?,?,?,?,?,?)", (*row, *amounts))
            self._end()
        except BaseException as exc:
            self._undo(exc)
            raise
        self._seq, self._queues, self._spent = event.seq, dict(lengths), spent  # the event is for others
        return Commit(event, tuple(txn.cuts))

    def begin_work(self, jobs: Sequence[tuple[str, str, str, int]]) -> list[bool]:
        """Record jobs as under way: key, agent, node, its revision.

        False: its node has moved on since, as it has when the job is done.
        """
        with self._write() as db:
            there = [self.revision(node) == seq for _, _, node, seq in jobs]
            rows = [(*job, time.time()) for job, is_there in zip(jobs, there, strict=True) if is_there]
            db.executemany("INSERT OR REPLACE INTO under_way VALUES(?,?,?,?,?)", rows)
        return there

    def forget_work(self, keys: list[str] | None = None) -> None:
        """Jobs that will not be collected: the given ones, or all of them (after a crash)."""
        if keys == [] or not self.under_way():
            return  # nothing to write: that would cost as much as a step
        with self._write() as db:
            if keys is None:
                db.execute("DELETE FROM under_way")
            else:
                db.executemany("DELETE FROM under_way WHERE key=?", [(key,) for key in keys])

    def spend(self, **amounts: float) -> None:
        """Add to the run's counters; it becomes durable with the next commit."""
        with self._lock:
            self._spent = _plus(self._spent, amounts)

    def __enter__(self) -> ProofStore:
        return self

    def set_meta(self, **facts: Any) -> None:
        """Record facts about the run; what it is about cannot be changed.

        Raises:
            StoreError: another theorem, language or task, or other options.
        """
        with self._write() as db:
            rows = [(name, json.dumps(value)) for name, value in facts.items()]
            for name, value in rows:
                known = self._row("SELECT value FROM meta WHERE name=?", name)
                if name in IDENTITY and known is not None and _meant(json.loads(known[0])) != _meant(json.loads(value)):
                    raise StoreError(f"a run cannot be given another {name}")
            db.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", rows)

    def fork(self, path: Path, seq: int, **facts: Any) -> ProofStore:
        """A new store at ``path`` that stands where this one stood after commit ``seq``; this one is untouched.

        ``facts`` replace facts about the run (see :meth:`set_meta`).
        """
        until = {name: " WHERE seq<=?" for name, table in TABLES.items() if "seq" in table.columns}
        copied = [name for name in TABLES if name not in ("head", "under_way")]
        with ProofStore(path, database=self._database) as other:
            with other._write() as db:
                for name in copied:
                    columns = ",".join(TABLES[name].columns)
                    marks = ",".join("?" * len(TABLES[name].columns))
                    seqs = [seq] if name in until else []
                    rows = self._rows(f"SELECT {columns} FROM {name}{until.get(name, '')}", *seqs)
                    db.executemany(f"INSERT INTO {name}({columns}) VALUES({marks})", rows)
                db.executemany("INSERT INTO head VALUES(?,?,?,?,?)", _heads(other))
            other.set_meta(**facts)
        return ProofStore(path, database=self._database)


def _heads(store: StoreReader) -> list[tuple[Any, ...]]:
    """The present revision of every node, from the revisions and the cuts."""
    found = {
        node_id: (seq, queue, json.loads(payload).get("key", ""))
        for node_id, seq, queue, payload in store._rows("SELECT node_id, seq, queue, payload FROM rev ORDER BY seq")
    }
    cut: dict[str, int] = {}
    for seq, node_id, generation in store._rows("SELECT seq, node_id, generation FROM cut ORDER BY seq"):
        low, high = subtree_range(node_id, generation)
        for each in found:
            if low <= each < high:
                cut.setdefault(each, seq)  # an earlier cut of an ancestor already holds what is below it
    return [
        (node_id, seq, None if node_id in cut else queue, key, cut.get(node_id))
        for node_id, (seq, queue, key) in found.items()
    ]
