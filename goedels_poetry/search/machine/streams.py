"""A run as a stream, in the modes that LangGraph users know. The last chunk of every mode has the verdict."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from typing import Any, Literal

from goedels_poetry.search.machine.checkpoints import OnChunk
from goedels_poetry.search.machine.session import FRAMEWORK
from goedels_poetry.store.results import Event, OnEvent, RunResult
from goedels_poetry.store.state import ROOT, GoedelsPoetryState

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

    Args:
        begin: starts the run with its two listeners.
        modes: those that are wanted.
        verdict: whether each mode ends with the verdict.
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
