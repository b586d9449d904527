"""Texts are read in processes that can be killed; what becomes of the process says nothing about the text."""

from __future__ import annotations

from typing import Any

from goedels_poetry.errors import Unavailable
from goedels_poetry.protocol.base import JobPool
from goedels_poetry.solvers.launch import memory_limit_mb
from goedels_poetry.solvers.limits import SolverUnavailable
from goedels_poetry.solvers.worker_pool import JobCrashed, JobMemory, JobTimeout

READ_SECONDS = (15.0, 30.0)
"""For the first try and, when that was too slow, for another one in a fresh process."""


async def read_apart(pool: JobPool, function: str, payload: dict[str, Any], memory_mb: int, urgency: int = 0) -> Any:
    """What a job says about a text; with a word in its ``warnings`` where the system gives less memory than is wanted.

    Raises Unavailable: the process that read it ended, took too long or needed too much memory, again in a fresh one.
    """
    late: JobTimeout | None = None
    for seconds in READ_SECONDS:
        try:
            found = await pool.run(function, payload, seconds, memory_mb, urgency)
        except JobTimeout as error:
            late = error
        except (JobCrashed, JobMemory, SolverUnavailable) as error:
            raise Unavailable(f"could not be read: {error}") from error
        else:
            return _with_memory_warning(found, memory_mb)
    raise Unavailable(f"could not be read: {late}") from late


def _with_memory_warning(found: dict[str, Any], memory_mb: int) -> dict[str, Any]:
    limit = memory_limit_mb()
    if "warnings" not in found or limit is None or limit >= memory_mb:
        return found
    warning = f"`ulimit -v` leaves each process {limit} MB of memory, less than the {memory_mb} MB it may want"
    return {**found, "warnings": [*found["warnings"], warning]}
