"""Runs whose remembered results the checker looks at again: what a data directory says is no proof."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Self

from goedels_poetry.checker.plugins import CLAIMS
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.solvers.limits import SolverError
from goedels_poetry.solvers.worker_pool import WorkerPool
from goedels_poetry.store.results import Event, RunResult

RECHECK_SECONDS = 60.0
"""Seconds to check the proof of an earlier run again; when that is not enough it is proved anew."""
CHECK_AGAIN = "goedels_poetry.checker.by_language:check_again"


class CheckedRun(NamedTuple):
    """A result with what it is about."""

    result: RunResult
    text: str
    """What the checker has compared: of a text with several theorems its part, of a claim in words its formal text."""
    remembered: bool
    """Whether this is the result of an earlier run, checked again."""


class CheckedRuns:
    """Runs of a framework; close it, or use it as a context manager, before the framework is closed."""

    def __init__(self, framework: GoedelsPoetryFramework) -> None:
        self._framework = framework
        self._checkers = WorkerPool(1)

    async def run(
        self,
        text: str,
        *,
        options: dict[str, Any],
        fresh: bool = False,
        out: Callable[[bool], Path | None] = lambda fresh: None,
        on_event: Callable[[Event], None] = lambda event: None,
        note: Callable[[str], None] = lambda text: None,
        **more: Any,
    ) -> CheckedRun:
        """One theorem; see `GoedelsPoetryFramework.arun`, also for what it raises.

        Args:
            out: the folder for the certificate, by whether a new run is begun.
            note: is told when an earlier certificate is not accepted, and the theorem proved anew.
        """
        worked = False

        def listen(event: Event) -> None:
            nonlocal worked
            worked = True
            on_event(event)

        async def search(fresh: bool) -> RunResult:
            return await self._framework.arun(
                text, options=options, fresh=fresh, out=out(fresh), on_event=listen, **more
            )

        result = await search(fresh)
        if result.verdict not in CLAIMS:
            return CheckedRun(result, text, False)
        if result.formalization is not None:
            stated = str(result.formalization["formal"])
        else:
            stated = await self._framework.own_text(text, result.language, options)
        if worked or await self._still_holds(result, stated, options):
            return CheckedRun(result, stated, not worked)
        note("the certificate of the earlier proof is not accepted; proving anew")
        return CheckedRun(await search(True), stated, False)

    async def _still_holds(self, result: RunResult, text: str, options: dict[str, Any]) -> bool:
        if result.certificate is None:
            return False
        payload = {
            "directory": str(result.certificate),
            "language": result.language,
            "theorem": text,
            "function": options.get("theorem", ""),
            "assume_definitions": options.get("assume_definitions", False),
            "total_seconds": RECHECK_SECONDS,
        }
        try:  # in a process of its own, so that a signal can end it
            report = await self._checkers.run(CHECK_AGAIN, payload, RECHECK_SECONDS)
        except SolverError:
            return False
        return bool(report["verdict"] == result.verdict)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._checkers.aclose()
