"""Runs in the browser: read for its pages, started there, and stopped.

A client gives a text, its language, a label and seconds: models, plug-ins, paths, budgets and sandbox are the server's.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from goedels_poetry import languages
from goedels_poetry.errors import GoedelsPoetryError, RunLocked, StoreError, UnknownRun, one_line
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.serve.access import Refused
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.results import Event, RunResult, RunSummary
from goedels_poetry.store.runs import RunDir, Runs, outcome, outcome_text
from goedels_poetry.trace.page.data import run_data

# Reads runs for the pages, finished ones and, as server-sent events, those that go on, in whichever process

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
    """One run of the list: a `RunSummary`, ``outcome``, its verdict or what stands there, ``text``: for people."""
    words = {"outcome": outcome(run), "text": outcome_text(run)}
    return {**asdict(run), "verdict": str(run.verdict) if run.verdict else None, **words}


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


MAX_NAME = 200
"""Characters of a label."""
ENDS_WITHIN = 15.0
"""Seconds that runs have to end by themselves when the server stops; then they are cut short, and can be resumed."""
STOPPED = "stopped in the browser"


class Order(BaseModel):
    """What a client may say about a run."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str
    language: str = "smt"
    name: str = ""
    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    fresh: bool = False
    theorem: str = ""
    """Which theorem of the text; "" where there is one."""

    @classmethod
    def of(cls, said: Any, *, seconds: float | None) -> Order:
        """Read a JSON object, of which ``text`` alone is needed; ``seconds`` is the longest and the usual time.

        Raises:
            Refused: it is something else.
        """
        try:
            order = cls.model_validate(said)
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            raise Refused(400, f"{'.'.join(map(ascii, first['loc'])) or 'the body'}: {first['msg']}") from None
        if not order.text.strip():
            raise Refused(400, "there is no theorem: text is empty")
        if order.language not in languages.names():
            raise Refused(400, f"no proof language {order.language!a}; there are {', '.join(languages.names())}")
        if seconds is not None and order.seconds is not None and order.seconds > seconds:
            raise Refused(400, f"seconds may be {seconds:g} at most: the server's own limit (serve --timeout)")
        theorem = order.theorem.strip()
        label = " ".join(order.name.split())[:MAX_NAME] or f"{theorem or order.language}, from the browser"
        return order.model_copy(update={"name": label, "theorem": theorem, "seconds": order.seconds or seconds})


@dataclass(frozen=True, slots=True)
class Begun:
    """What has become of an order."""

    run_id: str
    result: RunResult | None = None
    """None while the run goes on."""


class RunManager:
    """Takes orders and sees them through, each in a framework of its own: so each has its limits and stops alone."""

    def __init__(self, settings: Settings, *, most: int, seconds: float | None, report: Callable[[str], None]) -> None:
        self._settings = settings
        self._report = report
        self._work: set[asyncio.Task[None]] = set()
        self._frameworks: set[GoedelsPoetryFramework] = set()
        self._runs: dict[str, GoedelsPoetryFramework] = {}
        self._closing = False
        self.most = most
        self.seconds = seconds

    def is_ours(self, run_id: str) -> bool:
        """Whether a run that is under way was begun here."""
        return run_id in self._runs

    async def begin(self, order: Order) -> Begun:
        """Start a run; returns when its text has been read, so that an invalid one is the answer.

        Raises:
            Refused: too many runs are under way, the text is invalid, or the run cannot begin.
        """
        if self._closing:
            raise Refused(503, "the server is stopping")
        if len(self._work) >= self.most:
            raise Refused(429, f"{len(self._work)} runs are under way, and there may be no more; wait, or stop one")
        known: asyncio.Future[Begun | Refused] = asyncio.get_running_loop().create_future()
        work = asyncio.create_task(self._see_through(order, known))
        self._work.add(work)
        work.add_done_callback(self._work.discard)
        found = await asyncio.shield(known)
        if isinstance(found, Refused):
            raise found
        return found

    def stop(self, run_id: str) -> None:
        """Stop a run at its next step; it can be resumed. Raises `Refused` when it was not begun here."""
        framework = self._runs.get(run_id)
        if framework is None:
            raise Refused(409, "this run is not one that the server works on, so it cannot be stopped here")
        framework.interrupt(STOPPED)

    async def close(self) -> None:
        """Stop every run, and wait until each has written down where it stands."""
        self._closing = True
        for framework in self._frameworks:
            framework.interrupt("the server was stopped")
        if self._work:
            await asyncio.wait(self._work, timeout=ENDS_WITHIN)
        left = list(self._work)
        for work in left:
            work.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _see_through(self, order: Order, known: asyncio.Future[Begun | Refused]) -> None:
        def tell(found: Begun | Refused) -> None:
            if not known.done():
                known.set_result(found)

        try:
            if self._closing:
                raise asyncio.CancelledError
            async with GoedelsPoetryFramework(self._settings_of(order), checkpoint_all=False) as framework:
                self._frameworks.add(framework)
                try:
                    tell(_answered(await self._run(framework, order, tell)))
                finally:
                    self._frameworks.discard(framework)
                    for run_id in [name for name, its in self._runs.items() if its is framework]:
                        del self._runs[run_id]
        except RunLocked as exc:
            tell(Refused(409, str(exc)))
        except GoedelsPoetryError as exc:
            tell(Refused(400, str(exc)))
            self._report(one_line(exc))
        except asyncio.CancelledError:
            tell(Refused(503, "the server is stopping"))
            raise
        except Exception as exc:  # noqa: BLE001  a run that fails must not end the others
            tell(Refused(500, "the run could not begin; the server's terminal says why"))
            self._report(one_line(exc))

    async def _run(
        self, framework: GoedelsPoetryFramework, order: Order, tell: Callable[[Begun | Refused], None]
    ) -> RunResult:
        def heard(event: Event) -> None:
            self._runs[event.run_id] = framework
            tell(Begun(event.run_id))

        return await framework.arun(
            order.text,
            name=order.name,
            language=order.language,
            options={
                "file": "",  # a label is no path
                "assume_definitions": False,  # as for `prove`: then it is the same run
                **({"theorem": order.theorem} if order.theorem else {}),
            },
            fresh=order.fresh,
            on_event=heard,
        )

    def _settings_of(self, order: Order) -> Settings:
        budgets = self._settings.budgets.model_copy(update={"wall_seconds": order.seconds})
        return self._settings.model_copy(update={"budgets": budgets})


def _answered(result: RunResult) -> Begun | Refused:
    """What a run that has ended is to a client that still waits: invalid, or known from an earlier run."""
    if result.run_id:
        return Begun(result.run_id, result)
    status = 400 if result.verdict is Verdict.INVALID else 503
    return Refused(status, result.reason, verdict=str(result.verdict), location=result.location)
