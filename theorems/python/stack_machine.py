"""A small stack machine: compiled expressions leave their value on the stack."""

from __future__ import annotations

from dataclasses import dataclass

from goedels_poetry.contracts import ensures


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Plus:
    left: Number | Plus
    right: Number | Plus


Expression = Number | Plus


def value_of(e: Expression) -> int:
    if isinstance(e, Number):
        return e.value
    return value_of(e.left) + value_of(e.right)


def compiled(e: Expression) -> list[int | None]:
    """A number is pushed; None adds the two on top."""
    if isinstance(e, Number):
        return [e.value]
    return compiled(e.left) + compiled(e.right) + [None]


def run(code: list[int | None], stack: list[int]) -> list[int]:
    if len(code) == 0:
        return stack
    first = code[0]
    if first is not None:
        return run(code[1:], [first] + stack)
    if len(stack) < 2:
        return []
    return run(code[1:], [stack[0] + stack[1]] + stack[2:])


@ensures(lambda result, e: result == [value_of(e)])
def execute(e: Expression) -> list[int]:
    return run(compiled(e), [])
