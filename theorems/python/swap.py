"""Swapping without a third variable: two postconditions."""

from goedels_poetry.contracts import ensures


@ensures(lambda a, b, result: result[0] == b)
@ensures(lambda a, b, result: result[1] == a)
def swap(a: int, b: int) -> tuple[int, int]:
    """Exchange two numbers."""
    a = a + b
    b = a - b
    a = a - b
    return a, b
