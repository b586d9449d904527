"""`ProofStore`: commits with idempotency keys over immutable revisions, and forks of any past moment.

Keys are ``agent:node@seq``: a task that runs twice (kill -9, retry, time travel) finds its key and changes
nothing. The commit itself costs O(what changed), whatever the size of the tree.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar, cast

from goedels_poetry.errors import StaleWork, StoreError
from goedels_poetry.store.database import connect, refuse
from goedels_poetry.store.present import PresentNodes
from goedels_poetry.store.reads import RECORDED, StoreReader
from goedels_poetry.store.results import Event
from goedels_poetry.store.state import ProofNode
from goedels_poetry.store.txn import IDENTITY, Txn, compact
from goedels_poetry.store.writer import Writer

if TYPE_CHECKING:
    from goedels_poetry.store.postgres_database import Database

P = ParamSpec("P")
T = TypeVar("T")

STEPS = "steps"
"""Name of a cost: commits of agents."""

SLOW = 0.1
"""Seconds of waiting for the disk, another process or a processor; a step that need not takes a millisecond."""
FOR_A_WHILE = 10.0
"""Seconds in which a store that was slow is taken to be so."""


_idle: list[ThreadPoolExecutor] = []
"""Threads that stores have left to the next one: to start one takes longer than most of what they do."""
os.register_at_fork(after_in_child=_idle.clear)  # a forked process has none of them


def _taken() -> ThreadPoolExecutor:
    """A thread that no other store has."""
    try:
        return _idle.pop()
    except IndexError:
        return ThreadPoolExecutor(1, thread_name_prefix="proofstore")


def _nothing() -> None:
    """What is done when all before it is done."""


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
        self._slow_until = 0.0
        self._writer = Writer(db)
        self._grouped = False
        self._nodes = PresentNodes()
        self._present = None if read_only else self._nodes
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

        It runs at once as long as none has been slow: what it touches is in memory (nobody waits for the disk after a
        commit either, see `database`). A thread would wait for its turn after each statement, up to 5 ms where others
        have work (`sys.getswitchinterval`). Once one was slow, all run on the store's own thread for a while; those of
        a server always do.
        """
        if self._database is not None or time.monotonic() < self._slow_until:
            return await self.on_own_thread(fn, *args, **kwargs)
        waited = time.thread_time() - time.monotonic()
        try:
            return fn(*args, **kwargs)
        finally:
            now = time.monotonic()
            if waited + now - time.thread_time() > SLOW:
                self._slow_until = now + FOR_A_WHILE

    async def on_own_thread(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for what may take long in any case."""
        if self._thread is None:
            self._thread = _taken()
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: fn(*args, **kwargs))

    def close(self) -> None:
        """Finish what is being written and close the file."""
        self._nodes.forget()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.submit(_nothing).result()
            _idle.append(thread)
        super().close()

    async def aclose(self) -> None:
        """The same on the store's own thread: SQLite moves the log into the file then, and waits for the disk."""
        self._nodes.forget()
        thread, self._thread = self._thread or _taken(), None
        try:
            await asyncio.get_running_loop().run_in_executor(thread, super().close)
        finally:
            _idle.append(thread)

    # -- cheap reads of the one writer -----------------------------------------------------------------------
    @property
    def seq(self) -> int:
        """Number of the latest commit; 0 for an empty store."""
        return super().seq if self.read_only else self._seq

    def at_hand(self, node_id: str) -> ProofNode | None:
        """The node where neither the database nor a commit has to be waited for to know it; None says nothing."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            known = self._nodes.get(node_id)
        finally:
            self._lock.release()
        return known.node if known is not None else None

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

    # -- reads of what is still to be written ------------------------------------------------------------------
    def _rows(self, sql: str, *args: Any) -> list[Any]:
        with self._lock:
            self._written()
            return super()._rows(sql, *args)

    def _row(self, sql: str, *args: Any) -> Any:
        with self._lock:
            self._written()
            return super()._row(sql, *args)

    def _written(self) -> None:
        try:
            self._writer.tell()
        except sqlite3.Error as exc:
            refuse(self.path, exc)

    # -- writes ------------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        """A transaction; among commits that are made together a step of theirs."""
        if not self._grouped:
            self._db.execute("BEGIN IMMEDIATE")
            return
        self._still_grouped()
        self._writer.begin_step()

    def _end(self) -> None:
        if self._grouped:
            self._writer.end_step()
            return
        self._writer.tell()
        self._db.execute("COMMIT")
        self._writer.forget()

    def _undo(self, problem: BaseException) -> None:
        """As if it had not been begun; raises what the database says of a problem of its own."""
        self._nodes.forget()
        if self._grouped:
            self._writer.undo_step(problem)
        else:
            self._writer.forget()
            if self._db.in_transaction:  # of some faults SQLite has rolled back itself
                self._db.execute("ROLLBACK")
        if isinstance(problem, sqlite3.Error):
            refuse(self.path, problem)

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """What is no commit."""
        with self._lock:
            try:
                self._begin()
                yield self._writer.database()
                self._end()
            except BaseException as exc:
                self._undo(exc)
                raise

    def _still_grouped(self) -> None:
        """Raise again what has undone the commits before this one, so that none stays of a group that is lost."""
        if self._writer.lost is not None:
            raise self._writer.lost

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
                self._still_grouped()
                self._grouped = False
                self._end()
            except BaseException as exc:
                self._grouped = False
                self._seq, self._queues, self._spent = before
                self._undo(exc)
                raise

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
            cost: amounts to add to the run's counters.

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
        writer = self._writer
        try:
            self._begin()
            present = expect is not None and self.revision(node_id) == expect
            # A step that is recorded has moved its node on.
            known = not present and writer.find("event", key, RECORDED) is not None
            writer.add("under_way", key)
            if known:
                self._end()
                return None
            if expect is not None and not present:
                raise StaleWork(f"{node_id} has moved on since revision {expect}")
            txn = Txn(self, writer, self._nodes, self._seq + 1, self.max_nodes)
            outcome = apply(txn)
            if present and self.revision(node_id) == expect:  # it would be handed out again and again
                raise RuntimeError(f"agent {agent} left the node where it was")
            lengths = _moved(self._queues, txn.moved)
            spent = _plus(self._spent, txn.spent, cost)
            event = Event(txn.seq, time.time(), agent, node_id, outcome, lengths, txn.reason)
            told = (compact(lengths), compact(spent), compact(cost))
            writer.add("event", event.seq, key, agent, node_id, event.ts, outcome, event.reason, *told, key=key)
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
        if self._database is not None:
            self._database.fork(self.path.parent.name, path.parent.name, seq)
            with contextlib.closing(ProofStore(path, database=self._database)) as copy:
                copy.set_meta(**facts)
            return ProofStore(path, database=self._database)
        other = ProofStore(path)
        with self._lock:
            self._db.backup(other._db)
        with other._write() as db:
            for table in ("rev", "event", "cut", "waits", "lemma", "history", "verdict"):
                db.execute(f"DELETE FROM {table} WHERE seq>?", (seq,))
            db.execute("DELETE FROM under_way")
            db.execute("DELETE FROM head")
            db.execute(  # bare columns follow max() in SQLite
                "INSERT INTO head SELECT node_id, max(seq), queue, coalesce(json_extract(payload, '$.key'), ''), NULL"
                " FROM rev GROUP BY node_id"
            )
            # An earlier cut of an ancestor already holds the rows below it: the first cut counts.
            db.execute(
                "UPDATE head SET queue=NULL, cut=c.seq FROM (SELECT h.node_id, min(cut.seq) AS seq FROM head h"
                " JOIN cut ON h.node_id >= cut.node_id || '.' || cut.generation || '_'"
                " AND h.node_id < cut.node_id || '.' || cut.generation || '`' GROUP BY h.node_id) AS c"
                " WHERE head.node_id = c.node_id"
            )
        other.set_meta(**facts)
        other.close()
        return ProofStore(path)
