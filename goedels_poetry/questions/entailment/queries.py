"""What is asked of solvers about one program. Who puts the questions, and to which processes, is for others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from goedels_poetry.questions.entailment.encoder import Encoder

MEMORY_MB = 1024
"""Of each solver process."""
LEAST = 0.02
"""Seconds that make it worth asking."""


class Answer(Protocol):
    """A status with what was printed besides. What was cut off, refused or garbled is "unknown"."""

    @property
    def status(self) -> Literal["sat", "unsat", "unknown", "error"]:
        """Whether it is satisfiable."""

    @property
    def reason(self) -> str:
        """Why it is neither."""

    @property
    def output(self) -> str:
        """What was asked for besides."""


class Evidence(Protocol):
    """An answer with its evidence: the model of ``sat``, the assumptions that ``unsat`` needs, in z3's words."""

    @property
    def answer(self) -> Answer:
        """The status."""

    @property
    def model(self) -> str:
        """Empty where there is none."""

    @property
    def core(self) -> str:
        """Empty where there is none."""


class Queries(Protocol):
    """Questions about one program until its time is over. An ``extra`` is text of assertions beside the premises."""

    @property
    def encoder(self) -> Encoder:
        """The program."""

    @property
    def left(self) -> float:
        """Seconds that are left."""

    def quickly(self, extras: Sequence[str]) -> Sequence[Evidence]:
        """A first try at each."""

    def insistently(self, extra: str, seconds: float) -> Evidence:
        """Both solvers within so many seconds; without cores."""

    def optimum(self, maximize: bool, term: str, extra: str, seconds: float) -> Answer:
        """What an optimizer suggests for a term, beside ``extra``, as ``(objectives …)`` in ``output``."""

    def ask_for_values(self, encoder: Encoder, extra: str, terms: tuple[str, ...]) -> Answer:
        """Whether other premises are satisfiable together with ``extra``, and the values of terms where they are."""

    def core(self, extra: str, found: Evidence | None = None) -> tuple[str, ...]:
        """Names of premises that are enough for a question that was seen to be unsat; all of them when in doubt."""

    def trust(self, script: str, consistent: bool) -> tuple[str | None, str]:
        """The trust level of what a script shows by being unsat, or why nothing is to be concluded from it."""


class Solvers(Protocol):
    """Processes that are asked about one program at a time."""

    def queries(self, encoder: Encoder, seconds: float, memory_mb: int = MEMORY_MB, minimal: bool = False) -> Queries:
        """Begin to ask about a program. ``minimal``: make cores minimal."""
