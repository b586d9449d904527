"""What is asked of a model and what comes back, plain frozen data; and how attempts differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

ROLES = ("formalizer", "judge", "prover", "corrector", "sketcher", "decider", "search_query")
"""The creative roles; each may have a model of its own."""


def object_of(
    title: str, /, *, required: Sequence[str] | None = None, closed: bool = False, **properties: Any
) -> dict[str, Any]:
    """The JSON schema of an object; of each property the name of its type, ``[schema]`` for a list, or its schema.

    Args:
        required: properties that it must have; None: all.
        closed: whether it may have no others.
    """
    told = {name: _schema(value) for name, value in properties.items()}
    wanted = list(properties) if required is None else list(required)
    titled = {"title": title} if title else {}
    more = {"additionalProperties": False} if closed else {}
    return {**titled, "type": "object", "properties": told, "required": wanted, **more}


def _schema(value: Any) -> Any:
    if isinstance(value, list):
        return {"type": "array", "items": _schema(value[0])}
    return {"type": value} if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Request:
    """One question to the model of a role.

    The same request with the same seed gets the same answer from the cache; ``attempt``, ``seed`` and the
    number of the sample are part of what "the same" means, ``node`` is not: it only says whom to charge.
    """

    role: str
    """One of :data:`ROLES`."""
    prompt: str
    """Name of the template, e.g. ``"prover-initial"``."""
    variables: dict[str, str] = field(default_factory=dict)
    attempt: int = 0
    """0-based: another attempt with the same words is another question."""
    samples: int = 1
    """How many answers, asked for at the same time."""
    temperature: float | None = None
    """The schedule's; a temperature set for the role wins. None: the server's own."""
    max_tokens: int | None = None
    """The schedule's; a limit set for the role wins. None: the server's own."""
    schema: dict[str, Any] | None = None
    """JSON Schema of the object that is wanted; the reply then has ``parsed`` or an ``error``."""
    node: str = ""
    """Goal that this is about, for the accounts."""
    seed: int = 0
    messages: tuple[tuple[str, str], ...] = ()
    """Earlier conversation, oldest first: ``("user" | "assistant", text)``; stands before the prompt."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one or several replies cost. Money is in the currency of the price table (US dollars)."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Those of the input tokens that the server had in its own prompt cache."""
    money: float = 0.0
    unpriced: bool = False
    """Whether no price is known, so that the money says nothing."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one sample. Text from a model is untrusted: parse it, never run it."""

    text: str = ""
    parsed: dict[str, Any] | None = None
    """The object that the request's schema asked for."""
    error: str = ""
    """Why this reply cannot be used, in one line; "" when it can."""
    usage: Usage = Usage()
    seconds: float = 0.0
    cached: bool = False
    """Nobody was called for it now."""
    finish: str = ""
    """``"stop"``, or ``"length"`` when the text ends where the limit on tokens was: it may still be of use."""
    model: str = ""
    sample: int = 0
    calls: int = 0
    """Requests that were sent for it now, retries included."""
    away: bool = False
    """Whether there is no reply because the model could not be reached, or did not answer."""

    @property
    def ok(self) -> bool:
        """Whether it can be used."""
        return not self.error


# How attempts differ


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
