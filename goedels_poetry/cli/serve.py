"""The command ``serve``: runs in the browser, until Ctrl-C."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.cli.configure import BadSettings, settings
from goedels_poetry.cli.failures import INTERRUPTED
from goedels_poetry.cli.signals import Signals
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.settings.declared import Settings
from goedels_poetry.trace.terminal import console, one_line, say

USAGE = 2
SECONDS = 300.0
"""The longest that a run may take when nobody says another limit, as for `prove`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the command line says."""

    port: int = 0
    runs: int = 2
    timeout: float | None = None
    """Seconds; 0: no limit."""
    models: dict[str, Any] = field(default_factory=dict)


def serve_runs(request: Request) -> int:
    """Serve until a signal comes; 0 then."""
    try:
        chosen = settings(models=request.models)
        from goedels_poetry.serve.server import Limits
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in ("starlette", "uvicorn", "h11"):
            raise
        say(
            console(sys.stderr),
            f"serve needs {package}, which is not installed: pip install starlette uvicorn (the extra `serve`)",
        )
        return USAGE
    except BadSettings as problem:
        say(console(sys.stderr), one_line(str(problem)))
        return USAGE
    limits = Limits(port=request.port, runs=request.runs, seconds=_seconds(request, chosen))
    try:
        asyncio.run(_until_a_signal(chosen, limits))
    except asyncio.CancelledError:
        return INTERRUPTED  # a second Ctrl-C
    except GoedelsPoetryError as problem:
        say(console(sys.stderr), one_line(str(problem)))
        return USAGE
    return 0


def _seconds(request: Request, chosen: Settings) -> float | None:
    given = request.timeout if request.timeout is not None else chosen.budgets.wall_seconds or SECONDS
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
