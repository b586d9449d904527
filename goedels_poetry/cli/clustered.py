"""``--cluster``: a cluster for a command, and what a command cannot do on one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from goedels_poetry.settings.declared import Settings

if TYPE_CHECKING:
    from goedels_poetry.cluster.seats import Seats

SPARE_MB = 1024
"""Memory beside a Lean: our own process, its solvers."""


@contextmanager
def connected(where: str | None) -> Iterator[Any]:
    """Ray, connected while inside; None where no cluster is asked for. Raises `ClusterError`."""
    if where is None:
        yield None
        return
    from goedels_poetry.cluster.connect import opened

    with opened(where) as ray:
        yield ray


@asynccontextmanager
async def seats_of(
    ray: Any, settings: Settings, jobs: int, on_note: Callable[[str], None]
) -> AsyncIterator[Seats | None]:
    """Seats on the nodes while inside, at most ``jobs``, 0: as there is room for; None without a cluster."""
    if ray is None:
        yield None
        return
    from goedels_poetry.cluster.seats import LEAN, Seats

    async with Seats(ray, {LEAN: lean_memory(settings)}, most=jobs or None, on_note=on_note) as seats:
        yield seats


def lean_memory(settings: Settings) -> int:
    """Bytes that a seat with one Lean takes."""
    from goedels_poetry.languages.lean.runtime.embedded import MEMORY_MB as EMBEDDED_MB
    from goedels_poetry.languages.lean.runtime.native import MEMORY_MB as NATIVE_MB
    from goedels_poetry.languages.lean.runtime.opening import kind_in_use

    native = kind_in_use(settings.lean) == "native"
    return (settings.lean.memory_mb or (NATIVE_MB if native else EMBEDDED_MB)) + SPARE_MB << 20
