"""The agents that answer a question: formalize -> verify -> decide -> (correct -> verify -> decide ...) -> the checker.

They work on the same machine as the search for proofs, with a table of their own.
"""

from __future__ import annotations

from goedels_poetry.search.agents.registry import Registry, load_registry

GROUP = "goedels_poetry.question_agents"
"""Entry points of plug-ins for questions."""

BUILT_IN = (
    "questions.writer:formalizer",
    "questions.verifier:verifier",
    "questions.writer:corrector",
    "questions.decider:decider",
    "questions.judge:judge",
    "questions.refiner:refiner",
)
"""``module:attribute`` below ``goedels_poetry.search``."""


def question_registry() -> Registry:
    """The agents of questions, then those of installed plug-ins."""
    from goedels_poetry.search.questions.decider import QUESTION_FAILURES

    return load_registry(BUILT_IN, GROUP, QUESTION_FAILURES)


__all__ = ["BUILT_IN", "GROUP", "question_registry"]
