"""Runs that are started in the browser: how many at once, what of them can be chosen there, and how they stop.

A client gives a text, its language, a label and seconds: models, plug-ins, paths, budgets and sandbox are the server's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from goedels_poetry import languages
from goedels_poetry.errors import GoedelsPoetryError, RunLocked, one_line
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.serve.access import Refused
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.results import Event, RunResult

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
        """Read a JSON value.

        Args:
            said: the fields as a JSON object; ``text`` alone is needed.
            seconds: the longest that a run may take, and what it takes when nothing is said; None: no limit.

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
