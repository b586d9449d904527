"""Swapping without a third variable: contracts as PEP 316 writes them."""


def swap(a: int, b: int) -> tuple[int, int]:
    """Exchange two numbers.

    post: __return__[0] == b
    post: __return__[1] == a
    """
    a = a + b
    b = a - b
    a = a - b
    return a, b
