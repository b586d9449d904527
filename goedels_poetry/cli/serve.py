"""The commands ``serve``, ``mcp`` and ``lsp``: runs in the browser, tools for agents, theorems in an editor."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from goedels_poetry.cli.configure import settings
from goedels_poetry.cli.run_errors import INTERRUPTED, Unusable
from goedels_poetry.cli.session import Signals
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.settings.declared import Settings
from goedels_poetry.trace.terminal import console, one_line, say

if TYPE_CHECKING:
    from goedels_poetry.cli.tools import Lsp, Mcp, Serve
    from goedels_poetry.serve.access import Key

USAGE = 2
SECONDS, EDITOR_SECONDS = 300.0, 60.0
"""The longest that a run may take when nobody says another limit: in the browser as for `prove`; in an editor."""
CALL_SECONDS = 45.0
"""The longest that a call of an agent may take: many clients give up after 60, and a proof is checked at its end."""
NEEDED = ("mcp", "mcp_types", "starlette", "uvicorn", "h11")


def serve_runs(request: Serve) -> int:
    """Serve until a signal comes; 0 then."""

    def work(in_force: Settings) -> Coroutine[Any, Any, None]:
        from goedels_poetry.serve.server import Limits, serve

        limits = Limits(port=request.port, runs=request.runs, seconds=_seconds(request, in_force, SECONDS))

        def ready(key: Key) -> None:
            _print(
                key.url, "Open this address in a browser of this machine. Whoever has it can start runs. Ctrl-C ends."
            )

        return _until_a_signal(lambda stop: serve(in_force, limits, ready=ready, report=_report, stopping=stop))

    return _served(request, work, "serve")


def serve_agents(request: Mcp) -> int:
    """Serve until the client at standard input goes, or over HTTP until a signal comes; 0 then."""

    def work(in_force: Settings) -> Coroutine[Any, Any, None]:
        from goedels_poetry.interfaces.mcp import PATH, serve_http, serve_stdio
        from goedels_poetry.interfaces.tools import Toolbox

        budgets = in_force.budgets.model_copy(update={"wall_seconds": _seconds(request, in_force, CALL_SECONDS)})
        root = request.root.expanduser()
        if not root.is_dir():
            raise Unusable(f"--root {root}: there is no such folder")
        port = None if request.http is None else _port(request.http)

        def ready(key: Key) -> None:
            _print(f"http://127.0.0.1:{key.port}{PATH}", f"Authorization: Bearer {key.token}")
            _print("Clients on this machine that send this header may call tools. Ctrl-C ends.")

        async def offer() -> None:
            stopping = asyncio.Event()
            with Signals(stopping.set):
                async with Toolbox(in_force.model_copy(update={"budgets": budgets}), root) as toolbox:
                    if port is None:
                        if sys.stdin.isatty():
                            _report("waiting for an MCP client on standard input (docs/mcp.md); --http serves several")
                        await serve_stdio(toolbox, stopping=stopping)
                    else:
                        await serve_http(toolbox, port, ready=ready, report=_report, stopping=stopping)
                if port is None and stopping.is_set():
                    os._exit(INTERRUPTED)  # a thread waits for standard input, and cannot be ended

        return offer()

    return _served(request, work, "mcp")


def _served(request: Mcp | Serve, work: Callable[[Settings], Coroutine[Any, Any, None]], extra: str) -> int:
    try:
        in_force = settings(models={"model": request.model, "base_url": request.base_url})
        asyncio.run(work(in_force))
        return 0
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in NEEDED:
            raise
        problem = f"{extra} needs {package}, which is not installed: pip install 'goedels-poetry-prover[{extra}]'"
    except (Unusable, GoedelsPoetryError) as error:
        problem = one_line(str(error))
    except (asyncio.CancelledError, KeyboardInterrupt):
        return INTERRUPTED  # a second Ctrl-C
    _report(problem)
    return USAGE


def serve_editor(request: Lsp) -> int:
    """Serve until the editor ends it; 0 then."""
    if sys.stdin.isatty():
        say(console(sys.stderr), "an editor starts this command and speaks to it over its standard streams")
        return USAGE
    try:
        in_force = settings(models={"model": request.model, "base_url": request.base_url})
        from goedels_poetry.interfaces.lsp import make_server
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "cattrs"):
            raise
        problem = f"lsp needs {missing.name}, which is not installed: pip install 'goedels-poetry-prover[lsp]'"
        say(console(sys.stderr), problem)
        return USAGE
    except Unusable as error:
        say(console(sys.stderr), one_line(str(error)))
        return USAGE
    budgets = in_force.budgets.model_copy(update={"wall_seconds": _seconds(request, in_force, EDITOR_SECONDS)})
    make_server(in_force.model_copy(update={"budgets": budgets})).start_io()
    return 0


def _seconds(request: Lsp | Mcp | Serve, chosen: Settings, otherwise: float) -> float | None:
    given = request.timeout if request.timeout is not None else chosen.budgets.wall_seconds or otherwise
    return given or None


def _port(address: str) -> int:
    found = re.fullmatch(r"(?:(?:127\.0\.0\.1|localhost):)?([0-9]{1,5})", address)
    if found is None or int(found[1]) > 65535:
        raise Unusable(f"--http {address}: only this machine may ask: --http 127.0.0.1:PORT; port 0 takes a free one")
    return int(found[1])


def _print(*lines: str) -> None:
    for line in lines:
        say(console(sys.stdout), line)


def _report(line: str) -> None:
    say(console(sys.stderr), one_line(line))


async def _until_a_signal(serve: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    stopping = asyncio.Event()
    with Signals(stopping.set):
        await serve(stopping)
