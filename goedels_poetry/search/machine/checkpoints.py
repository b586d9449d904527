"""LangGraph's checkpoints of a run (``graph.db``): written while the graph is driven, read afterwards by anybody.

All starts of a run are one thread, whose id is the run's: the history goes on over interrupts and crashes. Each start
is a new input on the thread: what its supervisor decides is read from the proof store, and a step that was cut short is
not taken up, which may have been the end of a search that had been asked to stop.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, get_args
from uuid import uuid4

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.files import is_no_file
from goedels_poetry.search.agents.registry import Registry, load_registry
from goedels_poetry.search.machine.graph import RECURSION_LIMIT, draw
from goedels_poetry.search.machine.kinds import Extensions, registry_of, task_of
from goedels_poetry.search.machine.supervisor import RUNNING, present_state
from goedels_poetry.store.database import refuse
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import Event, OnEvent, RunResult
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.shared_database import PATIENCE
from goedels_poetry.store.state import ROOT, GoedelsPoetryState, ProofNode

if TYPE_CHECKING:
    from pathlib import Path

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.serde.base import SerializerProtocol
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import PregelTask, StateSnapshot


FRAMEWORK = "framework"
"""Who commits what no agent does."""
PASSED_ON = ("callbacks", "tags", "metadata", "run_name")
"""What of a caller's ``RunnableConfig`` reaches the graph, its agents and the models that they ask. The thread is the
run's, and how many steps there may be is what the budgets say."""

OnChunk = Callable[[str, Any], None]
"""Called in the event loop with the mode and the chunk of LangGraph's stream; must not block."""


LISTENED_TO = ("updates", "values")
"""Modes of LangGraph's stream that a listener gets where nothing else is said."""


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """What the caller of a run gives LangGraph."""

    config: RunnableConfig | None = None
    on_chunk: OnChunk | None = None
    """Gets the stream in these ``modes``."""
    checkpoint_all: bool = True
    """False: what is decided before anything is decomposed needs no LangGraph, and has no checkpoint."""
    modes: tuple[str, ...] = LISTENED_TO
    """Of LangGraph's stream."""


def run_config(run_id: str, given: RunnableConfig | None = None) -> RunnableConfig:
    """The ``RunnableConfig`` of a run's graph: its thread, our limit of steps, and what the caller's passes on."""
    kept = {name: value for name, value in (given or {}).items() if name in PASSED_ON and value is not None}
    own = {"configurable": {"thread_id": run_id}, "recursion_limit": RECURSION_LIMIT, "run_id": uuid4()}
    return cast("RunnableConfig", {**kept, **own})


async def drive(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    config: RunnableConfig,
    on_chunk: OnChunk | None = None,
    modes: Collection[str] = (),
) -> GoedelsPoetryState:
    """Run the graph, on its thread, until its supervisor says how the search ended; returns that state."""
    start: GoedelsPoetryState = {"run_id": config["configurable"]["thread_id"], "status": RUNNING, "reason": ""}
    state: GoedelsPoetryState = {}
    wanted = ["values"] if on_chunk is None else [*dict.fromkeys(("values", *modes))]
    # A checkpoint is on disk before the next step begins, so a crash costs the history no step that has ended.
    stream = graph.astream(start, config, stream_mode=wanted, durability="sync", subgraphs=True)  # type: ignore[call-overload]
    async for place, mode, chunk in stream:
        if mode == "values" and not place:
            state = chunk
        if on_chunk is not None:
            for each in _by_step(chunk) if mode == "updates" and not place else [chunk]:
                on_chunk(mode, Inner(place, each) if place else each)
    return state


class Inner(NamedTuple):
    """A chunk of a graph that an agent runs inside of ours."""

    place: tuple[str, ...]
    """Its namespace, as of ``subgraphs=True``."""
    chunk: Any


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


NOTHING = Extensions()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One checkpoint of a run: what LangGraph's ``StateSnapshot`` has, and the node tree of that moment."""

    values: GoedelsPoetryState
    """The shared state. The newest one of a run that has ended has its ``verdict``, too."""
    next: tuple[str, ...]
    """Nodes of the graph that come next, one for each item that was sent out; () when the search is over."""
    config: RunnableConfig
    """``{"configurable": {"thread_id": run id, "checkpoint_id": ...}}``, for `get_state`."""
    metadata: Mapping[str, Any]
    created_at: str | None
    """ISO 8601; None where nothing was checkpointed yet."""
    parent_config: RunnableConfig | None
    tasks: tuple[PregelTask, ...]
    place: RunDir = field(repr=False)
    extensions: Extensions = field(default=NOTHING, repr=False)
    """What the framework that reads it was given."""

    @property
    def parent(self) -> Snapshot | None:
        """The checkpoint before this one; None for the first."""
        return None if self.parent_config is None else read_state(self.place, self.parent_config, self.extensions)

    @property
    def result(self) -> RunResult | None:
        """What the run ended with last, when this is its newest checkpoint and nothing is under way."""
        return self.place.result() if "verdict" in self.values else None

    def tree(self) -> list[ProofNode]:
        """The nodes as they were, in depth-first order: those that the store's revision ``values["seq"]`` had."""
        with self.place.open(read_only=True) as store:
            return store.nodes(as_of=self.values.get("seq", 0))


def read_state(place: RunDir, config: RunnableConfig | None = None, extensions: Extensions = NOTHING) -> Snapshot:
    """The checkpoint that ``config`` names, by default the newest; raises StoreError, GoedelsPoetryError.

    A run that was not checkpointed yet (a fork, say) has the state that its store is in.
    """
    wanted = (config or {}).get("configurable", {}).get("checkpoint_id")
    if has_checkpoints(place):
        with _graph(place, extensions) as graph:
            found, latest = graph.get_state(_thread(place, wanted)), graph.get_state(_thread(place)).config
        if found.created_at is not None:
            newest = wanted is None or latest["configurable"].get("checkpoint_id") == wanted
            return _snapshot(place, found, extensions, newest=newest)
    if wanted is not None:
        raise GoedelsPoetryError(f"run {place.run_id} has no checkpoint {wanted!r}")
    with place.open(read_only=True) as store:
        values = present_state(store, _registry(store, extensions))
    return Snapshot({**values, "run_id": place.run_id}, (), _thread(place), {}, None, None, (), place, extensions)


def read_history(
    place: RunDir,
    *,
    filter: Mapping[str, Any] | None = None,
    before: RunnableConfig | None = None,
    limit: int | None = None,
    extensions: Extensions = NOTHING,
) -> Iterator[Snapshot]:
    """Every checkpoint, newest first; of a run without any, the state of its store."""
    newest = before is None and not filter
    if limit == 0 or not has_checkpoints(place):
        if limit != 0 and newest:
            yield read_state(place, extensions=extensions)
        return
    with _graph(place, extensions) as graph:
        chosen = dict(filter) if filter else None
        for found in graph.get_state_history(_thread(place), filter=chosen, before=before, limit=limit):
            yield _snapshot(place, found, extensions, newest=newest)
            newest = False


def _thread(place: RunDir, checkpoint: str | None = None) -> RunnableConfig:
    named = {"checkpoint_id": checkpoint} if checkpoint is not None else {}
    return {"configurable": {"thread_id": place.run_id, "checkpoint_ns": "", **named}}


def _snapshot(place: RunDir, found: StateSnapshot, extensions: Extensions, *, newest: bool) -> Snapshot:
    values = cast(GoedelsPoetryState, dict(found.values))
    result = place.result() if newest and values.get("status", RUNNING) != RUNNING else None
    if result is not None:
        values = {**values, "verdict": str(result.verdict), "reason": result.reason}
    metadata: Mapping[str, Any] = dict(found.metadata or {})
    asked = found.parent_config, found.tasks
    return Snapshot(values, found.next, found.config, metadata, found.created_at, *asked, place, extensions)


@contextmanager
def _graph(place: RunDir, extensions: Extensions) -> Iterator[CompiledStateGraph[Any, Any, Any, Any]]:
    """The run's graph over its checkpoints, opened for reading alone."""
    with place.open(read_only=True) as store:
        registry = _registry(store, extensions)
    with reader(place) as saver:
        yield draw(registry, checkpointer=saver)


def _registry(store: StoreReader, extensions: Extensions) -> Registry:
    """The agents that serve a run's task."""
    task = task_of(store)
    return registry_of(task.kind, extensions) if task is not None else load_registry()


StreamMode = Literal["updates", "values", "custom", "messages", "tasks", "checkpoints", "debug"]
"""``updates``: ``{node: update}`` after each step of the graph. ``values``: the whole state after each super-step.
``custom``: every `Event`, as it is committed. The others are LangGraph's own: ``(message, metadata)`` of models that
agents ask, tasks that begin and end, checkpoints, both of these."""

MODES: tuple[StreamMode, ...] = get_args(StreamMode)
ENDED: tuple[StreamMode, ...] = ("updates", "values", "custom")
"""Modes whose last chunk has the verdict."""

RESULT = "result"
"""Mode of the last item: the result itself, for whoever wants no chunk of it."""


async def stream_of(
    begin: Callable[[OnEvent, OnChunk], Awaitable[RunResult]], modes: Collection[str], *, verdict: bool = True
) -> AsyncGenerator[tuple[str, Any], None]:
    """(mode, chunk) as they come, then the verdict in each mode, then ``("result", RunResult)``.

    Closing the stream cancels the run, which can be resumed.
    """
    chunks: asyncio.Queue[tuple[str, Any] | None] = asyncio.Queue()
    last: dict[str, Any] = {}

    def put(mode: str, chunk: Any) -> None:
        if not isinstance(chunk, Inner):
            last[mode] = chunk
        if mode in modes:
            chunks.put_nowait((mode, chunk))

    task = asyncio.ensure_future(begin(lambda event: put("custom", event), put))
    task.add_done_callback(lambda _: chunks.put_nowait(None))
    try:
        while (item := await chunks.get()) is not None:
            yield item
        result = await task
        for mode in [mode for mode in modes if mode in ENDED] if verdict else ():
            for chunk in _verdict(mode, result, last):
                yield mode, chunk
        yield RESULT, result
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def _verdict(mode: str, result: RunResult, last: dict[str, Any]) -> list[Any]:
    """What a mode has to say about the end; nothing when its last chunk has said it."""
    update: GoedelsPoetryState = {"verdict": str(result.verdict), "reason": result.reason}
    if mode == "updates":
        return [{"supervisor": update}]
    if mode == "values":
        return [{"run_id": result.run_id, **last.get("values", {}), **update}]
    outcome, event = f"verdict: {result.verdict}", last.get("custom")
    if event is not None and event.outcome == outcome:
        return []
    # There was no run (the text is invalid), or it had ended before.
    return [Event(0, time.time(), FRAMEWORK, ROOT, outcome, {}, result.reason, result.run_id)]


def modes_of(stream_mode: str | Collection[str]) -> tuple[str, ...]:
    """The modes that a caller has named; raises ValueError for others."""
    modes = (stream_mode,) if isinstance(stream_mode, str) else tuple(stream_mode)
    unknown = sorted(set(modes) - set(MODES))
    if unknown or not modes:
        raise ValueError(f"no such stream mode: {', '.join(unknown) or 'none'}; there are {', '.join(MODES)}")
    return modes
