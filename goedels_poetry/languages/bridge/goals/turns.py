"""A Lean that is asked one thing at a time at first: a second process starts only for what takes longer."""

from __future__ import annotations

import asyncio
import time

from goedels_poetry.languages.lean.runtime.protocol import (
    CheckRequest,
    CheckResult,
    LeanRuntime,
    ReplayRequest,
    ReplayResult,
)

ALONE_SECONDS = 4.0
"""As long as it takes to start another process and to have it read the file, on a busy machine."""


class Turns:
    """A `LeanRuntime` whose checks wait for each other during the first seconds; after that two go at once."""

    def __init__(self, lean: LeanRuntime, alone: float = ALONE_SECONDS) -> None:
        self.kind, self.version = lean.kind, lean.version
        self._lean = lean
        self._turn = asyncio.Semaphore(1)
        self._until: float | None = time.monotonic() + alone

    async def check(self, request: CheckRequest) -> CheckResult:
        """As `LeanRuntime.check`."""
        if self._until is not None and time.monotonic() > self._until:
            self._until = None
            self._turn.release()
        async with self._turn:
            return await self._lean.check(request)

    async def replay(self, request: ReplayRequest) -> ReplayResult:
        """As `LeanRuntime.replay`."""
        return await self._lean.replay(request)

    async def evaluate(
        self, prefix: str, terms: list[str], arguments: list[list[str]], seconds: float
    ) -> list[list[str | None]]:
        """As `LeanRuntime.evaluate`."""
        return await self._lean.evaluate(prefix, terms, arguments, seconds)

    async def aclose(self) -> None:
        """It belongs to somebody else."""
