"""The same without blocking the event loop: in threads of our own, ended when nobody waits any more."""

from __future__ import annotations

import asyncio
import contextvars
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from goedels_poetry.sandbox.limits import SandboxLimits, SandboxResult
from goedels_poetry.sandbox.run import run_command, run_python

_threads = ThreadPoolExecutor(max_workers=64, thread_name_prefix="sandbox")
"""They only wait; how many programs run at once is the caller's affair."""


async def run_python_async(
    program: str,
    *,
    arguments: Sequence[str] = (),
    stdin: bytes = b"",
    files: Mapping[str, bytes] | None = None,
    keep: Sequence[str] = (),
    packages: bool = False,
    limits: SandboxLimits | None = None,
) -> SandboxResult:
    """As `run_python`; a coroutine that is cancelled ends the program before it lets go."""
    bounds = limits or SandboxLimits()
    return await _in_thread(
        partial(
            run_python,
            program,
            arguments=arguments,
            stdin=stdin,
            files=files,
            keep=keep,
            packages=packages,
            limits=bounds,
        )
    )


async def run_command_async(
    argv: Sequence[str],
    tree: Path,
    *,
    changes: Mapping[str, bytes] | None = None,
    keep: Sequence[str] = (),
    packages: bool = True,
    limits: SandboxLimits | None = None,
) -> SandboxResult:
    """As `run_command`; a coroutine that is cancelled ends the command before it lets go."""
    return await _in_thread(
        partial(run_command, argv, tree, changes=changes, keep=keep, packages=packages, limits=limits)
    )


async def _in_thread(run: Callable[..., SandboxResult]) -> SandboxResult:
    cancelled, cancel = os.pipe()
    context = contextvars.copy_context()
    future = asyncio.get_running_loop().run_in_executor(_threads, partial(context.run, run, cancelled=cancelled))
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
