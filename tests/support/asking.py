"""What the tests of models share."""

from collections.abc import Callable
from typing import Any

from goedels_poetry.models.client import Models
from goedels_poetry.models.requests import Request

MakeModels = Callable[..., Models]


def goal(statement: str = "1 = 1", **given: Any) -> Request:
    return Request(given.pop("role", "prover"), "test-goal", {"statement": statement}, **given)
