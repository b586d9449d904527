"""Solvers for many jobs of one worker: processes forked from templates that have loaded them and were asked nothing.

A z3 that is started for a check, with three contexts, costs 18 ms of processor time, most of it for memory that it lays
out; a fork of a process that has laid it out costs 10. A cvc5 that the worker itself forks makes the worker slower, by
6 ms: whatever it writes to next is copied first. A template (a `nursery` with other modules) has the library of one
solver, as what it does not need would be copied with each fork, and contexts and solvers that are new, and does nothing
else but fork: a fork of it knows as little as a process that was started. Templates are begun when a worker has done so
many jobs that loading them is worth it, and nobody waits for them: until they have loaded, and when one is lost,
solvers are started as before.
"""

from __future__ import annotations

import sys

from goedels_poetry.solvers import child as children
from goedels_poetry.solvers.ahead import Ended, Nursery
from goedels_poetry.solvers.child import Child
from goedels_poetry.solvers.headstart import Started
from goedels_poetry.solvers.surroundings import program_environment

JOBS = 16
"""After so many jobs whose solvers were started and ended the templates are begun."""
SOLVERS = ("goedels_poetry.solvers.z3_child", "goedels_poetry.solvers.cvc5_child")
FORKING_SECONDS = 5.0
"""Until it must have forked; then it is given up."""

_jobs = 0
_templates: dict[str, Nursery] = {}
_loaded: set[str] = set()
_given_up = False


def count_job() -> None:
    """One more job has started and ended its solvers; begin the templates when it is time."""
    global _jobs  # noqa: PLW0603  one set of templates a worker
    _jobs += 1
    try:
        if not _templates and not _given_up and _jobs >= JOBS and children.share_group and sys.platform == "linux":
            for module in SOLVERS:
                _templates[module] = Nursery(Started((module,), program_environment(), own=False))
        else:  # each says so once
            waiting = [module for module in _templates if module not in _loaded]
            _loaded.update(module for module in waiting if _templates[module].has_loaded())
    except OSError:
        give_up()


def is_ready() -> bool:
    """Whether a fork of the template is to be had."""
    return len(_loaded) == len(SOLVERS) and not _given_up


def fork(module: str, memory_mb: int) -> Child | None:
    """A process that was asked nothing, or None: then it has to be started."""
    template = _templates.get(module)
    if template is not None and is_ready():
        try:
            return Child(template.fork((), (str(memory_mb),), module, seconds=FORKING_SECONDS))
        except (Ended, OSError):
            give_up()
    return None


def give_up() -> None:
    """No templates for this worker any more."""
    global _given_up  # noqa: PLW0603
    _given_up = True
    for template in _templates.values():
        template.close()
    _templates.clear()


__all__ = ["count_job", "fork", "give_up", "is_ready"]
