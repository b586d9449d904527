"""A backend that decides programs about a small world with real solvers."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from small_world import program

from goedels_poetry.questions.result import VerificationResult
from goedels_poetry.reasoning.backends import JSONBackend


@pytest.fixture(scope="session")
def backend() -> Iterator[JSONBackend]:
    with JSONBackend(verify_timeout=20_000, processes=1) as opened:
        yield opened


@pytest.fixture
def ask(backend: JSONBackend) -> Callable[..., VerificationResult]:
    """Decide a goal under facts."""

    def asked(goal: str, *facts: str, **sections: Any) -> VerificationResult:
        return backend.execute(program(knowledge_base=list(facts), goal=goal, **sections))

    return asked
