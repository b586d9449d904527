"""A run while it goes on, as server-sent events: each new commit once, in order, whoever works on the run."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from goedels_poetry.serve.looking import UNREADABLE, Watch, data_of
from goedels_poetry.tree.runs import RunDir

EVERY = 0.25
"""Seconds between two looks at a run."""
SIGN_OF_LIFE = 15.0
"""Seconds after which a client that hears nothing hears that we are there."""


def event(data: Any, *, name: str = "", number: int | None = None) -> bytes:
    """One event. All of it is ASCII, and JSON has no line breaks, so nothing in a text can end it."""
    lines = [f"event: {name}"] if name else []
    lines += [f"id: {number}"] if number is not None else []
    lines.append(f"data: {json.dumps(data, ensure_ascii=True, separators=(',', ':'), default=str)}")
    return "\n".join([*lines, "", ""]).encode("ascii")


async def follow(run: RunDir, since: int, closing: asyncio.Event) -> AsyncIterator[bytes]:
    """Updates of a run after commit ``since`` until it has ended, was deleted, or the server stops.

    Each has as its id the commit that it leads to; a client that comes again says it and misses nothing. The last is
    ``end`` with ``{"status": "ended" | "deleted"}``. When the server stops there is none: the client may try again.
    """
    try:
        watch = await asyncio.to_thread(Watch, run)
    except UNREADABLE:
        yield event({"status": "deleted"}, name="end")
        return
    try:
        heard = time.monotonic()
        while not closing.is_set():
            try:
                changed, status = await asyncio.to_thread(watch.look)
                update = await asyncio.to_thread(data_of, run, since) if changed else None
            except UNREADABLE:
                update, status = None, "deleted"
            if update is not None:
                since, heard = max(since, int(update["seq"])), time.monotonic()
                yield event(update, number=since)
            if status:
                yield event({"status": status}, name="end")
                return
            if time.monotonic() - heard > SIGN_OF_LIFE:
                heard = time.monotonic()
                yield b": still here\n\n"
            await _pause(closing)
    finally:
        watch.close()


async def _pause(closing: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(EVERY):
            await closing.wait()
    except TimeoutError:
        pass
