"""The addresses of the server: two pages, their files, a small JSON API. `access.Gate` stands in front of it all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from goedels_poetry import languages
from goedels_poetry.errors import InvalidInput, one_line
from goedels_poetry.serve.access import NOTHING_ELSE, Refused, answer, page, problem
from goedels_poetry.serve.looking import UNREADABLE, Shelf, as_json, as_list, data_of, follow
from goedels_poetry.serve.run_manager import Order, RunManager
from goedels_poetry.store.selection import Selection, moment, verdicts_of
from goedels_poetry.trace.page.html import Live, content_security_policy, render

MAX_BODY = 1_000_000
"""Bytes of a request."""
BODY_WITHIN = 20.0
"""Seconds in which all of it has come."""
MAX_LISTENERS = 32
"""Clients that are told of runs while they go on, at the same time."""
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
        self._listeners = 0

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
        return answer({"runs": as_list(found[:limit]), **facts})

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
        if self._listeners >= MAX_LISTENERS:
            raise Refused(503, f"{MAX_LISTENERS} pages are being kept up to date already; close one")
        return StreamingResponse(self._counted(follow(run, since, self._closing)), media_type="text/event-stream")

    async def _counted(self, stream: Any) -> Any:
        self._listeners += 1
        try:
            async for part in stream:
                yield part
        finally:
            self._listeners -= 1
            await stream.aclose()

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
        async with asyncio.timeout(BODY_WITHIN):
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY:
                    raise too_large
    except TimeoutError:
        raise Refused(408, f"the body did not come within {BODY_WITHIN:g} seconds") from None
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
