"""How attempts differ: more samples and more heat the longer nothing works."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from goedels_poetry.models.requests import Request


class Step(NamedTuple):
    """Parameters of one attempt."""

    beam: int
    """Samples asked for at the same time."""
    temperature: float


@dataclass(frozen=True, slots=True)
class RetryConfig:
    """The schedule of attempts on one goal. Beyond the end of a list its last entry goes on.

    Raises ValueError when there is nothing to schedule.
    """

    max_attempts: int = 5
    beam_schedule: tuple[int, ...] = (1, 3, 3, 5, 5)
    temperature_schedule: tuple[float, ...] = (0.3, 0.5, 0.5, 0.7, 0.7)
    max_tokens: int | None = None
    """Tokens of one reply; None: the role's setting, else the server's own limit."""

    def __post_init__(self) -> None:
        if self.max_attempts < 1 or not self.beam_schedule or not self.temperature_schedule:
            raise ValueError("a schedule needs at least one attempt, one beam size and one temperature")
        if min(self.beam_schedule) < 1 or min(self.temperature_schedule) < 0:
            raise ValueError("beam sizes are at least 1, temperatures at least 0")

    def step(self, attempt: int) -> Step:
        """Parameters of a 0-based attempt."""
        beam = self.beam_schedule[min(attempt, len(self.beam_schedule) - 1)]
        return Step(beam, self.temperature_schedule[min(attempt, len(self.temperature_schedule) - 1)])

    def scheduled(self, request: Request) -> Request:
        """The request with the beam, temperature and length of its attempt."""
        step = self.step(request.attempt)
        tokens = request.max_tokens if request.max_tokens is not None else self.max_tokens
        return replace(request, samples=step.beam, temperature=step.temperature, max_tokens=tokens)
