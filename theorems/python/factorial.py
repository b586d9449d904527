"""A product that is never zero."""

from goedels_poetry.contracts import ensures, requires


@requires(lambda n: n >= 0)
@ensures(lambda result: result >= 1)
def factorial(n: int) -> int:
    if n == 0:
        return 1
    return n * factorial(n - 1)
