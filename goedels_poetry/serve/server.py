"""The server itself: a socket on loopback, uvicorn on it, and an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from goedels_poetry.errors import Unavailable
from goedels_poetry.serve.access import Gate, Key
from goedels_poetry.serve.application import Pages
from goedels_poetry.serve.looking import Shelf
from goedels_poetry.serve.run_manager import RunManager
from goedels_poetry.settings.declared import Settings

HOST = "127.0.0.1"
HEADERS_WITHIN = 10.0
"""Seconds in which a client that has connected, or has had an answer, sends the head of a request."""
MAX_HEAD = 16_384
"""Bytes of the head of a request."""
MAX_CONNECTIONS = 200
CLOSES_WITHIN = 3
"""Seconds that requests under way have when the server stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What clients cannot go beyond."""

    port: int = 0
    """0: a free one."""
    runs: int = 2
    """Started here and under way at the same time."""
    seconds: float | None = 300.0
    """Of one run; None: no limit."""


async def serve(
    settings: Settings,
    limits: Limits,
    *,
    ready: Callable[[Key], None],
    report: Callable[[str], None],
    stopping: asyncio.Event,
) -> None:
    """Serve until ``stopping`` is set; then every run that was begun here is stopped and can be resumed.

    Args:
        settings: of all runs.
        limits: see `Limits`.
        ready: called with the key when the server can be asked.
        report: gets a line for each thing that goes wrong.
        stopping: set by whoever wants it to end.

    Raises:
        Unavailable: the port cannot be had.
    """
    listening = _socket(limits.port)
    key = Key.new(listening.getsockname()[1])
    manager = RunManager(settings, most=limits.runs, seconds=limits.seconds, report=report)
    pages = Pages(Shelf(settings.data_dir), manager, stopping)
    server = _Server(_config(Gate(pages.application(), key, report)))
    serving, stopped = asyncio.create_task(server.serve([listening])), asyncio.create_task(stopping.wait())
    try:
        ready(key)  # whoever connects before uvicorn does its part waits in the socket's queue
        await asyncio.wait((serving, stopped), return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()
        stopping.set()
        server.should_exit = True
        try:
            await manager.close()
        finally:
            await serving


def _socket(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()
    except OSError as exc:
        listening.close()
        raise Unavailable(f"port {port} of {HOST} cannot be had: {exc.strerror}; --port 0 takes a free one") from exc
    return listening


def _config(app: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=_Impatient,
        ws="none",
        lifespan="off",
        loop="none",
        interface="asgi3",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_HEAD,
        timeout_graceful_shutdown=CLOSES_WITHIN,
    )


class _Server(uvicorn.Server):
    """Leaves signals to whoever has called us: runs are stopped first."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Impatient(H11Protocol):
    """Closes connections on which no request comes within :data:`HEADERS_WITHIN`."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(HEADERS_WITHIN, self._lose_patience)

    def _lose_patience(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle  # None until the first request has come
        if cycle is None or cycle.response_complete:
            self.transport.close()
