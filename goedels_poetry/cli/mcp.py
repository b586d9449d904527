"""The command ``mcp``: tools for agents, until the client goes or Ctrl-C."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from goedels_poetry.cli.configure import settings
from goedels_poetry.cli.run_errors import INTERRUPTED, Unusable
from goedels_poetry.cli.session import Signals
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.settings.declared import Settings
from goedels_poetry.trace.terminal import console, one_line, say

if TYPE_CHECKING:
    from goedels_poetry.cli.tools import Mcp

USAGE = 2
SECONDS = 60.0
"""The longest that a call may take where nothing else is said: clients give up about then."""


def serve_agents(request: Mcp) -> int:
    """Serve until the client at standard input goes, or over HTTP until a signal comes; 0 then."""
    try:
        in_force = settings(models={"model": request.model, "base_url": request.base_url})
        given = request.timeout if request.timeout is not None else in_force.budgets.wall_seconds or SECONDS
        budgets = in_force.budgets.model_copy(update={"wall_seconds": given or None})
        root = request.root.expanduser()
        if not root.is_dir():
            raise Unusable(f"--root {root}: there is no such folder")
        port = None if request.http is None else _port(request.http)
        asyncio.run(_serve(in_force.model_copy(update={"budgets": budgets}), root, port))
        return 0
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in ("mcp", "mcp_types", "starlette", "uvicorn", "h11"):
            raise
        problem = f"mcp needs {package}, which is not installed: pip install 'goedels-poetry-prover[mcp]'"
    except (Unusable, GoedelsPoetryError) as error:
        problem = one_line(str(error))
    except (asyncio.CancelledError, KeyboardInterrupt):
        return INTERRUPTED
    say(console(sys.stderr), problem)
    return USAGE


def _port(address: str) -> int:
    found = re.fullmatch(r"(?:(?:127\.0\.0\.1|localhost):)?([0-9]{1,5})", address)
    if found is None or int(found[1]) > 65535:
        raise Unusable(f"--http {address}: only this machine may ask: --http 127.0.0.1:PORT; port 0 takes a free one")
    return int(found[1])


async def _serve(in_force: Settings, root: Path, port: int | None) -> None:
    from goedels_poetry.interfaces.mcp import PATH, serve_http, serve_stdio
    from goedels_poetry.interfaces.tools import Toolbox
    from goedels_poetry.serve.access import Key

    async with Toolbox(in_force, root) as toolbox:
        if port is None:
            await serve_stdio(toolbox)
            return
        out, stopping = console(sys.stdout), asyncio.Event()

        def ready(key: Key) -> None:
            say(out, f"http://127.0.0.1:{key.port}{PATH}")
            say(out, f"Authorization: Bearer {key.token}")
            say(out, "Clients on this machine that send this header may call tools. Ctrl-C ends.")

        def report(line: str) -> None:
            say(console(sys.stderr), one_line(line))

        with Signals(stopping.set):
            await serve_http(toolbox, port, ready=ready, report=report, stopping=stopping)
