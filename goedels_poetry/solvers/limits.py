"""Plain data and errors every solver shares, and how many may be at work."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from goedels_poetry.errors import Unavailable

Status = Literal["sat", "unsat", "unknown", "error"]
Get = Literal["none", "model", "core", "proof", "objectives"] | tuple[str, ...]
"""What to ask for after the status: the model, the unsat core, the proof (with the option ``produce-proofs``), or the
values of these terms."""

Options = Mapping[str, str]
"""Solver options by name, without the leading colon: ``{"smt.mbqi": "false"}``."""


@dataclass(frozen=True)
class Limits:
    """Bounds on one query. Results bounded by ``rlimit`` repeat on any machine, by ``seconds`` they do not.

    rlimit: solver steps, as the solver counts them; 0 means no bound.
    seconds: wall time of the whole query, reading the script included.
    memory_mb: memory of the solver process, in MiB.
    output_bytes: size of everything the solver may answer.
    grace: the solver stops itself after ``seconds``; when it has not answered so many seconds later it is killed.
    """

    rlimit: int = 0
    seconds: float = 10.0
    memory_mb: int = 2048
    output_bytes: int = 10_000_000
    grace: float = 0.5


@dataclass(frozen=True)
class Answer:
    """What a solver said to one query. Only the literal statuses of the one check we posed count.

    reason: for ``unknown``: "timeout", "rlimit", "memory", "killed" or the solver's own word;
        for ``error``: that it crashed twice, or the first message, with ``line L column C`` relative to the caller's
        text where known.
    output: raw text of the model, the core or the values, when they were asked for and exist.
    seconds: wall time. rlimit_used: steps spent by the check, None when the solver did not tell.
    """

    status: Status
    reason: str = ""
    output: str = ""
    seconds: float = 0.0
    rlimit_used: int | None = None
    lost: bool = False
    """Of an ``error``: the process ended, in a fresh one again, or could not be run at all."""

    @property
    def definite(self) -> bool:
        """Whether it is a verdict: "unknown" and "error" say nothing about the question."""
        return self.status in ("sat", "unsat")


@dataclass(frozen=True)
class Finish:
    """``winner`` is the index of the runner whose ``answer`` this is; None when all gave up."""

    winner: int | None
    answer: Answer


class SolverError(Exception):
    """A job outside this process failed; the process that ran it is gone or was replaced."""


class SolverUnavailable(SolverError, Unavailable):
    """A solver, or a worker, cannot be started, or a fresh one dies at once: not the fault of what was asked."""


PROCESSORS = "GOEDELS_POETRY_PROCESSORS"
"""Environment: a smaller number than the system gives, for a machine that is shared. A worker of a cluster sets it."""


def processors() -> int:
    """The default size of pools: the number of the environment, at most what the system lets this process run on."""
    try:
        available = len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        available = os.cpu_count() or 1
    wanted = os.environ.get(PROCESSORS, "")
    return max(1, min(available, int(wanted))) if wanted.isdecimal() else available
