"""Questions in plain language and logic programs: answers, and what they rest on."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from goedels_poetry.reasoning.results import QueryResult, VerificationResult

if TYPE_CHECKING:
    from goedels_poetry.question import Question
    from goedels_poetry.reasoning.proof_of_thought import ProofOfThought
    from goedels_poetry.reasoning.solving import solve

_HOME_OF = {
    "ProofOfThought": "goedels_poetry.reasoning.proof_of_thought",
    "Question": "goedels_poetry.question",
    "solve": "goedels_poetry.reasoning.solving",
}
"""Brought in on first use: deciding a program needs nothing of the state machine."""


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


__all__ = ["ProofOfThought", "QueryResult", "Question", "VerificationResult", "solve"]
