"""Declared functions as fixed pseudo-random ones: a test needs values of theirs, whatever these are."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from typing import Any

from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.refutation.values import random_value

SIZE = 2
"""Of the results: small, so that they are met again."""


def interpretation(problem: Problem, seed: int) -> Callable[[str, tuple[Any, ...]], Any]:
    """Values by name and arguments: the same for the same seed, whatever the order of calls."""
    known: dict[tuple[str, tuple[Any, ...]], Any] = {}

    def interpret(name: str, args: tuple[Any, ...]) -> Any:
        key = (name, args)
        if key not in known:
            digest = hashlib.blake2b(repr((seed, key)).encode(), digest_size=8).digest()
            source = random.Random(digest)
            known[key] = random_value(problem.signature, problem.signature.functions[name][1], SIZE, source)
        return known[key]

    return interpret
