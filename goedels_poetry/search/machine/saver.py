"""LangGraph's checkpoints in SQLite, written as the proof store writes: at once, on a thread while the disk is slow.

A thread for each of them, which LangGraph's own saver for `asyncio` has, costs more than the writing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.sqlite import SqliteSaver

from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.shared_database import PATIENCE

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata, CheckpointTuple
    from langgraph.checkpoint.serde.base import SerializerProtocol


class Saver(SqliteSaver):
    """What the graph of a run needs while it is driven; raises sqlite3.Error."""

    def __init__(self, db: sqlite3.Connection, serde: SerializerProtocol, store: ProofStore) -> None:
        """``store``: whose pace the disk has shown."""
        super().__init__(db, serde=serde)
        self._store = store
        self._later: list[tuple[Any, ...]] = []
        """What nodes have done since the last checkpoint: it goes to the disk with the next one."""
        self._in_one = False

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The latest checkpoint."""
        return await self._store.on_thread(self.get_tuple, config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: Any,
    ) -> RunnableConfig:
        """Write a checkpoint, and what has led to it."""
        return await self._store.on_thread(self._put_all, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what one node has done since the checkpoint.

        Nobody goes on from there after a crash: what was done stands in the proof store.
        """
        self._later.append((config, writes, task_id, task_path))

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """As LangGraph has it; inside :meth:`_put_all` all of it is one transaction."""
        with super().cursor(transaction and not self._in_one) as found:
            yield found

    def _put_all(self, *checkpoint: Any) -> RunnableConfig:
        self._in_one = True
        try:
            self.put_later()
            config = self.put(*checkpoint)
        finally:
            self._in_one = False
        self.conn.commit()
        return config

    def put_later(self) -> None:
        """Write what has been kept."""
        later, self._later = self._later, []
        for writes in later:
            self.put_writes(*writes)


@asynccontextmanager
async def saver(path: Path, serde: SerializerProtocol, store: ProofStore) -> AsyncIterator[Saver]:
    """Open and close ``graph.db``; raises sqlite3.Error, then and whenever something is written."""
    db = await store.on_own_thread(sqlite3.connect, path, timeout=PATIENCE, check_same_thread=False)
    try:
        found = Saver(db, serde, store)
        await store.on_own_thread(found.setup)
        # Survives kill -9 of this process; only a power loss may take the last checkpoints with it.
        await store.on_own_thread(db.execute, "PRAGMA synchronous=NORMAL")
        yield found
        await store.on_own_thread(found.put_later)
    finally:
        await store.on_own_thread(db.close)
