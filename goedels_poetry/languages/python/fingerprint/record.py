"""What is known of a candidate's approach: its strategy and what stands beside it."""

from __future__ import annotations

from dataclasses import dataclass

from goedels_poetry.languages.python.fingerprint.words import DISTINGUISHING


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The approach of one function.

    Attributes:
        strategy: one of ``STRATEGIES``.
        tags: what else holds of it: other strategies that take part (a memoised recursion has ``recursion``), and how
            it is done (``tail``, ``bisection``, ...).
    """

    strategy: str
    tags: frozenset[str]

    @property
    def text(self) -> str:
        """What two candidates of the same approach share: ``recursion``, ``recursion (backtracking)``."""
        told = [tag for tag in DISTINGUISHING if tag in self.tags]
        return f"{self.strategy} ({', '.join(told)})" if told else self.strategy
