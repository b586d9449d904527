"""LangGraph's checkpoints of a run (``graph.db``): written while the graph is driven, read afterwards by anybody.

All starts of a run are one thread, whose id is the run's: the history goes on over interrupts and crashes. Each start
is a new input on the thread: what its supervisor decides is read from the proof store, and a step that was cut short is
not taken up, which may have been the end of a search that had been asked to stop.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from goedels_poetry.files import is_no_file
from goedels_poetry.search.machine.graph import RECURSION_LIMIT
from goedels_poetry.search.machine.supervisor import RUNNING
from goedels_poetry.store.database import refuse
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.shared_database import PATIENCE
from goedels_poetry.store.state import GoedelsPoetryState

if TYPE_CHECKING:
    from pathlib import Path

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.serde.base import SerializerProtocol
    from langgraph.graph.state import CompiledStateGraph

PASSED_ON = ("callbacks", "tags", "metadata", "run_name")
"""What of a caller's ``RunnableConfig`` reaches the graph, its agents and the models that they ask. The thread is the
run's, and how many steps there may be is what the budgets say."""

OnChunk = Callable[[str, Any], None]
"""Called in the event loop with the mode and the chunk of LangGraph's stream; must not block."""


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """What the caller of a run gives LangGraph."""

    config: RunnableConfig | None = None
    on_chunk: OnChunk | None = None
    """Gets the stream in the modes "updates" and "values"."""
    checkpoint_all: bool = True
    """False: what is decided before anything is decomposed needs no LangGraph, and has no checkpoint."""


def run_config(run_id: str, given: RunnableConfig | None = None) -> RunnableConfig:
    """The ``RunnableConfig`` of a run's graph: its thread, our limit of steps, and what the caller's passes on."""
    kept = {name: value for name, value in (given or {}).items() if name in PASSED_ON and value is not None}
    own = {"configurable": {"thread_id": run_id}, "recursion_limit": RECURSION_LIMIT, "run_id": uuid4()}
    return cast("RunnableConfig", {**kept, **own})


async def drive(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    config: RunnableConfig,
    on_chunk: OnChunk | None = None,
) -> GoedelsPoetryState:
    """Run the graph, on its thread, until its supervisor says how the search ended; returns that state."""
    start: GoedelsPoetryState = {"run_id": config["configurable"]["thread_id"], "status": RUNNING, "reason": ""}
    state: GoedelsPoetryState = {}
    modes = ["values"] if on_chunk is None else ["updates", "values"]
    # A checkpoint is on disk before the next step begins, so a crash costs the history no step that has ended.
    async for mode, chunk in graph.astream(start, config, stream_mode=modes, durability="sync"):  # type: ignore[call-overload]
        if mode == "values":
            state = chunk
        if on_chunk is not None:
            for each in _by_step(chunk) if mode == "updates" else [chunk]:
                on_chunk(mode, each)
    return state


def _by_step(chunk: dict[str, Any]) -> list[dict[str, Any]]:
    """An agent's update for each of its steps; of several at once LangGraph gives every channel's value alone."""
    ((node, update),) = chunk.items()
    if not isinstance(update, list):
        return [chunk]
    return [{node: {"seq": part["step"]["seq"], **part}} for part in update if "step" in part]


def has_checkpoints(place: RunDir) -> bool:
    """Whether any may have been written."""
    return place.graph_db.exists() if place.database is None else place.database.has_checkpoints(place.run_id)


@asynccontextmanager
async def checkpointer(place: RunDir) -> AsyncIterator[Any]:
    """Write checkpoints of a run; raises sqlite3.Error or StoreError, then and whenever the graph is driven with it."""
    if place.database is not None:
        async with place.database.checkpointer(_strict_serializer()) as found:
            yield found
        return
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    _check_file(place.graph_db)
    async with aiosqlite.connect(place.graph_db, timeout=PATIENCE) as db:
        # Survives kill -9 of this process; only a power loss may take the last checkpoints with it.
        await db.execute("PRAGMA synchronous=NORMAL")
        yield AsyncSqliteSaver(db, serde=_strict_serializer())


def _check_file(path: Path) -> None:
    """Say of what is no file what SQLite says of one that is no database."""
    if is_no_file(path):
        error = sqlite3.DatabaseError(f"{path} is no file")
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error


@contextmanager
def reader(place: RunDir) -> Iterator[Any]:
    """Read the checkpoints of a run, which stay as they are; raises :class:`StoreError`."""
    if place.database is not None:
        with place.database.checkpoints(_strict_serializer()) as saver:
            yield saver
        return
    path = place.graph_db
    from langgraph.checkpoint.sqlite import SqliteSaver

    try:
        _check_file(path)
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=PATIENCE)) as db:
            saver = SqliteSaver(db, serde=_strict_serializer())
            saver.is_setup = True  # whoever wrote the file has made its tables
            yield saver
    except sqlite3.Error as exc:
        refuse(path, exc)


def _strict_serializer() -> SerializerProtocol:
    """Plain data only, whether or not langgraph was imported before it could be told to be strict."""
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    return JsonPlusSerializer(allowed_msgpack_modules=None)
