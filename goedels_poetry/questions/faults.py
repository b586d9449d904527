"""Further faults of a program that cannot be read, so that a model can mend all of them in one reply.

A program with a fault is refused, whatever is found here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from goedels_poetry.errors import InvalidInput
from goedels_poetry.questions.dialects import read_program

MOST = 5
"""Faults that are told besides the first."""
MAX_CHARACTERS = 100_000
"""Of a longer program only the first fault is told."""

_TOKEN = re.compile(r';[^\n]*|"[^"]*"|\|[^|]*\||[()]')
_ASSERT = re.compile(r"\(\s*assert\b")


def further_faults(text: str, dialect: str, first: InvalidInput) -> list[InvalidInput]:
    """What else is wrong: found by leaving out one faulty assertion after the other.

    Only assertions are left out, since what is wrong for want of a declaration would be no fault of its own.
    """
    found: list[InvalidInput] = []
    fault = first
    if dialect != "smt2" or len(text) > MAX_CHARACTERS:
        return found
    while len(found) < MOST:
        rest = _without(text, fault)
        if rest is None:
            return found
        text = rest
        try:
            read_program(text, dialect)
        except InvalidInput as problem:
            fault = problem
            found.append(problem)
        else:
            return found
    return found


def _without(text: str, fault: InvalidInput) -> str | None:
    """The text with the assertion at the fault made blank, all else where it was; None when none stands there."""
    if fault.line is None or fault.column is None:
        return None
    lines = text.splitlines(keepends=True)
    place = sum(map(len, lines[: fault.line - 1])) + fault.column - 1
    for start, end in _commands(text):
        if start <= place < end and _ASSERT.match(text, start):
            return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return None


def _commands(text: str) -> Iterator[tuple[int, int]]:
    """Where the commands of a program begin and end."""
    depth = start = 0
    for token in _TOKEN.finditer(text):
        if token[0] == "(":
            start = token.start() if depth == 0 else start
            depth += 1
        elif token[0] == ")":
            depth -= 1
            if depth < 0:
                return
            if depth == 0:
                yield start, token.end()
