"""Reads runs for the pages, finished ones and, as server-sent events, those that go on, in whichever process.

What is no coroutine here blocks: use threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sqlite3
import time
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from goedels_poetry.errors import StoreError, UnknownRun
from goedels_poetry.serve.access import Refused
from goedels_poetry.store.results import RunSummary
from goedels_poetry.store.runs import RunDir, Runs
from goedels_poetry.store.selection import outcome
from goedels_poetry.trace.page.data import run_data

UNREADABLE = (StoreError, sqlite3.Error, OSError)
"""What a run raises that is deleted while it is read, or damaged."""
_ID = re.compile(r"[0-9a-f]{6,64}(?:-[0-9]{1,9})?")


class Shelf:
    """The runs of a data directory."""

    def __init__(self, data_dir: Path) -> None:
        self._runs = Runs(data_dir)

    def place(self, run_id: str) -> RunDir:
        """The run with exactly that id; raises `Refused`. Nothing but an id ever becomes a part of a path."""
        try:
            if _ID.fullmatch(run_id):
                run = self._runs.get(run_id)
                if run.run_id == run_id:
                    return run
        except UnknownRun:
            pass
        raise Refused(404, f"there is no run {run_id[:80]!a}")

    def summaries(self) -> list[RunSummary]:
        """Every run, latest first."""
        found = []
        for run in self._runs.all():
            with contextlib.suppress(OSError):  # deleted in the meantime
                found.append(run.summary())
        return found


def as_json(run: RunSummary) -> dict[str, Any]:
    """One run of the list: a `RunSummary` and ``outcome``, its verdict or what stands in place of one."""
    return {**asdict(run), "verdict": str(run.verdict) if run.verdict else None, "outcome": outcome(run)}


def data_of(run: RunDir, since: int = 0) -> dict[str, Any]:
    """What the page of a run shows, or what is new in it. Raises one of :data:`UNREADABLE`."""
    with run.open(read_only=True) as store:
        return run_data(store, since)


class Watch:
    """Looks whether something has changed in a run, cheaply and as often as wanted."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._store = run.open(read_only=True)
        self._seen: object = None

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def look(self) -> tuple[bool, str]:
        """Whether something has changed since the last look; and "" while the run goes on, or how it stands.

        What is asked first is whether it goes on: so nothing that it has written before it ended is missed.
        """
        if not self._run.path.exists():
            return False, "deleted"
        ended = "" if self._run.is_locked() else "ended"
        try:
            card = (self._run.path / "run.json").stat().st_mtime_ns
        except OSError:
            card = 0
        now = (ended, card, self._store.seq, tuple(self._store.under_way()))
        changed, self._seen = now != self._seen, now
        return changed, ended


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
