"""Fresh solver processes for the next job of a worker, started while nobody waits for them.

Whoever takes one has a process like any other that has just been started: nobody has asked it anything. Only what the
last job has started and ended is started again, so that a worker whose jobs keep their solvers has none to spare.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable
from typing import Protocol

from goedels_poetry.solvers import child as children
from goedels_poetry.solvers.child import Child

Start = Callable[[], Child]

_ready: dict[Hashable, Child] = {}
_used: dict[Hashable, tuple[Start, Child]] = {}
_forks: dict[tuple[str, int], Child] = {}
_forked: set[tuple[str, int]] = set()
"""What the job has taken of forks of the worker's template, see `templates`."""


class Forks(Protocol):
    """Where forks come from: `templates`, named by the pool that the worker belongs to."""

    def count_job(self) -> None:
        """One more job has started and ended its solvers."""

    def is_ready(self) -> bool:
        """Whether there is something to fork."""

    def fork(self, module: str, memory_mb: int) -> Child | None:
        """A process that was asked nothing, or None."""


_source: Forks | None = None
_templated = False


def started(key: Hashable, start: Start) -> Child:
    """A process that nobody has used. ``key``: all that makes it another one. Raises what ``start`` raises."""
    if not children.share_group:  # no worker: there is no next job
        return start()
    found = _ready.pop(key, None)
    if found is None or not found.alive:
        found = start()
    _used[key] = (start, found)
    return found


def forked(module: str, memory_mb: int) -> Child | None:
    """The same as a fork of the worker's template; None where there is none."""
    if not _templated or _source is None:
        return None
    key = (module, memory_mb)
    found = _forks.pop(key, None)
    if found is None or not found.alive:
        found = _source.fork(module, memory_mb)
    _forked.add(key)
    return found


def prepare(source: Forks | None = None) -> None:
    """Between two jobs: start again what the last one has started and ended, end what it had no use for.

    ``source``: of forks, for a worker of many jobs.
    """
    for key in [key for key in _ready if key not in _used]:
        _ready.pop(key).close()
    for unused in _forks.keys() - _forked:
        _forks.pop(unused).close()
    if source is not None:
        _prepare_forks(source)
    for key, (start, child) in _used.items():
        if key not in _ready and (child.closed or not child.alive):
            with contextlib.suppress(OSError, RuntimeError):  # told when one is needed
                _ready[key] = start()
    _used.clear()


def bury() -> None:
    """Let go of solvers that have ended, by whomever, while nobody has a job for this worker."""
    for key in [key for key, each in _forks.items() if not each.alive]:
        _forks.pop(key).close()
    children.bury()


def _prepare_forks(source: Forks) -> None:
    """From the template, where there is one; where there is none, see whether it is time for it."""
    global _source, _templated  # noqa: PLW0603  one template a worker
    _source = source
    if not _templated and any(child.closed for _, child in _used.values()):
        source.count_job()
        _templated = source.is_ready()
    for key in _forked - _forks.keys():
        if (found := source.fork(*key)) is not None:
            _forks[key] = found
    _forked.clear()
