"""The Model Context Protocol: the `Toolbox` for agents, over standard input and output or HTTP on loopback.

A call is work of its own, which a client waits for, or, where it knows the extension for tasks, asks for later
(`io.modelcontextprotocol/tasks`, SEP-2663). Cancelling either ends the work with every process that it has started.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field

from goedels_poetry.errors import one_line
from goedels_poetry.interfaces.tools import TOOLS, Refusal, Reply, Tool, Toolbox
from goedels_poetry.serve.access import Gate, Key
from goedels_poetry.serve.server import host, listen
from goedels_poetry.store.results import Event
from goedels_poetry.version import __version__

PATH = "/mcp"
TASKS = "io.modelcontextprotocol/tasks"
AT_ONCE = 2.0
"""Seconds that a call may take before a client that knows tasks gets one."""
POLL_MS = 500
KEPT = timedelta(hours=1)
"""For which a task that has ended can be asked for."""
MOST_TASKS = 200
"""At once, those that have ended included."""
INSTRUCTIONS = (
    "Gödel's Poetry proves theorems and re-checks every proof. `prove` a theorem in SMT-LIB 2, Lean 4, Python with "
    "contracts or JSON logic; `refute` looks for a counterexample first. Only `proved` with a trust level is a proof; "
    "`unknown` and `out_of_budget` say nothing about the theorem: call again with more seconds, or `explain` the run."
)

Context = ServerRequestContext[Any, Any]


@dataclass(slots=True, eq=False)
class Job:
    """One call of a tool."""

    tool: str
    work: asyncio.Task[types.CallToolResult]
    ident: str = field(default_factory=secrets.token_urlsafe)
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))
    updated: datetime = field(default_factory=lambda: datetime.now(UTC))
    commits: int = 0
    latest: str = "begun"
    """What has happened last."""

    def hear(self, event: Event) -> None:
        """A commit of the run."""
        self.commits, self.updated = self.commits + 1, datetime.now(UTC)
        self.latest = f"{event.agent}: {event.outcome} (goal {event.node})"

    @property
    def status(self) -> Literal["working", "completed", "failed", "cancelled"]:
        """As a task has it."""
        if not self.work.done():
            return "working"
        if self.work.cancelled():
            return "cancelled"
        return "failed" if self.work.exception() is not None else "completed"

    def to_json(self) -> dict[str, Any]:
        """The task, with its result where there is one."""
        data: dict[str, Any] = {
            "taskId": self.ident,
            "status": self.status,
            "statusMessage": f"{self.tool}: {self.latest}",
            "createdAt": self.begun.isoformat(),
            "lastUpdatedAt": self.updated.isoformat(),
            "ttlMs": int(KEPT / timedelta(milliseconds=1)),
            "pollIntervalMs": POLL_MS,
        }
        if self.status == "completed":
            data["result"] = self.work.result().model_dump(by_alias=True, mode="json", exclude_none=True)
        elif self.status == "failed":
            data["error"] = {"code": types.INTERNAL_ERROR, "message": one_line(self.work.exception() or Exception())}
        return data

    async def end(self) -> None:
        """Cancel it, and wait until its processes have ended."""
        self.work.cancel()
        await asyncio.wait([self.work])


class TaskParams(types.RequestParams):
    """Which task is meant."""

    task_id: str = Field(alias="taskId", max_length=200)


class Service:
    """The calls of one process, whoever makes them: those under way, and tasks that can still be asked for."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._calls: set[Job] = set()
        self._tasks: dict[str, Job] = {}

    def server(self) -> Server[Any]:
        """What speaks the protocol."""
        logging.getLogger("mcp").addHandler(logging.NullHandler())  # else tracebacks of the SDK go to standard error
        server: Server[Any] = Server(
            "goedels-poetry",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        server.extensions[TASKS] = {}
        for method, handler in (("get", self._get), ("cancel", self._cancel), ("update", self._update)):
            server.add_request_handler(f"tasks/{method}", TaskParams, handler)
        return server

    async def close(self) -> None:
        """End everything that is under way."""
        for job in tuple(self._calls):
            await job.end()

    async def _list(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_offered(name, tool) for name, tool in TOOLS.items()])

    async def _call(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        if params.name not in TOOLS:
            known = ", ".join(TOOLS)
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {ascii(params.name)[:80]}; there are {known}")
        job = self._begun(params.name, params.arguments or {})
        self._calls.add(job)
        job.work.add_done_callback(lambda _: self._calls.discard(job))
        later = _knows_tasks(ctx) and len(self._waiting()) < MOST_TASKS
        try:
            told = asyncio.get_running_loop().time() + AT_ONCE
            commits = 0
            while not job.work.done():
                if later and asyncio.get_running_loop().time() >= told:
                    self._tasks[job.ident] = job
                    return {"resultType": "task", **job.to_json()}
                await asyncio.wait([job.work], timeout=POLL_MS / 1000)
                if job.commits > commits:
                    commits = job.commits
                    await ctx.session.report_progress(float(commits), None, job.latest)
            return job.work.result()
        finally:  # the client has cancelled it, or is gone
            if job.ident not in self._tasks:
                job.work.cancel()

    def _begun(self, tool: str, arguments: dict[str, Any]) -> Job:
        def hear(event: Event) -> None:
            job.hear(event)

        # A task of its own: the protocol's cancelling would come again and again while processes are being ended.
        job = Job(tool, asyncio.create_task(self._answered(tool, arguments, hear)))
        return job

    async def _answered(
        self, tool: str, arguments: dict[str, Any], hear: Callable[[Event], None]
    ) -> types.CallToolResult:
        try:
            reply = await self._toolbox.call(tool, arguments, hear)
        except Refusal as refused:
            return types.CallToolResult(content=[_text(str(refused))], is_error=True)
        except Exception as exc:
            raise MCPError(types.INTERNAL_ERROR, f"a defect of this program: {one_line(exc)}") from exc
        return _result(reply)

    # -- tasks ---------------------------------------------------------------------------------------------
    def _waiting(self) -> dict[str, Job]:
        """Those that can be asked for; others are forgotten."""
        now = datetime.now(UTC)
        self._tasks = {i: job for i, job in self._tasks.items() if not job.work.done() or now - job.updated < KEPT}
        return self._tasks

    def _task(self, params: TaskParams) -> Job:
        job = self._waiting().get(params.task_id)
        if job is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no task {ascii(params.task_id)[:80]}, or it was forgotten")
        return job

    async def _get(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        return self._task(params).to_json()

    async def _cancel(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        self._task(params).work.cancel()
        return {}

    async def _update(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        self._task(params)  # no tool of ours asks anything back
        return {}


def _knows_tasks(ctx: Context) -> bool:
    """Whether this very request may be answered with a task."""
    declared = (ctx.meta or {}).get(types.CLIENT_CAPABILITIES_META_KEY)
    extensions = declared.get("extensions") if isinstance(declared, dict) else None
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and isinstance(extensions, dict) and TASKS in extensions


def _offered(name: str, tool: Tool) -> types.Tool:
    return types.Tool(
        name=name,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        output_schema=tool.output_schema(),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.keeps,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=tool.asks_models,
        ),
    )


def _result(reply: Reply) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(reply.text)], structured_content=reply.data, is_error=reply.failed)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text.encode("utf-8", "backslashreplace").decode())


async def serve_stdio(toolbox: Toolbox, *, stopping: asyncio.Event) -> None:
    """Serve the client at standard input and output until it closes them, or ``stopping`` is set.

    In the second case a thread still waits for standard input, and nothing but the end of the process ends it.
    """
    service = Service(toolbox)
    server = service.server()

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    serving, stopped = asyncio.create_task(serve()), asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait((serving, stopped), return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            await serving
    finally:
        stopped.cancel()
        await service.close()


async def serve_http(
    toolbox: Toolbox,
    port: int,
    *,
    ready: Callable[[Key], None],
    report: Callable[[str], None],
    stopping: asyncio.Event,
) -> None:
    """Serve clients at ``http://127.0.0.1:PORT/mcp`` that send the key's token, until ``stopping`` is set.

    Args:
        port: 0: a free one. ready: called when the server can be asked. report: gets a line for each thing that fails.

    Raises:
        Unavailable: the port cannot be had.
    """
    listening = listen(port)
    key, service = Key.new(listening.getsockname()[1]), Service(toolbox)
    server = service.server()
    app = server.streamable_http_app(streamable_http_path=PATH)
    async with server.session_manager.run():
        with suppress(asyncio.CancelledError):
            gate = Gate(app, key, report, pages=False)
            await host(gate, listening, ready=lambda: ready(key), stopping=stopping, end=service.close)
