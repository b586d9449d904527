"""Euclid's algorithm."""

from goedels_poetry.contracts import ensures, requires


@requires(lambda a, b: a >= 0 and b >= 0)
@ensures(lambda result: result >= 0)
@ensures(lambda result, a, b: (result == 0) == (a == 0 and b == 0))
def gcd(a: int, b: int) -> int:
    while b != 0:
        a, b = b, a % b
    return a
