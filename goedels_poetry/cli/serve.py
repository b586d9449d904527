"""The commands ``serve``, runs in the browser until Ctrl-C, and ``lsp``, theorems in an editor until it closes."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

from goedels_poetry.cli.configure import settings
from goedels_poetry.cli.run_errors import INTERRUPTED, Unusable
from goedels_poetry.cli.session import Signals
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.settings.declared import Settings
from goedels_poetry.trace.terminal import console, one_line, say

if TYPE_CHECKING:
    from goedels_poetry.cli.tools import Lsp, Serve

USAGE = 2
SECONDS, EDITOR_SECONDS = 300.0, 60.0
"""The longest that a run may take when nobody says another limit: in the browser as for `prove`; in an editor."""


def serve_runs(request: Serve) -> int:
    """Serve until a signal comes; 0 then."""
    try:
        in_force = settings(models={"model": request.model, "base_url": request.base_url})
        from goedels_poetry.serve.server import Limits

        limits = Limits(port=request.port, runs=request.runs, seconds=_seconds(request, in_force, SECONDS))
        asyncio.run(_until_a_signal(in_force, limits))
        return 0
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in ("starlette", "uvicorn", "h11"):
            raise
        problem = f"serve needs {package}, which is not installed: pip install starlette uvicorn (the extra `serve`)"
    except (Unusable, GoedelsPoetryError) as error:
        problem = one_line(str(error))
    except asyncio.CancelledError:
        return INTERRUPTED  # a second Ctrl-C
    say(console(sys.stderr), problem)
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
        problem = f"lsp needs {missing.name}, which is not installed: pip install 'pygls>=2' (the extra `lsp`)"
        say(console(sys.stderr), problem)
        return USAGE
    except Unusable as error:
        say(console(sys.stderr), one_line(str(error)))
        return USAGE
    budgets = in_force.budgets.model_copy(update={"wall_seconds": _seconds(request, in_force, EDITOR_SECONDS)})
    make_server(in_force.model_copy(update={"budgets": budgets})).start_io()
    return 0


def _seconds(request: Serve | Lsp, chosen: Settings, otherwise: float) -> float | None:
    given = request.timeout if request.timeout is not None else chosen.budgets.wall_seconds or otherwise
    return given or None


async def _until_a_signal(chosen: Settings, limits: Any) -> None:
    from goedels_poetry.serve.access import Key
    from goedels_poetry.serve.server import serve

    out, stopping = console(sys.stdout), asyncio.Event()

    def ready(key: Key) -> None:
        say(out, key.url)
        say(out, "Open this address in a browser of this machine. Whoever has it can start runs. Ctrl-C ends.")

    def report(line: str) -> None:
        say(console(sys.stderr), one_line(line))

    with Signals(stopping.set):
        await serve(chosen, limits, ready=ready, report=report, stopping=stopping)
