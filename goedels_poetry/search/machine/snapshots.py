"""A run as LangGraph users look at it: the checkpoint that was written last, all earlier ones, each with its node tree.

LangGraph's checkpoints (``graph.db``) say where the scheduler stood; the tree of each moment comes from the commit log
of the store (``proof.db``), which is the source of truth. Reading changes neither, and works while the run goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.search.agents.registry import Registry, load_registry
from goedels_poetry.search.machine.checkpoints import OnChunk, has_checkpoints, reader
from goedels_poetry.search.machine.graph import draw
from goedels_poetry.search.machine.kinds import Extensions, registry_of, task_of
from goedels_poetry.search.machine.session import FRAMEWORK
from goedels_poetry.search.machine.supervisor import RUNNING, present_state
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import Event, OnEvent, RunResult
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.state import ROOT, GoedelsPoetryState, ProofNode

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import PregelTask, StateSnapshot


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
    """The checkpoint that ``config`` names, by default the newest.

    A run that was not checkpointed yet (a fork, say) has the state that its store is in.

    Raises StoreError: the run has no store. GoedelsPoetryError: it has no such checkpoint.
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


StreamMode = Literal["updates", "values", "custom"]
"""``updates``: ``{node: update}`` after each step of the graph. ``values``: the whole state after each super-step.
``custom``: every `Event`, as it is committed."""

MODES: tuple[StreamMode, ...] = ("updates", "values", "custom")

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
        last[mode] = chunk
        if mode in modes:
            chunks.put_nowait((mode, chunk))

    task = asyncio.ensure_future(begin(lambda event: put("custom", event), put))
    task.add_done_callback(lambda _: chunks.put_nowait(None))
    try:
        while (item := await chunks.get()) is not None:
            yield item
        result = await task
        for mode in modes if verdict else ():
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
