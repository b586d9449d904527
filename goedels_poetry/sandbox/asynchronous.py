"""The same without blocking the event loop: in threads of our own, ended when nobody waits any more."""

from __future__ import annotations

import asyncio
import contextvars
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec

from goedels_poetry.sandbox.limits import SandboxResult
from goedels_poetry.sandbox.run import run_command, run_python

P = ParamSpec("P")

_threads = ThreadPoolExecutor(max_workers=64, thread_name_prefix="sandbox")
"""They only wait; how many programs run at once is the caller's affair."""


def _asynchronous(run: Callable[P, SandboxResult]) -> Callable[P, Coroutine[Any, Any, SandboxResult]]:
    async def in_thread(*args: P.args, **kwargs: P.kwargs) -> SandboxResult:
        cancelled, cancel = os.pipe()
        kwargs["cancelled"] = cancelled
        work = partial(contextvars.copy_context().run, run, *args, **kwargs)
        future = asyncio.get_running_loop().run_in_executor(_threads, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            os.write(cancel, b"1")
            await asyncio.wait([future])
            raise
        finally:
            os.close(cancel)
            if future.done():
                os.close(cancelled)

    return in_thread


run_python_async = _asynchronous(run_python)
"""As `run_python`; a coroutine that is cancelled ends the program before it lets go."""
run_command_async = _asynchronous(run_command)
"""As `run_command`; a coroutine that is cancelled ends the command before it lets go."""
