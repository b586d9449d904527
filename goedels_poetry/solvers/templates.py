"""Solvers for many jobs of one worker: processes forked from a template that has loaded them and was asked nothing.

A z3 that is started for a check, with three contexts, costs 18 ms of processor time, most of it for memory that it lays
out; a fork of a process that has laid it out costs 10. A cvc5 that the worker itself forks makes the worker slower, by
6 ms: whatever it writes to next is copied first. The template (a `nursery` with other modules) has the libraries, and
contexts and solvers that are new, and does nothing else but fork: a fork of it knows as little as a process that was
started. It is begun when a worker has done so many jobs that loading it is worth it, and nobody waits for it: until it
has loaded, and when it is lost, solvers are started as before.
"""

from __future__ import annotations

import sys

from goedels_poetry.solvers import child as children
from goedels_poetry.solvers.ahead import Ended, Nursery
from goedels_poetry.solvers.child import Child
from goedels_poetry.solvers.headstart import Started
from goedels_poetry.solvers.surroundings import program_environment

JOBS = 16
"""After so many jobs whose solvers were started and ended the template is begun."""
SOLVERS = ("goedels_poetry.solvers.z3_child", "goedels_poetry.solvers.cvc5_child")
FORKING_SECONDS = 5.0
"""Until it must have forked; then it is given up."""

_jobs = 0
_template: Nursery | None = None
_loaded = False
_given_up = False


def count_job() -> None:
    """One more job has started and ended its solvers; begin the template when it is time."""
    global _jobs, _template, _loaded  # noqa: PLW0603  one template a worker
    _jobs += 1
    if _template is None and not _given_up and _jobs >= JOBS and children.share_group and sys.platform == "linux":
        try:
            _template = Nursery(Started(SOLVERS, program_environment(), own=False))
        except OSError:
            give_up()
    elif _template is not None and not _loaded:
        try:
            _loaded = _template.has_loaded()
        except OSError:
            give_up()


def is_ready() -> bool:
    """Whether a fork of the template is to be had."""
    return _loaded and not _given_up


def fork(module: str, memory_mb: int) -> Child | None:
    """A process that was asked nothing, or None: then it has to be started."""
    if _template is not None and is_ready():
        try:
            return Child(_template.fork((), (str(memory_mb),), module, seconds=FORKING_SECONDS))
        except (Ended, OSError):
            give_up()
    return None


def give_up() -> None:
    """No template for this worker any more."""
    global _template, _given_up  # noqa: PLW0603
    _given_up = True
    if _template is not None:
        _template.close()
    _template = None
