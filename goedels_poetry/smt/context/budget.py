"""What a job may use, and what it has used so far: queries to solvers and time.

How much a solver may do for one query, and how it is configured.

Resource limits are counted by the solver itself, so a search does the same on every machine; seconds only guard
against a solver that runs away between two counts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from goedels_poetry.solvers.limits import Answer

DIRECT = 30_000
"""Resource units of z3 for one attempt at a goal: about 0.05 s. 99 of 100 queries that succeed need less."""

PATIENT = 120_000
"""The same when everything else has failed."""

GROUND = 400_000
"""The same for ground arithmetic, which is slower to give up."""

QUICK = 20_000
"""For a first attempt at a goal of ground arithmetic, where three times as much is given to each unfolding."""

CANDIDATE = 15_000
"""The same for a lemma that is only a guess."""

SAFETY_SECONDS = 3.0

MODEL_SECONDS = 1.0
"""The same for instantiation by models, which may run away."""

ROUNDS = (1, 2, 3)
"""How often the calls that unfoldings bring are unfolded themselves."""

INCREMENTAL = {"auto_config": "false", "smt.mbqi": "false", "smt.random_seed": "0"}
"""Options of z3 for sessions: many short queries over one prelude, quantifiers by triggers alone."""

CONFIGURATIONS: tuple[tuple[Mapping[str, str], int], ...] = (
    (INCREMENTAL, 200_000),
    ({**INCREMENTAL, "smt.case_split": "3"}, 200_000),
    ({}, 400_000),
    (INCREMENTAL, 4_000_000),
    ({**INCREMENTAL, "smt.case_split": "3"}, 4_000_000),
)
"""Ways to ask in a fresh context, with resource limits. z3 can run away in one and answer at once in another."""


class OutOfTime(Exception):
    """The deadline of the job has passed, or its number of queries is used up."""


class Budget:
    """Counts queries against a limit, and time against a deadline; neither limit is there unless it is set.

    ``calls`` and ``seconds`` are the queries posed and the time that solvers took for them.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """As it began: nothing used, nothing limited."""
        self.calls = 0
        self.seconds = 0.0
        self._deadline: float | None = None
        self._most_calls: int | None = None

    def set_deadline(self, seconds: float | None) -> None:
        """So many ``seconds`` from now, or none."""
        self._deadline = time.monotonic() + seconds if seconds is not None else None

    def limit_calls(self, calls: int | None) -> None:
        """So many more queries, or any number of them. The same on every machine, unlike a deadline."""
        self._most_calls = self.calls + calls if calls is not None else None

    @contextmanager
    def part(self, most: float) -> Iterator[None]:
        """At most a part of what is left, 0 to 1, inside; what is not used of it is there afterwards."""
        calls, deadline, now = self._most_calls, self._deadline, time.monotonic()
        if calls is not None:
            self._most_calls = self.calls + int(max(0, calls - self.calls) * most)
        if deadline is not None:
            self._deadline = now + max(0.0, deadline - now) * most
        try:
            yield
        finally:
            self._most_calls, self._deadline = calls, deadline

    def spend(self, answer: Answer) -> Answer:
        """Count a query that was answered."""
        self.calls += 1
        self.seconds += answer.seconds
        return answer

    def seconds_left(self) -> float:
        """Until the deadline; infinite without one."""
        return math.inf if self._deadline is None else self._deadline - time.monotonic()

    def check(self) -> None:
        """To be called before a query, and by whoever works for long without one.

        Raises:
            OutOfTime: nothing is left.
        """
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise OutOfTime
        if self._most_calls is not None and self.calls >= self._most_calls:
            raise OutOfTime
