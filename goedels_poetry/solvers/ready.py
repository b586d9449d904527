"""Fresh solver processes for the next job of a worker, started while nobody waits for them.

Whoever takes one has a process like any other that has just been started: nobody has asked it anything. Only what the
last job has started and ended is started again, so that a worker whose jobs keep their solvers has none to spare.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable

from goedels_poetry.solvers import child as children
from goedels_poetry.solvers.child import Child

Start = Callable[[], Child]

_ready: dict[Hashable, Child] = {}
_used: dict[Hashable, tuple[Start, Child]] = {}


def started(key: Hashable, start: Start) -> Child:
    """A process that nobody has used. ``key``: all that makes it another one. Raises what ``start`` raises."""
    if not children.share_group:  # no worker: there is no next job
        return start()
    found = _ready.pop(key, None)
    if found is None or not found.alive:
        found = start()
    _used[key] = (start, found)
    return found


def prepare() -> None:
    """Between two jobs: start again what the last one has started and ended, end what it had no use for."""
    for key in [key for key in _ready if key not in _used]:
        _ready.pop(key).close()
    for key, (start, child) in _used.items():
        if key not in _ready and (child.closed or not child.alive):
            with contextlib.suppress(OSError, RuntimeError):  # told when one is needed
                _ready[key] = start()
    _used.clear()


__all__ = ["prepare", "started"]
