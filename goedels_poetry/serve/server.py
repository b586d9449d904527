"""The server itself: a socket on loopback, uvicorn on it, and an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from goedels_poetry import languages
from goedels_poetry.errors import InvalidInput, Unavailable, one_line
from goedels_poetry.serve.access import NOTHING_ELSE, Gate, Key, Refused, answer, page, problem
from goedels_poetry.serve.run_manager import UNREADABLE, Order, RunManager, Shelf, as_json, data_of, follow
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.runs import Selection, moment, verdicts_of
from goedels_poetry.trace.page.data import Live, content_security_policy, render

# The addresses of the server

MAX_BODY = 1_000_000
"""Bytes of a request."""
MAX_LISTED = 1_000
"""Runs in one answer."""

_FILES = {"runs.css": "text/css", "runs.js": "text/javascript"}

Endpoint = Callable[[Request], Awaitable[Response]]


class Pages:
    """What is answered at each address."""

    def __init__(self, shelf: Shelf, manager: RunManager, closing: asyncio.Event) -> None:
        self._shelf = shelf
        self._manager = manager
        self._closing = closing

    def application(self) -> Starlette:
        """All of it as an ASGI application."""
        routes = [
            Route("/", self.runs_page),
            Route("/favicon.ico", _nothing),
            Route("/assets/{name}", self.asset),
            Route("/runs/{run_id}", self.run_page),
            Route("/api/runs", self.list_runs, methods=["GET"]),
            Route("/api/runs", self.begin, methods=["POST"]),
            Route("/api/runs/{run_id}", self.run),
            Route("/api/runs/{run_id}/events", self.events),
            Route("/api/runs/{run_id}/stop", self.stop, methods=["POST"]),
        ]
        handlers: dict[Any, Any] = {Refused: _refused, HTTPException: _http_problem}
        return Starlette(routes=routes, exception_handlers=handlers)

    # -- pages ---------------------------------------------------------------------------------------------
    async def runs_page(self, request: Request) -> Response:
        """The list of runs, and the form that starts one."""
        return page(_asset("runs.html"))

    async def asset(self, request: Request) -> Response:
        """A file of the list's page."""
        name = request.path_params["name"]
        if name not in _FILES:
            raise Refused(404, "there is nothing at this address")
        return Response(_asset(name), media_type=_FILES[name])

    async def run_page(self, request: Request) -> Response:
        """The page of a run; while the run goes on it is kept up to date."""
        run = await asyncio.to_thread(self._shelf.place, request.path_params["run_id"])
        address = f"/api/runs/{run.run_id}"
        stop = f"{address}/stop" if self._manager.is_ours(run.run_id) else None
        live = Live(events=f"{address}/events", home="/", stop=stop)

        def text() -> str:
            return render(data_of(run), title=run.card().get("name") or run.run_id, live=live)

        try:
            shown = await asyncio.to_thread(text)
        except UNREADABLE as exc:
            raise Refused(404, f"run {run.run_id} cannot be shown: {one_line(exc)}") from exc
        return page(shown, f"{content_security_policy(live=True)}; frame-ancestors 'none'")

    # -- the API -------------------------------------------------------------------------------------------
    async def list_runs(self, request: Request) -> Response:
        """``GET /api/runs``: ``{"runs": [...], "total", "found", ...}``, filtered by the query as by `runs`."""
        selection, limit = _selection(request)
        every = await asyncio.to_thread(self._shelf.summaries)
        found = selection.of(every)
        facts = {
            "total": len(every),
            "found": len(found),
            "languages": languages.names(),
            "most_seconds": self._manager.seconds,
            "most_runs": self._manager.most,
        }
        return answer({"runs": list(map(as_json, found[:limit])), **facts})

    async def run(self, request: Request) -> Response:
        """``GET /api/runs/ID``: the run as in the list, with its ``result`` when it has one."""
        run = await asyncio.to_thread(self._shelf.place, request.path_params["run_id"])
        summary, result = await asyncio.to_thread(lambda: (run.summary(), run.result()))
        ended = result.to_json() if result is not None and summary.status != "running" else None
        return answer({**as_json(summary), "result": ended, "can_stop": self._manager.is_ours(run.run_id)})

    async def events(self, request: Request) -> Response:
        """``GET /api/runs/ID/events?since=N``: what comes after commit N, as server-sent events."""
        run = await asyncio.to_thread(self._shelf.place, request.path_params["run_id"])
        # A browser that comes again by itself says in a header what it has had, and the old address.
        since = _number(request.headers.get("last-event-id") or request.query_params.get("since", "0"), "since")
        return StreamingResponse(follow(run, since, self._closing), media_type="text/event-stream")

    async def begin(self, request: Request) -> Response:
        """``POST /api/runs``: start a run. 201 with ``run_id``; 200 when there is a result already."""
        order = Order.of(await _body(request), seconds=self._manager.seconds)
        begun = await self._manager.begin(order)
        ended = begun.result.to_json() if begun.result is not None else None
        return answer({"run_id": begun.run_id, "result": ended}, 201 if ended is None else 200)

    async def stop(self, request: Request) -> Response:
        """``POST /api/runs/ID/stop``: stop a run that was begun here; it can be resumed."""
        run = await asyncio.to_thread(self._shelf.place, request.path_params["run_id"])
        self._manager.stop(run.run_id)
        return answer({"run_id": run.run_id, "status": "stopping"}, 202)


def _selection(request: Request) -> tuple[Selection, int]:
    said = request.query_params
    unknown = sorted(set(said) - {"verdict", "since", "older_than", "match", "language", "limit"})
    if unknown:
        raise Refused(400, f"runs cannot be filtered by {unknown[0]!a}")
    try:
        selection = Selection(
            verdicts=verdicts_of(said.getlist("verdict")),
            since=moment(said["since"]) if said.get("since") else None,
            before=moment(said["older_than"]) if said.get("older_than") else None,
            language=said.get("language") or None,
            match=said.get("match", ""),
        )
    except InvalidInput as exc:
        raise Refused(400, str(exc)) from exc
    return selection, min(_number(said.get("limit", "200"), "limit"), MAX_LISTED)


def _number(text: str, name: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        raise Refused(400, f"{name} is no number from 0 on")
    return int(text)


async def _body(request: Request) -> Any:
    """The JSON value of a request, within limits of size and time."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "the body has to be JSON (Content-Type: application/json)")
    length = request.headers.get("content-length", "0")
    too_large = Refused(413, f"the body is larger than {MAX_BODY} bytes")
    if not length.isdigit() or int(length) > MAX_BODY:
        raise too_large
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY:
                raise too_large
    except ClientDisconnect:
        raise Refused(400, "the client went away") from None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is no JSON") from None


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text("utf-8")


async def _nothing(request: Request) -> Response:
    return Response(status_code=204, headers={"content-security-policy": NOTHING_ELSE})


async def _refused(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, Refused)
    return problem(exc.status, exc.message, **exc.more)


async def _http_problem(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)
    words = {404: "there is nothing at this address", 405: "this address takes no such request"}
    return problem(exc.status_code, words.get(exc.status_code, exc.detail))


HOST = "127.0.0.1"
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
        ready: called with the key when the server can be asked.
        report: gets a line for each thing that goes wrong.
        stopping: set by whoever wants it to end.

    Raises:
        Unavailable: the port cannot be had.
    """
    listening = listen(limits.port)
    key = Key.new(listening.getsockname()[1])
    manager = RunManager(settings, most=limits.runs, seconds=limits.seconds, report=report)
    pages = Pages(Shelf(settings.data_dir), manager, stopping)
    gate = Gate(pages.application(), key, report)
    await host(gate, listening, ready=lambda: ready(key), stopping=stopping, end=manager.close)


async def host(
    app: ASGIApp,
    listening: socket.socket,
    *,
    ready: Callable[[], None],
    stopping: asyncio.Event,
    end: Callable[[], Awaitable[None]],
) -> None:
    """Serve an application until ``stopping`` is set; ``end`` is awaited before the server closes its connections."""
    server = _Server(_config(app))
    serving, stopped = asyncio.create_task(server.serve([listening])), asyncio.create_task(stopping.wait())
    try:
        ready()  # whoever connects before uvicorn does its part waits in the socket's queue
        await asyncio.wait((serving, stopped), return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()
        stopping.set()
        server.should_exit = True
        try:
            await end()
        finally:
            await serving


def listen(port: int) -> socket.socket:
    """A socket on loopback; raises Unavailable."""
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
        http="h11",
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
