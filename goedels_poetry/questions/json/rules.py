"""Recursion without Python's stack: a rule yields what it waits for, and a loop drives it."""

from __future__ import annotations

from collections.abc import Generator
from types import GeneratorType
from typing import Any, TypeAlias

from goedels_poetry.questions.json.syntax import ExpressionError

Rule: TypeAlias = Generator[Any, Any, Any]
"""A rule at work: yields rules whose results it needs (or plain values, which it gets back), returns its own."""

MAX_NESTING = 2_000


def run(rule: Any) -> Any:
    """The result of a rule, or the value itself when it is none.

    Raises:
        ExpressionError: rules wait for each other more than ``MAX_NESTING`` deep.
    """
    if not isinstance(rule, GeneratorType):
        return rule
    waiting: list[Rule] = [rule]
    result: Any = None
    while waiting:
        try:
            wanted = waiting[-1].send(result)
        except StopIteration as done:
            waiting.pop()
            result = done.value
            continue
        if isinstance(wanted, GeneratorType):
            waiting.append(wanted)
            result = None
            if len(waiting) > MAX_NESTING:
                raise ExpressionError(f"nested more than {MAX_NESTING:,} deep", 0, "split it into several")
        else:
            result = wanted
    return result
