"""Ctrl-C while a batch is at work: once to stop cleanly, twice to stop at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import Any

from goedels_poetry.machine.background import Listeners, stopping_signals


class Signals:
    """Inside, the first of `stopping_signals` calls ``stop``; a second one cancels everything."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._caught = stopping_signals()
        self._before: Listeners | None = None
        self._task: asyncio.Task[Any] | None = None
        self._asked = False

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._before = Listeners()
        for number in self._caught:
            asyncio.get_running_loop().add_signal_handler(number, self._first)

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            self._before.restore()
        for number in self._caught if self._asked else ():
            signal.signal(number, signal.SIG_IGN)  # on the way out already: one more must not kill us half-way

    def _first(self) -> None:
        self._asked = True
        self._stop()
        for number in self._caught:
            asyncio.get_running_loop().add_signal_handler(number, self._second)

    def _second(self) -> None:
        if self._task is not None:
            self._task.cancel()
